"""What a request says about calling tools: its choice, and how many calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from promptmw.errors import InputError
from promptmw.inputs import input_type
from promptmw.kinds import Trust


class ChoiceKind(Enum):
    """Says whether the model may, must or must not call a tool."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"


@input_type("tool_choice", trust=Trust.AUTHORED)
@dataclass(frozen=True, slots=True)
class Choice:
    """Is a request's tool choice. Stated by the adapter in prompt-tool mode.

    Attributes:
        kind: Whether a call may, must or must not come.
        names: The tools that are allowed, sorted; empty for all. One name with REQUIRED is a named tool.
        many: Whether several blocks of calls are asked for; None leaves it to the profile.
        final: Set for the last, tool-free call of a loop: the sentence that says why.
    """

    kind: ChoiceKind = ChoiceKind.AUTO
    names: tuple[str, ...] = ()
    many: bool | None = None
    final: str = ""


def stated_choice(choice: Any, parallel: Any = None) -> Choice | None:
    """Returns what a request states, in the form of any provider; None where it states nothing.

    Args:
        choice: Its ``tool_choice``, or its legacy ``function_call``.
        parallel: Its ``parallel_tool_calls``; None leaves the number of calls to the profile.

    Raises:
        InputError: It has a form that no provider has.
    """
    many = parallel if isinstance(parallel, bool) else None
    if isinstance(choice, Mapping):
        return _of_mapping(choice, many)
    if choice in (None, "", "auto"):
        return None if many is None else Choice(many=many)
    if choice == "none" or choice is False:
        return Choice(ChoiceKind.NONE, many=many)
    if choice in ("any", "required") or choice is True:
        return Choice(ChoiceKind.REQUIRED, many=many)
    if isinstance(choice, str):
        return Choice(ChoiceKind.REQUIRED, (choice,), many=many)
    raise InputError(
        f"tool_choice: {type(choice).__name__} is no choice: use 'auto', 'none', 'required' or a tool's name"
    )


def _of_mapping(choice: Mapping[str, Any], many: bool | None) -> Choice | None:
    if isinstance(choice.get("disable_parallel_tool_use"), bool):
        many = not choice["disable_parallel_tool_use"]
    kind = str(choice.get("type") or "function")
    allowed = choice.get("allowed_tools", choice) if kind == "allowed_tools" else None
    if isinstance(allowed, Mapping):
        names = tuple(sorted(filter(None, map(_name, allowed.get("tools") or ()))))
        required = allowed.get("mode") in ("required", "any")
        return Choice(ChoiceKind.REQUIRED if required else ChoiceKind.AUTO, names, many=many)
    name = _name(choice)
    return stated_choice(name or kind, many)


def _name(tool: Any) -> str:
    """Returns the name in a choice's tool, which stands beside its type or under it."""
    inner = tool.get(str(tool.get("type") or "function")) if isinstance(tool, Mapping) else None
    body = inner if isinstance(inner, Mapping) else tool
    return str(body.get("name") or "") if isinstance(body, Mapping) else str(tool)
