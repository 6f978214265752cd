"""Shortens a text to a cap: from the raw values, at their line ends, and never a fence, a heading or a line of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from promptmw.fencing import BLOCK_MARK, Piece, Text, Untrusted

_MARK = Piece("\n" + BLOCK_MARK)


def clipped(text: Text, fits: Callable[[Text], bool]) -> Text | None:
    """Returns the text with its last value of several lines cut so that it fits; then with those before it cut too.

    Args:
        text: That does not fit.
        fits: Says whether a text is short enough.

    Returns:
        None when even all values cut to one character do not make it fit.
    """
    pieces = list(text.pieces)
    for at in reversed([i for i, p in enumerate(pieces) if p.slot is not None and not p.slot.one_line]):
        most = _most(pieces, at, fits)
        pieces = _cut(pieces, at, max(1, most))
        if most:
            return Text(pieces)
    return None


def _most(pieces: list[Piece], at: int, fits: Callable[[Text], bool]) -> int:
    """Returns to how many characters the value can be cut so that all fits, found by bisection; 0 for none."""
    low, high = 0, _value(pieces[at]).size
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(Text(_cut(pieces, at, middle))) else (low, middle - 1)
    return low


def _cut(pieces: list[Piece], at: int, size: int) -> list[Piece]:
    value = _value(pieces[at]).cap(size, at_line_end=True)
    rest = pieces[at + 1 :]
    marked = bool(rest) and rest[0] == _MARK
    mark = [] if marked or not value.cut else [_MARK]
    return [*pieces[:at], replace(pieces[at], text=value), *mark, *rest]


def _value(piece: Piece) -> Untrusted:
    assert isinstance(piece.text, Untrusted)  # the caller has picked pieces with a slot
    return piece.text
