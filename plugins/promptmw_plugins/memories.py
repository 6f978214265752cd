"""What is remembered about the user, and the tool by which the model remembers more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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
from promptmw_plugins.ordering import by_creation, dropped_in_steps
from promptmw_plugins.roles import tool_names
from promptmw_plugins.session_memory import SessionMemory

MOST = 20
STEP = 5
_SESSIONS = SessionMemory()


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

    text: TextField = text_field(cap=300, trust=Trust.USER)
    status: MemoryStatus = MemoryStatus.ACTIVE
    id: str = ""
    created: datetime | None = None
    changed: datetime | None = None

    def __post_init__(self) -> None:
        aware("memories.created", self.created)
        aware("memories.changed", self.changed)


def render(facts: Facts) -> Body | None:
    """Returns heading, one labelled line for each memory, and the rules; nothing without any."""
    shown = _distinct(m for m in by_creation(facts.all(Memory)) if m.status in _LABELS and not m.text.blank)
    gone = dropped_in_steps(len(shown), most=MOST, step=STEP)
    oldest = {id(m) for m in _by_change(shown)[:gone]}
    items = [Item(_line(m), m.id) for m in shown if id(m) not in oldest]
    cuts = (Cut(CutReason.COUNT_LIMIT, "items", len(shown), len(items), source="memories"),) if gone else ()
    body = listing(facts.texts["memories.heading"], items, facts.texts["memories.rules"])
    return replace(body, cuts=cuts)


def _distinct(memories: Iterable[Memory]) -> list[Memory]:
    found: dict[str, Memory] = {}
    for memory in memories:
        found.setdefault(memory.text.folded(), memory)
    return list(found.values())


def _by_change(memories: list[Memory]) -> list[Memory]:
    dated = [replace(m, created=m.changed or m.created) for m in memories]
    order = {id(d): m for d, m in zip(dated, memories, strict=True)}
    return [order[id(d)] for d in by_creation(dated)]


def _line(memory: Memory) -> Any:
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
            render=render,
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
    return _SESSIONS.of(turn.tenant, turn.session) if turn.session else None


@hookimpl
def promptmw_tools(turn: Turn, profile: Profile) -> Iterable[Tool]:
    """Offers ``save_memory`` where the turn names a session that it can be kept for."""
    if not turn.session:
        return ()
    parameters = {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The fact, in one short sentence."}},
        "required": ["text"],
    }
    description = "Remembers one fact about the user for later turns."
    return (Tool(name=tool_names(profile).save_memory, description=description, parameters=parameters, handler=save),)


def save(turn: Turn, arguments: Mapping[str, Any]) -> ToolResult:
    """Keeps a fact for the rest of the session; only looks in a preview."""
    text = str(arguments.get("text", "")).strip()
    if not text:
        return ToolResult("There is nothing to remember: text is blank.", error=True)
    if not turn.preview:
        _SESSIONS.add(turn.tenant, turn.session, Memory(text))
    return ToolResult("Remembered.")
