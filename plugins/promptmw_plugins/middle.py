"""Shortens long text in its middle: the head and the tail say most."""

from __future__ import annotations

from collections.abc import Callable

from promptmw import Untrusted

_CHARACTERS_A_TOKEN = 16
"""No text that a model reads has more; it bounds how much of a very long text is counted."""


def ends_within(value: Untrusted, most: int, count: Callable[[str], int]) -> tuple[Untrusted, Untrusted | None]:
    """Returns the head and the tail of a text that has more than ``most`` tokens, both ending at a line end.

    Args:
        value: The text.
        most: Tokens of both together: two thirds for the head, one third for the tail.
        count: Counts tokens.

    Returns:
        The text itself and None when it is short enough.
    """
    if value.measure(lambda text: len(text) <= most or count(text[: most * _CHARACTERS_A_TOKEN]) <= most):
        return value, None
    head = value.map(lambda text: _head(text, most * 2 // 3, count))
    return head, value.map(lambda text: _tail(text, most // 3, count))


def _head(text: str, most: int, count: Callable[[str], int]) -> str:
    size = _most(lambda n: count(text[:n]) <= most, min(len(text), most * _CHARACTERS_A_TOKEN))
    line_end = text.rfind("\n", size // 2, size)
    return text[: line_end if line_end > 0 else size]


def _tail(text: str, most: int, count: Callable[[str], int]) -> str:
    size = _most(lambda n: count(text[len(text) - n :]) <= most, min(len(text), most * _CHARACTERS_A_TOKEN))
    start = len(text) - size
    line_end = text.find("\n", start, start + size // 2)
    return text[line_end + 1 if line_end >= 0 else start :]


def _most(fits: Callable[[int], bool], limit: int) -> int:
    """Returns the largest number up to ``limit`` that fits, found by bisection."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
