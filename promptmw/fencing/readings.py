"""Reads a text from any place as it stands, and with escapes taken for what they mean: nested, and in any mixture.

Known are character references of HTML, backslashes of string literals, percent signs of addresses and the equals signs
of quoted-printable mail. What is read at one place does not depend on how one came there, so each place is read once.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator

from promptmw.fencing.tables import entities, fold, folding

Reading = tuple[str, int]
"""Characters that are read, and where reading goes on; none for a soft line break."""

LEADS = "&\\%="
_BEYOND = r"\x80-\U0010ffff"
_LEAD = re.compile(
    rf"&(?=[#&\\%=a-zA-Z{_BEYOND}])|\\|%(?=[0-9a-fA-F&\\%={_BEYOND}])|=(?=[0-9a-fA-F&\\%=\r\n{_BEYOND}])"
)
"""A character that begins an escape, or may if what follows is read as something else."""

_SPOKEN = {"\t": "t", "\n": "n", "\r": "r"}
"""How JSON writes them: what was skipped as white space can be a letter there."""

_ONE_LETTER = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "e": "\x1b",
    "\\": "\\", "/": "/", '"': '"', "'": "'",
}  # fmt: skip
_DIGITS = frozenset("0123456789")
_OCTAL = frozenset("01234567")
_HEX = frozenset("0123456789abcdefABCDEF")
_MOST_DIGITS = 16
_NESTED = 64  # escapes in escapes at one place


@functools.cache
def _other_leads() -> re.Pattern[str]:
    """Returns a pattern for the characters that a normalisation makes a lead."""
    return re.compile(f"[{''.join(chr(p) for p, plain in folding().items() if p > 0x7F and plain in set(LEADS))}]")


class Overrun(Exception):
    """There is more to read than is looked at."""


class Allowance:
    """Is how many readings of escapes a text may still cost: some for any text, and more for a long one."""

    __slots__ = ("left",)

    def __init__(self, size: int) -> None:
        self.left = 50_000 + size

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0

    def spend(self) -> None:
        """Pays for one.

        Raises:
            Overrun: Nothing is left.
        """
        if self.spent:
            raise Overrun
        self.left -= 1


class Readings:
    """Is all ways to read a part of a text.

    Args:
        text: Of any length and content.
        start: Where the part begins.
        end: Where it ends.
        allowance: Of the text; where it is used up it is an `Overrun`.

    Attributes:
        cut: Places from which one would have to read beyond the part.
    """

    def __init__(self, text: str, start: int, end: int, allowance: Allowance) -> None:
        self.text = text
        self.end = min(end, len(text))
        self.cut: set[int] = set()
        self._allowance = allowance
        self._known: dict[int, tuple[Reading, ...]] = {}
        self._beyond = False
        for at in reversed(self._leads(start)):
            self._read(at)

    def _leads(self, start: int) -> list[int]:
        found = [m.start() for m in _LEAD.finditer(self.text, start, self.end)]
        if self.text.isascii():
            return found
        return sorted([*found, *(m.start() for m in _other_leads().finditer(self.text, start, self.end))])

    def at(self, at: int) -> tuple[Reading, ...]:
        """Returns what can be read at a place; nothing behind the end."""
        if at >= self.end:
            self._beyond = True
            return ()
        character = self.text[at]
        known = self._known.get(at)
        if known is None:
            plain = (character, at + 1)
            return (plain, (_SPOKEN[character], at + 1)) if character in _SPOKEN else (plain,)
        self._beyond = self._beyond or at in self.cut
        return known

    def _read(self, at: int) -> None:
        """Reads a lead, when all that stands behind it has been read.

        Raises:
            Overrun: There is more to read than is looked at.
        """
        self._beyond = False
        self._known[at] = tuple(self._escapes(self.text[at], at + 1))
        if self._beyond and self.end < len(self.text):
            self.cut.add(at)

    def _escapes(self, character: str, behind: int) -> Iterator[Reading]:
        """Yields a lead as it stands, and what it begins; of that, what is a lead again likewise."""
        waiting, seen = [(character, behind)], set()
        while waiting:
            reading = waiting.pop()
            if reading in seen:
                continue
            seen.add(reading)
            yield reading
            self._allowance.spend()
            if len(seen) > _NESTED:
                raise Overrun
            decode = _DECODERS.get(fold(reading[0]))
            if decode:
                waiting += dict.fromkeys(decode(self, reading[1]))

    def inside(self, at: int) -> Iterator[Reading]:
        """Yields what can be read at a place of an escape: look-alikes of letters and digits count as these there."""
        for text, end in self.at(at):
            yield text, end
            folded = text if text.isascii() else fold(text)
            if folded is not text and folded.isascii():
                yield from ((c, end) for c in {folded, folded.upper()})

    def run(self, at: int, allowed: frozenset[str], least: int, most: int) -> Iterator[tuple[str, int]]:
        """Yields the longest runs of some characters from a place on, in every reading."""
        waiting = [("", at)]
        while waiting:
            taken, place = waiting.pop()
            longer = [(taken + c, end) for c, end in self.inside(place) if c in allowed] if len(taken) < most else []
            waiting += longer
            if not longer and len(taken) >= least:
                yield taken, place

    def passes(self, at: int, wanted: str) -> list[int]:
        """Returns the places behind one character, in every reading."""
        return [end for c, end in self.inside(at) if c == wanted]


def _reference(r: Readings, at: int) -> Iterator[Reading]:
    """Reads behind ``&``."""
    for behind in r.passes(at, "#"):
        for digits, end in r.run(behind, _DIGITS, 1, _MOST_DIGITS):
            yield from _closed(r, _character(digits, 10), end)
        for marked in (*r.passes(behind, "x"), *r.passes(behind, "X")):
            for digits, end in r.run(marked, _HEX, 1, _MOST_DIGITS):
                yield from _closed(r, _character(digits, 16), end)
    yield from _named(r, at)


def _closed(r: Readings, text: str, end: int) -> Iterator[Reading]:
    """Yields a reading with the semicolon behind it, or without where there is none."""
    if text:
        yield text, next(iter(r.passes(end, ";")), end)


def _named(r: Readings, at: int) -> Iterator[Reading]:
    """Yields the longest names, in every reading."""
    names = _prefixes()
    waiting: list[tuple[str, int, Reading | None]] = [("", at, None)]
    while waiting:
        name, place, best = waiting.pop()
        best = (entities()[name], place) if name in entities() else best
        longer = [(name + c, end, best) for c, end in r.inside(place) if name + c in names]
        waiting += longer
        if not longer and best is not None:
            yield from _closed(r, *best)


@functools.cache
def _prefixes() -> frozenset[str]:
    return frozenset(name[:end] for name in entities() for end in range(1, len(name) + 1))


def _backslash(r: Readings, at: int) -> Iterator[Reading]:
    """Reads behind a backslash."""
    for letter, behind in r.inside(at):
        if letter in _ONE_LETTER:
            yield _ONE_LETTER[letter], behind
        for size in _SIZES.get(letter, ()):
            for digits, end in r.run(behind, _HEX, size, size):
                yield from _if_any(_character(digits, 16), end)
        if letter in "xu":
            for inside in r.passes(behind, "{"):
                for digits, end in r.run(inside, _HEX, 1, _MOST_DIGITS):
                    yield from ((_character(digits, 16), last) for last in r.passes(end, "}"))
    for digits, end in r.run(at, _OCTAL, 1, 3):
        yield from _if_any(_character(digits, 8), end)


_SIZES = {"x": (2,), "u": (4,), "U": (8,)}


def _percent(r: Readings, at: int) -> Iterator[Reading]:
    yield from _octets(r, at, "%")


def _equals(r: Readings, at: int) -> Iterator[Reading]:
    yield from _octets(r, at, "=")
    for end in r.passes(at, "\n"):
        yield "", end
    for end in (last for first in r.passes(at, "\r") for last in r.passes(first, "\n")):
        yield "", end


def _octets(r: Readings, at: int, lead: str) -> Iterator[Reading]:
    """Yields up to four bytes as UTF-8, and the first one as Latin-1."""
    for digits, end in r.run(at, _HEX, 2, 2):
        yield chr(int(digits, 16)), end
        yield from _utf8(r, bytes.fromhex(digits), end, lead)


def _utf8(r: Readings, octets: bytes, at: int, lead: str) -> Iterator[Reading]:
    size = next((n for n, first in ((2, 0xC2), (3, 0xE0), (4, 0xF0)) if first <= octets[0] < 0xF5), 0)
    size = 4 if octets[0] >= 0xF0 and size else 3 if octets[0] >= 0xE0 and size else size
    waiting = [(octets, at)] if size else []
    while waiting:
        taken, place = waiting.pop()
        if len(taken) == size:
            text = taken.decode("utf-8", "ignore")
            yield from _if_any(text, place)
            continue
        for behind in r.passes(place, lead):
            waiting += [(taken + bytes.fromhex(digits), end) for digits, end in r.run(behind, _HEX, 2, 2)]


def _if_any(text: str, end: int) -> Iterator[Reading]:
    if text:
        yield text, end


def _character(digits: str, base: int) -> str:
    point = int(digits, base)
    return chr(point) if point <= 0x10FFFF else ""


_DECODERS: dict[str, Callable[[Readings, int], Iterator[Reading]]] = {
    "&": _reference,
    "\\": _backslash,
    "%": _percent,
    "=": _equals,
}
