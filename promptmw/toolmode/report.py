"""What happened between a model and its tools in one answer: names, counts, kinds and positions, never content."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from promptmw.answers import Usage


@dataclass(frozen=True, slots=True)
class CallRow:
    """Is a call that was delivered.

    Attributes:
        name: The tool.
        notes: What was unusual, sorted.
    """

    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """Is a call that was not delivered.

    Attributes:
        kind: Why.
        name: The tool, as far as it is known.
        position: Where in the block, in characters.
        rules: Keywords of the schema that the arguments broke.
    """

    kind: str
    name: str = ""
    position: int = 0
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropRow:
    """Is text that was not shown.

    Attributes:
        reason: Why.
        characters: How much.
    """

    reason: str
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """Is one request to the model.

    Attributes:
        cause: Why it was made: ``first``, ``stop refused``, ``without stop``, ``asked again`` or ``without tools``.
        outcome: What came of it: ``answer``, ``stop refused``, ``stopped too early``, ``ask again`` or ``failed``.
        reason: Why the answer ended; blank when nothing was said.
        stop: Our stop sequence; blank when none was sent.
        stop_held: Whether the provider kept to it: ``yes``, ``no``, ``refused``, or blank where that cannot be seen.
        grammar: Whether the engine was given a grammar.
        prefilled: Whether the call was begun for the model.
        closed: Whether its rest was of no use, so that the stream could be closed.
        text: Characters of visible text.
        calls: In order.
        problems: In order.
        drops: In order.
        noted: What else was seen.
        usage: As reported.
        estimated: Whether the output tokens are an estimate, since the stream was closed before they were reported.
    """

    cause: str
    outcome: str
    reason: str = ""
    stop: str = ""
    stop_held: str = ""
    grammar: bool = False
    prefilled: bool = False
    closed: bool = False
    text: int = 0
    calls: tuple[CallRow, ...] = ()
    problems: tuple[ProblemRow, ...] = ()
    drops: tuple[DropRow, ...] = ()
    noted: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReport:
    """Is what prompt-tool mode did for one answer.

    Attributes:
        format: In which calls were asked for.
        why: How it was chosen.
        accept: Formats that were understood besides.
        attempts: The requests to the model, in order.
        retries: How many of them count against the budgets of retries.
        choice_unmet: Whether a call was required and none came.
        notes: What was asked for and could not be had, such as a grammar.
        verdicts: Of the loop that runs the tools, in order.
    """

    format: str
    why: str = ""
    accept: tuple[str, ...] = ()
    attempts: tuple[AttemptRow, ...] = ()
    retries: int = 0
    choice_unmet: bool = False
    notes: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()

    @property
    def usage(self) -> Usage:
        """The sum over all attempts."""
        return summed(row.usage for row in self.attempts)


def summed(usages: Iterable[Usage]) -> Usage:
    """Returns the sum; None stays where nobody reported anything."""
    rows = tuple(usages)
    return Usage(
        _sum(u.input_tokens for u in rows), _sum(u.output_tokens for u in rows), _sum(u.cached_tokens for u in rows)
    )


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [c for c in counts if c is not None]
    return sum(known) if known else None
