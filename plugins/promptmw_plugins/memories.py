"""What is remembered about the user, and the tool by which the model remembers more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from promptmw import (
    STATUS,
    Body,
    Cut,
    CutReason,
    CutRule,
    Facts,
    Item,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    Tool,
    ToolResult,
    Trust,
    Turn,
    aware,
    hookimpl,
    input_type,
    instant,
    line,
    listing,
    text_field,
)
from promptmw_plugins.ordering import MORE, by_creation, by_time, dropped_in_steps
from promptmw_plugins.roles import tool_names
from promptmw_plugins.session_memory import MemoryStore, SessionMemory

SHORTEST, LONGEST = 3, 300
_STORE: MemoryStore = SessionMemory()


class MemoryStatus(Enum):
    """Says whether a memory still holds."""

    ACTIVE = "active"
    QUERY_DEPENDENT = "query_dependent"
    STALE = "stale"
    UNKNOWN = "unknown"


_LABELS = {MemoryStatus.ACTIVE: "[CURRENT] ", MemoryStatus.QUERY_DEPENDENT: "[CONTEXT-DEPENDENT] "}
"""The two that are shown, with their labels."""


@input_type("memories", many=True, trust=Trust.USER)
@dataclass(frozen=True)
class Memory:
    """Is one fact about the user.

    Attributes:
        text: One line.
        status: Only ``active`` and ``query_dependent`` ones are shown.
        id: Breaks ties of the order.
        created: When it was first known: the order in which memories are printed.
        changed: When its text last changed: the newest are kept when there are too many.
    """

    text: TextField = text_field(cap=LONGEST, trust=Trust.USER)
    status: MemoryStatus = MemoryStatus.ACTIVE
    id: str = ""
    created: datetime | None = None
    changed: datetime | None = None

    def __post_init__(self) -> None:
        aware("memories.created", self.created)
        aware("memories.changed", self.changed)


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """Is the profile's table ``limits.memories``.

    Attributes:
        items: The most that are shown: those that changed last.
        step: By how many they go when there are more, so that the cut moves seldom.
    """

    items: int = 20
    step: int = 5


def renderer(limits: MemoryLimits) -> Callable[[Facts], Body]:
    """Returns the section's function for the limits of a profile."""

    def render(facts: Facts) -> Body:
        shown = _distinct(m for m in by_creation(facts.all(Memory)) if m.status in _LABELS and not m.text.blank)
        gone = dropped_in_steps(len(shown), most=limits.items, step=limits.step)
        oldest = {id(m) for m in by_time(shown, lambda m: m.changed or m.created)[:gone]}
        items = [Item(_line(m), m.id) for m in shown if id(m) not in oldest]
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(shown), len(items), source="memories")
        heading, rules = facts.texts["memories.heading"], facts.texts["memories.rules"]
        return listing(heading, items, rules, more=MORE, cuts=(cut,) if gone else ())

    return render


def _distinct(memories: Iterable[Memory]) -> list[Memory]:
    found: dict[str, Memory] = {}
    for memory in memories:
        found.setdefault(memory.text.folded(), memory)
    return list(found.values())


def _line(memory: Memory) -> Text:
    return _LABELS[memory.status] + line(memory.text.one_line(), grammars=(STATUS,))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``memories``."""
    return (Memory,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="memories",
            render=renderer(profile.settings("limits.memories", MemoryLimits)),
            reads=(Memory,),
            order=90,
            stability=Stability.USER,
            trust=Trust.USER,
            cap=1_500,
            cut=CutRule.DROP_FIRST,
            priority=70,
        ),
    )


@hookimpl
@instant
def promptmw_collect(turn: Turn) -> Iterable[object] | None:
    """Returns what `save_memory` has kept in this session."""
    if not turn.session:
        return None
    return [Memory(kept.text, created=kept.created) for kept in _STORE.of(turn.tenant, turn.session)]


@hookimpl
def promptmw_tools(turn: Turn, profile: Profile) -> Iterable[Tool]:
    """Offers ``save_memory`` where the turn names a session that it can be kept for."""
    if not turn.session:
        return ()
    text = {"type": "string", "description": f"The fact, in one sentence of {SHORTEST} to {LONGEST} characters."}
    parameters = {"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": False}
    description = "Remembers one fact about the user for later turns."
    return (Tool(name=tool_names(profile).save_memory, description=description, parameters=parameters, handler=save),)


def save(turn: Turn, arguments: Mapping[str, Any]) -> ToolResult:
    """Keeps a fact for the rest of the session, and answers with a fixed code; keeps nothing in a preview."""
    text = _text(arguments.get("text"))
    if not SHORTEST <= len(text) <= LONGEST:
        return ToolResult("refused: too_short" if len(text) < SHORTEST else "refused: too_long", error=True)
    new = turn.preview or _STORE.add(turn.tenant, turn.session, text)
    return ToolResult("saved" if new else "already_saved")


def _text(stated: object) -> str:
    return stated.strip() if isinstance(stated, str) else ""
