"""The one module that every request of a tenant goes through (spec: host.md section 6; flow-spec.md, request, answer).

HTTP actions and tools, webhooks and the base URLs of model providers: what is written in a row never leads a request to
an address that is not public, unless the site opened it, and what a customer says never changes where it goes, how many
headers it has, or the shape of its body.

    addresses, hosts, allow_list   what may be reached
    url, placeholders, request     from a `request` and values to what leaves
    secret_values                  secrets, which go to their hosts only, and out of all that is told
    network, connection, quiet     sockets that go where was checked, within a deadline, sizes capped, no redirect
    json_answer, pointers, answer  from what came to ok, skipped or failed, a value, and fields
    arguments, handlers            an action or a tool of the engine; idempotency: the key that its calls leave under
    shares                         how many requests of one tenant are under way at once
    trials                         a request tried with sample values, outside of any turn
    findings, request_checks, answer_checks, validation   what is wrong with a definition, before it is published
    providers                      the transport of a model provider
"""

__all__: list[str] = []
