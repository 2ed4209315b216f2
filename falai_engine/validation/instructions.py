"""Instructions and lists of tools, which agents, flows, steps and idle all have (spec: flow-spec.md, `instr`)."""

from __future__ import annotations

from typing import Any, Final

from falai_engine.registry import Tool, as_tool
from falai_engine.spec.declarations import INSTRUCTION
from falai_engine.validation.conditions import check_condition
from falai_engine.validation.placeholders import check_placeholders
from falai_engine.validation.registries import Known
from falai_engine.validation.report import Spot
from falai_engine.validation.shapes import check_choice, check_keys, check_texts, is_list, is_object, is_text

__all__ = ["check_instruction", "check_instructions", "check_tools"]

KINDS: Final = ("must", "never", "should")


def check_instructions(instructions: Any, spot: Spot, known: Known) -> None:
    """A list of instructions."""
    if instructions is None or not is_list(instructions, spot):
        return
    for index, instruction in enumerate(instructions):
        check_instruction(instruction, spot.item(index), known)


def check_instruction(instruction: Any, spot: Spot, known: Known) -> None:
    """One instruction."""
    if not is_object(instruction, spot):
        return
    if instruction.get("prompt") is None:
        spot.at("prompt").problem("missing")
    check_texts(instruction, spot, "id", "prompt")
    check_choice(instruction.get("kind"), KINDS, spot.at("kind"))
    _check_when(instruction.get("when"), spot.at("when"))
    check_condition(instruction.get("if"), spot.at("if"), known)
    check_placeholders(instruction.get("prompt"), spot.at("prompt"), known)
    check_keys(instruction, INSTRUCTION.keys, spot)


def _check_when(when: Any, spot: Spot) -> None:
    if when is None or isinstance(when, str) or not is_list(when, spot):
        return
    for index, text in enumerate(when):
        is_text(text, spot.item(index))


def check_tools(tools: Any, spot: Spot, known: Known) -> None:
    """A list of tools by name; in Python also by value."""
    if tools is None or not is_list(tools, spot):
        return
    for index, tool in enumerate(tools):
        if not isinstance(as_tool(tool), Tool) and not (isinstance(tool, str) and tool in known.tools):
            spot.item(index).misnamed("unknown-tool", tool, known.tools)
