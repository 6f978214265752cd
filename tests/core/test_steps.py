"""Work that waits for others: one source, two ways of driving it, the same results."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from promptmw import waiting
from promptmw.steps import Done, Job, Steps, TimedOut, adrive, drive


async def _two() -> int:
    return 2


def _fail() -> int:
    raise KeyError("x")


def adding(*runs: Callable[[], Any]) -> Steps[list[Any]]:
    """Runs jobs one after the other, and returns what became of each."""
    results: list[Any] = []
    for run in runs:
        (done,) = yield [Job(run, 5.0)]
        results.append(done.value if done.error is None else type(done.error))
    return results


def nested() -> Steps[list[Any]]:
    first = yield from adding(lambda: 1)
    second = yield from adding(_two, _fail)
    return [*first, *second]


async def test_both_ways_of_driving_give_the_same() -> None:
    assert await adrive(nested()) == await asyncio.to_thread(drive, nested()) == [1, 2, KeyError]


def _nothing() -> Steps[str]:
    return "done"
    yield ()  # makes this a generator


async def test_steps_that_wait_for_nothing_end_at_once() -> None:
    assert drive(_nothing()) == await adrive(_nothing()) == "done"


async def test_an_error_of_the_steps_themselves_is_raised() -> None:
    def failing() -> Steps[None]:
        yield [Job(_fail, 5.0)]
        raise LookupError

    with pytest.raises(LookupError):
        drive(failing())
    with pytest.raises(LookupError):
        await adrive(failing())


async def test_results_stand_in_the_order_of_their_jobs() -> None:
    gate = threading.Event()

    def slow() -> int:
        assert gate.wait(10)
        return 1

    jobs = [Job(slow, 20.0), Job(lambda: gate.set() or 2, 20.0), Job(_two, 20.0)]
    assert [d.value for d in await waiting.gather(jobs)] == [1, 2, 2]
    gate.clear()
    assert [d.value for d in await asyncio.to_thread(waiting.wait, jobs)] == [1, 2, 2]


async def test_each_job_has_its_own_time_limit() -> None:
    release = threading.Event()
    jobs = [Job(release.wait, 0.02), Job(lambda: "in time", 20.0)]
    for done in (await waiting.gather(jobs), waiting.wait(jobs)):
        assert isinstance(done[0].error, TimedOut)
        assert done[1] == Done("in time")
    release.set()


def test_a_plain_job_runs_on_a_thread_that_is_used_again() -> None:
    names = {waiting.wait([Job(threading.current_thread, 5.0)])[0].value for _ in range(3)}
    assert threading.current_thread() not in names
    assert all(t.daemon and t.name == "promptmw" for t in names)


def test_an_async_job_in_a_sync_call_leaves_no_event_loop_behind() -> None:
    assert waiting.wait([Job(_two, 5.0)]) == [Done(2)]
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()
