"""Prompt-tool mode: tools for models that have no function calling.

What a stranger's format is made of, and what reads an answer, can be imported from here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from promptmw.toolmode.choice import Choice, ChoiceKind
    from promptmw.toolmode.definitions import ToolDefinition, ToolTable
    from promptmw.toolmode.events import (
        ArgumentsDelta,
        Call,
        CallEnd,
        CallError,
        CallProblem,
        CallStart,
        Dropped,
        DropReason,
        Ended,
        Event,
        FinishReason,
        Note,
        Noted,
        NotedKind,
        PastCall,
        PastResult,
        ProblemKind,
        ReasoningDelta,
        TextDelta,
        Violation,
    )
    from promptmw.toolmode.formats.text_format import TextFormat
    from promptmw.toolmode.options import Arguments, Calls, Limits, ParserOptions, Where
    from promptmw.toolmode.protocol import CallParser, ToolProtocol, parse
    from promptmw.toolmode.readers import Block, Head, Outcome, Reader
    from promptmw.toolmode.report import ToolReport

_WHERE = {
    "choice": "Choice ChoiceKind",
    "definitions": "ToolDefinition ToolTable",
    "events": "ArgumentsDelta Call CallEnd CallError CallProblem CallStart Dropped DropReason Ended Event FinishReason "
    "Note Noted NotedKind PastCall PastResult ProblemKind ReasoningDelta TextDelta Violation",
    "formats.text_format": "TextFormat",
    "options": "Arguments Calls Limits ParserOptions Where",
    "protocol": "CallParser ToolProtocol parse",
    "readers": "Block Head Outcome Reader",
    "report": "ToolReport",
}
_MODULES = {name: module for module, names in _WHERE.items() for name in names.split()}

__all__ = [
    "Arguments",
    "ArgumentsDelta",
    "Block",
    "Call",
    "CallEnd",
    "CallError",
    "CallParser",
    "CallProblem",
    "CallStart",
    "Calls",
    "Choice",
    "ChoiceKind",
    "DropReason",
    "Dropped",
    "Ended",
    "Event",
    "FinishReason",
    "Head",
    "Limits",
    "Note",
    "Noted",
    "NotedKind",
    "Outcome",
    "ParserOptions",
    "PastCall",
    "PastResult",
    "ProblemKind",
    "Reader",
    "ReasoningDelta",
    "TextDelta",
    "TextFormat",
    "ToolDefinition",
    "ToolProtocol",
    "ToolReport",
    "ToolTable",
    "Violation",
    "Where",
    "parse",
]


def __getattr__(name: str) -> Any:
    """Loads a name's module when it is first asked for: a turn without tools loads no parser."""
    if name not in _MODULES:
        raise AttributeError(f"module 'promptmw.toolmode' has no attribute {name!r}")
    return getattr(import_module(f"promptmw.toolmode.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
