"""A bounded memory of what was used lately."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Remembers what weighs at most ``size``, what was not used for longest going first.

    Two generations of plain dicts: a hit costs one look-up and takes no lock, and a race between threads can only
    forget an entry early.

    Args:
        size: The weight of all that is kept.
        weigh: Returns the weight of a value; by default each weighs one.
    """

    __slots__ = ("_half", "_new", "_old", "_weigh", "_weight")

    def __init__(self, size: int, *, weigh: Callable[[V], int] | None = None) -> None:
        self._half = max(1, size // 2)
        self._weigh = weigh
        self._weight = 0
        self._new: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """Returns what is remembered under a key, or None."""
        found = self._new.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: K, value: V) -> None:
        """Remembers a value."""
        if self._weight >= self._half:
            self._old, self._new, self._weight = self._new, {}, 0
        self._weight += 1 if self._weigh is None else self._weigh(value)
        self._new[key] = value

    def __len__(self) -> int:
        return len(self._new.keys() | self._old.keys())
