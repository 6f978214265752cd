"""Turns as plain data: what a JSON, TOML or YAML file, or a request's metadata, may state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from promptmw.errors import InputError, nearest
from promptmw.inputs import InputType
from promptmw.turn import CORE_FIELDS, ToolSpec, Turn, TurnFields
from promptmw.validation import build, dotted

_FUNCTION = ("name", "description", "parameters")


@dataclass(frozen=True, slots=True)
class _Fields:
    """Holds the core fields of a turn as a file states them."""

    model: str = ""
    locale: str | None = None
    now: datetime | None = None
    timezone: str = ""
    tool_mode: str = "auto"
    profile: str = ""
    session: str = ""
    tenant: str = ""
    preview: bool = False


def turn_from_data(data: Mapping[str, Any], inputs: Mapping[str, InputType]) -> Turn:
    """Returns the turn that plain data states.

    Args:
        data: Core fields of a turn and inputs, each by its registered name.
        inputs: The input types of the installed plugins, by name: ``pipeline.catalog.inputs``.

    Raises:
        InputError: A key is unknown or a value has the wrong type; ``path`` leads to it.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"a turn is a table of fields and inputs, not {type(data).__name__}")
    for name in data:
        if name not in CORE_FIELDS and name not in inputs:
            raise InputError(f"a turn has no key {name!r}.{nearest(str(name), (*CORE_FIELDS, *inputs))}", path=(name,))
    found = [value for name in data if name in inputs for value in _inputs(inputs[name], data[name])]
    return Turn(*found, **_core(data))


def _core(data: Mapping[str, Any]) -> TurnFields:
    own = {name: data[name] for name in CORE_FIELDS if name in data and name != "tools"}
    checked = build(_Fields, own, path=(), error=InputError)
    fields: TurnFields = {name: getattr(checked, name) for name in own}  # type: ignore[assignment]
    if "tools" in data:
        fields["tools"] = tuple(_tools(data["tools"]))
    return fields


def _inputs(kind: InputType, data: Any) -> Iterator[object]:
    if not kind.many:
        yield build(kind.type, data, path=(kind.name,), error=InputError)
        return
    if not isinstance(data, list | tuple):
        raise InputError(f"{kind.name}: takes a list of tables, not {type(data).__name__}", path=(kind.name,))
    for i, item in enumerate(data):
        yield build(kind.type, item, path=(kind.name, i), error=InputError)


def _tools(data: Any) -> Iterator[ToolSpec]:
    """Yields tools stated as names, as tables, or in the form of the chat-completions API."""
    if not isinstance(data, list | tuple):
        raise InputError(f"tools: takes a list of names or tables, not {type(data).__name__}", path=("tools",))
    for i, item in enumerate(data):
        path = ("tools", i)
        if isinstance(item, str):
            yield ToolSpec(item)
        elif isinstance(item, Mapping) and item.get("type") == "function" and isinstance(item.get("function"), Mapping):
            function = {name: item["function"].get(name, "") for name in _FUNCTION}
            yield build(ToolSpec, _with_text(function), path=path, error=InputError)
        elif isinstance(item, Mapping):
            yield build(ToolSpec, _with_text(item), path=path, error=InputError)
        else:
            raise InputError(f"{dotted(path)}: takes a name or a table, not {type(item).__name__}", path=path)


def _with_text(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a tool's table with its schema as JSON text."""
    schema = item.get("parameters")
    return {**item, "parameters": json.dumps(schema, ensure_ascii=False)} if isinstance(schema, Mapping) else item
