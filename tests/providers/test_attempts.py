"""Attempts, pauses and shares of a deadline, on a clock that the test turns."""

from __future__ import annotations

import json

import pytest

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import RESET, ModelReply
from falai_engine.providers.attempts import Broken, Emit, Open, Opened, Pause, Read, exchange
from falai_engine.providers.settings import Settings
from falai_engine.providers.vendor import VENDORS
from tests.providers.fakes import Said, chat_fake
from tests.providers.requests import speak

OK = Opened(200, {"content-type": "application/json"})
STREAM = Opened(200, {"content-type": "text/event-stream"})
DONE = json.dumps(chat_fake.body(Said('{"message": "Oi"}'))).encode()
SLOW = Broken(ErrorKind.TIMEOUT, "too late")


def status(code, **headers):
    return Opened(code, {name.replace("_", "-"): value for name, value in headers.items()})


class Play:
    """Answers an exchange by a script of (answer, seconds it took), and keeps what was needed and when."""

    def __init__(self, script, *, streaming=False, deadline=None, **options):
        given = {"kind": "openrouter", "model": "m", "base_url": "https://x.example", "timeout": 10.0}
        self.now = 100.0
        self.needs = []
        self.emitted = []
        self._script = list(script)
        self._steps = exchange(
            VENDORS["openrouter"].wire,
            Settings(**given | options),
            speak(deadline=deadline),
            streaming=streaming,
            clock=lambda: self.now,
            jitter=lambda most: most,
        )

    def run(self):
        answer = None
        while True:
            try:
                need = self._steps.send(answer)
            except StopIteration as stop:
                return stop.value
            self.needs.append((self.now, need))
            answer = self._answer(need)

    def _answer(self, need):
        match need:
            case Emit(item):
                self.emitted.append(item)
            case Pause(seconds):
                self.now += seconds
            case Open() | Read():
                answer, took = self._script.pop(0)
                self.now += took
                return answer
        return None

    def kinds(self):
        return [type(need) for _, need in self.needs]

    def pauses(self):
        return [need.seconds for _, need in self.needs if isinstance(need, Pause)]

    def limits(self, kind=Open):
        return [need.until - at for at, need in self.needs if isinstance(need, kind)]


GOOD = [(OK, 0), (DONE, 0), (b"", 0)]


def failed(play):
    with pytest.raises(ProviderError) as caught:
        play.run()
    return caught.value


def test_one_that_works():
    """One attempt, read to its end."""
    play = Play(GOOD)
    assert play.run().message == "Oi"
    assert play.kinds() == [Open, Read, Read]


@pytest.mark.parametrize("code", [408, 429, 500, 503, 529, 302])
def test_what_may_pass_is_tried_again(code):
    """After a random pause."""
    play = Play([(status(code), 0), (b"", 0), *GOOD])
    assert isinstance(play.run(), ModelReply)
    assert play.pauses() == [0.5]


@pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 413, 422])
def test_what_will_not_pass_is_not(code):
    """The vendor would say the same again."""
    play = Play([(status(code), 0), (b"", 0), *GOOD])
    assert failed(play).status == code
    assert play.pauses() == []


@pytest.mark.parametrize(("code", "said", "tries"), [(500, "false", 1), (400, "true", 2), (409, "true", 2)])
def test_the_vendor_may_decide(code, said, tries):
    """`x-should-retry` comes before the kind."""
    play = Play([(status(code, x_should_retry=said), 0), (b"", 0)] * 2)
    assert failed(play).should_retry is (said == "true")
    assert play.kinds().count(Open) == tries


@pytest.mark.parametrize("kind", [ErrorKind.NETWORK, ErrorKind.TIMEOUT])
def test_a_connection_that_breaks_is_made_again(kind):
    """Before the headers or in the body."""
    broken = (Broken(kind, "gone"), 0)
    assert Play([broken, *GOOD]).run().message == "Oi"
    assert Play([(OK, 0), (b'{"cho', 0), broken, *GOOD]).run().message == "Oi"
    assert failed(Play([broken, broken])).kind is kind


def test_pauses_grow_and_are_bounded():
    """Up to `backoff`, doubled each time, at most 8 seconds; the test's jitter takes the most."""
    play = Play([(status(500), 0), (b"", 0)] * 7, attempts=7)
    assert failed(play).kind is ErrorKind.OVERLOAD
    assert play.pauses() == [0.5, 1, 2, 4, 8, 8]


def test_a_pause_is_random_by_default():
    """Full jitter: anything from nothing to the most."""
    pauses = set()
    for _ in range(5):
        settings = Settings(kind="openrouter", model="m", base_url="https://x.example")
        steps = exchange(VENDORS["openrouter"].wire, settings, speak(), streaming=False)
        next(steps)
        pauses.add(steps.send(Broken(ErrorKind.NETWORK, "")).seconds)
    assert all(0 <= pause <= 0.5 for pause in pauses)
    assert len(pauses) > 1


def test_retry_after_is_honoured():
    """In place of the random pause."""
    play = Play([(status(429, retry_after="3"), 0), (b"", 0), *GOOD])
    play.run()
    assert play.pauses() == [3.0]


def test_more_patience_than_there_is():
    """A wait beyond the deadline, or longer than an attempt may take, is left to whoever planned the call."""
    waits = [(status(429, retry_after="11"), 0), (b"", 0)]
    assert failed(Play(waits)).retry_after_ms == 11_000
    assert failed(Play([(status(429, retry_after="5"), 0), (b"", 0)], deadline=104)).retry_after_ms == 5_000


def test_while_another_is_left_an_attempt_gets_half_of_the_deadline():
    """And the last one all that is left."""
    play = Play([(SLOW, 3), (SLOW, 2.25), (SLOW, 0)], deadline=106, attempts=3, timeout=60, backoff=0)
    failed(play)
    assert play.limits() == [3.0, 1.5, 0.75]


def test_an_attempt_never_gets_more_than_its_timeout():
    """With a deadline far away, or none; in all, headers and body."""
    play = Play([(OK, 4), (b"{", 4), (SLOW, 2), *GOOD], deadline=1_000)
    play.run()
    assert play.limits()[0] == 10
    assert play.limits(Read)[:2] == [6, 2]


def test_in_a_stream_the_timeout_is_for_silence():
    """To the first byte and between bytes; only the deadline ends one that goes on."""
    frames = chat_fake.frames(Said('{"message": "Oi"}'))
    play = Play([(STREAM, 9), *((frame, 9) for frame in frames), (b"", 0)], streaming=True)
    assert play.run().message == "Oi"
    assert set(play.limits(Read)[:-1]) == {10}
    timed = Play([(STREAM, 9), *((frame, 9) for frame in frames), (b"", 0)], streaming=True, attempts=1, deadline=120)
    timed.run()
    assert timed.limits(Read)[:3] == [10, 2, -7]


def test_a_deadline_that_has_passed():
    """Nothing is sent."""
    play = Play(GOOD, deadline=100)
    assert failed(play).kind is ErrorKind.TIMEOUT
    assert play.needs == []


def test_no_attempt_after_the_deadline():
    """The first failure is told, not that there was no time for another."""
    play = Play([(status(500), 5), (b"", 0), *GOOD], deadline=103)
    assert failed(play).kind is ErrorKind.OVERLOAD
    assert play.kinds().count(Open) == 1


def test_a_stream_is_reset_before_each_further_attempt():
    """What came is void: text, reset, text."""
    frames = chat_fake.frames(Said('{"message": "Oito"}'))
    half = [(STREAM, 0), *((frame, 0) for frame in frames[:5]), (Broken(ErrorKind.NETWORK, ""), 0)]
    play = Play([*half, (STREAM, 0), *((frame, 0) for frame in frames), (b"", 0)], streaming=True)
    assert play.run().message == "Oito"
    assert RESET in play.emitted
    assert "".join(play.emitted[play.emitted.index(RESET) + 1 :]) == "Oito"


def test_a_stream_that_only_failed_to_say_it_was_over():
    """All was said: silence behind it is no failure."""
    frames = chat_fake.frames(Said('{"message": "Oi"}'))[:-1]
    play = Play([(STREAM, 0), *((frame, 0) for frame in frames), (SLOW, 10)], streaming=True)
    assert play.run().message == "Oi"


def test_a_stream_that_ends_before_its_reply():
    """The end of the connection is not the end of the reply."""
    frames = chat_fake.frames(Said('{"message": "Oi"}'))[:4]
    play = Play([(STREAM, 0), *((frame, 0) for frame in frames), (b"", 0)], streaming=True, attempts=1)
    assert failed(play).kind is ErrorKind.NETWORK


def test_a_failure_hides_none_before_it():
    """No other exception hangs on the error, whose text could hold what must not be told."""
    error = failed(Play([(Broken(ErrorKind.NETWORK, "x"), 0)] * 2))
    assert error.__cause__ is None
    assert error.__context__ is None
