"""Waits for jobs: each on a thread or an event loop, each under its own time limit."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from queue import SimpleQueue
from typing import Any, ClassVar

from promptmw.errors import PluginError
from promptmw.steps import Done, Job, NotAwaited, TimedOut


def wait(jobs: Sequence[Job]) -> list[Done]:
    """Returns what became of jobs that run at the same time, blocking this thread."""
    start = time.monotonic()
    calls = [_Call(job) for job in jobs]
    done = [c.wait(start + job.seconds - time.monotonic()) for job, c in zip(jobs, calls, strict=True)]
    waiting = [i for i, d in enumerate(done) if inspect.isawaitable(d.value)]
    if waiting:
        pending = [(done[i].value, jobs[i].seconds) for i in waiting]
        for i, result in zip(waiting, _await_here(pending), strict=True):
            done[i] = result
    return done


def _await_here(pending: Sequence[tuple[Awaitable[Any], float]]) -> list[Done]:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_gather_pending(pending))
    for awaitable, _ in pending:
        _close(awaitable)
    why = "it returned an awaitable to a sync call inside a running event loop: call the async form"
    return [Done(error=NotAwaited(why))] * len(pending)


async def _gather_pending(pending: Sequence[tuple[Awaitable[Any], float]]) -> list[Done]:
    return list(await asyncio.gather(*(_within(a, seconds) for a, seconds in pending)))


async def gather(jobs: Sequence[Job]) -> list[Done]:
    """Returns what became of jobs that run at the same time, awaiting them."""
    return list(await asyncio.gather(*map(_await, jobs)))


async def _await(job: Job) -> Done:
    done = await _Call(job).ended()
    return await _within(done.value, job.seconds) if inspect.isawaitable(done.value) else done


async def _within(awaitable: Awaitable[Any], seconds: float) -> Done:
    try:
        async with asyncio.timeout(seconds):
            return Done(await awaitable)
    except TimeoutError:
        return _late(seconds)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return _failed(error)  # something inside was cancelled, not this call
    except (Exception, SystemExit) as error:
        return _failed(error)


class _Call:
    """Is a job under way, on a worker of its own, with the caller's context.

    A coroutine function only makes its coroutine: it is called in place.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._done: Done | None = None
        self._ended = threading.Event()
        self._callbacks: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        if inspect.iscoroutinefunction(getattr(job.run, "func", job.run)):
            self.run()
        else:
            context = contextvars.copy_context()
            _Worker.idle().take(lambda: context.run(self.run))

    def wait(self, seconds: float) -> Done:
        """Returns what became of it, after at most that time."""
        self._ended.wait(max(0.0, seconds))
        return self._done or _late(self._job.seconds)

    async def ended(self) -> Done:
        """Returns what became of it, without blocking the event loop."""
        event, loop = asyncio.Event(), asyncio.get_running_loop()
        with self._lock:
            if self._done is not None:
                return self._done
            self._callbacks.append(lambda: loop.call_soon_threadsafe(event.set))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._job.seconds):
                await event.wait()
        return self.wait(0.0)

    def run(self) -> None:
        """Makes the call and tells whoever waits."""
        try:
            done = Done(self._job.run())
        except BaseException as error:  # on a thread of ours nobody else would see it
            done = _failed(error)
        with self._lock:
            self._done = done
            self._ended.set()
            for callback in self._callbacks:
                with contextlib.suppress(RuntimeError):  # the loop may be gone by now
                    callback()


class _Worker:
    """Is a thread that takes one call after the other; a daemon, since a call may never end.

    A worker whose call hangs is not idle any more, so the next call gets another one.
    """

    _idle: ClassVar[deque[_Worker]] = deque(maxlen=16)

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], object]] = SimpleQueue()
        threading.Thread(target=self._work, name="promptmw", daemon=True).start()

    @classmethod
    def idle(cls) -> _Worker:
        """Returns a worker that has nothing to do, a new one if need be."""
        try:
            return cls._idle.pop()
        except IndexError:
            return cls()

    def take(self, call: Callable[[], object]) -> None:
        """Hands over a call."""
        self._calls.put(call)

    def _work(self) -> None:
        while True:
            self._calls.get()()
            if len(self._idle) >= 16:
                return
            self._idle.append(self)


def _failed(error: BaseException) -> Done:
    """Returns a failed job; what is no `Exception` must not get any further than this job."""
    return Done(error=error if isinstance(error, Exception) else PluginError(f"it raised {type(error).__name__}"))


def _late(seconds: float) -> Done:
    return Done(error=TimedOut(f"no result within {seconds:g} s"))


def _close(awaitable: Any) -> None:
    if inspect.iscoroutine(awaitable):
        awaitable.close()
    elif isinstance(awaitable, asyncio.Future):
        awaitable.cancel()
