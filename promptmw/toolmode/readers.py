"""What a parser and the grammars of single formats say to each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from promptmw.toolmode.cursor import Cursor, Reading
from promptmw.toolmode.events import Call, CallProblem, Dropped, FinishReason, ProblemKind
from promptmw.toolmode.options import ParserOptions
from promptmw.toolmode.settling import name_hint

if TYPE_CHECKING:
    from promptmw.toolmode.definitions import ToolTable
    from promptmw.toolmode.eager import Eager


_ECHO = 800

Found = Call | CallProblem | Dropped
"""Is what a block gives."""


class Watch(Protocol):
    """Is shown each piece of a JSON value.

    Attributes:
        quick: Takes a chunk without waking anybody up; says whether it did.
    """

    quick: Callable[[str], bool]

    def passed(self, text: str, start: int, end: int) -> None:
        """Takes what was passed of a text."""
        ...


@dataclass(frozen=True)
class Head:
    """Is a marker with something in it, such as ``<function=NAME>``.

    Attributes:
        lead: Literal that it begins with.
        tail: Literal that it ends with.
        pattern: Matches what is between; the group ``name`` names a tool or a parameter.
    """

    lead: str
    tail: str
    pattern: re.Pattern[str]


class Outcome(Enum):
    """Says how a block of calls ended."""

    CLOSED = "closed"
    """With its closing tag."""
    OPEN = "open"
    """Without it."""
    TEXT = "text"
    """It was no block: its opening marker is text."""
    GONE = "gone"
    """It was no block, but a marker that is no text either; what follows is."""
    THOUGHT = "thought"
    """It was no block, but a marker behind which a thought begins."""


@dataclass(slots=True)
class Block:
    """Is a block of calls while it is read.

    Attributes:
        cursor: Stands behind the opening marker.
        opener: That marker; blank for a format without one.
        line_start: Whether it stood at the start of a line.
        table: What may be called.
        options: How to read.
        new_id: Makes ids of calls.
        deliver: Takes what was found, in order.
        commit: Is told that the opening marker is no text.
        eager: Sends calls while they are written; None where they are held until they are complete.
    """

    cursor: Cursor
    opener: str
    line_start: bool
    table: ToolTable
    options: ParserOptions
    new_id: Callable[[], str]
    deliver: Callable[[Found], None]
    commit: Callable[[], None]
    eager: Eager | None = None

    def watch(self, name: str | None = None) -> Watch | None:
        """Returns what is shown each piece of the next JSON value as it comes; None where nothing is sent early.

        Args:
            name: The tool of which these are the arguments; None for an object that names it.
        """
        return None if self.eager is None else self.eager.watch(name)

    @property
    def checks(self) -> bool:
        """Whether arguments that do not fit keep a call from being delivered: not once a part of it is out."""
        return self.eager is None or not self.eager.sending

    def put(self, items: Iterable[Found]) -> None:
        """Delivers what was found."""
        for item in items:
            self.deliver(item)

    def problem(
        self, kind: ProblemKind, message: str = "", *, name: str | None = None, text: str = "", at: int | None = None
    ) -> None:
        """Delivers a problem.

        Args:
            kind: What is wrong.
            message: One sentence without content.
            name: The tool's; by default what the text says.
            text: The call as written, as far as it is known.
            at: Where in it something is wrong; by default at its end.
        """
        most = self.options.limits.excerpt
        start = max(0, len(text) - most) if at is None else max(0, at - most // 2)
        raw = text if len(text) <= _ECHO else f"{text[: _ECHO // 2]}…{text[-_ECHO // 2 + 1 :]}"
        hint = name or name_hint(text)
        self.put([CallProblem(kind, hint, message, text[start : start + most], start if at is None else at, raw=raw)])

    @property
    def stopped(self) -> bool:
        """Whether the answer was ended by our own stop sequence, as far as one can tell."""
        reason = self.cursor.reason
        return self.options.stop_sent and reason in (FinishReason.STOP, FinishReason.STOP_SEQUENCE)

    def cut_off(self, text: str, *, name: str | None = None, in_string: bool = False) -> None:
        """Delivers the problem of a call that the end of the answer cut."""
        stopped = in_string and self.stopped
        kind = ProblemKind.STOPPED_IN_STRING if stopped else ProblemKind.TRUNCATED
        self.problem(kind, "the answer ended before the call did", name=name, text=text)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the blocks of one kind of markup.

    Attributes:
        openers: Markers that open a block.
        read: Reads a block behind its opener.
        closers: Markers that vanish when they stand behind a block.
        bare: Reads a block that needs no marker, at the start of an answer; None where there is no such thing.
        head: Opens a call of a tool in the table without an opener, at the start of a line.
        read_head: Reads such calls; the cursor stands at the head.
        thoughts: Further opening and closing tags of thoughts.
        thought_ends: What ends a thought that begins behind a marker of this kind.
        silent: Markers that vanish wherever they stand.
    """

    openers: tuple[str, ...]
    read: Callable[[Block], Reading[Outcome]]
    closers: tuple[str, ...] = ()
    bare: Callable[[Block], Reading[Outcome]] | None = None
    head: Head | None = None
    read_head: Callable[[Block], Reading[Outcome]] | None = None
    thoughts: tuple[tuple[str, str], ...] = ()
    thought_ends: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
