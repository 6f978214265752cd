"""What a parser of tool calls says: events, calls and problems; and what a history holds. No framework, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class FinishReason(Enum):
    """Says why an answer ended; None in its place means that the stream broke off without saying."""

    STOP = "stop"
    STOP_SEQUENCE = "stop_sequence"
    """The provider says that a stop sequence ended it."""
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    TOOL_CALLS = "tool_calls"


class Note(Enum):
    """Says what was unusual about a call that is delivered."""

    ALIAS = "alias"
    UNWRAPPED = "unwrapped"
    TRIMMED_NAME = "trimmed_name"
    EMPTY_ARGUMENTS = "empty_arguments"
    DECODED_TWICE = "decoded_twice"
    DUPLICATE_KEY = "duplicate_key"
    REPAIRED = "repaired"
    COERCED = "coerced"
    WRAPPED = "wrapped"
    MISSING_CLOSE = "missing_close"
    EXTRA_TEXT = "extra_text"
    FROM_REASONING = "from_reasoning"
    INVALID_ARGUMENTS = "invalid_arguments"
    """They do not fit the schema, which was seen when a part of them was out."""


@dataclass(frozen=True, slots=True)
class Call:
    """Is a call that is delivered.

    Attributes:
        id: Ours, unique in the conversation.
        name: Of a tool in the table.
        arguments: As decoded.
        arguments_text: Their JSON text.
        notes: What was unusual.
        changes: JSON pointers of arguments that were coerced.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    arguments_text: str
    notes: frozenset[Note] = frozenset()
    changes: tuple[str, ...] = ()


class ProblemKind(Enum):
    """Says why a call cannot be delivered."""

    MALFORMED = "malformed"
    AMBIGUOUS_ESCAPE = "ambiguous_escape"
    NOT_A_CALL = "not_a_call"
    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    TRUNCATED = "truncated"
    STOPPED_IN_STRING = "stopped_in_string"
    STOPPED_IN_REASONING = "stopped_in_reasoning"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True)
class Violation:
    """Is one way in which arguments do not fit their schema, in words of ours: never a value.

    Attributes:
        pointer: JSON pointer of the value; blank for the arguments as a whole.
        rule: The keyword of the schema.
        message: What is wrong.
    """

    pointer: str
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class CallProblem:
    """Is a call that will not be delivered.

    Attributes:
        kind: Why.
        name: The tool's name, as far as it is known.
        message: One sentence, without content; for `AMBIGUOUS_ESCAPE` the key whose value is meant.
        excerpt: The place, at most ``limits.excerpt`` characters of the answer. Never logged.
        position: Offset in the block of `excerpt`.
        violations: For `INVALID_ARGUMENTS`, at most 5.
        raw: The block as the model wrote it, head and tail, at most 800 characters. Never logged.
    """

    kind: ProblemKind
    name: str | None = None
    message: str = ""
    excerpt: str = ""
    position: int = 0
    violations: tuple[Violation, ...] = ()
    raw: str = ""


class DropReason(Enum):
    """Says why text is not shown."""

    FORGED_RESULT = "forged_result"
    AFTER_BLOCK = "after_block"
    CALL_NOT_ALLOWED = "call_not_allowed"
    EMPTY_BLOCK = "empty_block"


class NotedKind(Enum):
    """Names what is worth a line in the report, and is neither text nor call."""

    UNOPENED_REASONING = "unopened_reasoning"
    LIMIT = "limit"


@dataclass(slots=True)
class TextDelta:
    """Is more of the visible text; never empty. Not frozen: one is made for each chunk."""

    text: str


@dataclass(slots=True)
class ReasoningDelta:
    """Is more of the model's thoughts; never empty."""

    text: str


@dataclass(slots=True)
class CallStart:
    """Begins a call.

    Attributes:
        index: Counts from 0 in an answer.
        id: Of the call.
        name: Of the tool.
    """

    index: int
    id: str
    name: str


@dataclass(slots=True)
class ArgumentsDelta:
    """Is more JSON text of a call's arguments; never empty."""

    index: int
    text: str


@dataclass(slots=True)
class CallEnd:
    """Ends a call."""

    index: int
    call: Call


@dataclass(slots=True)
class CallError:
    """Is a call that will not be delivered; ``index`` only if its start was already out."""

    problem: CallProblem
    index: int | None = None


@dataclass(slots=True)
class Dropped:
    """Is text that is not shown: ``chars`` characters of it."""

    reason: DropReason
    chars: int


@dataclass(slots=True)
class Noted:
    """Is something to report."""

    kind: NotedKind


@dataclass(slots=True)
class Ended:
    """Is the last event, once: the reason that the application gets."""

    reason: FinishReason | None


Event = TextDelta | ReasoningDelta | CallStart | ArgumentsDelta | CallEnd | CallError | Dropped | Noted | Ended


@dataclass(frozen=True, slots=True)
class PastCall:
    """Is a call in the history.

    Attributes:
        id: Ties the result to it.
        name: Of the tool.
        arguments: A mapping, or the JSON text that some providers keep.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class PastResult:
    """Is a result in the history.

    Attributes:
        id: Of the call.
        text: For the model.
        error: Whether the tool failed.
        parts: Parts that are no text, in the framework's own form: images, files.
    """

    id: str
    text: str
    error: bool = False
    parts: tuple[Any, ...] = ()
