"""Shortens long text in its middle: the head and the tail say most."""

from __future__ import annotations

from collections.abc import Callable

from promptmw import Untrusted

_CHARACTERS_A_TOKEN = 8
"""Bounds how much of a very long text is counted again and again; ordinary text has three to six."""
_MARK_TOKENS = 16
_CLOSE = 32
"""Characters by which a cut may be early: it is moved to a line end anyway."""


def ends_within(value: Untrusted, most: int, count: Callable[[str], int]) -> tuple[Untrusted, ...]:
    """Returns the head and the tail of a text that has more than ``most`` tokens, cut at line ends where some are near.

    Args:
        value: The text.
        most: Tokens of both together and a mark between them: two thirds for the head, one third for the tail.
        count: Counts tokens.

    Returns:
        The text itself alone when it is short enough.
    """
    if value.measure(lambda text: len(text) <= most // 3 or count(text) <= most):
        return (value,)
    room = most - 16
    return value.map(lambda text: _head(text, room * 2 // 3, count)), value.map(
        lambda text: _tail(text, room // 3, count)
    )


def _head(text: str, most: int, count: Callable[[str], int]) -> str:
    size = _most(lambda n: count(text[:n]) <= most, min(len(text), most * _CHARACTERS_A_TOKEN))
    line_end = text.rfind("\n", size // 2, size)
    return text[: line_end if line_end > 0 else size].rstrip("\r\n")


def _tail(text: str, most: int, count: Callable[[str], int]) -> str:
    size = _most(lambda n: count(text[len(text) - n :]) <= most, min(len(text), most * _CHARACTERS_A_TOKEN))
    start = len(text) - size
    line_end = text.find("\n", start, start + size // 2)
    return text[line_end + 1 if line_end >= 0 else start :].lstrip("\r\n")


def _most(fits: Callable[[int], bool], limit: int) -> int:
    """Returns about the largest number up to ``limit`` that fits, found by bisection."""
    if fits(limit):
        return limit
    low, high = 0, limit
    while high - low > _CLOSE:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
