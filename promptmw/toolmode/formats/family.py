"""Reads what stands between ``<tool_call>`` and ``</tool_call>``: what follows the tag decides which format it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from promptmw.toolmode.bodies import tagged
from promptmw.toolmode.bodies.after import Next, after, fence_line
from promptmw.toolmode.bodies.json import Stopped, Value, is_strict, value
from promptmw.toolmode.bodies.sections import at_tag, tagged_calls
from promptmw.toolmode.bodies.tagged import Ending, Tagged
from promptmw.toolmode.cursor import Literals, Reading
from promptmw.toolmode.decoding import json_calls
from promptmw.toolmode.events import FinishReason, ProblemKind
from promptmw.toolmode.readers import Block, Head, Outcome, Reader

NAME = r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}"

FUNCTION = Tagged(
    call=Head("<function=", ">", re.compile(r"\s*(?P<name>[^<>\n]*?)\s*")),
    parameter=Head("<parameter=", ">", re.compile(r"\s*(?P<name>[^<>\n]*?)\s*")),
    value_end="</parameter>",
    call_end="</function>",
    trims_break=True,
)
PAIRS = Tagged(
    call=Head("", "", re.compile("")),
    parameter=Head("<arg_key>", "<arg_value>", re.compile(r"(?P<name>[^<]*)</arg_key>\s*")),
    value_end="</arg_value>",
)
_LEAD = Literals((FUNCTION.call.lead,))
_NAMED = re.compile(rf"({NAME})\s*")


@dataclass(frozen=True)
class Family:
    """Is the markup around calls of the formats that share a tag.

    Attributes:
        open: Opening tag.
        close: Closing tag.
    """

    open: str
    close: str

    @cached_property
    def reader(self) -> Reader:
        """The reader of all formats of this family."""
        return Reader((self.open,), self._read, (self.close,), head=FUNCTION.call, read_head=self._functions)

    @cached_property
    def _tags(self) -> Literals:
        return Literals((self.open, self.close))

    @cached_property
    def _opens(self) -> Literals:
        return Literals((self.open,))

    @cached_property
    def _behind_name(self) -> Literals:
        return Literals((PAIRS.parameter.lead, self.close))

    @cached_property
    def _first(self) -> re.Pattern[str]:
        marks = ("{", "[", FUNCTION.call.lead, self.close, self.open)
        return re.compile("|".join(re.escape(mark) for mark in marks))

    def _read(self, block: Block) -> Reading[Outcome]:
        c = block.cursor
        yield from c.skip_white()
        yield from fence_line(c)
        if (yield from c.empty()):
            return self._nothing(block)
        if c.text[c.at] in "{[":
            return (yield from self._json(block))
        if (yield from c.ahead(_LEAD)):
            return (yield from self._functions(block))
        name = yield from self._pair_name(block)
        if name is not None:
            return (yield from self._pairs(block, name))
        return (yield from self._prose(block))

    def _nothing(self, block: Block) -> Outcome:
        """Says what an opening tag at the end of the answer is."""
        if not block.line_start and block.cursor.reason is not FinishReason.LENGTH:
            return Outcome.TEXT
        block.cut_off("")
        return Outcome.OPEN

    def _prose(self, block: Block) -> Reading[Outcome]:
        """Passes a few words between the tag and its body."""
        c = block.cursor
        if not block.line_start:
            return Outcome.TEXT
        most = block.options.limits.prose
        window = yield from c.within(most + max(len(self.close), len(FUNCTION.call.lead)))
        found = self._first.search(window)
        if found is None or found.start() > most or found.group() == self.open:
            if c.ended and found is None and len(window) <= most:
                block.cut_off(window)
                c.at += len(window)
                return Outcome.OPEN
            return Outcome.TEXT
        if found.group() == self.close:
            block.problem(ProblemKind.MALFORMED, "no call stands in the block", text=window[: found.start()])
            c.at += found.end()
            return Outcome.CLOSED
        c.at += found.start()
        return (yield from (self._json(block) if found.group() in "{[" else self._functions(block)))

    def _json(self, block: Block) -> Reading[Outcome]:
        c = block.cursor
        block.commit()
        while True:
            found = yield from value(c, self._tags, block.options.limits, watch=block.watch())
            if found.stopped is Stopped.END:
                return self._unfinished(block, found)
            if found.stopped is Stopped.TAG:
                closed = c.text.startswith(self.close, c.at)
                json_calls(block, found, complete=True)
                c.at += len(self.close) if closed else 0
                return Outcome.CLOSED if closed else Outcome.OPEN
            behind = yield from after(block, self.close, self._opens)
            closed = behind.next is Next.CLOSED
            complete = closed or behind.next is Next.VALUE or (behind.next is Next.END and block.stopped)
            json_calls(block, found, complete=complete, notes=frozenset(behind.notes))
            if behind.next is not Next.VALUE:
                return Outcome.CLOSED if closed else Outcome.OPEN

    def _unfinished(self, block: Block, found: Value) -> Outcome:
        """Takes what can be taken of a value that the end of the answer cut."""
        at = found.text.rfind(self.close) if found.in_string and block.cursor.reason is not FinishReason.LENGTH else -1
        if at >= 0 and not is_strict(found.text):
            block.cursor.push_back(found.text[at + len(self.close) :])
            json_calls(block, Value(found.text[:at], Stopped.TAG, too_deep=found.too_deep), complete=True)
            return Outcome.CLOSED
        if found.too_large or found.too_deep:
            block.problem(ProblemKind.TOO_LARGE, "the call is too large or nested too deeply", text=found.text)
        elif block.stopped and found.looks_complete:
            json_calls(block, found, complete=True)
        else:
            block.cut_off(found.text, in_string=found.in_string)
        return Outcome.OPEN

    def _functions(self, block: Block) -> Reading[Outcome]:
        return (yield from tagged_calls(block, FUNCTION, self.open, self.close))

    def _pair_name(self, block: Block) -> Reading[str | None]:
        """Passes a tool's name with a pair or the closing tag behind it, or with nothing behind it if we stopped it."""
        c = block.cursor
        most = block.options.limits.name + 1024
        while (match := _NAMED.match(c.text, c.at)) is not None and match.end() == len(c.text):
            if match.end() - c.at > most or not (yield from c.more()):
                break
        if match is None:
            return None
        size = match.end() - c.at
        if match.end() == len(c.text):
            known = block.stopped and match[1] in block.table
        else:
            known = yield from c.follows(size, self._behind_name)
        c.at += size if known else 0
        return match[1] if known else None

    def _pairs(self, block: Block, name: str) -> Reading[Outcome]:
        block.commit()
        ending = yield from tagged.call(block, PAIRS, name, PAIRS.within(self.open, self.close))
        return Outcome.OPEN if ending is Ending.END else at_tag(block, self.close)
