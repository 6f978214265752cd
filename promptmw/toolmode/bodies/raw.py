"""Reads a raw value: nothing in it is escaped, so a tag only ends it where the grammar can go on behind the tag."""

from __future__ import annotations

from collections.abc import Mapping
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


def raw_value(cursor: Cursor, ends: Ends, limits: Limits) -> Reading[RawValue]:
    """Passes a value that begins at the cursor."""
    broken = ends.trims_break and (yield from _line_break(cursor))
    recording = cursor.record(most=limits.block)
    while found := (yield from _next(cursor, ends.tags)):
        at_line = cursor.before == "\n"
        if (at_line or not (broken or found in ends.at_line)) and (yield from _goes_on(cursor, ends, found)):
            break
        cursor.at += len(found)
    text = cursor.recorded(recording)
    if broken and found:
        text = text.removesuffix("\n").removesuffix("\r")
    if found == ends.close:
        cursor.at += len(found)
    return RawValue("" if recording.too_large else text, found, recording.too_large)


def _line_break(cursor: Cursor) -> Reading[bool]:
    """Passes one line break; says whether there was one."""
    if (yield from cursor.empty()):
        return False
    size = 2 if (yield from cursor.within(2)) == "\r\n" else 1
    if cursor.text[cursor.at + size - 1] != "\n":
        return False
    cursor.at += size
    return True


def _next(cursor: Cursor, tags: Literals) -> Reading[str]:
    """Passes everything up to the next of some tags and returns it; blank at the end of the answer."""
    while True:
        match = tags.pattern.search(cursor.text, cursor.at)
        cursor.at = len(cursor.text) if match is None else match.start()
        if match is not None and match.group() in tags:
            return match.group()
        if not (yield from cursor.more()):
            cursor.at = len(cursor.text)
            return ""


def _goes_on(cursor: Cursor, ends: Ends, found: str) -> Reading[bool]:
    behind = ends.after.get(found)
    return behind is None or (yield from cursor.follows(len(found), behind))
