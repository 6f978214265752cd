"""Keeps memories while the process lives, for each tenant and session apart."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Any


class SessionMemory:
    """Is a bounded store in memory: the sessions used last, and the newest entries of each.

    Args:
        sessions: How many sessions are kept.
        entries: How many entries of each.
    """

    def __init__(self, *, sessions: int = 1_000, entries: int = 50) -> None:
        self._most = sessions
        self._entries = entries
        self._kept: OrderedDict[tuple[str, str], deque[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, tenant: str, session: str, entry: object) -> None:
        """Keeps an entry, unless the same one is there already."""
        with self._lock:
            kept = self._kept.setdefault((tenant, session), deque(maxlen=self._entries))
            self._kept.move_to_end((tenant, session))
            if entry not in kept:
                kept.append(entry)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def of(self, tenant: str, session: str) -> tuple[Any, ...]:
        """Returns what is kept for a session, oldest first."""
        with self._lock:
            return tuple(self._kept.get((tenant, session), ()))
