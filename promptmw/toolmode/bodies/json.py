"""Finds where a JSON value ends, without decoding it: brackets, strings and escapes are all that counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from promptmw.toolmode.cursor import WHITE, Cursor, Literals, Reading
from promptmw.toolmode.options import Limits
from promptmw.toolmode.readers import Watch

_HEAD = 4096
_OUTSIDE = re.compile(r"""["'{}\[\]<]""")
_INSIDE = {q: re.compile(rf"[^{q}\\]*+(?:\\.[^{q}\\]*+)*+", re.DOTALL) for q in ("'", '"')}
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
        text: As written; its beginning if it is larger than what is kept.
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


def value(
    cursor: Cursor, tags: Literals, limits: Limits, *, watch: Watch | None = None, quotes_behind: str = "{[,:"
) -> Reading[Value]:
    """Passes the value that begins at the cursor.

    Args:
        cursor: Stands at a ``{`` or a ``[``.
        tags: What ends the value outside of its strings.
        limits: Of depth and size.
        watch: Is shown what is passed.
        quotes_behind: Characters behind which a single quote begins a string.
    """
    lexer = _Lexer(cursor, limits, watch, quotes_behind)
    recording = cursor.record(most=limits.block)
    stopped = yield from lexer.run(tags)
    text = cursor.recorded(recording)
    too_large = recording.too_large
    return Value(text[:_HEAD] if too_large else text, stopped, lexer.quote != "", lexer.too_deep, too_large)


def is_strict(text: str) -> bool:
    """Says whether a value that ends inside a string was JSON up to that string."""
    match = _STRICT.match(text)
    return match is not None and text[match.end() : match.end() + 1] in ('"', "")


class _Step(Enum):
    MORE = 0
    TAG = 1
    CLOSED = 2


class _Lexer:
    __slots__ = ("_before", "_cursor", "_depth", "_limits", "_quotes_behind", "_watch", "quote", "too_deep")

    def __init__(self, cursor: Cursor, limits: Limits, watch: Watch | None, quotes_behind: str) -> None:
        self._cursor = cursor
        self._limits = limits
        self._watch = watch
        self._quotes_behind = quotes_behind
        self._depth = 0
        self._before = ""
        self.quote = ""
        self.too_deep = False

    def run(self, tags: Literals) -> Reading[Stopped]:
        c = self._cursor
        while True:
            step = self._watched(self._pass)
            if step is _Step.TAG:
                if (yield from c.ahead(tags)):
                    return Stopped.TAG
                step = self._watched(self._sign)
            if step is _Step.CLOSED:
                return Stopped.CLOSED
            if step is _Step.MORE and not (yield from self._more()):
                c.at = len(c.text)
                return Stopped.END

    def _watched(self, passing: Callable[[], _Step]) -> _Step:
        start = self._cursor.at
        step = passing()
        if self._watch is not None:
            self._watch.passed(self._cursor.text, start, self._cursor.at)
        return step

    def _sign(self) -> _Step:
        """Passes what is no tag after all."""
        self._cursor.at += 1
        return _Step.TAG

    def _more(self) -> Reading[bool]:
        c = self._cursor
        return c.wait(self._quick) if self.quote and c.at == len(c.text) else c.more()

    def _quick(self, chunk: str) -> bool:
        """Takes a chunk in which the string does not end."""
        watch = self._watch
        if watch is None or not watch.quick(chunk):
            if _INSIDE[self.quote].fullmatch(chunk) is None:
                return False
            if watch is not None:
                watch.passed(chunk, 0, len(chunk))
        self._cursor.took(chunk)
        return True

    def _pass(self) -> _Step:
        """Passes what is here of the value; stays in front of a tag, and of a backslash without what it escapes."""
        c = self._cursor
        text, at = c.text, c.at
        while True:
            if self.quote:
                at = _end(_INSIDE[self.quote], text, at)
                if at == len(text) or text[at] == "\\":
                    c.at = at
                    return _Step.MORE
                self._before, self.quote = self.quote, ""
                at += 1
            match = _OUTSIDE.search(text, at)
            if match is None:
                self._before = text[at:].rstrip(WHITE)[-1:] or self._before
                c.at = len(text)
                return _Step.MORE
            step = self._structure(match.group(), text[at : match.start()])
            at = c.at = match.end()
            if step is not None:
                c.at -= step is _Step.TAG
                return step

    def _structure(self, found: str, between: str) -> _Step | None:
        """Takes a character that means something outside of strings."""
        if found == "<":
            self._before = found
            return _Step.TAG
        if found in "{[":
            self._depth += 1
            self.too_deep = self.too_deep or self._depth > self._limits.depth
        elif found in "}]":
            self._depth -= 1
        elif found == '"' or (between.rstrip(WHITE)[-1:] or self._before) in self._quotes_behind:
            self.quote = found
        self._before = found
        return _Step.CLOSED if self._depth == 0 else None


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # it matches nothing as well
    return match.end()
