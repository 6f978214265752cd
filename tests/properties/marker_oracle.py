"""Finds tags in a text in any spelling, by means of its own: names of characters, confusables, and plain decoders.

It knows nothing of the library's tables, readings or states; what both should miss would have to be missed twice.
"""

from __future__ import annotations

import functools
import html
import importlib.util
import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote

_GONE = {"Cf", "Mn", "Me", "Zs", "Zl", "Zp", "Cc", "Pd", "Pc"}
_ALIKE = str.maketrans("1i|0", "lllo")
_STRING_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xu]\{([0-9a-fA-F]{1,16})\}|([0-7]{1,3})|([\\/\"'nrtabfv]))"
)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_MAIL = re.compile(r"((?:=[0-9a-fA-F]{2})+)")
_OPENING = ("LESS-THAN", "LEFT-POINTING ANGLE", "LEFT-POINTING DOUBLE ANGLE", "LEFT ANGLE BRACKET", "LEFT DOUBLE ANGLE BRACKET")  # fmt: skip  # noqa: E501


def tags(text: str, names: Iterable[str]) -> set[str]:
    """Returns which tags begin somewhere in the text, however they are written."""
    by_letters = {_letters(name): name for name in names}
    one = "|".join(sorted(map(re.escape, by_letters), key=len, reverse=True))
    pattern = re.compile(rf"<[/\\!?]*({one})")
    return {by_letters[m[1]] for reading in readings(text) for m in pattern.finditer(plain(reading))}


def readings(text: str, depth: int = 3) -> set[str]:
    """Returns the text decoded up to three times, in every order."""
    found, last = {text}, {text}
    for _ in range(depth):
        last = {decode(one) for one in last for decode in _DECODERS} - found
        found |= last
    return found


def plain(text: str) -> str:
    """Returns the text as it looks: without marks, blanks and dashes, in one case, look-alikes made one."""
    shown = "".join(_shown(c) for c in text)
    folded = unicodedata.normalize("NFKC", shown).casefold()
    decomposed = unicodedata.normalize("NFKD", folded)
    return "".join(c for c in decomposed if unicodedata.category(c) not in _GONE).translate(_ALIKE)


@functools.cache
def _shown(character: str) -> str:
    if any(part in unicodedata.name(character, "") for part in _OPENING):
        return "<"
    return _lookalikes().get(character, character)


@functools.cache
def _lookalikes() -> dict[str, str]:
    """Returns the ASCII letters that other letters are said to be confused with."""
    spec = importlib.util.find_spec("confusable_homoglyphs")
    assert spec is not None
    assert spec.origin is not None
    data = json.loads((Path(spec.origin).parent / "confusables.json").read_text("utf-8"))
    return {
        character: entry["c"].lower()
        for character, entries in data.items()
        for entry in entries
        if len(character) == 1 and not character.isascii() and re.fullmatch("[a-zA-Z]", entry["c"])
    }


def _letters(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum()).translate(_ALIKE)


def _strings(text: str) -> str:
    return _STRING_ESCAPE.sub(_string_escape, text)


def _string_escape(match: re.Match[str]) -> str:
    *hexadecimal, octal, letter = match.groups()
    if letter:
        return _LETTERS.get(letter, letter)
    digits = next((d for d in hexadecimal if d), None)
    point = int(digits, 16) if digits else int(octal, 8)
    return chr(point) if point <= 0x10FFFF else match[0]


def _mail(text: str) -> str:
    """Decodes quoted-printable: soft line breaks and octets."""
    joined = re.sub(r"=\r?\n", "", text)
    return _MAIL.sub(lambda m: bytes.fromhex(m[1].replace("=", "")).decode("utf-8", "replace"), joined)


def _latin(text: str) -> str:
    return unquote(text, encoding="latin-1")


_DECODERS: tuple[Callable[[str], str], ...] = (html.unescape, _strings, unquote, _latin, _mail)
