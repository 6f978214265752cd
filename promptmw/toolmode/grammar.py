"""Grammars that hold an engine to answers whose kind is certain: a call, or text only."""

from __future__ import annotations

import json
from typing import Any

from promptmw.toolmode.choice import Choice, ChoiceKind
from promptmw.toolmode.definitions import ToolDefinition, ToolTable
from promptmw.toolmode.schemas import each_schema

TEXT_ONLY = "%llguidance {}\nstart: TEXT\nTEXT: /[^<]+/\n"
"""No markup can be written."""

_LONGEST = 4000


def json_grammar(table: ToolTable, choice: Choice, *, open: str, close: str) -> str | None:
    """Returns a grammar in llguidance's form; None where the answer may be either text or a call.

    Args:
        table: What may be called.
        choice: Says what the answer has to be.
        open: Opening tag of a call whose body is JSON; blank for a format without one.
        close: Its closing tag.
    """
    if choice.kind is ChoiceKind.NONE or choice.final:
        return TEXT_ONLY
    if choice.kind is not ChoiceKind.REQUIRED or not open or not len(table):
        return None
    tools = list(table)
    if len(tools) == 1:
        schema = _call(tools[0], "#")
    else:
        schema = {"anyOf": [_call(tool, f"#/anyOf/{at}") for at, tool in enumerate(tools)]}
    before, behind = json.dumps(open + "\n"), json.dumps("\n" + close)
    return f"%llguidance {{}}\nstart: {before} call {behind}\ncall: %json {json.dumps(schema, ensure_ascii=False)}\n"


def _call(tool: ToolDefinition, place: str) -> dict[str, Any]:
    """Returns the schema of a call.

    Args:
        tool: That is called.
        place: Where that schema stands, as a reference.
    """
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": _bounded(tool.schema, place)},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _bounded(schema: dict[str, Any], place: str) -> dict[str, Any]:
    """Returns a schema that leaves small models no room to go on without end; references are moved along."""

    def bounded(part: dict[str, Any], _name: str, _pointer: str) -> dict[str, Any]:
        if part.get("type") == "object" or "properties" in part:
            part.setdefault("additionalProperties", False)
        if part.get("type") == "string" and not part.keys() & {"maxLength", "enum", "const", "pattern", "format"}:
            part["maxLength"] = _LONGEST
        if isinstance(ref := part.get("$ref"), str):
            part["$ref"] = f"{place}/properties/arguments{ref[1:]}"
        return part

    return each_schema(schema, bounded)
