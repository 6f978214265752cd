"""Reads the calls with raw values of one block, one behind the other."""

from __future__ import annotations

from promptmw.toolmode.bodies.after import Next, after
from promptmw.toolmode.bodies.tagged import Ending, Tagged, call, head, without_values
from promptmw.toolmode.cursor import Reading, literal
from promptmw.toolmode.events import ProblemKind
from promptmw.toolmode.readers import Block, Outcome


def tagged_calls(block: Block, grammar: Tagged, opens: str, closes: str) -> Reading[Outcome]:
    """Reads one call behind the other; the cursor stands at the first.

    Args:
        block: Where they stand.
        grammar: Of the calls.
        opens: Opening tag of such a block.
        closes: Its closing tag.
    """
    c = block.cursor
    block.commit()
    while (yield from c.ahead(literal(grammar.call.lead))):
        match = yield from head(c, grammar.call, most=block.options.limits.name)
        if match is None:
            return (yield from _bad_head(block, grammar))
        name = grammar.unescaped(match["name"])
        if match.groupdict().get("closed"):
            without_values(block, name)
        else:
            ending = yield from call(block, grammar, name, grammar.within(opens, closes))
            if ending is Ending.END:
                return Outcome.OPEN
            if ending is Ending.OUTER:
                return at_tag(block, closes)
        yield from c.skip_white()
    behind = yield from after(block, closes, literal(opens))
    return Outcome.CLOSED if behind.next is Next.CLOSED else Outcome.OPEN


def at_tag(block: Block, closes: str) -> Outcome:
    """Ends a block at a tag of its own; another opening tag stays."""
    c = block.cursor
    if not c.text.startswith(closes, c.at):
        return Outcome.OPEN
    c.at += len(closes)
    return Outcome.CLOSED


def _bad_head(block: Block, grammar: Tagged) -> Reading[Outcome]:
    tail = grammar.call.tail
    window = yield from block.cursor.within(block.options.limits.name + len(grammar.call.lead) + len(tail))
    if block.cursor.ended and tail not in window:
        block.cut_off("", name=None)
        block.cursor.at = len(block.cursor.text)
    else:
        block.problem(ProblemKind.MALFORMED, "the head of the call cannot be read", text=window)
        block.cursor.at += len(grammar.call.lead)
    return Outcome.OPEN
