"""Orders and limits of lists that grow: what is new comes last, and a cut moves seldom."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from math import ceil
from typing import Protocol, TypeVar

MORE = "- …(truncated)"
"""Stands at the end of a list that is longer than what is printed; the same in every language."""

_FIRST = datetime.min.replace(tzinfo=UTC)


class Created(Protocol):
    """Is anything with a time of creation and an id."""

    @property
    def created(self) -> datetime | None:
        """When it was made, if known."""
        ...

    @property
    def id(self) -> str:
        """Breaks ties."""
        ...


T = TypeVar("T", bound=Created)


def by_creation(items: Iterable[T]) -> list[T]:
    """Returns items by time of creation, those without one first, then by id, then as stated."""
    return by_time(items, lambda item: item.created)


def by_time(items: Iterable[T], when: Callable[[T], datetime | None]) -> list[T]:
    """Returns items by a time of theirs, those without one first, then by id, then as stated."""
    return sorted(items, key=lambda item: (when(item) or _FIRST, item.id))


def dropped_in_steps(count: int, *, most: int, step: int) -> int:
    """Returns how many of ``count`` items go so that at most ``most`` stay: a multiple of ``step``."""
    return max(0, ceil((count - most) / step) * step)
