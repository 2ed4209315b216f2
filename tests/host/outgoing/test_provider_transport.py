"""A model provider's base URL leads nowhere that an action could not go; its errors stay the engine's."""

from __future__ import annotations

import pytest

from falai_django.outgoing import network
from falai_django.outgoing.providers import ProviderTransport, provider_transport
from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.providers import make_provider
from tests.providers.local_server import SILENCE, LocalServer, Raw, Reply
from tests.providers.requests import speak


@pytest.fixture
def model(transports_of_providers):
    """`model(url)` answers through a guarded transport of its own."""

    def make(url, **options):
        transport = ProviderTransport(**options.pop("transport", {}))
        transports_of_providers.append(transport)
        return make_provider(
            "openai-compatible", **{"model": "m", "base_url": url, "attempts": 1, "transport": transport, **options}
        )

    return make


@pytest.fixture
def transports_of_providers():
    made = []
    yield made
    for transport in made:
        transport.close()


def said(text="hello"):
    message = {"role": "assistant", "content": f'{{"message": "{text}"}}'}
    return Reply.of_json(
        {"id": "1", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    )


def test_a_local_model_that_the_site_allows_answers(allowed, model):
    allowed.say(said())
    assert model(f"{allowed.url}/v1").generate(speak()).message == "hello"


def test_a_local_model_is_allowed_by_its_name(server, model, settings):
    """The engine resolves before the guard does; the name still counts."""
    settings.FALAI_OUTGOING_ALLOW = [f"localhost:{server.port}"]
    server.say(said())
    assert model(f"http://localhost:{server.port}/v1").generate(speak()).message


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1"])
def test_a_private_base_url_is_refused(server, model, host):
    """As a mistake of the configuration, which is not tried again."""
    with pytest.raises(ProviderError) as caught:
        model(f"http://{host}:{server.port}/v1", attempts=3).generate(speak())
    assert (caught.value.kind, server.connections) == (ErrorKind.INVALID, 0)


@pytest.mark.parametrize("found", [["127.0.0.1"], ["203.0.114.7", "10.0.0.1"]], ids=["private", "mixed"])
def test_a_name_that_leads_to_a_private_address_is_refused(model, monkeypatch, connected, found):
    """Whoever resolves it: the address is judged where the socket is opened."""
    answers = [(2, 1, 6, "", (address, 443)) for address in found]
    monkeypatch.setattr(network.socket, "getaddrinfo", lambda *_args, **_more: answers)
    with pytest.raises(ProviderError):
        model("https://rebinding.example.com/v1").generate(speak())
    assert ("127.0.0.1", 443) not in connected
    assert ("10.0.0.1", 443) not in connected


def test_a_proxy_of_the_environment_is_not_asked(allowed, model, monkeypatch):
    proxy = LocalServer()
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    allowed.say(said())
    try:
        model(f"{allowed.url}/v1").generate(speak())
        assert proxy.connections == 0
    finally:
        proxy.close()


def test_a_model_that_does_not_answer_is_a_timeout(allowed, model):
    allowed.say(Raw([SILENCE]))
    with pytest.raises(ProviderError) as caught:
        model(f"{allowed.url}/v1", timeout=0.1).generate(speak())
    assert caught.value.kind is ErrorKind.TIMEOUT


def test_a_redirect_of_a_model_is_not_followed(allowed, model):
    allowed.say(Reply([b""], 307, {"location": "http://169.254.169.254/"}))
    with pytest.raises(ProviderError):
        model(f"{allowed.url}/v1").generate(speak())
    assert len(allowed.asked) == 1


def test_all_providers_of_a_process_share_one():
    assert provider_transport() is provider_transport()
    assert provider_transport() is not network.process_transport()
