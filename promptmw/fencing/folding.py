"""Folding: characters that read alike become one, so that a marker is found in any spelling."""

from __future__ import annotations

import functools
import unicodedata

FILLER = "\x00"
"""What invisible characters, marks and unusual spaces and dashes fold to."""

_LOOKALIKES = {
    "<": "‹«≪≺〈⟨〈《❮⧼﹤＜˂ᐸ≮◁⊲",
    ">": "›»≫≻〉⟩〉》❯⧽﹥＞˃ᐳ≯▷⊳",
    "/": "⁄∕⧸╱／÷〳",
    "|": "│┃∣⏐ǀ｜❘",
    "#": "＃﹟♯",
    '"': "＂",
    "a": "аɑα", "b": "ЬƄ", "c": "сϲᴄ", "d": "ԁ", "e": "еҽ℮", "g": "ɡց", "h": "һ", "i": "іıι", "j": "ј", "k": "κк",
    "l": "ӏⅼ", "m": "м", "n": "ոп", "o": "оοօσᴏ", "p": "рρ", "r": "гᴦ", "s": "ѕꜱ", "t": "тτ", "u": "υսᴜ", "v": "ѵνᴠ",
    "w": "ԝѡᴡ", "x": "хχ", "y": "уγү", "z": "ᴢ",
}  # fmt: skip
_TABLE = {ord(c): plain for plain, row in _LOOKALIKES.items() for c in row}
_FILLED = ("Mn", "Me", "Mc", "Cf", "Cc", "Zs", "Zl", "Zp", "Pd", "Pc", "Cs")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u2581\ufffc\u00b7\u30fb\u034f\u17b4\u17b5\u180e")


def fold(text: str) -> str:
    """Returns ``text`` in lower case with look-alikes replaced, character for character: the length stays."""
    if text.isascii():
        return text.lower()
    return "".join(map(_one, text))


@functools.lru_cache(maxsize=16_384)
def _one(character: str) -> str:
    if character.isascii():
        return character.lower()
    plain = _TABLE.get(ord(character))
    if plain is not None:
        return plain
    if character in _FILLERS or unicodedata.category(character) in _FILLED:
        return FILLER
    return _decomposed(character)


def _decomposed(character: str) -> str:
    """Returns the base letter of a compatibility or accented form, in lower case; else the character itself."""
    letters = [c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c)]
    if len(letters) != 1:
        return character
    base = letters[0]
    return _TABLE.get(ord(base), base.lower()) if len(base.lower()) == 1 else character
