"""Sends the arguments of a call while the model writes them. What is out is final: it begins the text of the call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING, Any

from promptmw.fencing import ESCAPED
from promptmw.toolmode.bodies.sent import arguments_of, call_object
from promptmw.toolmode.coerce import accepted, coerced
from promptmw.toolmode.cursor import Cursor, Reading
from promptmw.toolmode.events import (
    ArgumentsDelta,
    Call,
    CallEnd,
    CallError,
    CallProblem,
    CallStart,
    Dropped,
    Event,
    ProblemKind,
)

if TYPE_CHECKING:
    from promptmw.toolmode.definitions import ToolDefinition, ToolTable
    from promptmw.toolmode.readers import Found, Watch

_HALF = re.compile("([\ud800-\udfff])")
_encoded = json.JSONEncoder(ensure_ascii=False).encode


class Sending:
    """Is a call that is sent from its first string on; until then nothing of it is out.

    Args:
        tool: That is called.
        id: Of the call.
        begin: Returns the index of a new call; None if there are enough.
        emit: Takes events.
        put: Takes those that only add to a call, one for each chunk.

    Attributes:
        id: Of the call.
        out: Whether something is out.
    """

    def __init__(
        self,
        tool: ToolDefinition,
        id: str,
        begin: Callable[[], int | None],
        emit: Callable[[Event], None],
        put: Callable[[Event], None],
    ) -> None:
        self.id = id
        self.out = False
        self._tool = tool
        self._begin = begin
        self._emit = emit
        self._put = put
        self._index = 0
        self._complete = ""
        self._sent = StringIO(newline="")
        self._over = False
        self._broken = False

    def streams(self, key: str, *, raw: bool = False) -> bool:
        """Says whether a string stays what it is as the value of a parameter.

        Args:
            key: The parameter.
            raw: Whether it stands raw between tags, where ``null`` can mean a null.
        """
        schema = self._tool.property(key)
        types = None if schema is None else accepted(schema, self._tool.schema)
        return types is None or ("string" in types and not (raw and "null" in types))

    def string(self, key: str) -> None:
        """Begins a string."""
        self._start()
        self.written(f'{self._complete}{self._between}{_encoded(key)}: "')
        self._complete = ""

    def text(self, text: str) -> None:
        """Sends more of a string, decoded."""
        whole, half, _ = _HALF.split(text, 1) if _HALF.search(text) else (text, "", "")
        self.written(_encoded(whole)[1:-1])
        if half:
            self.holds()

    def written(self, text: str) -> None:
        """Sends more of a string, as it stands in JSON."""
        if self._over:
            return
        if ESCAPED in text:  # its characters come back when the whole is known
            text, self._over = text.partition(ESCAPED)[0], True
        if text:
            self._sent.write(text)
            self._put(ArgumentsDelta(self._index, text))

    def ends(self) -> None:
        """Ends a string."""
        self.written('"')

    def value(self, key: str, value: Any) -> None:
        """Takes an argument that is complete; it goes out with the next string, or with the rest."""
        if (schema := self._tool.property(key)) is not None:
            value = coerced(value, schema, self._tool.schema).value
        self._complete += f"{self._between}{_encoded(key)}: {_encoded(value)}"

    def holds(self) -> None:
        """Sends nothing more before the call is complete."""
        self._over = True

    def breaks(self) -> None:
        """Gives up: what is out cannot be continued."""
        self._over = True
        self._broken = self.out

    def finish(self, item: Call | CallProblem) -> None:
        """Ends the call with what came of it."""
        sent = self._sent.getvalue()
        if isinstance(item, Call) and not self._broken and item.arguments_text.startswith(sent):
            if len(sent) < len(item.arguments_text):
                self._emit(ArgumentsDelta(self._index, item.arguments_text[len(sent) :]))
            self._emit(CallEnd(self._index, item))
        elif isinstance(item, Call):
            problem = CallProblem(ProblemKind.MALFORMED, item.name, "what was sent of the arguments is no JSON")
            self._emit(CallError(problem, self._index))
        else:
            self._emit(CallError(item, self._index))

    @property
    def _between(self) -> str:
        return ", " if self._complete or self._sent.tell() else "{"

    def _start(self) -> None:
        index = None if self.out or self._over else self._begin()
        if index is not None:
            self.out = True
            self._index = index
            self._emit(CallStart(index, self.id, self._tool.name))
        self._over = not self.out


class Eager:
    """Sends the calls of a block.

    Args:
        table: What may be called.
        begin: Returns the index of a new call; None if there are enough.
        emit: Takes events.
        put: As for `Sending`.
        deliver: Takes what was not sent.
        new_id: Makes ids.
    """

    def __init__(
        self,
        table: ToolTable,
        begin: Callable[[], int | None],
        emit: Callable[[Event], None],
        put: Callable[[Event], None],
        deliver: Callable[[Found], None],
        new_id: Callable[[], str],
    ) -> None:
        self._table = table
        self._begin = begin
        self._emit = emit
        self._put = put
        self._deliver = deliver
        self._new_id = new_id
        self._sending: Sending | None = None

    @property
    def sending(self) -> bool:
        """Whether a part of a call is out."""
        return self._sending is not None and self._sending.out

    def start(self, name: str) -> Sending | None:
        """Begins to send a call; None for a tool that cannot be called."""
        tool = self._table.get(name)
        self._sending = None if tool is None else Sending(tool, self._new_id(), self._begin, self._emit, self._put)
        return self._sending

    def watch(self, name: str | None = None) -> Watch:
        """Returns what watches the next JSON value.

        Args:
            name: The tool of which these are the arguments; None for an object that names it.
        """
        return Watcher(lambda c: call_object(c, self.start) if name is None else arguments_of(c, self.start, name))

    def id(self) -> str:
        """Returns the id of the call that is being sent, or a new one."""
        return self._new_id() if self._sending is None else self._sending.id

    def deliver(self, item: Found) -> None:
        """Ends the call that is being sent, or passes on what was not sent."""
        sending, self._sending = self._sending, None
        if sending is None or not sending.out or isinstance(item, Dropped):
            self._deliver(item)
        else:
            sending.finish(item)


class Watcher:
    """Feeds a grammar with what somebody else passes.

    Attributes:
        quick: Takes a chunk without waking the grammar up; says whether it did.
    """

    __slots__ = ("_cursor", "_done", "_reading", "quick")

    def __init__(self, grammar: Callable[[Cursor], Reading[None]]) -> None:
        self.quick: Callable[[str], bool] = _takes_nothing
        self._cursor = Cursor()
        self._reading = grammar(self._cursor)
        self._done = False
        self._go(None)

    def passed(self, text: str, start: int, end: int) -> None:
        """Takes what was passed of a text."""
        if not self._done and start < end and not self.quick(text[start:end]):
            self._go(text[start:end])

    def _go(self, piece: str | None) -> None:
        try:
            self._reading.send(piece)
        except StopIteration:
            self._done = True
            self._cursor.quick = None
        self.quick = self._cursor.quick or _takes_nothing


def _takes_nothing(chunk: str) -> bool:
    return False
