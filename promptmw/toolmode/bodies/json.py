"""Finds where a JSON value ends, without decoding it: brackets, strings and escapes are all that counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from promptmw.toolmode.cursor import WHITE, Cursor, Literals, Reading
from promptmw.toolmode.options import Limits
from promptmw.toolmode.readers import Watch

_HEAD = 4096
_FLAT = re.compile(r"""[^"'{}\[\]<]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"'{}\[\]<]*+)*+""", re.DOTALL)
"""What is outside of strings and means nothing there, with the strings that are whole."""

_INSIDE = {q: re.compile(rf"[^{q}\\]*+(?:\\.[^{q}\\]*+)*+(\\?)", re.DOTALL) for q in ("'", '"')}
"""What is inside of a string; the group is a backslash that escapes what has not come yet."""

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
    __slots__ = ("_before", "_cursor", "_depth", "_escapes", "_limits", "_quotes_behind", "_watch", "quote", "too_deep")

    def __init__(self, cursor: Cursor, limits: Limits, watch: Watch | None, quotes_behind: str) -> None:
        self._cursor = cursor
        self._limits = limits
        self._watch = watch
        self._quotes_behind = quotes_behind
        self._depth = 0
        self._before = ""
        self._escapes = False
        self.quote = ""
        self.too_deep = False

    def run(self, tags: Literals) -> Reading[Stopped]:
        c = self._cursor
        while True:
            step, end = self._pass(c.text, c.at)
            self._moved(end)
            if step is _Step.TAG:
                if (yield from c.ahead(tags)):
                    return Stopped.TAG
                self._moved(c.at + 1)  # it is no tag after all
            elif step is _Step.CLOSED:
                return Stopped.CLOSED
            elif not (yield from c.wait(self._quick)):
                return Stopped.END

    def _moved(self, end: int) -> None:
        c = self._cursor
        if self._watch is not None:
            self._watch.passed(c.text, c.at, end)
        c.at = end

    def _quick(self, chunk: str) -> bool:
        """Takes a chunk in which the value does not end; says whether it did."""
        if not self._passes(chunk):
            return False
        watch = self._watch
        if watch is not None and not watch.quick(chunk):
            watch.passed(chunk, 0, len(chunk))
        self._cursor.took(chunk)
        return True

    def _passes(self, chunk: str) -> bool:
        """Passes a chunk, unless the value may end in it or a tag may begin; says whether it did."""
        if self.quote and self.quote not in chunk:
            self._escapes = chunk[-1] == "\\" and _escapes(chunk, self._escapes)
            return True
        if self.quote and (match := _INSIDE[self.quote].fullmatch(chunk, self._escapes)):
            self._escapes = bool(match[1])
            return True
        if "<" in chunk or chunk.count("}") + chunk.count("]") >= self._depth:
            return False
        self._pass(chunk, 0)
        return True

    def _pass(self, text: str, at: int) -> tuple[_Step, int]:
        """Passes what is here of the value, up to its end or a tag; returns where it stopped."""
        while True:
            if self.quote:
                at = self._inside(text, at)
                if self.quote:
                    return _Step.MORE, at
            end = _end(_FLAT, text, at)
            if end == len(text):
                self._before = text[at:].rstrip(WHITE)[-1:] or self._before
                return _Step.MORE, end
            step = self._structure(text[end], text[at:end])
            at = end + 1
            if step is not None:
                return step, end if step is _Step.TAG else at

    def _inside(self, text: str, at: int) -> int:
        """Returns the end of what is here of a string; passes its quote if that is here."""
        if at == len(text):
            return at
        match = _INSIDE[self.quote].match(text, at + self._escapes)
        assert match is not None  # it matches nothing as well
        self._escapes = bool(match[1])
        if match.end() == len(text):
            return match.end()
        self._before, self.quote = self.quote, ""
        return match.end() + 1

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


def _escapes(chunk: str, escaped: bool) -> bool:
    """Says whether a chunk ends in a backslash that escapes what comes next.

    Args:
        chunk: The inside of a string.
        escaped: Whether its first character is escaped.
    """
    count = len(chunk) - len(chunk.rstrip("\\"))
    return (count - (escaped and count == len(chunk))) % 2 == 1


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # it matches nothing as well
    return match.end()
