"""How tools reach the model of a turn, and who says so."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import entry_points
from typing import Any

from promptmw.cli.turns import Stated
from promptmw.kinds import ToolMode
from promptmw.prompts import Prompt
from promptmw.toolmode.capability import Statement, resolved
from promptmw.toolmode.using import ProtocolInUse

GROUP = "promptmw.capability"
"""Entry points: functions that take a model's name and return a `Statement` about its tools."""


def statement(stated: Stated, *, ask: bool) -> Statement:
    """Returns how tools reach the model of a turn.

    Args:
        stated: The turn.
        ask: Whether installed adapters are asked where the turn does not say it; loading one may take seconds.
    """
    mode, model = stated.turn.tool_mode, stated.turn.model
    own = Statement("stated", f"tool_mode = {mode.value}", None if mode is ToolMode.AUTO else mode)
    points = sorted(entry_points(group=GROUP), key=lambda p: p.name) if ask and own.mode is None and model else ()
    return resolved([own, *(point.load()(model) for point in points)])


def with_mode(stated: Stated, found: Statement) -> Stated:
    """Returns a turn with the mode that was found."""
    return replace(stated, turn=stated.turn.replace(tool_mode=found.mode or ToolMode.NATIVE))


def tools_row(found: Statement, prompt: Prompt) -> dict[str, Any]:
    """Returns what is known of the tools of a prompt, as plain data."""
    using = prompt.turn.get(ProtocolInUse)
    row = {"mode": prompt.tools.mode.value, "source": found.source, "value": found.value}
    names = {"local": prompt.tools.local, "hosted": prompt.tools.hosted}
    if using is None:
        return {**row, **names}
    accepts = [p.name for p in using.accept]
    calls = "many" if using.many else "one"
    return {**row, **names, "format": using.protocol.name, "why": using.why, "accepts": accepts, "calls": calls}


def tools_words(row: dict[str, Any]) -> str:
    """Returns the same for people."""
    text = (
        f"tools {row['mode']} ({row['source']}: {row['value']}); {len(row['local'])} local, {len(row['hosted'])} hosted"
    )
    if "format" not in row:
        return text
    besides = f", {', '.join(row['accepts'])} understood besides" if row["accepts"] else ""
    return (
        f"{text}; format {row['format']} ({row['why']}){besides}, {row['calls']} call{'s' * (row['calls'] == 'many')}"
    )
