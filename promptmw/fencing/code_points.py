"""Characters that are made visible wherever they stand: controls, invisibles, direction marks, separators."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from promptmw.fencing.tables import code_points

INTRODUCER = "⟦"

_CONTROLS = bytes(c for c in range(0x80) if (c < 0x20 or c == 0x7F) and chr(c) not in "\t\n\r")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_FLAG = re.compile("\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f")  # fmt: skip  # noqa: E501
_KEYS = frozenset("0123456789#*")


def escape(character: str) -> str:
    """Returns the one visible, reversible form of a character: ``⟦U+003C⟧``."""
    return f"⟦U+{ord(character):04X}⟧"


def hidden(text: str) -> set[int]:
    """Returns the offsets of the characters in ``text`` that must be made visible."""
    if text.isascii():
        return set() if _plain(text) else {m.start() for m in _within().finditer(text) if not _kept(text, m.start())}
    found = {m.start() for m in _within().finditer(text) if not _kept(text, m.start())}
    if _ASTRAL.search(text):
        found |= _beyond(text)
    return found


def _plain(text: str) -> bool:
    """Says, at the speed of memory, whether ASCII text has no control character that matters."""
    octets = text.encode()
    return len(octets.translate(None, _CONTROLS)) == len(octets) and octets.count(b"\r") == octets.count(b"\r\n")


def _beyond(text: str) -> set[int]:
    """Returns the offsets of hidden characters above U+FFFF: sought apart, as a class that holds them is slow."""
    points = code_points("hidden")
    found = {m.start() for m in _ASTRAL.finditer(text) if m[0] in points}
    if not found:
        return found
    flags = {i for m in _FLAG.finditer(text) for i in range(m.start() + 1, m.end())}
    return {at for at in found - flags if not _kept(text, at)}


@functools.cache
def _within() -> re.Pattern[str]:
    """Returns a pattern for the hidden characters up to U+FFFF."""
    ranges = [(first, min(last, 0xFFFF)) for first, last in code_points("hidden").ranges if first <= 0xFFFF]
    return re.compile(f"[{''.join(f'{re.escape(chr(a))}-{re.escape(chr(b))}' for a, b in ranges)}]")


def _kept(text: str, at: int) -> bool:
    """Says whether the character is one that its neighbours need."""
    needed = _NEEDED.get(text[at])
    if needed is None and "\U000e0100" <= text[at] <= "\U000e01ef":
        needed = _selects_ideograph
    return needed is not None and needed(text, at)


def _is(name: str, text: str, at: int) -> bool:
    """Says whether there is a character at an offset that is in one of the sets."""
    return 0 <= at < len(text) and text[at] in code_points(name)


def _ends_line(text: str, at: int) -> bool:
    return text.startswith("\n", at + 1)


def _joins_letters(text: str, at: int) -> bool:
    if _is("virama", text, at - 1):
        return True
    return _is("joining", text, at - 1) and _is("joining", text, at + 1)


def _joins(text: str, at: int) -> bool:
    return _joins_letters(text, at) or (_ends_picture(text, at) and _is("pictured", text, at + 1))


def _ends_picture(text: str, end: int) -> bool:
    """Says whether a picture ends at an offset; its selector, its tone or the tags of a flag belong to it."""
    if text.startswith("\ufe0f", end - 1):
        return _is("pictured", text, end - 2)
    return _is("pictured", text, end - 1) or any(m.end() == end for m in _FLAG.finditer(text, max(0, end - 7), end))


def _spaces_words(text: str, at: int) -> bool:
    return _is("word_spaced", text, at - 1) and _is("word_spaced", text, at + 1)


def _turns(text: str, at: int) -> bool:
    return _is("right_to_left", text, at - 1) or _is("right_to_left", text, at + 1)


def _follows_mongolian(text: str, at: int) -> bool:
    return _is("mongolian", text, at - 1)


def _presents(text: str, at: int) -> bool:
    return _is("pictured", text, at - 1)


def _colours(text: str, at: int) -> bool:
    return _presents(text, at) or (at > 0 and text[at - 1] in _KEYS and text.startswith("\u20e3", at + 1))


def _selects_ideograph(text: str, at: int) -> bool:
    return _is("ideograph", text, at - 1)


def _selects(text: str, at: int) -> bool:
    return _selects_ideograph(text, at) or _is("varied", text, at - 1)


_NEEDED: dict[str, Callable[[str, int], bool]] = {
    "\r": _ends_line,
    "\u200b": _spaces_words,
    "\u200c": _joins_letters,
    "\u200d": _joins,
    "\ufe00": _selects,
    "\ufe01": _selects_ideograph,
    "\ufe02": _selects_ideograph,
    "\ufe0e": _presents,
    "\ufe0f": _colours,
    **dict.fromkeys("\u200e\u200f\u061c", _turns),
    **dict.fromkeys("\u180b\u180c\u180d\u180f", _follows_mongolian),
}
"""Hidden characters that some scripts and pictures need, and what tells that they stand where they are needed."""
