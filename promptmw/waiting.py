"""Waits for jobs: each on a thread or an event loop, each under its own time limit."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from promptmw.steps import Done, Job, NotAwaited, TimedOut


def wait(jobs: Sequence[Job]) -> list[Done]:
    """Returns what became of jobs that run at the same time, blocking this thread."""
    deadline = time.monotonic()
    threads = [_Thread(job) for job in jobs]
    done = [t.wait(deadline + job.seconds - time.monotonic()) for job, t in zip(jobs, threads, strict=True)]
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
    done = await _Thread(job).ended(job.seconds)
    return await _within(done.value, job.seconds) if inspect.isawaitable(done.value) else done


async def _within(awaitable: Awaitable[Any], seconds: float) -> Done:
    try:
        async with asyncio.timeout(seconds):
            return Done(await awaitable)
    except TimeoutError:
        return _late(seconds)
    except Exception as error:
        return Done(error=error)


class _Thread:
    """Runs a job on a thread of its own, with the caller's context; a daemon, since it may never end.

    A coroutine function only makes its coroutine: it is called in place.
    """

    def __init__(self, job: Job) -> None:
        self._seconds = job.seconds
        self._done: Done | None = None
        self._callbacks: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        if inspect.iscoroutinefunction(getattr(job.run, "func", job.run)):
            self._run(job.run)
        else:
            context = contextvars.copy_context()
            self._thread = threading.Thread(target=self._run, args=(job.run, context), name=job.label, daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> Done:
        """Returns what became of it, after at most that time."""
        if self._thread is not None and self._done is None:
            self._thread.join(max(0.0, seconds))
        return self._done or _late(self._seconds)

    async def ended(self, seconds: float) -> Done:
        """Returns what became of it, without blocking the event loop."""
        event, loop = asyncio.Event(), asyncio.get_running_loop()
        with self._lock:
            if self._done is not None:
                return self._done
            self._callbacks.append(lambda: loop.call_soon_threadsafe(event.set))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
        return self.wait(0.0)

    def _run(self, call: Callable[[], Any], context: contextvars.Context | None = None) -> None:
        try:
            done = Done(context.run(call) if context else call())
        except Exception as error:
            done = Done(error=error)
        with self._lock:
            self._done = done
            for callback in self._callbacks:
                with contextlib.suppress(RuntimeError):  # the loop may be gone by now
                    callback()


def _late(seconds: float) -> Done:
    return Done(error=TimedOut(f"no result within {seconds:g} s"))


def _close(awaitable: Any) -> None:
    if inspect.iscoroutine(awaitable):
        awaitable.close()
    elif isinstance(awaitable, asyncio.Future):
        awaitable.cancel()
