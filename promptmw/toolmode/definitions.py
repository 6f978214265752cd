"""The tool table of a turn: definitions, normalised once, and what arguments must fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from promptmw.errors import ToolDefinitionError
from promptmw.logs import warn
from promptmw.recent import Recent
from promptmw.toolmode.coerce import Schema, property_schema
from promptmw.toolmode.events import Violation
from promptmw.toolmode.schemas import normalised, shown
from promptmw.toolmode.violations import Validator
from promptmw.tools import Tool
from promptmw.turn import ToolSpec

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")

_TOOLS = 256
_DESCRIPTION = 4096
_CUT = "…(truncated)"


class ToolDefinition:
    """Is a tool as prompt-tool mode knows it.

    Attributes:
        name: As the model calls it.
        description: At most 4,096 characters.
        schema: Of its arguments, in standard types.
        read_only: Whether a call changes nothing.
        source: Who brought it.
        notes: What was changed in its definition.

    Raises:
        ToolDefinitionError: It cannot be used.
    """

    def __init__(self, spec: ToolSpec) -> None:
        self.name = spec.name
        self.source = spec.source
        self.read_only = spec.read_only
        self.description = spec.description
        if not NAME.fullmatch(spec.name):
            raise ToolDefinitionError(
                f"tool {spec.name[:64]!r}{_from(spec)}: a name has 1 to 128 of A-Z, a-z, 0-9, _ . : / and -, "
                "and begins with a letter, a digit or _"
            )
        try:
            self.schema, notes = normalised(spec.parameters)
        except ToolDefinitionError as error:
            raise ToolDefinitionError(f"tool {spec.name!r}{_from(spec)}: {error}") from None
        if len(spec.description) > _DESCRIPTION:
            self.description = spec.description[: _DESCRIPTION - len(_CUT)] + _CUT
            notes = (*notes, f"its description was cut to {_DESCRIPTION:,} characters")
        self._validator = Validator(self.schema)
        self.notes = tuple(f"tool {spec.name!r}: {note}" for note in notes)

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The definition as the model sees it: name, description, parameters."""
        described = {"description": self.description} if self.description.strip() else {}
        return {"name": self.name, **described, "parameters": shown(self.schema)}

    def property(self, key: str) -> Schema | None:
        """Returns the schema of an argument; None where nothing is said about it."""
        return property_schema(self.schema, key, self.schema)

    def fits(self, arguments: Mapping[str, Any]) -> bool:
        """Says whether arguments are known to fit the schema."""
        return self._validator.fits(arguments)

    def violations(self, arguments: Mapping[str, Any]) -> tuple[Violation, ...]:
        """Returns in which ways arguments do not fit, at most five. A schema that cannot be used fits everything."""
        return self._validator.violations(arguments)


class ToolTable:
    """Is what may be called in a turn, in the order of the names.

    Args:
        tools: With names of their own.
    """

    def __init__(self, tools: Iterable[ToolDefinition]) -> None:
        self._tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}

    @staticmethod
    def of(specs: Iterable[ToolSpec]) -> ToolTable:
        """Returns the table of some tools; remembered.

        Raises:
            ToolDefinitionError: A definition cannot be used, two have one name, or there are more than 256.
        """
        key = tuple(specs)
        found = _TABLES.get(key)
        if found is None:
            found = _table(key)
            _TABLES.put(key, found)
        return found

    def only(self, names: Iterable[str]) -> ToolTable:
        """Returns the part of the table with some names."""
        return ToolTable(self._tools[name] for name in names if name in self._tools)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(self._tools)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was changed in the definitions, in words."""
        return tuple(note for tool in self for note in tool.notes)

    def get(self, name: str) -> ToolDefinition | None:
        """Returns a tool; None if there is none of that name."""
        return self._tools.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[ToolDefinition]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)


_TABLES: Recent[tuple[ToolSpec, ...], ToolTable] = Recent(64)


def spec_of(tool: Tool) -> ToolSpec:
    """Returns how a plugin's tool is stated in a turn."""
    parameters = json.dumps(tool.parameters, ensure_ascii=False)
    return ToolSpec(tool.name, tool.description, parameters=parameters, read_only=tool.read_only)


def _table(specs: tuple[ToolSpec, ...]) -> ToolTable:
    if len(specs) > _TOOLS:
        raise ToolDefinitionError(f"{len(specs)} tools are on: prompt-tool mode takes at most {_TOOLS}; offer fewer")
    seen: dict[str, ToolSpec] = {}
    for spec in specs:
        if (other := seen.setdefault(spec.name, spec)) is not spec:
            owners = f"{_from(other)}{_from(spec)}"
            raise ToolDefinitionError(f"tool {spec.name[:64]!r} is defined twice{owners}: rename one")
    table = ToolTable(map(ToolDefinition, specs))
    for note in table.notes:
        warn("tool definition changed", note=note)
    return table


def _from(spec: ToolSpec) -> str:
    return f" from {spec.source}" if spec.source else ""
