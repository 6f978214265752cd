"""Finds where a JSON value ends, without decoding it: brackets, strings and escapes are all that counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from promptmw.toolmode.cursor import WHITE, Cursor, Literals, Reading
from promptmw.toolmode.options import Limits
from promptmw.toolmode.readers import Watch

_OUTSIDE = re.compile(r"""["'{}\[\]<]""")
_INSIDE = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]")}
_STRICT = re.compile(
    r"(?:[\s,:\[\]{}]|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|true|false|null|-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)*+", re.DOTALL
)


class Stopped(Enum):
    """Says where a value ended."""

    CLOSED = "closed"
    """At its last bracket."""
    TAG = "tag"
    """At a tag outside of its strings, which stands at the cursor: brackets are missing."""
    END = "end"
    """At the end of the answer."""


@dataclass(slots=True)
class Value:
    """Is a value as found.

    Attributes:
        text: As written; blank if it is larger than what is kept.
        stopped: Where it ended.
        in_string: Whether that was inside a string.
        too_deep: Whether it is nested too deeply.
        too_large: Whether it is larger than what is kept.
    """

    text: str
    stopped: Stopped
    in_string: bool = False
    too_deep: bool = False
    too_large: bool = False

    @property
    def looks_complete(self) -> bool:
        """Whether nothing but brackets can be missing at its end."""
        return not self.in_string and self.text.rstrip(WHITE)[-1:] not in (",", ":", "{", "[", "")


def value(cursor: Cursor, tags: Literals, limits: Limits, *, watch: Watch | None = None) -> Reading[Value]:
    """Passes the value that begins at the cursor.

    Args:
        cursor: Stands at a ``{`` or a ``[``.
        tags: What ends the value outside of its strings.
        limits: Of depth and size.
        watch: Is shown what is passed.
    """
    lexer = _Lexer(cursor, limits)
    recording = cursor.record(most=limits.block)
    stopped = yield from lexer.run(tags, watch)
    text = cursor.recorded(recording)
    too_large = recording.too_large
    return Value("" if too_large else text, stopped, lexer.quote != "", lexer.too_deep, too_large)


def is_strict(text: str) -> bool:
    """Says whether a value that ends inside a string was JSON up to that string."""
    match = _STRICT.match(text)
    return match is not None and text[match.end() : match.end() + 1] in ('"', "")


class _Step(Enum):
    GO = 0
    MORE = 1
    TAG = 2
    CLOSED = 3


class _Lexer:
    __slots__ = ("_before", "_cursor", "_depth", "_limits", "quote", "too_deep")

    def __init__(self, cursor: Cursor, limits: Limits) -> None:
        self._cursor = cursor
        self._limits = limits
        self._depth = 0
        self._before = ""
        self.quote = ""
        self.too_deep = False

    def run(self, tags: Literals, watch: Watch | None) -> Reading[Stopped]:
        c = self._cursor
        while True:
            start = c.at
            step = self._string() if self.quote else self._outside()
            if step is _Step.TAG:
                if (yield from c.ahead(tags)):
                    return Stopped.TAG
                start, c.at = c.at, c.at + 1
            if watch is not None:
                watch(c.text, start, c.at)
            if step is _Step.CLOSED:
                return Stopped.CLOSED
            if step is _Step.MORE and not (yield from c.more()):
                c.at = len(c.text)
                return Stopped.END

    def _string(self) -> _Step:
        """Passes the rest of a string in this chunk."""
        c = self._cursor
        text = c.text
        search = _INSIDE[self.quote].search
        at = c.at
        while (match := search(text, at)) is not None:
            at = match.end()
            if match.group() == self.quote:
                self._before, self.quote = self.quote, ""
                c.at = at
                return _Step.GO
            if at == len(text):  # a backslash is passed together with what it escapes
                c.at = at - 1
                return _Step.MORE
            at += 1
        c.at = len(text)
        return _Step.MORE

    def _outside(self) -> _Step:
        """Passes the next thing outside of strings, or all of this chunk if it holds none; stays in front of a tag."""
        c = self._cursor
        match = _OUTSIDE.search(c.text, c.at)
        end = len(c.text) if match is None else match.start()
        plain = c.text[c.at : end].rstrip(WHITE)
        before = plain[-1] if plain else self._before
        c.at = end
        if match is None:
            self._before = before
            return _Step.MORE
        return self._structure(match.group(), before)

    def _structure(self, found: str, before: str) -> _Step:
        self._before = found
        if found == "<":
            return _Step.TAG
        self._cursor.at += 1
        if found in "{[":
            self._depth += 1
            self.too_deep = self.too_deep or self._depth > self._limits.depth
        elif found in "}]":
            self._depth -= 1
            return _Step.CLOSED if self._depth == 0 else _Step.GO
        elif found == '"' or before in "{[,:":
            self.quote = found
        return _Step.GO
