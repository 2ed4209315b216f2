"""Whatever a server does, there is an answer or a clear error, in time, and of bounded size."""

from __future__ import annotations

import pytest

from falai_django.errors import OutgoingError
from falai_django.outgoing.connection import OutgoingRequest
from tests.host.outgoing.sending import ask, get, post
from tests.providers.local_server import ABORT, SILENCE, Dripping, Raw, Reply

SHORT = 0.15
MEGABYTE = b"x" * 1_000_000

TOO_LATE = {
    "says nothing": Raw([SILENCE]),
    "stops in its headers": Raw([b"HTTP/1.1 200 OK\r\nX-A: ", SILENCE]),
    "stops in its body": Reply([b"half", SILENCE], declared=100),
    "drips its headers": Raw([b"HTTP/1.1 200 OK\r\n", Dripping(b"X-Long: " + b"y" * 500)]),
    "drips its body": Reply([Dripping(b"z" * 500)], declared=500),
    "goes on and on with 100": Raw([b"HTTP/1.1 100 Continue\r\n\r\n" * 200, SILENCE]),
}
BROKEN = {
    "speaks no HTTP": (Raw([b"SSH-2.0-OpenSSH_9.6\r\n"]), "broken"),
    "says nothing and goes": (Raw([]), "broken"),
    "hangs up": (Reply([b"half", ABORT], declared=100), "broken"),
    "ends too early": (Reply([b"half"], declared=100), "broken"),
    "breaks its chunks": (Raw([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]), "broken"),
    "compresses": (Reply([b"x"], headers={"content-encoding": "gzip"}), "broken"),
    "sends 10 MB": (Reply([MEGABYTE] * 10), "too-large"),
    "sends endless chunks": (Reply([MEGABYTE] * 10, framing="chunked"), "too-large"),
    "sends many headers": (Reply([b""], headers={f"x-{n}": "y" * 1_000 for n in range(50)}), "too-large"),
    "sends a header without end": (Raw([b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000]), "broken"),
}


@pytest.mark.parametrize("script", TOO_LATE.values(), ids=TOO_LATE)
def test_a_server_that_takes_its_time_holds_nobody(allowed, script):
    """The deadline holds for the whole, not for each byte: what comes later is not waited for."""
    allowed.say(script)
    with pytest.raises(OutgoingError) as caught:
        ask(f"{allowed.url}/", SHORT)
    assert caught.value.code == "timeout"


@pytest.mark.parametrize(("script", "code"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_answer_is_a_clear_error(allowed, script, code):
    allowed.say(script)
    with pytest.raises(OutgoingError) as caught:
        ask(f"{allowed.url}/")
    assert (caught.value.code, bool(str(caught.value))) == (code, True)


def test_the_size_is_a_setting(allowed, settings):
    settings.FALAI_OUTGOING_MAX_BYTES = 3
    allowed.say(Reply([b"abc"]), Reply([b"abcd"]))
    assert ask(f"{allowed.url}/").body == b"abc"
    with pytest.raises(OutgoingError, match="3 bytes"):
        ask(f"{allowed.url}/")


def test_without_time_nothing_is_sent(allowed):
    with pytest.raises(OutgoingError) as caught:
        ask(f"{allowed.url}/", 0)
    assert (caught.value.code, allowed.connections) == ("timeout", 0)


def test_nobody_there_is_unreachable(allowed):
    allowed.close()
    with pytest.raises(OutgoingError) as caught:
        ask(f"{allowed.url}/")
    assert caught.value.code == "unreachable"


def test_after_an_error_the_next_request_goes_well(allowed):
    """A connection that broke, or was left in the middle of an answer, is not used again."""
    for script, _code in BROKEN.values():
        allowed.say(script, Reply([b"fine"]))
        with pytest.raises(OutgoingError):
            ask(f"{allowed.url}/")
        assert ask(f"{allowed.url}/").body == b"fine"


def test_what_is_sent_is_what_was_built(allowed):
    allowed.say(Reply([b""], 201, {"X-Thing": "a"}))
    answered = ask(post(f"{allowed.url}/things", b'{"a": 1}'))
    (asked,) = allowed.asked
    assert (asked.raw, asked.headers["content-length"]) == (b'{"a": 1}', "8")
    assert asked.headers["accept-encoding"] == "identity"
    assert (answered.status, answered.headers["x-thing"]) == (201, "a")


def test_only_what_was_given_is_sent(allowed):
    """No header of a library tells what runs here."""
    allowed.say(Reply([b""]))
    ask(get(f"{allowed.url}/", accept="text/plain"))
    assert set(allowed.asked[0].headers) == {"host", "accept", "accept-encoding"}


@pytest.mark.parametrize(
    "url", ["https://api.example.com/a/../b", "https://api.example.com/ü", "https://API.example.com/"]
)
def test_a_url_that_would_leave_otherwise_is_refused(url):
    """Whoever built it: the library is not to understand something else."""
    with pytest.raises(OutgoingError) as caught:
        ask(url)
    assert caught.value.code == "refused"


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b"])
def test_a_header_that_would_be_two_is_not_sent(allowed, value):
    with pytest.raises(OutgoingError) as caught:
        ask(get(f"{allowed.url}/", x_thing=value))
    assert caught.value.code == "refused"
    assert allowed.asked == []


def test_a_request_shows_none_of_its_parts():
    request = OutgoingRequest("GET", "https://h/?key=hush", (("a", "hush"),), b"hush", ("hush",))
    assert repr(request) == "<OutgoingRequest GET>"
