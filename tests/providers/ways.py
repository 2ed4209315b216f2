"""The four ways to make a call, each as `way(provider, request) -> (what a stream gave, reply)`."""

from __future__ import annotations

import asyncio

from tests.providers.local_server import Reply


def generate(provider, request):
    return None, provider.generate(request)


def agenerate(provider, request):
    async def run():
        async with provider:
            return await provider.agenerate(request)

    return None, asyncio.run(run())


def stream(provider, request):
    *items, reply = provider.stream(request)
    return items, reply


def astream(provider, request):
    async def run():
        async with provider:
            return [item async for item in provider.astream(request)]

    *items, reply = asyncio.run(run())
    return items, reply


ALL = [generate, agenerate, stream, astream]
STREAMS = [stream, astream]
PLAIN = [generate, agenerate]


def scripted(way, fake, said):
    """The server's reply in the form that the way asks for."""
    return Reply.of_events(fake.frames(said)) if way in STREAMS else Reply.of_json(fake.body(said))
