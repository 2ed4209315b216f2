"""Several providers as one: who is asked next, what is raised in the end, and what a stream tells of it."""

from __future__ import annotations

import asyncio
import time

import pytest

from falai_engine.errors import ErrorKind, FlowConfigurationError, ProviderError
from falai_engine.model import RESET, Capabilities, ModelReply, Provider
from falai_engine.providers import make_provider
from falai_engine.providers.fallback import FallbackProvider
from tests.providers import ways
from tests.providers.fakes import Said
from tests.providers.local_server import Reply
from tests.providers.requests import speak
from tests.providers.vendors import FAKES, provider_of

GOES_ON = {
    ErrorKind.RATE,
    ErrorKind.OVERLOAD,
    ErrorKind.TIMEOUT,
    ErrorKind.NETWORK,
    ErrorKind.MODEL,
    ErrorKind.QUOTA,
}
every_way = pytest.mark.parametrize("way", ways.ALL)


class Scripted:
    """Answers with the given items or raises the given error, each time."""

    name = "scripted"

    def __init__(self, outcome, *, pieces=(), **can):
        self.capabilities = Capabilities(**can)
        self.outcome = outcome
        self.pieces = pieces
        self.requests = []
        self.closed = 0

    def generate(self, request):
        self.requests.append(request)
        if isinstance(self.outcome, ProviderError):
            raise self.outcome
        return ModelReply(self.outcome)

    async def agenerate(self, request):
        return self.generate(request)

    def stream(self, request):
        yield from self.pieces
        yield self.generate(request)

    async def astream(self, request):
        for item in self.stream(request):
            yield item

    def close(self):
        self.closed += 1


def error(kind, **more):
    return ProviderError("scripted", kind, **more)


def answered(way, *providers, **request):
    return way(FallbackProvider(providers), speak(**request))


@every_way
@pytest.mark.parametrize("kind", list(ErrorKind))
def test_which_failures_another_provider_may_do_better(way, kind):
    """Rate, overload, timeout, network, model, quota; with any other the next one is not asked."""
    second = Scripted("second")
    if kind in GOES_ON:
        assert answered(way, Scripted(error(kind)), second)[1].message == "second"
    else:
        with pytest.raises(ProviderError) as caught:
            answered(way, Scripted(error(kind)), second)
        assert caught.value.kind is kind
        assert second.requests == []


@every_way
def test_the_first_that_answers(way):
    """The others are not asked."""
    second = Scripted("second")
    shown, reply = answered(way, Scripted("first", pieces=["fi", "rst"]), second)
    assert reply.message == "first"
    assert shown in (None, ["fi", "rst"])
    assert second.requests == []


@every_way
@pytest.mark.parametrize(
    ("failures", "raised"),
    [
        ([error("model"), error("rate"), error("overload")], 1),
        ([error("model"), error("quota"), error("model")], 2),
        ([error("model"), error("quota", reset_at_ms=1), error("model")], 1),
        ([error("timeout"), error("auth"), error("rate")], 0),
        ([error("model"), error("auth"), error("rate")], 1),
        ([error("rate", should_retry=False), error("model")], 1),
        ([error("model", should_retry=True), error("rate")], 0),
    ],
)
def test_what_is_raised(way, failures, raised):
    """The first retryable error, else the last."""
    with pytest.raises(ProviderError) as caught:
        answered(way, *map(Scripted, failures))
    assert caught.value is failures[raised]


@pytest.mark.parametrize("way", ways.STREAMS)
def test_a_stream_is_reset_before_the_next(way):
    """What came of the one that failed is void."""
    shown, reply = answered(way, Scripted(error("network"), pieces=["ha"]), Scripted("all", pieces=["al", "l"]))
    assert shown == ["ha", RESET, "al", "l"]
    assert reply.message == "all"


@every_way
def test_each_gets_half_of_what_is_left(way):
    """And the last one all of it."""
    providers = [Scripted(error("rate")), Scripted(error("rate")), Scripted("third")]
    began = time.monotonic()
    answered(way, *providers, deadline=began + 40)
    shares = [provider.requests[0].deadline - began for provider in providers]
    assert shares == pytest.approx([20, 20, 40], abs=1)
    answered(way, *providers)
    assert [provider.requests[1].deadline for provider in providers] == [None, None, None]


@every_way
def test_past_the_deadline_the_next_is_not_asked(way):
    """The failure that was is told."""
    second = Scripted("second")
    with pytest.raises(ProviderError) as caught:
        answered(way, Scripted(error("timeout")), second, deadline=time.monotonic() - 1)
    assert caught.value.kind is ErrorKind.TIMEOUT
    assert second.requests == []


@every_way
def test_another_exception_is_nobodys_failure(way):
    """A bug of a provider is not hidden behind the next one."""
    first = Scripted("x")
    first.generate = lambda request: 1 // 0
    with pytest.raises(ZeroDivisionError):
        answered(way, first, Scripted("second"))


def test_it_can_do_what_all_can():
    """Capabilities are those that they share."""
    provider = FallbackProvider([Scripted("a", tools=False), Scripted("b", json_with_tools=False)])
    assert provider.capabilities == Capabilities(streaming=True, tools=False, json_with_tools=False)
    assert provider.name == "fallback"
    assert isinstance(provider, Provider)


def test_an_empty_list_is_refused():
    """There is nobody to ask."""
    with pytest.raises(FlowConfigurationError):
        FallbackProvider([])


def test_closing_it_closes_them():
    """Those that can be closed, in both ways."""
    providers = [Scripted("a"), Scripted("b")]
    with FallbackProvider(providers):
        pass

    async def run():
        async with FallbackProvider([*providers, make_provider("openai", model="m", api_key="k" * 9)]):
            pass

    asyncio.run(run())
    assert [provider.closed for provider in providers] == [2, 2]


@every_way
def test_vendors_in_a_row(servers, way):
    """Over HTTP, made from mappings: the first is down, the second knows no such model, the third answers."""
    down, unknown, good = servers(), servers(), servers("anthropic")
    down.say(Reply([], 500), Reply([], 500))
    unknown.say(Reply([], 404))
    good.say(ways.scripted(way, FAKES["anthropic"], Said('{"message": "Oi"}')))
    fake = FAKES["anthropic"]
    entries = [
        {"kind": "openai", "model": "m", "api_key": "k" * 9, "base_url": down.url, "backoff": 0},
        provider_of("gemini", unknown),
        {"kind": "anthropic", "model": fake.MODEL, "api_key": fake.KEY, "base_url": good.url},
    ]
    with make_provider("fallback", providers=entries) as provider:
        shown, reply = way(provider, speak())
    assert reply.message == "Oi"
    assert (len(down.asked), len(unknown.asked), len(good.asked)) == (2, 1, 1)
    if shown is not None:
        assert shown[:3] == [RESET] * 3
        assert "".join(shown[3:]) == "Oi"
