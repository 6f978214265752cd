"""Characters that are made visible wherever they stand: controls, invisibles, direction marks, separators."""

from __future__ import annotations

import re
import unicodedata

INTRODUCER = "⟦"

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff⟦]"
)
_ASTRAL = re.compile("[\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
_FLAG = re.compile("\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f")  # fmt: skip  # noqa: E501


def escape(character: str) -> str:
    """Returns the one visible, reversible form of a character: ``⟦U+003C⟧``."""
    return f"⟦U+{ord(character):04X}⟧"


def hidden(text: str) -> set[int]:
    """Returns the offsets of the characters in ``text`` that must be made visible."""
    found = {m.start() for m in _HIDDEN.finditer(text) if not _kept(text, m.start())}
    if text.isascii():
        return found
    flags = {i for m in _FLAG.finditer(text) for i in range(m.start(), m.end())}
    return found | {m.start() for m in _ASTRAL.finditer(text) if m.start() not in flags and not _kept(text, m.start())}


def _kept(text: str, at: int) -> bool:
    """Says whether the character is one that its neighbours need."""
    character = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    match character:
        case "\r":
            return after == "\n"
        case "\u200d" | "\u200c":
            return _shown(before) and _shown(after)
        case "\u200b":
            return _word_space(before) and _word_space(after)
        case "\u200e" | "\u200f" | "\u061c":
            return _right_to_left(before) or _right_to_left(after)
        case "\ufe0e" | "\ufe0f":
            return _pictured(before) or (before in "0123456789#*" and after == "\u20e3" and before != "")
    if "\ufe00" <= character <= "\ufe02" or "\U000e0100" <= character <= "\U000e01ef":
        return before != "" and unicodedata.category(before) == "Lo"
    return "\u180b" <= character <= "\u180f" and "\u1820" <= before <= "\u18aa"


def _shown(character: str) -> bool:
    """Says whether this can be one side of a joiner: a letter or mark beyond Latin, or a picture."""
    if character == "" or character.isascii():
        return False
    return character == "\ufe0f" or unicodedata.category(character) in ("Lo", "Mn", "Mc", "So", "Sk", "Lm")


def _pictured(character: str) -> bool:
    return character != "" and not character.isascii() and unicodedata.category(character) in ("So", "Sm", "Po", "Sk")


def _word_space(character: str) -> bool:
    return "\u0e00" <= character <= "\u0eff" or "\u1000" <= character <= "\u109f" or "\u1780" <= character <= "\u17ff"


def _right_to_left(character: str) -> bool:
    return character != "" and unicodedata.bidirectional(character) in ("R", "AL")
