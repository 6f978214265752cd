"""Takes escapes back out of a text: all of them, those that people may see, or those in arguments of a tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from promptmw.fencing.code_points import INTRODUCER
from promptmw.fencing.tables import code_points

ESCAPED = INTRODUCER
"""What every escape begins with."""

_CODE = "(0[0-9A-F]{3}|[1-9A-F][0-9A-F]{3,4}|10[0-9A-F]{4})"
_ESCAPE = re.compile(rf"⟦U\+{_CODE}⟧")
_BEGUN = r"⟦(?:U(?:\+[0-9A-F]{0,6})?)?\Z"
_IN_TEXT = re.compile(rf"⟦U\+{_CODE}⟧|(?P<begun>{_BEGUN})")
_OPEN, _CLOSE = r"(?:⟦|\\u27[eE]6)", r"(?:⟧|\\u27[eE]7)"
_PART = r"\\(?:u(?:2(?:7[eE]?)?)?)?"
_IN_JSON = re.compile(
    rf"{_OPEN}U\+{_CODE}{_CLOSE}"
    rf"|(?P<begun>(?:{_PART}|{_OPEN}(?:U(?:\+[0-9A-F]{{0,6}}(?:{_PART})?)?)?)\Z)"
    r"|\\.",
    re.DOTALL,
)
"""In text of JSON, where brackets may be written as escapes of JSON, and a backslash guards what follows it."""


def restore(text: str) -> str:
    """Returns the text that was neutralised: every canonical ``⟦U+H⟧`` becomes its character again."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text) if ESCAPED in text else text


def restore_display(text: str) -> str:
    """Returns a text for people to see: characters that hide, turn text round or drive a terminal stay escaped."""
    return _ESCAPE.sub(lambda m: _shown(m[1]) or m[0], text) if ESCAPED in text else text


def restore_arguments(value: Any) -> Any:
    """Returns a copy of a JSON value without the escapes in its strings; keys stay, and so do lone surrogates.

    Args:
        value: Arguments of a call, as parsed; untouched.
    """
    whole = [value]
    copies: list[Any] = [whole]  # not by recursion: how deep a value is, is for its author to say
    while copies:
        copy = copies.pop()
        for place, item in copy.items() if isinstance(copy, dict) else enumerate(copy):
            if isinstance(item, str):
                copy[place] = _ESCAPE.sub(lambda m: _sent(m[1]) or m[0], item) if ESCAPED in item else item
            elif isinstance(item, Mapping | list):
                copy[place] = list(item) if isinstance(item, list) else dict(item)
                copies.append(copy[place])
    return whole[0]


class Restorer:
    """Takes escapes out of a text that comes in pieces; holds back at most the beginning of one escape.

    Args:
        pattern: Finds escapes, as its first group their code, and as group ``begun`` the beginning of one at the end.
        character: Returns what takes the place of an escape, from its code; blank to leave it.
    """

    def __init__(self, pattern: re.Pattern[str], character: Callable[[str], str]) -> None:
        self._pattern = pattern
        self._character = character
        self._held = ""

    @classmethod
    def for_display(cls) -> Restorer:
        """Returns one that restores as `restore_display` does, and holds 10 characters at most."""
        return cls(_IN_TEXT, _shown)

    @classmethod
    def for_json(cls) -> Restorer:
        """Returns one for arguments as text of JSON, in which a character may have to be written as an escape."""
        return cls(_IN_JSON, _in_json)

    def feed(self, text: str) -> str:
        """Returns what can be said of the text so far; the very same object where nothing is to be done."""
        whole = self._held + text if self._held else text
        self._held = ""
        return self._pattern.sub(self._found, whole) if ESCAPED in whole or "\\" in whole else whole

    def end(self) -> str:
        """Returns what was held back."""
        held, self._held = self._held, ""
        return held

    def all(self, text: str) -> str:
        """Returns a whole text."""
        return self.feed(text) + self.end()

    def _found(self, found: re.Match[str]) -> str:
        if found["begun"] is not None:
            self._held = found["begun"]
            return ""
        return (self._character(found[1]) if found[1] else "") or found[0]


def _shown(code: str) -> str:
    character = chr(int(code, 16))
    hides = character != INTRODUCER and character in code_points("hidden")
    return "" if hides or (character < " " and character not in "\n\t") else character


def _sent(code: str) -> str:
    point = int(code, 16)
    return "" if 0xD800 <= point <= 0xDFFF else chr(point)


def _in_json(code: str) -> str:
    import json  # here, so that importing a pipeline does not load it

    return json.dumps(_sent(code), ensure_ascii=False)[1:-1]
