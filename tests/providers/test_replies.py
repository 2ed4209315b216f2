"""What each vendor answers, in its own format, becomes one ModelReply, in whichever way it is asked for."""

from __future__ import annotations

import json

import pytest

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import RESET, ModelReply, Provider, ToolCall, Usage
from tests.providers import ways
from tests.providers.fakes import Said, in_pieces
from tests.providers.local_server import Reply
from tests.providers.requests import HISTORY, PING, STOCK, speak, summary, understand
from tests.providers.vendors import FAKES, FORMATS, KINDS, provider_of

SPOKEN = {"message": 'Olá, "Zé" \N{GRINNING FACE}\nTudo bem?', "size": None, "floor": 2, "budget": 1.5, "agreed": True}
every_way = pytest.mark.parametrize("way", ways.ALL)
every_kind = pytest.mark.parametrize("kind", KINDS)
every_format = pytest.mark.parametrize("kind", FORMATS)


@every_kind
@every_way
def test_a_spoken_reply(servers, kind, way):
    """Message, structured output, usage and model come out the same, whoever said it and however it came."""
    server, fake = servers(kind), FAKES[kind]
    server.say(ways.scripted(way, fake, Said(json.dumps(SPOKEN))))
    with provider_of(kind, server) as provider:
        shown, reply = way(provider, speak(history=HISTORY, tools=(STOCK, PING)))
    assert reply.message == SPOKEN["message"]
    assert reply.structured == SPOKEN
    assert reply.tool_calls == ()
    assert reply.usage == Usage(100, 20, 40)
    assert reply.model == fake.MODEL
    assert reply.finish
    assert isinstance(provider, Provider)
    if shown is not None:
        assert "".join(shown) == SPOKEN["message"]
        assert len(shown) > 3


@every_kind
@every_way
def test_a_round_of_tool_calls(servers, kind, way):
    """Calls are put together from their fragments, their arguments objects; what is said beside them is not shown."""
    server, fake = servers(kind), FAKES[kind]
    calls = (("check_stock", {"item": "mesa \N{SLICE OF PIZZA}", "more": [1, None]}), ("ping", {}))
    server.say(ways.scripted(way, fake, Said("Vou ver.", calls)))
    with provider_of(kind, server) as provider:
        shown, reply = way(provider, speak(tools=(STOCK, PING)))
    assert reply.tool_calls == tuple(ToolCall(name, arguments) for name, arguments in calls)
    assert reply.message == "Vou ver."
    assert not shown


@every_format
@every_way
def test_an_understanding(servers, kind, way):
    """A judgement has no message: its structured output is all, and a stream of it shows nothing."""
    server = servers(kind)
    server.say(ways.scripted(way, FAKES[kind], Said('{"flows": {"sales": 80}}')))
    with provider_of(kind, server) as provider:
        shown, reply = way(provider, understand())
    assert reply.structured == {"flows": {"sales": 80}}
    assert not shown


@every_format
@every_way
def test_a_summary_is_plain_text(servers, kind, way):
    """A call without a schema asks for text, and gets it word for word, braces and all."""
    server = servers(kind)
    server.say(ways.scripted(way, FAKES[kind], Said('They said {"message": "hi"}.')))
    with provider_of(kind, server) as provider:
        shown, reply = way(provider, summary())
    assert reply == ModelReply(reply.message, usage=Usage(100, 20, 40), model=reply.model, finish=reply.finish)
    assert reply.message == 'They said {"message": "hi"}.'
    assert shown is None or "".join(shown) == reply.message


@every_format
@every_way
def test_a_reply_that_is_cut_off_is_never_shown_raw(servers, kind, way):
    """A reply that ran into its limit holds no object: what a stream had shown of it is void."""
    server = servers(kind)
    server.say(ways.scripted(way, FAKES[kind], Said('{"message": "Half a sen', cut=True)))
    with provider_of(kind, server) as provider:
        shown, reply = way(provider, speak())
    assert reply.structured is None
    if shown is not None:
        assert "".join(shown[:-1]) == "Half a sen"
        assert shown[-1] is RESET


@every_format
@every_way
def test_the_first_of_duplicate_keys_counts(servers, kind, way):
    """In the stream and in the reply alike."""
    server = servers(kind)
    server.say(ways.scripted(way, FAKES[kind], Said('{"message": "first", "message": "second", "size": 1, "size": 2}')))
    with provider_of(kind, server) as provider:
        shown, reply = way(provider, speak())
    assert (reply.message, reply.structured["size"]) == ("first", 1)
    assert shown is None or "".join(shown) == "first"


@every_format
@every_way
def test_text_around_the_object_and_text_without_one(servers, kind, way):
    """A code fence or a preface is passed over; text that holds no object is the message, shown when it is whole."""
    server = servers(kind)
    server.say(
        ways.scripted(way, FAKES[kind], Said('Sure {here}:\n```json\n{"message": "Oi"}\n```')),
        ways.scripted(way, FAKES[kind], Said("Só texto, sem objeto.")),
    )
    with provider_of(kind, server) as provider:
        fenced, plain = way(provider, speak()), way(provider, speak())
    assert fenced[1].message == "Oi"
    assert plain[1] == ModelReply(
        "Só texto, sem objeto.", usage=plain[1].usage, model=plain[1].model, finish=plain[1].finish
    )
    if plain[0] is not None:
        assert ("".join(fenced[0]), "".join(plain[0])) == ("Oi", "Só texto, sem objeto.")


@every_format
@every_way
def test_a_refusal_is_an_error_of_content(servers, kind, way):
    """A refusal or a safety block is no reply."""
    server, fake = servers(kind), FAKES[kind]
    server.say(Reply.of_events(fake.refusal_frames()) if way in ways.STREAMS else Reply.of_json(fake.refusal()))
    with provider_of(kind, server) as provider, pytest.raises(ProviderError) as caught:
        way(provider, speak())
    assert caught.value.kind is ErrorKind.CONTENT
    assert caught.value.provider == kind


@pytest.mark.parametrize("way", ways.STREAMS)
@every_format
def test_a_stream_asked_of_a_server_that_sends_it_in_one_piece(servers, kind, way):
    """A server that knows no streams answers JSON: the message comes at once."""
    server, fake = servers(kind), FAKES[kind]
    server.say(Reply.of_json(fake.body(Said(json.dumps(SPOKEN)))))
    with provider_of(kind, server) as provider:
        assert way(provider, speak())[0] == [SPOKEN["message"]]


@every_format
def test_a_stream_cut_at_every_byte(servers, kind):
    """Wherever the network cuts, text, calls and usage are the same: in characters, escapes, surrogates, line ends."""
    server, fake = servers(kind), FAKES[kind]
    text = '{"message":"\\u00e9\\ud83d\\ude00\N{SLICE OF PIZZA}\\n","size":null}'
    whole = b"".join(fake.frames(Said(text, (("check_stock", {"item": "é"}),), size=24)))
    stride = 61
    cuts = [[whole[:first], *in_pieces(whole[first:], stride)] for first in range(1, stride + 1)]
    single_bytes = [whole[place : place + 1] for place in range(len(whole))]
    server.say(*map(Reply.of_events, [single_bytes, *cuts]))
    with provider_of(kind, server) as provider:
        replies = [[*provider.stream(speak(tools=(STOCK,)))][-1] for _ in range(len(cuts) + 1)]
    assert [reply for reply in replies if reply != replies[0]] == []
    assert replies[0].message == "é\N{GRINNING FACE}\N{SLICE OF PIZZA}\n"
    assert replies[0].tool_calls == (ToolCall("check_stock", {"item": "é"}),)
    assert replies[0].usage == Usage(100, 20, 40)


@pytest.mark.parametrize("way", ways.STREAMS)
def test_usage_is_put_together_from_all_chunks(servers, way):
    """What a later chunk does not count again stays counted."""
    server, fake = servers("openrouter"), FAKES["openrouter"]
    counted = [
        {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10, "prompt_tokens_details": {"cached_tokens": 4}},
        {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16},
    ]
    frames = [b"data: %s\n\n" % json.dumps({"choices": [], "usage": usage}).encode() for usage in counted]
    server.say(Reply.of_events([*fake.frames(Said('{"message": "Oi"}'))[:-2], *frames, b"data: [DONE]\n\n"]))
    with provider_of("openrouter", server) as provider:
        assert way(provider, speak())[1].usage == Usage(9, 7, 4)


@every_format
def test_a_reply_that_counts_nothing(servers, kind):
    """No usage is no usage, not zeros."""
    server, fake = servers(kind), FAKES[kind]
    body = fake.body(Said('{"message": "Oi"}'))
    server.say(Reply.of_json({key: value for key, value in body.items() if key not in {"usage", "usageMetadata"}}))
    with provider_of(kind, server) as provider:
        assert provider.generate(speak()).usage is None
