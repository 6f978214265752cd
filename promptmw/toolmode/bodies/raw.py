"""Reads a raw value: nothing in it is escaped, so a tag only ends it where the grammar can go on behind the tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from promptmw.toolmode.cursor import Cursor, Literals, Reading
from promptmw.toolmode.options import Limits


@dataclass(frozen=True)
class Ends:
    """Says what ends a raw value.

    Attributes:
        close: Its own closing tag.
        tags: All tags that can end it.
        after: For each tag what must stand behind it, white space aside; a tag that is not named needs nothing there.
        at_line: Tags that count only at the start of a line.
        trims_break: Whether one line break at each end belongs to the markup.
    """

    close: str
    tags: Literals
    after: Mapping[str, Literals]
    at_line: frozenset[str] = frozenset()
    trims_break: bool = False


@dataclass(slots=True)
class RawValue:
    """Is a value as written.

    Attributes:
        text: Without its tags; blank if it is larger than what is kept.
        ended_by: The tag that ended it, which is passed only if it is the value's own; blank at the end of the answer.
        too_large: Whether it is larger than what is kept.
    """

    text: str
    ended_by: str
    too_large: bool = False


def raw_value(
    cursor: Cursor, ends: Ends, limits: Limits, *, send: Callable[[str], None] | None = None
) -> Reading[RawValue]:
    """Passes a value that begins at the cursor.

    Args:
        cursor: Stands behind the value's opening tag.
        ends: What ends it.
        limits: Of its size.
        send: Takes the value as it comes.
    """
    break_ = (yield from _line_break(cursor)) if ends.trims_break else ""
    tail = _Tail(send, break_)
    recording = cursor.record(most=limits.block)
    while found := (yield from _next(cursor, ends.tags, tail)):
        at_line = cursor.before == "\n"
        if (at_line or not (break_ or found in ends.at_line)) and (yield from _goes_on(cursor, ends, found)):
            break
        tail.take(found)
        cursor.at += len(found)
    text = cursor.recorded(recording)
    if break_ and found:
        text = without_break(text, break_)
    if found == ends.close:
        cursor.at += len(found)
    return RawValue("" if recording.too_large else text, found, recording.too_large)


def without_break(text: str, break_: str) -> str:
    """Returns the text without the line break at its end that belongs to the markup, as the one at its start does."""
    return text.removesuffix(break_) if text.endswith(break_) else text.removesuffix("\n")


class _Tail:
    """Sends a value but for the line break at its end, which may belong to the markup."""

    def __init__(self, send: Callable[[str], None] | None, break_: str) -> None:
        self._send = send
        self._break = break_
        self._held = ""

    def take(self, piece: str) -> None:
        if self._send is None:
            return
        text = self._held + piece
        sent = text
        if self._break:
            sent = without_break(text, self._break).removesuffix("\r" if self._break == "\r\n" else "")
        self._held = text[len(sent) :]
        if sent:
            self._send(sent)


def _line_break(cursor: Cursor) -> Reading[str]:
    """Passes one line break and returns it; blank if there is none."""
    if (yield from cursor.empty()):
        return ""
    found = yield from cursor.within(2)
    break_ = "\r\n" if found == "\r\n" else "\n" if found[:1] == "\n" else ""
    cursor.at += len(break_)
    return break_


def _next(cursor: Cursor, tags: Literals, tail: _Tail) -> Reading[str]:
    """Passes everything up to the next of some tags and returns it; blank at the end of the answer."""

    def quick(chunk: str) -> bool:
        if tags.pattern.search(chunk) is not None:
            return False
        tail.take(chunk)
        cursor.took(chunk)
        return True

    while True:
        match = tags.pattern.search(cursor.text, cursor.at)
        end = len(cursor.text) if match is None else match.start()
        tail.take(cursor.text[cursor.at : end])
        cursor.at = end
        if match is not None and match.group() in tags:
            return match.group()
        if not (yield from (cursor.wait(quick) if match is None else cursor.more())):
            tail.take(cursor.text[cursor.at :])
            cursor.at = len(cursor.text)
            return ""


def _goes_on(cursor: Cursor, ends: Ends, found: str) -> Reading[bool]:
    behind = ends.after.get(found)
    return behind is None or (yield from cursor.follows(len(found), behind))
