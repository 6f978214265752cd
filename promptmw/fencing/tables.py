"""The frozen tables: the same on every host and with every Python, whose own ``unicodedata`` differ."""

from __future__ import annotations

import functools
import hashlib
from bisect import bisect_right
from collections.abc import Iterator
from importlib.resources import files

FILLER = " "
"""What invisible characters, marks, and unusual spaces and dashes fold to."""

NAMES = ("fold.tsv", "code_points.tsv", "entities.tsv")


class Points:
    """Is a set of code points.

    Args:
        ranges: As a table has them, in order.
    """

    def __init__(self, ranges: str) -> None:
        bounds = [_bounds(part) for part in ranges.split()]
        self.ranges = tuple(bounds)
        self._starts = [first for first, _ in bounds]

    def __contains__(self, character: str) -> bool:
        at = bisect_right(self._starts, ord(character)) - 1 if character else -1
        return at >= 0 and ord(character) <= self.ranges[at][1]


@functools.cache
def folding() -> dict[int, str]:
    """Returns what each code point folds to, ASCII letters included; those that are not in it stay."""
    table = {point: chr(point).lower() for point in range(ord("A"), ord("Z") + 1)}
    for ranges, target in _rows("fold.tsv"):
        first, last = _bounds(ranges)
        table |= dict.fromkeys(range(first, last + 1), target or FILLER)
    return table


def fold(text: str) -> str:
    """Returns a text in which characters that read alike are one; a few become two to four letters."""
    return text.lower() if text.isascii() else text.translate(folding())


@functools.cache
def code_points(name: str) -> Points:
    """Returns one of the sets that decide which characters are made visible."""
    return Points(dict(_rows("code_points.tsv"))[name])


@functools.cache
def entities() -> dict[str, str]:
    """Returns the text of each named character reference that can be part of a marker."""
    return {name: "".join(chr(int(p, 16)) for p in found.split()) for name, found in _rows("entities.tsv")}


@functools.cache
def digest() -> str:
    """Returns the hash of all tables; part of a policy's id."""
    return hashlib.sha256("".join(first_line(name) for name in NAMES).encode()).hexdigest()


def first_line(name: str) -> str:
    """Returns what a table says about itself: versions, and the hash of its other lines."""
    return _text(name).partition("\n")[0]


def _rows(name: str) -> Iterator[tuple[str, str]]:
    for line in _text(name).splitlines()[1:]:
        key, _, value = line.partition("\t")
        yield key, value


def _text(name: str) -> str:
    return files("promptmw.fencing").joinpath("data", name).read_text(encoding="utf-8")


def _bounds(part: str) -> tuple[int, int]:
    first, _, last = part.partition("-")
    return int(first, 16), int(last or first, 16)
