"""States the tool protocol of a turn, for sections and adapters to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from promptmw.errors import InputError, nearest
from promptmw.kinds import ToolMode
from promptmw.settled import Tools
from promptmw.toolmode.choice import Choice
from promptmw.toolmode.using import ProtocolInUse
from promptmw.tools import Tool
from promptmw.turn import Turn

if TYPE_CHECKING:
    from promptmw.catalog import Catalog
    from promptmw.toolmode.definitions import ToolTable


def stated_protocol(catalog: Catalog, turn: Turn, tools: Tools, offered: Iterable[Tool]) -> tuple[ProtocolInUse, ...]:
    """Returns the protocol of a turn; none outside of prompt-tool mode and without tools that could be called.

    Args:
        catalog: Of the pipeline.
        turn: With all inputs; a `Choice` among them says how many calls are asked for.
        tools: What may be called, settled.
        offered: Plugins' tools among them.

    Raises:
        ToolDefinitionError: A tool's definition cannot be used.
        ConfigError: A format is not installed.
        InputError: The choice names a tool that is not there.
    """
    if tools.mode is not ToolMode.PROMPT or not tools.local:
        return ()
    from promptmw.toolmode import definitions  # here: other modes do not need the parsers
    from promptmw.toolmode.registry import format_of

    settings = catalog.tool_settings
    chosen = format_of(turn.model, catalog)
    choice = turn.get(Choice)
    many = settings.calls == "many" if choice is None or choice.many is None else choice.many
    table = definitions.ToolTable.of((*(t for t in turn.tools if not t.hosted), *map(definitions.spec_of, offered)))
    if choice is not None:
        _check_names(choice, table)
    return (ProtocolInUse(chosen.protocol, table, chosen.accept, settings, many, chosen.why),)


def _check_names(choice: Choice, table: ToolTable) -> None:
    unknown = next((name for name in choice.names if name not in table), None)
    if unknown is not None:
        raise InputError(f"tool_choice: there is no tool {unknown[:64]!r}.{nearest(unknown, table.names)}")
