"""`python -m falai_engine.providers check KIND --model M [--base-url U]`: does a model work? By a few real calls."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TextIO

from falai_engine.errors import FlowConfigurationError, ProviderError
from falai_engine.model import ModelReply, ModelRequest, Usage
from falai_engine.providers.probe import OPENING_HOURS, SPOKEN, Probe
from falai_engine.providers.vendor import VENDORS, VendorProvider, vendor_provider

__all__ = ["main"]

_TIME: Final = 60.0
_LONGEST_WHY: Final = 300
_SYSTEM: Final = "You answer the customers of a shop. Look the opening hours up before you speak of them."
_UNDERSTOOD: Final = {
    "type": "object",
    "properties": {
        "flows": {
            "type": "object",
            "properties": {"opening_hours": {"type": ["integer", "null"]}, "complaint": {"type": ["integer", "null"]}},
            "required": ["opening_hours", "complaint"],
            "additionalProperties": False,
        },
    },
    "required": ["flows"],
    "additionalProperties": False,
}
_QUESTION: Final = "Are you open on Sunday?"


class _Unexpected(Exception):  # noqa: N818 - a finding, told to the user
    """The model answered, but not what was asked for."""


@dataclass
class _Tally:
    """What all the calls came to."""

    calls: int = 0
    failures: int = 0
    usages: list[Usage] = field(default_factory=list)

    def add(self, reply: ModelReply) -> None:
        if reply.usage is not None:
            self.usages.append(reply.usage)

    def __str__(self) -> str:
        prompt = sum(usage.prompt_tokens for usage in self.usages)
        cached = sum(usage.cached_input_tokens for usage in self.usages)
        written = sum(usage.completion_tokens for usage in self.usages)
        return f"{self.calls} calls, {prompt} tokens read ({cached} from the cache), {written} written"


def main(arguments: list[str], *, out: TextIO | None = None, environment: Mapping[str, str] = os.environ) -> int:
    """Runs the check and prints what worked, to standard output unless told otherwise.

    Returns 0 when everything worked, 1 when something did not, 2 when it could not begin.
    """
    out = out or sys.stdout
    options = _parser().parse_args(arguments)
    vendor = VENDORS[options.kind]
    try:
        provider = vendor_provider(
            options.kind,
            model=options.model,
            base_url=options.base_url,
            api_key=environment.get(vendor.key_variable),
            json_with_tools=options.json_with_tools,
        )
    except FlowConfigurationError as error:
        out.write(f"{error}\nThe key is read from the variable {vendor.key_variable}.\n")
        return 2
    with provider:
        return _Check(provider, out).run()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m falai_engine.providers",
        epilog="The key is read from the environment: "
        + ", ".join(sorted(each.key_variable for each in VENDORS.values())),
    )
    check = parser.add_subparsers(dest="command", required=True).add_parser("check", help="try a model by real calls")
    check.add_argument("kind", choices=sorted(VENDORS))
    check.add_argument("--model", required=True)
    check.add_argument("--base-url")
    check.add_argument("--json-with-tools", choices=["response_format", "prompt"], help="as the option of the provider")
    return parser


class _Check:
    def __init__(self, provider: VendorProvider, out: TextIO) -> None:
        self._provider = provider
        self._out = out
        self._tally = _Tally()

    def run(self) -> int:
        began = time.monotonic()
        self._out.write(f"{self._provider.name}, {self._provider.model}\n")
        self._try("understand", self._understand)
        self._try("speak with a tool", self._speak)
        self._try("stream", self._stream)
        self._try("tools with a schema", self._probe)
        self._out.write(f"{self._tally}, {time.monotonic() - began:.1f} s\n")
        return 1 if self._tally.failures else 0

    def _try(self, name: str, step: Callable[[], str]) -> None:
        began = time.monotonic()
        try:
            told = "ok      " + step()
        except ProviderError as error:
            self._tally.failures += 1
            # A body may be a whole page.
            why = " ".join(str(error.body or error.code or error).split())[:_LONGEST_WHY]
            told = f"FAILED  {error.kind.value}: {why}"
        except _Unexpected as error:
            self._tally.failures += 1
            told = f"FAILED  {error}"
        self._out.write(f"  {name:<20} {told} ({time.monotonic() - began:.1f} s)\n")

    def _understand(self) -> str:
        reply = self._generate(
            ModelRequest(
                system=_SYSTEM,
                prompt=f"Score from 0 to 100 what the message is about. Message: {_QUESTION}",
                schema=_UNDERSTOOD,
                schema_name="understand",
                deadline=time.monotonic() + _TIME,
            )
        )
        flows = (reply.structured or {}).get("flows")
        if not isinstance(flows, Mapping) or set(flows) != {"opening_hours", "complaint"}:
            raise _Unexpected(f"no judgement in {reply.message[:200]!r}")
        return f"scores {dict(flows)}"

    def _speak(self) -> str:
        """The tool's round, and the one that answers with its result."""
        asked = _speak_request()
        first = self._generate(asked)
        call = next((call for call in first.tool_calls if call.name == OPENING_HOURS.name), None)
        if call is None:
            raise _Unexpected("the model called no tool")
        calls = [
            {"id": f"call-0-{number}", "name": each.name, "arguments": each.arguments}
            for number, each in enumerate(first.tool_calls)
        ]
        history = [
            {"role": "user", "content": _QUESTION},
            {"role": "assistant", "content": first.message, "tool_calls": calls, "reasoning": first.reasoning},
            *(
                {"role": "tool", "tool_call_id": each["id"], "name": each["name"], "content": "9 to 13"}
                for each in calls
            ),
        ]
        second = self._generate(_speak_request(history, offers=False))
        return f"called {call.name}({call.arguments}), said {_said(second)!r}"

    def _stream(self) -> str:
        self._tally.calls += 1
        began = time.monotonic()
        first, pieces, reply = None, 0, None
        for item in self._provider.stream(_speak_request(offers=False)):
            if isinstance(item, str):
                first = first or time.monotonic() - began
                pieces += 1
            elif isinstance(item, ModelReply):
                reply = item
        assert reply is not None
        self._tally.add(reply)
        said = _said(reply)
        return f"first text after {first or 0:.1f} s, {pieces} pieces, said {said!r}"

    def _probe(self) -> str:
        probe = Probe(self._provider)
        with self._counted(probe):
            way = probe.run()
        return f"this model needs json_with_tools={way.value}"

    @contextmanager
    def _counted(self, probe: Probe) -> Iterator[None]:
        try:
            yield
        finally:
            self._tally.calls += probe.calls
            for reply in probe.replies:
                self._tally.add(reply)

    def _generate(self, request: ModelRequest) -> ModelReply:
        self._tally.calls += 1
        reply = self._provider.generate(request)
        self._tally.add(reply)
        return reply


def _said(reply: ModelReply) -> str:
    if not reply.message or reply.structured is None:
        raise _Unexpected(f"no message in {reply.message[:200]!r}")
    return reply.message


def _speak_request(history: list[dict[str, object]] | None = None, *, offers: bool = True) -> ModelRequest:
    told = "" if offers else "Say in one sentence that you will find out, or tell the hours that you know. "
    return ModelRequest(
        system=_SYSTEM,
        prompt=f"{told}The customer writes: {_QUESTION}\nAnswer with the JSON object {{message, day}}.",
        schema=SPOKEN,
        schema_name="speak",
        history=history or (),
        tools=(OPENING_HOURS,) if offers else (),
        deadline=time.monotonic() + _TIME,
    )
