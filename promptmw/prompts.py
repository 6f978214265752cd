"""Prompts: the result of assembling a turn."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from promptmw.citations import Citation
from promptmw.contents import GAP
from promptmw.fencing import Policy
from promptmw.history import HistoryEdit
from promptmw.kinds import Layer, Stability, ToolMode
from promptmw.sections import Block
from promptmw.settled import Tools
from promptmw.tools import Tool
from promptmw.turn import Turn


class Kind(Enum):
    """Says what a problem is about."""

    SECTION_FAILED = "section failed"
    COLLECT_FAILED = "collect failed"
    COLLECT_TIMEOUT = "collect took too long"
    COLLECT_SKIPPED = "collect skipped"
    HISTORY_FAILED = "history hook failed"
    TOOLS_FAILED = "tools hook failed"
    REVISE_FAILED = "revise hook failed"
    DROPPED = "block dropped"
    TIMEZONE = "unknown time zone"
    CALLER_SYSTEM = "caller's system text left out"
    TRUST = "fence not named"
    BREACH = "fence breached"
    CLIENT_IGNORED = "client's field ignored"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Problem:
    """Is something that the turn went on without, or that somebody should know. Without content.

    Attributes:
        kind: What it is about.
        subject: The section, plugin or setting.
        distribution: Whose that is.
        detail: What happened.
    """

    kind: Kind
    subject: str
    distribution: str = ""
    detail: str = ""

    def __str__(self) -> str:
        owner = f" ({self.distribution})" if self.distribution else ""
        return f"{self.kind.value}: {self.subject}{owner}{': ' if self.detail else ''}{self.detail}"


@dataclass(frozen=True, eq=False)
class Prompt:
    """Is what one model call gets. Immutable; messages are built from it and text is never parsed back.

    Attributes:
        blocks: In the order in which they are sent: system, first user, last user.
        turn: With all inputs, collected ones included.
        tools: What the model may call, settled.
        offered: Plugins' tools that the adapter adds to the request.
        edit: What is left out of the history.
        stop: Stop sequences that the tool protocol asks for.
        problems: What the turn went on without.
        policy: What was reserved when it was written.
        profile: The profile's name.
        caller: The caller's own system text that went into it.
    """

    blocks: tuple[Block, ...]
    turn: Turn
    tools: Tools = field(default_factory=lambda: Tools(ToolMode.NATIVE))
    offered: tuple[Tool, ...] = ()
    edit: HistoryEdit = field(default_factory=HistoryEdit)
    stop: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    policy: Policy = field(default_factory=lambda: Policy(()))
    profile: str = ""
    caller: str = ""

    @functools.cached_property
    def system(self) -> str:
        """The system text: blocks with one blank line between them and one line break at the end; empty without any."""
        text = self.text(Layer.SYSTEM)
        return text + "\n" if text else ""

    @functools.cached_property
    def system_blocks(self) -> tuple[Block, ...]:
        """The blocks of the system text."""
        return self.layer(Layer.SYSTEM)

    def layer(self, layer: Layer) -> tuple[Block, ...]:
        """Returns the blocks of a layer in the order in which they are sent."""
        return tuple(b for b in self.blocks if b.layer is layer)

    def text(self, layer: Layer) -> str:
        """Returns the blocks of a layer with one blank line between them."""
        return joined(self.layer(layer))

    @functools.cached_property
    def tokens(self) -> int:
        """The tokens of all blocks."""
        return sum(b.tokens for b in self.blocks)

    @functools.cached_property
    def citations(self) -> tuple[Citation, ...]:
        """What the numbers in this prompt stand for, by number."""
        found = {c.number: c for b in self.blocks for c in b.citations}
        return tuple(found[n] for n in sorted(found))

    @functools.cached_property
    def boundary(self) -> int:
        """Index of the first system block that does not outlive the session; the number of system blocks if all do."""
        blocks = self.system_blocks
        return next((i for i, b in enumerate(blocks) if b.stability > Stability.SESSION), len(blocks))

    @functools.cached_property
    def breakpoints(self) -> tuple[int, ...]:
        """Indexes of the system blocks behind which a cached prefix may end: the last of each run of one stability."""
        blocks = self.system_blocks
        ends = [i for i, b in enumerate(blocks) if i + 1 == len(blocks) or blocks[i + 1].stability > b.stability]
        return tuple(i for i in ends if blocks[i].stability < Stability.TURN)[-4:]


def joined(blocks: Iterable[Block]) -> str:
    """Returns the texts of blocks with one blank line between them."""
    return GAP.join(b.text for b in blocks)
