"""Writes a result of a tool as a block that nothing in it can leave."""

from __future__ import annotations

from promptmw.fencing import Piece, Text, Untrusted, attr, block
from promptmw.kinds import Trust

MOST = 64 * 1024
"""Characters of a result that are shown: its head and its tail."""

_NAME = 128
_CUT = "\n…(truncated)\n"


def result_block(tag: str, name: str, body: Text, *, error: bool = False) -> Text:
    """Returns a result between its tags, on lines of their own.

    Args:
        tag: Of results.
        name: Of the tool; blank to leave it out.
        body: What it says.
        error: Whether the tool failed.
    """
    value = attr(Untrusted(name).cap(_NAME))
    named = Text.of(' name="', value, '"') if value else ""
    status = ' status="error"' if error else ""
    return Text.of(
        Text((Piece(f"<{tag}", tag=tag),)), named, f"{status}>\n", body, "\n" if body else "",
        Text((Piece(f"</{tag}>", tag=tag),)),
    )  # fmt: skip


def result_body(text: str) -> Text:
    """Returns the text of a result in its slot; of a long one the head and the tail."""
    if len(text) <= MOST:
        return _slot(text)
    return Text.of(_slot(text[: MOST // 2]), _CUT, _slot(text[-MOST // 2 :]))


def _slot(text: str) -> Text:
    return block(Untrusted(text, source="tool result", trust=Trust.UNTRUSTED), item=True)
