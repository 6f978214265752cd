"""What a parser of tool calls is told: what counts as a call, and what an answer may cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Calls(Enum):
    """Says what becomes of calls in an answer."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    """They are dropped: no call was allowed."""


class Where(Enum):
    """Says whether a call counts in a place where examples and drafts stand."""

    LAST = "last"
    """If it is the last thing of the answer, and valid."""
    NEVER = "never"


class Arguments(Enum):
    """Says when the arguments of a call come out."""

    VALIDATED = "validated"
    """When the call is complete, known and valid."""
    EAGER = "eager"
    """While the model writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds what an answer can cost; all sizes in characters.

    Attributes:
        block: One block of calls.
        blocks: Blocks of an answer.
        calls: Calls of an answer.
        depth: Nesting of arguments.
        name: A tool's name.
        key: A parameter's name.
        prose: Prose between an opening tag and a body, and between a body and a late closing tag.
        repair: A text that is repaired.
        excerpt: Quoted in a problem.
    """

    block: int = 16 * 1024 * 1024
    blocks: int = 64
    calls: int = 128
    depth: int = 64
    name: int = 128
    key: int = 1024
    prose: int = 64
    repair: int = 64 * 1024
    excerpt: int = 80


DEFAULT_LIMITS = Limits()
"""The defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserOptions:
    """Says how one answer is read.

    Attributes:
        calls: Whether calls are delivered.
        max_blocks: How many blocks of calls an answer may hold; None for any number.
        stop_sent: Whether our closing tag was sent as a stop sequence.
        starts_in_reasoning: Whether the prompt already opened a thought.
        reasoning_tags: Opening and closing tags of thoughts.
        calls_in_reasoning: Whether a call counts that ends a thought that was never closed.
        calls_in_fences: Whether a call counts that a code fence encloses.
        arguments: When arguments come out.
        repair: Whether broken JSON is repaired.
        limits: Bounds.
    """

    calls: Calls = Calls.ACCEPT
    max_blocks: int | None = 1
    stop_sent: bool = False
    starts_in_reasoning: bool = False
    reasoning_tags: tuple[tuple[str, str], ...] = (("<think>", "</think>"), ("<thinking>", "</thinking>"))
    calls_in_reasoning: Where = Where.LAST
    calls_in_fences: Where = Where.LAST
    arguments: Arguments = Arguments.VALIDATED
    repair: bool = True
    limits: Limits = DEFAULT_LIMITS
