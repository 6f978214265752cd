"""One source for sync and async: work that yields what has to be waited for, and the two ways of driving it.

A step is a generator. It yields lists of `Job`; it is sent back their `Done`, in the same order; it returns its result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")


class TimedOut(Exception):
    """Says that a job did not end within its time limit."""


class NotAwaited(Exception):
    """Says that an awaitable could not be awaited from here."""


@dataclass(frozen=True, slots=True)
class Job:
    """Is a call of somebody else's function that may block, return an awaitable, raise, or never return.

    Attributes:
        run: The call.
        seconds: Its time limit.
    """

    run: Callable[[], Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """Is what became of a job: a value, or an error."""

    value: Any = None
    error: Exception | None = None


Steps = Generator[Sequence[Job], Sequence[Done], T]


def drive(steps: Steps[T]) -> T:
    """Runs steps to their end, waiting in this thread.

    Awaitables are awaited on an event loop of their own. Inside a running loop that cannot be: they are closed, and
    their job fails with `NotAwaited`.
    """
    try:
        jobs = next(steps)
        while True:
            jobs = steps.send(_waiting().wait(jobs))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def adrive(steps: Steps[T]) -> T:
    """Runs steps to their end, awaiting."""
    try:
        jobs = next(steps)
        while True:
            jobs = steps.send(await _waiting().gather(jobs))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _waiting() -> ModuleType:
    """Returns the module that waits; it loads asyncio, which a turn without collectors never needs."""
    from promptmw import waiting

    return waiting
