"""What stands behind a value inside a block: the closing tag, one more value, something forgotten, or text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from promptmw.toolmode.cursor import Cursor, Literals, Reading, literal
from promptmw.toolmode.events import Note
from promptmw.toolmode.readers import Block

STRAY = Literals(
    f"</{name}>"
    for name in (
        "tool_call", "tool_calls", "tool", "tools", "function", "function_call", "function_calls", "invoke", "call",
        "parameter", "parameters", "arguments", "json", "think", "thinking",
    )
)  # fmt: skip
"""Closing tags that models write in the place of ours."""

_FENCE_LINE = 32
_CLOSING = re.compile(r"(?:`{3,}|~{3,})[ \t]*(?=[\r\n<]|\Z)")
_LINE = re.compile(r"(?:`{3,}|~{3,})[\w+-]*")


class Next(Enum):
    """Says what comes next."""

    CLOSED = "closed"
    """The block was closed; its tag is passed."""
    VALUE = "value"
    """Another value stands at the cursor."""
    OVER = "over"
    """The block is over, without its tag."""
    END = "end"
    """The answer is over."""


@dataclass(slots=True)
class After:
    """Is what was found.

    Attributes:
        next: What comes next.
        notes: What was unusual about the way there.
    """

    next: Next
    notes: set[Note] = field(default_factory=set)


def after(block: Block, close: str, opens: Literals) -> Reading[After]:
    """Passes what belongs to the block behind a value.

    Args:
        block: Whose cursor stands behind the value.
        close: Its closing tag.
        opens: What begins another block.
    """
    c = block.cursor
    found = After(Next.END)
    yield from c.skip_white()
    yield from closing_fence(block)
    while not (yield from c.empty()):
        if c.text[c.at] in "}])":
            c.at += 1
            found.notes.add(Note.EXTRA_TEXT)
            yield from c.skip_white()
            continue
        found.next = yield from _decided(block, close, opens, found.notes)
        return found
    return found


def _decided(block: Block, close: str, opens: Literals, notes: set[Note]) -> Reading[Next]:
    c = block.cursor
    if (yield from c.ahead(literal(close))):
        c.at += len(close)
        return Next.CLOSED
    if (yield from c.ahead(opens)):
        notes.add(Note.MISSING_CLOSE)
        return Next.OVER
    separated = yield from _separator(block)
    if separated:
        return Next.VALUE
    stray = yield from c.ahead(STRAY)
    if stray:
        c.at += len(stray)
        notes.add(Note.MISSING_CLOSE)
        return Next.CLOSED
    return (yield from _late_close(block, close, opens, notes))


def _separator(block: Block) -> Reading[bool]:
    """Passes a comma or a semicolon in front of another value; says whether there is one."""
    c = block.cursor
    if c.text[c.at] in "{[":
        return True
    if c.text[c.at] not in ",;":
        return False
    window = yield from c.within(block.options.limits.prose)
    rest = window[1:].lstrip()
    if rest[:1] not in ("{", "["):
        return False
    c.at += len(window) - len(rest)
    return True


def _late_close(block: Block, close: str, opens: Literals, notes: set[Note]) -> Reading[Next]:
    """Drops a few words in front of a late closing tag."""
    c = block.cursor
    window = yield from c.within(block.options.limits.prose + len(close))
    end = window.find(close)
    opened = opens.pattern.search(window)
    if end < 0 or (opened is not None and opened.start() < end and opened.group() in opens):
        notes.add(Note.MISSING_CLOSE)
        return Next.OVER
    c.at += end + len(close)
    notes.add(Note.EXTRA_TEXT)
    return Next.CLOSED


def fence_line(cursor: Cursor) -> Reading[None]:
    """Passes the rest of a line that begins with a code fence, and white space behind it."""
    if (yield from cursor.within(3)) not in ("```", "~~~"):
        return
    window = yield from cursor.within(_FENCE_LINE)
    line = _LINE.match(window)
    if line is not None:
        cursor.at += line.end()
        yield from cursor.skip_white()


def closing_fence(block: Block) -> Reading[None]:
    """Passes the end of a code fence, and white space behind it."""
    c = block.cursor
    if (yield from c.within(3)) not in ("```", "~~~"):
        return
    line = _CLOSING.match((yield from c.within(_FENCE_LINE)))
    if line is not None:
        c.at += line.end()
        yield from c.skip_white()
