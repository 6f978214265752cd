"""Reads calls whose values stand raw between tags; the types of the values come from the schema, or are stated."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from promptmw.toolmode.bodies.raw import Ends, raw_value
from promptmw.toolmode.coerce import typed
from promptmw.toolmode.cursor import Cursor, Literals, Reading
from promptmw.toolmode.events import Note, ProblemKind
from promptmw.toolmode.lenient import without_halves
from promptmw.toolmode.readers import Block, Head
from promptmw.toolmode.settling import call_of


@dataclass(frozen=True)
class Tagged:
    """Is the grammar of calls with raw values.

    Attributes:
        call: Opens a call.
        parameter: Opens a value; its group ``type`` states the type, where that is done.
        value_end: Closes a value.
        call_end: Closes a call; blank if the closing tag of the block does.
        trims_break: Whether one line break at each end of a value belongs to the markup.
        stated: Returns a value from its raw text and its stated type; None where schemas say the types.
        unescaped: Returns a name without the escapes of this markup.
    """

    call: Head
    parameter: Head
    value_end: str
    call_end: str = ""
    trims_break: bool = False
    stated: Callable[[str, str], Any] | None = None
    unescaped: Callable[[str], str] = str

    @functools.cached_property
    def own(self) -> frozenset[str]:
        """Tags that can stand between the values of a call."""
        return frozenset({self.parameter.lead, self.call.lead, self.call_end} - {""})

    def within(self, opens: str, closes: str) -> Place:
        """Returns what the grammar needs to know about the block around a call.

        Args:
            opens: Opening tag of that block.
            closes: Its closing tag.
        """
        return _place(self, opens, closes)


@dataclass(frozen=True)
class Place:
    """Is where a call stands.

    Attributes:
        tags: All that can stand between its values.
        outer: Tags of the block around it.
        ends: What ends a value.
    """

    tags: Literals
    outer: Literals
    ends: Ends


@functools.lru_cache(maxsize=256)
def _place(grammar: Tagged, opens: str, closes: str) -> Place:
    outer = frozenset((opens, closes)) - {""}
    next_call = {opens, grammar.call.lead} - {""}
    after = {
        grammar.value_end: Literals(grammar.own | outer),
        closes: Literals(next_call),
        **({grammar.call_end: Literals(next_call | {closes})} if grammar.call_end else {}),
    }
    tags = Literals({grammar.parameter.lead, *after})
    ends = Ends(grammar.value_end, tags, after, frozenset({grammar.parameter.lead}), grammar.trims_break)
    return Place(Literals(grammar.own | outer), Literals(outer), ends)


class Ending(Enum):
    """Says where a call with raw values ended."""

    CALL = "call"
    """With its own closing tag."""
    OUTER = "outer"
    """In front of a tag of the block around it."""
    END = "end"
    """With the answer."""


def head(cursor: Cursor, grammar: Head, *, most: int) -> Reading[re.Match[str] | None]:
    """Passes a head that begins at the cursor; None, and nothing is passed, for something else.

    Args:
        cursor: Stands at its lead.
        grammar: Of the head.
        most: Characters between lead and tail.
    """
    size = len(grammar.lead) + most + len(grammar.tail)
    while (end := cursor.text.find(grammar.tail, cursor.at + len(grammar.lead))) < 0:
        if len(cursor.text) - cursor.at >= size or not (yield from cursor.more()):
            return None
    match = grammar.pattern.fullmatch(cursor.text, cursor.at + len(grammar.lead), end)
    if match is not None:
        cursor.at = end + len(grammar.tail)
    return match


def call(block: Block, grammar: Tagged, name: str, place: Place) -> Reading[Ending]:
    """Reads a call behind its head and delivers it; says where it ended.

    Args:
        block: Where it stands.
        grammar: Of the call.
        name: The tool.
        place: What stands around it.
    """
    return (yield from _Call(block, grammar, name, place).read())


def without_values(block: Block, name: str) -> None:
    """Delivers a call that has no place for values."""
    block.put([call_of(name, {}, block.table, text=None, notes=frozenset(), new_id=block.new_id)])


class _Call:
    def __init__(self, block: Block, grammar: Tagged, name: str, place: Place) -> None:
        self._block = block
        self._grammar = grammar
        self._name = name
        self._place = place
        self._arguments: dict[str, Any] = {}
        self._notes: set[Note] = set()
        self._too_large = False
        self._schema = block.table.get(name)
        self._sending = block.eager.start(name) if block.eager is not None and grammar.stated is None else None

    def read(self) -> Reading[Ending]:
        c = self._block.cursor
        tags, ends = self._place.tags, self._place.ends
        open_value = False
        while True:
            yield from c.skip_white()
            found = yield from c.ahead(tags)
            if found == self._grammar.parameter.lead:
                match = yield from head(c, self._grammar.parameter, most=self._block.options.limits.key)
                if match is None:
                    return (yield from self._broken())
                open_value = not (yield from self._value(match, ends))
            elif found:
                return self._end(found)
            elif (yield from c.empty()):
                return self._cut(open_value=open_value)
            else:
                return (yield from self._broken())

    def _value(self, match: re.Match[str], ends: Ends) -> Reading[bool]:
        """Reads a value; says whether it ended before the answer did."""
        key, sending = self._grammar.unescaped(match["name"]), self._sending
        streams = sending is not None and sending.streams(key, raw=True)
        if sending is not None and streams:
            sending.string(key)
        send = sending.text if sending is not None and streams else None
        value = yield from raw_value(self._block.cursor, ends, self._block.options.limits, send=send)
        self._too_large = self._too_large or value.too_large
        if not value.ended_by:
            return False
        if value.ended_by != ends.close:
            self._notes.add(Note.MISSING_CLOSE)
        if key in self._arguments:
            self._notes.add(Note.DUPLICATE_KEY)
        self._arguments[key] = typed_value = self._typed(value.text, match)
        if sending is not None:
            sending.ends() if streams else sending.value(key, typed_value)
        return True

    def _typed(self, written: str, match: re.Match[str]) -> Any:
        text, schema = without_halves(written), self._schema
        if self._grammar.stated is not None and match["type"] is not None:
            return self._grammar.stated(text, match["type"])
        name = self._grammar.unescaped(match["name"])
        return typed(text, schema.property(name), schema.schema) if schema else text

    def _end(self, found: str) -> Ending:
        """Ends the call at a tag; only its own is passed."""
        if found == self._grammar.call_end:
            self._block.cursor.at += len(found)
            self._deliver()
            return Ending.CALL
        if self._grammar.call_end:
            self._notes.add(Note.MISSING_CLOSE)
        self._deliver()
        return Ending.OUTER

    def _cut(self, *, open_value: bool) -> Ending:
        """Ends the call with the answer."""
        if open_value or not self._block.stopped or not self._arguments:
            self._block.cut_off("", name=self._name, in_string=open_value and self._block.stopped)
        else:
            self._notes.add(Note.MISSING_CLOSE)
            self._deliver()
        return Ending.END

    def _broken(self) -> Reading[Ending]:
        """Gives the call up, and passes what is left of it."""
        c = self._block.cursor
        outer = self._place.outer
        while True:
            match = outer.pattern.search(c.text, c.at)
            c.at = len(c.text) if match is None else match.start()
            if match is not None and match.group() in outer:
                break
            if not (yield from c.more()):
                c.at = len(c.text)
                self._block.cut_off("", name=self._name)
                return Ending.END
        self._block.problem(ProblemKind.MALFORMED, "text stands between its values", name=self._name)
        return Ending.OUTER

    def _deliver(self) -> None:
        if self._too_large:
            self._block.problem(ProblemKind.TOO_LARGE, "a value is too large", name=self._name)
            return
        block = self._block
        notes = frozenset(self._notes)
        item = call_of(
            self._name, self._arguments, block.table, text=None, notes=notes, new_id=block.new_id, checked=block.checks
        )
        block.put([item])
