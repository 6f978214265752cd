"""The tools of a request: what they are called, in which order they stand, and what is said about calling them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from promptmw import Tool, ToolModeError, ToolSpec
from promptmw.toolmode.choice import Choice, stated_choice
from promptmw_litellm.formats import field

TOOL_FIELDS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")

_DEFINED = ("function", "custom")
_RUN_BY_APPLICATION = ("bash", "text_editor", "computer", "memory", "local_shell", "shell", "apply_patch")


def tool_specs(fields: Mapping[str, Any]) -> tuple[ToolSpec, ...]:
    """Returns the tools that a request offers, in the form of any of the three APIs."""
    return tuple(_spec(t) for t in (*(fields.get("tools") or ()), *(fields.get("functions") or ())))


def sorted_tools(tools: Sequence[Any]) -> list[Any]:
    """Returns tools by name, so that the order in which an application lists them moves no cached prefix.

    Tools of which one carries a mark stay: the mark says where in this very order the prefix ends.
    """
    if any(field(t, "cache_control") for t in tools):
        return list(tools)
    return sorted(tools, key=_name)


def choice_in(fields: Mapping[str, Any]) -> Choice | None:
    """Returns what a request says about calling tools; None if it says nothing."""
    choice = fields.get("tool_choice") if fields.get("tool_choice") is not None else fields.get("function_call")
    return stated_choice(choice, fields.get("parallel_tool_calls"))


def definition(tool: Tool) -> dict[str, Any]:
    """Returns a plugin's tool as chat completions define one."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def unread(model: str) -> ToolModeError:
    """Returns the error of tools that go into the prompt where nothing reads the answer."""
    return ToolModeError(
        f"model {model!r}: its tools go into the prompt, and calls cannot be read out of the answer on this path; "
        "use promptmw_litellm.completion or acompletion, or the provider: model 'promptmw/<provider>/<model>'"
    )


def _parameters(body: Any) -> str:
    schema = field(body, "parameters") or field(body, "input_schema")
    return json.dumps(schema, ensure_ascii=False, default=str) if schema else ""


def _spec(tool: Any) -> ToolSpec:
    kind, body = _definition(tool)
    hosted = kind not in _DEFINED and not kind.startswith(_RUN_BY_APPLICATION)
    parameters = "" if hosted else _parameters(body)
    return ToolSpec(str(field(body, "name") or kind), str(field(body, "description") or ""), hosted, parameters)


def _name(tool: Any) -> str:
    kind, body = _definition(tool)
    return str(field(body, "name") or kind)


def _definition(tool: Any) -> tuple[str, Any]:
    """Returns a tool's type, and where its name stands: in it, or in the field that its type names."""
    kind = field(tool, "type") or "custom"
    inner = field(tool, kind)
    return kind, inner if isinstance(inner, Mapping) else tool
