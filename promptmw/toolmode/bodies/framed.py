"""Reads calls whose arguments are JSON behind a head of control tokens that names the tool."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from promptmw.toolmode.bodies.after import closing_fence
from promptmw.toolmode.bodies.json import Stopped, Value, value
from promptmw.toolmode.cursor import Literals, Reading, literal
from promptmw.toolmode.decoding import json_call, json_calls
from promptmw.toolmode.events import FinishReason, ProblemKind
from promptmw.toolmode.readers import Block, Outcome

_HEAD = 512
_VALUE = re.compile(r"\{")


@dataclass(frozen=True)
class Framed:
    """Is the grammar of such calls.

    Attributes:
        lead: Opens a call.
        head: Matches what stands between that and the arguments; its group ``name`` names the tool.
        call_end: Closes a call; blank for none.
        section: Opens a section of calls; blank for none.
        close: Closes a section; blank for none.
    """

    lead: str
    head: re.Pattern[str]
    call_end: str = ""
    section: str = ""
    close: str = ""

    @cached_property
    def ends(self) -> Literals:
        """What can stand behind the arguments."""
        return Literals({self.call_end, self.close, self.lead} - {""})

    @cached_property
    def next(self) -> Literals:
        """What can stand between two calls."""
        return Literals({self.close, self.lead} - {""})

    def read(self, block: Block) -> Reading[Outcome]:
        """Reads the calls behind an opener, which is that of a section or of the first call."""
        c = block.cursor
        if (yield from c.empty()):
            return self._nothing(block)
        block.commit()
        calls = 0
        opened = block.opener == self.lead
        while opened or (yield from self._opens(block)):
            if not (yield from self._call(block)):
                return Outcome.OPEN
            opened = False
            calls += 1
        closed = bool(self.close) and bool((yield from c.ahead(literal(self.close))))
        c.at += len(self.close) if closed else 0
        if not calls and closed:
            return Outcome.GONE
        return Outcome.CLOSED if closed or not self.close else Outcome.OPEN

    def _nothing(self, block: Block) -> Outcome:
        """Says what an opener at the end of the answer is."""
        if not block.line_start and block.cursor.reason is not FinishReason.LENGTH:
            return Outcome.TEXT
        block.cut_off("")
        return Outcome.OPEN

    def _opens(self, block: Block) -> Reading[bool]:
        """Passes what opens the next call, with noise in front of it inside of a section."""
        c = block.cursor
        yield from c.skip_white()
        found = yield from c.ahead(self.next)
        if not found and block.opener == self.section and not (yield from c.empty()):
            found = yield from self._noise(block)
        if found != self.lead:
            return False
        c.at += len(self.lead)
        return True

    def _noise(self, block: Block) -> Reading[str]:
        """Passes a few words in front of the next call, or of the end; a call without its head is a problem."""
        c = block.cursor
        window = yield from c.within(block.options.limits.prose)
        match = self.next.pattern.search(window)
        if match is None:
            yield from self._broken(block, "no call stands in the section")
            return (yield from c.ahead(self.next))
        c.at += match.start()
        return (yield from c.ahead(self.next))

    def _call(self, block: Block) -> Reading[bool]:
        """Reads a call behind what opens it; says whether another one may follow."""
        c = block.cursor
        yield from c.skip_white()
        if (yield from c.within(1)) in ("[", "{"):  # calls that name their tools themselves
            found = yield from value(c, self.ends, block.options.limits, watch=block.watch())
            return (yield from self._taken(block, None, found))
        head = yield from self._head(block)
        if head is None:
            return False
        match = self.head.fullmatch(head)
        if match is None:
            yield from self._broken(block, "the head of the call cannot be read")
            return True
        name = match["name"]
        c.at += len(head)
        if (yield from c.within(1)) not in ("{", "["):
            json_call(block, name, Value("{}", Stopped.CLOSED), complete=False)
            return (yield from self._after(block))
        found = yield from value(c, self.ends, block.options.limits, watch=block.watch(name))
        return (yield from self._taken(block, name, found))

    def _head(self, block: Block) -> Reading[str | None]:
        """Returns what stands in front of the arguments, or of the end of the call; None if the answer ends before."""
        c = block.cursor
        while True:
            rest = c.text[c.at : c.at + _HEAD]
            starts = [m.start() for m in _VALUE.finditer(rest) if self.head.fullmatch(rest, 0, m.start())]
            end = self.ends.pattern.search(rest)
            if starts and (end is None or starts[0] < end.start()):
                return rest[: starts[0]]
            if end is not None and end.group() in self.ends:
                return rest[: end.start()]
            if len(rest) >= _HEAD:
                return rest
            if not (yield from c.more()):
                return self._cut(block)

    def _cut(self, block: Block) -> str | None:
        """Ends the answer inside of a head: cut off, or never meant as one."""
        c = block.cursor
        rest = c.text[c.at :]
        if block.cursor.reason is FinishReason.LENGTH or block.stopped:
            block.cut_off(rest)
            c.at = len(c.text)
            return None
        return rest

    def _taken(self, block: Block, name: str | None, found: Value) -> Reading[bool]:
        if found.stopped is Stopped.END:
            block.cut_off(found.text, name=name, in_string=found.in_string)
            return False
        if name is None:
            json_calls(block, found, complete=False)
        else:
            json_call(block, name, found, complete=False)
        return (yield from self._after(block))

    def _after(self, block: Block) -> Reading[bool]:
        """Passes the end of a call."""
        c = block.cursor
        yield from c.skip_white()
        yield from closing_fence(block)
        if self.call_end and (yield from c.ahead(literal(self.call_end))):
            c.at += len(self.call_end)
        return True

    def _broken(self, block: Block, message: str) -> Reading[None]:
        """Gives a call up, and passes what is left of it."""
        c = block.cursor
        recording = c.record(most=block.options.limits.block)
        while True:
            match = self.next.pattern.search(c.text, c.at)
            c.at = len(c.text) if match is None else match.start()
            if match is not None and match.group() in self.next:
                break
            if not (yield from c.more()):
                c.at = len(c.text)
                break
        block.problem(ProblemKind.MALFORMED, message, text=c.recorded(recording), at=0)
