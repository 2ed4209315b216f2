"""Whatever a vendor's server sends, a call returns a reply or raises ProviderError, nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falai_engine.errors import ProviderError
from falai_engine.model import ModelReply
from falai_engine.providers.attempts import Emit, Open, Opened, Read, exchange
from falai_engine.providers.settings import Settings
from falai_engine.providers.vendor import VENDORS
from tests.providers.fakes import Said
from tests.providers.requests import speak
from tests.providers.vendors import FAKES, FORMATS

# Four formats share what a run may spend.
few = settings(max_examples=50)
SAID = Said('{"message": "Oi"}', (("ping", {"a": 1}),), "Hm.")
# Words that the wires look for, so that junk gets far.
WORDS = sorted(
    {
        word
        for kind in FORMATS
        for body in [
            FAKES[kind].body(SAID),
            *(
                json.loads(line[5:])
                for frame in FAKES[kind].frames(SAID)
                for line in frame.splitlines()
                if line.startswith(b"data: {")
            ),
        ]
        for word in json.dumps(body).replace('"', " ").replace(",", " ").replace(":", " ").split()
        if word.replace("_", "").replace(".", "").isalpha()
    }
)
junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 600)
    | st.floats(allow_nan=False)
    | st.sampled_from(WORDS)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)


def outcome(kind, pieces, *, streaming=False):
    """How a call ends for which these bytes are the body."""
    settings = Settings(kind=kind, model="m", base_url="https://x.example", attempts=1)
    steps = exchange(VENDORS[kind].wire, settings, speak(), streaming=streaming)
    content_type = "text/event-stream" if streaming else "application/json"
    pieces, answer = [*pieces, b"", b""], None
    try:
        while True:
            need = steps.send(answer)
            match need:
                case Open():
                    answer = Opened(200, {"content-type": content_type})
                case Read():
                    answer = pieces.pop(0)
                case Emit(item):
                    assert item is not None
                    answer = None
    except StopIteration as stop:
        return stop.value
    except ProviderError as error:
        return error


def spoiled(value, places, replacement):
    """The value with what lies at one of its places replaced; a place is counted in reading order."""
    count = [0]

    def walk(each):
        count[0] += 1
        if count[0] in places:
            return replacement
        if isinstance(each, dict):
            return {key: walk(inner) for key, inner in each.items()}
        return [walk(inner) for inner in each] if isinstance(each, list) else each

    return walk(value)


@pytest.mark.parametrize("kind", FORMATS)
@few
@given(data=st.data())
def test_any_json(kind, data):
    """As a body and as events."""
    bodies = data.draw(st.lists(junk, min_size=1, max_size=3))
    assert isinstance(outcome(kind, [json.dumps(bodies[0]).encode()]), ModelReply | ProviderError)
    frames = [f"data: {json.dumps(body)}\n\n".encode() for body in bodies]
    assert isinstance(outcome(kind, frames, streaming=True), ModelReply | ProviderError)


@pytest.mark.parametrize("kind", FORMATS)
@few
@given(places=st.sets(st.integers(1, 80), min_size=1, max_size=3), replacement=junk)
def test_a_real_reply_with_something_else_in_it(kind, places, replacement):
    """Anything at any place of a reply, and of each event of a stream."""
    fake = FAKES[kind]
    body = spoiled(fake.body(SAID), places, replacement)
    assert isinstance(outcome(kind, [json.dumps(body).encode()]), ModelReply | ProviderError)
    frames = []
    for frame in fake.frames(SAID):
        head, found, data = frame.partition(b"data: {")
        told = json.dumps(spoiled(json.loads(b"{" + data), places, replacement)).encode() if found else b""
        frames.append(head + b"data: " + told + b"\n\n" if found else frame)
    assert isinstance(outcome(kind, frames, streaming=True), ModelReply | ProviderError)


@pytest.mark.parametrize("kind", FORMATS)
@few
@given(st.lists(st.binary(max_size=30), max_size=4))
def test_any_bytes(kind, pieces):
    """That are no JSON and no events."""
    for streaming in (False, True):
        assert isinstance(outcome(kind, pieces, streaming=streaming), ModelReply | ProviderError)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_ruler_itself(kind):
    """Unspoiled, the same machinery gives the reply."""
    fake = FAKES[kind]
    plain = outcome(kind, [json.dumps(fake.body(SAID)).encode()])
    assert plain == outcome(kind, fake.frames(SAID), streaming=True)
    assert plain.tool_calls
