"""The state of one answer while it is read: what was found, counted and delivered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from promptmw.toolmode.cursor import Cursor, Reading
from promptmw.toolmode.definitions import ToolTable
from promptmw.toolmode.eager import Eager
from promptmw.toolmode.events import (
    ArgumentsDelta,
    Call,
    CallEnd,
    CallError,
    CallStart,
    Dropped,
    DropReason,
    Event,
    Noted,
    NotedKind,
    TextDelta,
)
from promptmw.toolmode.marks import Marks
from promptmw.toolmode.options import Arguments, Calls, ParserOptions
from promptmw.toolmode.readers import Block, Found, Outcome, Reader
from promptmw.toolmode.showing import Shown


class Answer:
    """Holds what the grammar of an answer works on.

    Args:
        table: What may be called.
        options: How to read.
        readers: Of all formats that are understood.
        new_id: Makes ids of calls.
    """

    def __init__(
        self, table: ToolTable, options: ParserOptions, readers: Sequence[Reader], new_id: Callable[[], str]
    ) -> None:
        self.table = table
        self.options = options
        self.readers = readers
        self.new_id = new_id
        self.cursor = Cursor()
        self.events: list[Event] = []
        self.text = Shown(self.events.append, TextDelta)
        self.marks = Marks.of(tuple(readers), options.reasoning_tags)
        self._marked = self.marks.text.pattern.search
        self._show = self.text.show
        self.blocks = 0
        self.calls = 0
        self.delivered = False
        self.done = False
        self.drops = False
        self._noted_limit = False

    def emit(self, event: Event) -> None:
        """Puts an event out."""
        self.events.append(event)
        if type(event) is CallEnd:
            self.delivered = True

    def quick(self, chunk: str) -> bool:
        """Passes a chunk of text on if no marker can begin in it; says whether it did."""
        if self._marked(chunk) is not None:
            return False
        self._show(chunk)
        return True

    def deliver(self, item: Found) -> None:
        """Puts out what a block gave."""
        if isinstance(item, Dropped):
            self.emit(item)
        elif self.options.calls is Calls.REFUSE:
            size = len(item.arguments_text if isinstance(item, Call) else item.raw)
            self.emit(Dropped(DropReason.CALL_NOT_ALLOWED, size))
        elif not isinstance(item, Call):
            self.emit(CallError(item))
        elif self.calls >= self.options.limits.calls:
            self.limited()
        else:
            self._call(item)

    def limited(self) -> None:
        """Notes once that there was more than the limits allow."""
        if not self._noted_limit:
            self.emit(Noted(NotedKind.LIMIT))
        self._noted_limit = True

    def _call(self, call: Call) -> None:
        index = self.calls
        self.calls += 1
        self.emit(CallStart(index, call.id, call.name))
        self.emit(ArgumentsDelta(index, call.arguments_text))
        self.emit(CallEnd(index, call))

    def block(
        self,
        reader: Reader,
        opener: str,
        deliver: Callable[[Found], None],
        *,
        line_start: bool,
        bare: bool = False,
        sends: bool = False,
    ) -> Reading[Outcome]:
        """Reads a block whose opening marker stands at the cursor; goes back to it if it is text.

        Args:
            reader: Of that marker.
            opener: The marker; blank where a block needs none.
            deliver: Takes what is found.
            line_start: Whether it stands at the start of a line.
            bare: Whether it is one without an opening marker at the start of the answer.
            sends: Whether calls may come out while they are written.
        """
        c = self.cursor
        self.blocks += 1
        if self.blocks > self.options.limits.blocks:
            self.limited()
            deliver = _forget
        recording = c.record(most=self.options.limits.block)
        c.at += len(opener)
        block = Block(
            cursor=c, opener=opener, line_start=line_start, table=self.table, options=self.options,
            new_id=self.new_id, deliver=deliver, commit=partial(c.drop, recording),
        )  # fmt: skip
        if sends:
            self._make_eager(block)
        read = (reader.bare if bare else reader.read_head if not opener else None) or reader.read
        outcome = yield from read(block)
        if outcome in (Outcome.TEXT, Outcome.GONE, Outcome.THOUGHT):
            self.blocks -= 1
        if outcome is Outcome.TEXT:
            c.push_back(c.recorded(recording))
        else:
            c.drop(recording)
        return outcome

    def _make_eager(self, block: Block) -> None:
        if self.options.arguments is Arguments.EAGER and self.options.calls is Calls.ACCEPT:
            block.eager = Eager(self.table, self._next_index, self.emit, self.events.append, block.deliver, self.new_id)
            block.new_id, block.deliver = block.eager.id, block.eager.deliver

    def _next_index(self) -> int | None:
        """Counts a call; None if there are enough."""
        if self.calls >= self.options.limits.calls:
            return None
        self.calls += 1
        return self.calls - 1


def _forget(item: Found) -> None:
    """Takes what is beyond the limits."""
