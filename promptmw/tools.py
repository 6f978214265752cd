"""Tools that plugins offer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from promptmw.fencing import Text

if TYPE_CHECKING:
    from promptmw.turn import Turn

Handler = Callable[["Turn", Mapping[str, Any]], "ToolResult | str | Awaitable[ToolResult | str]"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Is what a tool gives back to the model.

    Attributes:
        text: For the model; values that are not ours stand in it through slots.
        error: Whether it says why the call could not be done.
        sources: Keys of what its markers ``[1]``, ``[2]``, … stand for.
    """

    text: Text | str
    error: bool = False
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Is a tool with the function that runs it.

    Attributes:
        name: As the model calls it: letters, digits, ``_`` and ``-``, at most 64.
        description: For the model.
        parameters: A JSON Schema of type object.
        handler: Gets the turn and the arguments, and returns a result or an awaitable of one.
        read_only: Whether a call changes nothing, so that equal calls of one answer may share a result.
    """

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    handler: Handler
    read_only: bool = False
