"""Keeps what the model was asked to remember while the process lives, for each tenant and session apart."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypeVar

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Remembered:
    """Is one text that was kept.

    Attributes:
        text: As it was said.
        created: When it was kept; aware.
    """

    text: str
    created: datetime


class MemoryStore(Protocol):
    """Keeps texts for sessions. Safe for use by several threads."""

    def add(self, tenant: str, session: str, text: str) -> bool:
        """Keeps a text; says whether it is new there."""
        ...

    def of(self, tenant: str, session: str) -> tuple[Remembered, ...]:
        """Returns what is kept for a session, oldest first."""
        ...


def _now() -> datetime:
    return datetime.now(UTC)


class SessionMemory:
    """Is a bounded `MemoryStore` in memory: the sessions used last, and the newest texts of each.

    Args:
        sessions: How many sessions are kept.
        texts: How many texts of each.
        clock: Gives the time; aware.
    """

    def __init__(self, *, sessions: int = 1_000, texts: int = 50, clock: Callable[[], datetime] = _now) -> None:
        self._sessions = sessions
        self._texts = texts
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], OrderedDict[str, Remembered]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, tenant: str, session: str, text: str) -> bool:
        """Keeps a text, unless it is there already but for case and spaces; says whether it is new."""
        key = " ".join(text.casefold().split())
        with self._lock:
            kept = self._kept.setdefault((tenant, session), OrderedDict())
            self._kept.move_to_end((tenant, session))
            if key in kept:
                return False
            kept[key] = Remembered(text, self._clock())
            _bound(kept, self._texts)
            _bound(self._kept, self._sessions)
            return True

    def of(self, tenant: str, session: str) -> tuple[Remembered, ...]:
        """Returns what is kept for a session, oldest first."""
        with self._lock:
            return tuple(self._kept.get((tenant, session), {}).values())


def _bound(kept: OrderedDict[K, V], most: int) -> None:
    """Drops the oldest entry when there are too many."""
    if len(kept) > most:
        kept.popitem(last=False)
