"""``promptmw inspect``: what is in a prompt, and what moves between two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from promptmw.cli.capabilities import statement, tools_row, tools_words, with_mode
from promptmw.cli.compose import problems
from promptmw.cli.options import (
    Choices,
    ConfigOption,
    FormatOption,
    JsonOption,
    LayoutOption,
    LocaleOption,
    ModeOption,
    ProfileOption,
    TurnFile,
)
from promptmw.cli.printing import console, write_json
from promptmw.cli.turns import Desk, Stated
from promptmw.inspection import Moved, Row, moved, rows
from promptmw.kinds import Layout, Stability
from promptmw.prompts import Prompt

BAR_WIDTH = 72
COLOURS = {"static": "green", "project": "cyan", "user": "blue", "session": "magenta", "day": "yellow", "turn": "red"}
GLYPHS = {"static": "█", "project": "▓", "user": "▒", "session": "░", "day": "▪", "turn": "·"}
"""Tell stabilities apart where there are no colours."""
ORDER_KEYS = {
    Layout.DOCUMENTED: ("layer", "order", "name"),
    Layout.CACHE: ("layer", "stability", "order", "name"),
}

ResolveOption = Annotated[
    bool,
    typer.Option("--resolve", help="Ask the adapters how tools reach the turn's model; LiteLLM takes seconds to load."),
]
DiffOption = Annotated[str | None, typer.Option("--diff", metavar="OTHER", help="Compare with the turn sent next.")]


def inspect(
    turn: TurnFile,
    diff: DiffOption = None,
    locale: LocaleOption = None,
    profile: ProfileOption = None,
    layout: LayoutOption = None,
    mode: ModeOption = None,
    config: ConfigOption = None,
    form: FormatOption = None,
    resolve: ResolveOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the blocks of a turn's prompt, and what another turn after it would move.

    Example: promptmw inspect examples/turns/full.toml --diff examples/turns/typical.toml
    """
    choices = Choices(locale=locale, profile=profile, layout=layout, mode=mode, config=config, format=form)
    desk = Desk(choices)
    stated, other = desk.open(turn), desk.open(diff) if diff else None
    found = statement(stated, ask=resolve)
    stated = with_mode(stated, found)
    prompt = stated.prompt()
    move = moved(prompt, with_mode(other, found).prompt()) if other else None
    tools = tools_row(found, prompt)
    if as_json:
        diff_row = {"diff": asdict(move) if move else None} if other else {}
        write_json({**report(stated, prompt), "tools": tools, **diff_row})
        return
    console().print(tools_words(tools), soft_wrap=True, markup=False, highlight=False)
    print_report(stated, prompt)
    if diff:
        console().print(_words(move, prompt, diff), soft_wrap=True)


def report(stated: Stated, prompt: Prompt) -> dict[str, Any]:
    """Returns what is in a prompt, as plain data; no text of it."""
    catalog = stated.pipeline.catalog
    return {
        "profile": prompt.profile,
        "layout": catalog.profile.layout.value,
        "order_key": ORDER_KEYS[catalog.profile.layout],
        "counter": {
            "name": catalog.counter.name,
            "exact": catalog.counter.exact,
            "failed": catalog.counter.failed,
        },
        "tokens": prompt.tokens,
        "boundary": prompt.boundary,
        "breakpoints": prompt.breakpoints,
        "blocks": [asdict(row) for row in rows(prompt)],
        "problems": problems(prompt),
    }


def print_report(stated: Stated, prompt: Prompt) -> None:
    """Prints the table of a prompt's blocks, a bar of its stabilities, and its problems."""
    found = rows(prompt)
    out = console()
    out.print(_head(stated, prompt))
    out.print(block_table(found))
    out.print(_bar(found))
    out.print(_legend(found))
    for problem in prompt.problems:
        out.print(Text(str(problem), style="yellow"), soft_wrap=True)


def block_table(found: list[Row]) -> Table:
    """Returns a table with a line for each block."""
    names = ("section", "distribution", "layer", "stability", "trust", "chars", "untrusted", "tokens", "share")
    table = Table()
    for name in names:
        table.add_column(name, justify="right" if name in names[5:] else "left", no_wrap=name != "distribution")
    table.add_column("digest", no_wrap=True)
    table.add_column("fences")
    table.add_column("cut")
    for row in found:
        table.add_row(*_cells(row), style="" if row.layer == "system" else "dim")
    return table


def _cells(row: Row) -> Iterator[str | Text]:
    yield row.section
    yield row.distribution
    yield row.layer
    yield Text(row.stability, style=COLOURS[row.stability])
    yield row.trust
    yield f"{row.characters:,}"
    yield f"{row.untrusted / max(1, row.characters):.0%}"
    yield f"{row.tokens:,}"
    yield f"{row.share:.1%}"
    yield row.digest[:8]
    yield fence_words(row)
    yield "; ".join(row.cuts)


def fence_words(row: Row) -> str:
    """Returns the modes of a block's fences, what was escaped in it, and what both cost."""
    escapes = [f"{count} {kind}{'s' * (count > 1)}" for kind, count in row.escapes.items()]
    cost = [f"+{row.tokens_added} tokens"] if row.tokens_added else []
    return ", ".join([*row.modes, *escapes, *cost])


def _head(stated: Stated, prompt: Prompt) -> str:
    catalog = stated.pipeline.catalog
    layout = catalog.profile.layout
    about = "" if catalog.counter.exact and not catalog.counter.failed else "about "
    return (
        f"profile {prompt.profile}, layout {layout.value}: blocks by {', '.join(ORDER_KEYS[layout])}; "
        f"{len(prompt.blocks)} blocks, {about}{prompt.tokens:,} tokens"
    )


def _bar(found: list[Row]) -> Text:
    """Returns the whole prompt as one line, each block as long as its share."""
    bar = Text()
    for row in found:
        bar.append(GLYPHS[row.stability] * max(1, round(row.share * BAR_WIDTH)), style=COLOURS[row.stability])
    return bar


def _legend(found: list[Row]) -> Text:
    shares: Counter[str] = Counter()
    for row in found:
        shares[row.stability] += row.tokens
    whole = max(1, shares.total())
    legend = Text()
    for stability in (s.name.lower() for s in Stability):
        if stability in shares:
            text = f"{GLYPHS[stability]} {stability} {shares[stability] / whole:.0%}  "
            legend.append(text, style=COLOURS[stability])
    return legend


def _words(move: Moved | None, prompt: Prompt, other: str) -> Text:
    if move is None:
        return Text(f"{other} after it moves nothing: all {prompt.tokens:,} tokens stay cached.", style="green")
    why = {"added": "is new", "removed": "is gone"}.get(move.change) or f"moved by {_inputs(move)}"
    return Text(
        f"{other} after it: {move.section} {why}. {move.offset:,} characters before it stay cached; "
        f"{move.tokens:,} tokens from there on do not.",
        style="yellow",
    )


def _inputs(move: Moved) -> str:
    return ", ".join(move.inputs) or "its language, its texts or its settings"
