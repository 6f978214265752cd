"""Follows a call in strict JSON as it is written, to send what of its arguments is certain.

What is followed has no end of its own: where more is waited for in vain, the grammar is simply not woken up again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from promptmw.toolmode.bodies.json import value
from promptmw.toolmode.cursor import Cursor, Literals, Reading
from promptmw.toolmode.lenient import Undecodable, decoded
from promptmw.toolmode.options import DEFAULT_LIMITS

_NO_TAGS = Literals(())
_SAME = re.compile(r'([^"\\\x00-\x1f\ud800-\udfff]*+(?:\\["\\bfnrt][^"\\\x00-\x1f\ud800-\udfff]*+)*+)(?:\\\Z)?')
"""What stands in a string of ours as it stands in any, and the beginning of an escape at the end of the text."""

_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_WORD = re.compile(r"""[^\s,\]}\['"{]*+""")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'"}


class Sink(Protocol):
    """Takes what is certain."""

    def streams(self, key: str) -> bool:
        """Says whether a string stays what it is as the value of a parameter."""
        ...

    def string(self, key: str) -> None:
        """Begins a string."""
        ...

    def text(self, text: str) -> None:
        """Takes more of a string, decoded."""
        ...

    def written(self, text: str) -> None:
        """Takes more of a string, as it stands in JSON."""
        ...

    def ends(self) -> None:
        """Ends a string."""
        ...

    def value(self, key: str, value: Any) -> None:
        """Takes an argument that is complete."""
        ...

    def holds(self) -> None:
        """Takes nothing more."""
        ...

    def breaks(self) -> None:
        """Is told that this is no strict JSON."""
        ...


Start = Callable[[str], Sink | None]
"""Begins to send a call of a tool; None for one that cannot be called."""


def call_object(cursor: Cursor, start: Start) -> Reading[None]:
    """Follows an object that names its tool, as long as the name comes before the arguments."""
    if not (yield from _passes(cursor, "{")):
        return
    name: str | None = None
    while (key := (yield from _key(cursor))) is not None:
        if key in ("arguments", "parameters"):
            if name is not None:
                yield from arguments_of(cursor, start, name)
            return
        found = yield from _complete(cursor)
        if found is None:
            return
        name = found[0].strip() if key == "name" and isinstance(found[0], str) else name
        if not (yield from _passes(cursor, ",")):
            return


def arguments_of(cursor: Cursor, start: Start, name: str) -> Reading[None]:
    """Follows the arguments of a tool."""
    if not (yield from _passes(cursor, "{")):
        return
    sink = start(name)
    if sink is None or (yield from _passes(cursor, "}")):
        return
    while (key := (yield from _key(cursor))) is not None:
        if not (yield from _argument(cursor, sink, key)):
            break
        if not (yield from _passes(cursor, ",")):
            if (yield from cursor.within(1)) == "}":
                return
            break
    sink.breaks()


def _argument(cursor: Cursor, sink: Sink, key: str) -> Reading[bool]:
    if (yield from cursor.within(1)) == '"' and sink.streams(key):
        cursor.at += 1
        sink.string(key)
        return (yield from _streamed(cursor, sink))
    found = yield from _complete(cursor)
    if found is not None:
        sink.value(key, found[0])
    return found is not None


def _streamed(c: Cursor, sink: Sink) -> Reading[bool]:
    """Sends a string as it comes; False if it is none."""

    begun = ""

    def quick(chunk: str) -> bool:
        nonlocal begun
        whole = begun + chunk
        match = _SAME.fullmatch(whole)
        if match is None:
            return False
        end = match.end(1)
        begun = whole[end:]
        sink.written(whole[:end])
        return True

    while True:
        match = _SAME.match(c.text, c.at)
        assert match is not None  # it matches nothing as well
        sink.written(match[1])
        c.at, begun = match.end(), c.text[match.end(1) : match.end()]
        if c.at == len(c.text):
            if not (yield from c.wait(quick)):
                return False
            c.text = begun + c.text
        elif c.text[c.at] == '"':
            return (yield from _string_end(c, sink))
        else:
            piece = yield from _decoded_piece(c, sink)
            if piece is None:
                return False
            sink.text(piece)


def _string_end(c: Cursor, sink: Sink) -> Reading[bool]:
    """Ends a string, if what stands behind it proves that it has ended."""
    c.at += 1
    yield from c.skip_white()
    if (yield from c.within(1)) not in (",", "}"):
        return False
    sink.ends()
    return True


def _decoded_piece(c: Cursor, sink: Sink) -> Reading[str | None]:
    """Passes what stands otherwise in a string of ours, and returns what it means; None for what is not certain."""
    found = c.text[c.at]
    if found != "\\":
        if found >= " ":  # half of a character
            sink.holds()
        c.at += 1
        return found if found < " " else ""
    escape = (yield from c.within(2))[1:]
    if escape == "u":
        return (yield from _code_points(c))
    c.at += 2
    if escape in _SHORT:
        return _SHORT[escape]
    return None if escape.isalnum() or not escape else f"\\{escape}"


def _code_points(c: Cursor) -> Reading[str | None]:
    """Passes ``\\uXXXX``, or two of them that are one character."""
    unit = _unit((yield from c.within(6)))
    if unit is None:
        return None
    if not 0xD800 <= unit <= 0xDBFF:
        c.at += 6
        return "\ufffd" if 0xDC00 <= unit <= 0xDFFF else chr(unit)
    low = _unit((yield from c.within(12))[6:])
    if low is None or not 0xDC00 <= low <= 0xDFFF:
        c.at += 6
        return "\ufffd"
    c.at += 12
    return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))


def _unit(text: str) -> int | None:
    return int(text[2:6], 16) if text[:2] == "\\u" and _HEX.fullmatch(text, 2, 6) else None


def _key(c: Cursor) -> Reading[str | None]:
    """Passes a key and its colon; None for anything else."""
    yield from c.skip_white()
    if (yield from c.within(1)) != '"':
        return None
    found = yield from _complete(c)
    if found is None or not isinstance(found[0], str) or not (yield from _passes(c, ":")):
        return None
    yield from c.skip_white()
    return found[0]


def _passes(c: Cursor, token: str) -> Reading[bool]:
    """Passes white space and a token; without the token False."""
    yield from c.skip_white()
    if (yield from c.within(1)) != token:
        return False
    c.at += 1
    return True


def _complete(c: Cursor) -> Reading[tuple[Any] | None]:
    """Passes a whole value and returns it; None if it is no strict JSON."""
    yield from c.skip_white()
    first = yield from c.within(1)
    if first in ("{", "["):
        text = (yield from value(c, _NO_TAGS, DEFAULT_LIMITS)).text
    else:
        recording = c.record(most=DEFAULT_LIMITS.block)
        c.at += first == '"'
        yield from _scalar(c, _INSIDE if first == '"' else _WORD)
        c.at += first == '"'
        text = c.recorded(recording)
    try:
        return (decoded(text, complete=False, repair=False, limits=DEFAULT_LIMITS).value,)
    except Undecodable:
        return None


def _scalar(c: Cursor, pattern: re.Pattern[str]) -> Reading[None]:
    """Passes the inside of a string, or a number or a word."""

    def quick(chunk: str) -> bool:
        if pattern.fullmatch(chunk) is None:
            return False
        c.took(chunk)
        return True

    while True:
        c.at = _end(pattern, c)
        if c.at == len(c.text):
            yield from c.wait(quick)
        elif c.text[c.at] != "\\":
            return
        else:
            yield from c.more()


def _end(pattern: re.Pattern[str], c: Cursor) -> int:
    match = pattern.match(c.text, c.at)
    assert match is not None  # it matches nothing as well
    return match.end()
