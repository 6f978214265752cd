"""Runs the calls of one answer: several at a time, each under its own time limit, results in the order of the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from promptmw.errors import ToolFailed
from promptmw.logs import warn
from promptmw.steps import Done, Job, Steps, TimedOut
from promptmw.toolmode.arguments import json_text
from promptmw.toolmode.bounds import LoopPolicy
from promptmw.toolmode.events import PastCall, PastResult
from promptmw.toolmode.results import MOST
from promptmw.toolmode.wording import over_budget
from promptmw.tools import ToolResult

Runner = Callable[[PastCall], Callable[[], Any]]
"""Returns what runs a call; what that returns may have to be awaited."""

FAILED = "The tool failed."


def run_calls(
    calls: Sequence[PastCall],
    runner: Runner,
    policy: LoopPolicy,
    *,
    allowed: Sequence[bool],
    shares: Callable[[PastCall], bool] = lambda call: False,
) -> Steps[list[PastResult]]:
    """Returns the results of some calls.

    Args:
        calls: Of one answer, in order.
        runner: Runs one.
        policy: The bounds.
        allowed: Which of them are within their budgets; the others are not run.
        shares: Says whether equal calls of a tool may share one result, as it changes nothing.
    """
    first = {at: _first(calls, at, shares) for at in range(len(calls))}
    to_run = [at for at in first if allowed[at] and first[at] == at]
    found: dict[int, PastResult] = {}
    for start in range(0, len(to_run), policy.concurrency):
        batch = to_run[start : start + policy.concurrency]
        jobs = [Job(runner(calls[at]), policy.seconds(calls[at].name)) for at in batch]
        for at, job, done in zip(batch, jobs, (yield jobs), strict=True):
            found[at] = result_of(calls[at], done, job.seconds)
    return list(_in_order(calls, first, found))


def result_of(call: PastCall, done: Done, seconds: float) -> PastResult:
    """Returns what a model is told of a run; of what went wrong inside nothing but that it did.

    Args:
        call: That was run.
        done: What became of it.
        seconds: Its time limit.
    """
    if done.error is not None:
        return PastResult(call.id, error_text(call.name, done.error, seconds), error=True)
    value = done.value
    if isinstance(value, ToolResult):
        return PastResult(call.id, str(value.text)[:MOST], value.error)
    return PastResult(call.id, value if isinstance(value, str) else json_text(value, openers=()))


def error_text(name: str, error: Exception, seconds: float) -> str:
    """Returns what a model is told of an error, which goes to the log by its type only.

    Args:
        name: Of the tool.
        error: That it raised.
        seconds: Its time limit.
    """
    if isinstance(error, ToolFailed):  # meant for the model
        return str(error)[:MOST]
    if isinstance(error, TimedOut):
        return f"The tool timed out after {seconds:g} s."
    warn("tool failed", tool=name, error=type(error).__name__)
    return FAILED


def _first(calls: Sequence[PastCall], at: int, shares: Callable[[PastCall], bool]) -> int:
    """Returns which call gives a call its result: the first that is equal, where they may share one."""
    if not shares(calls[at]):
        return at
    same = (i for i in range(at) if (calls[i].name, calls[i].arguments) == (calls[at].name, calls[at].arguments))
    return next(same, at)


def _in_order(calls: Sequence[PastCall], first: dict[int, int], found: dict[int, PastResult]) -> Iterator[PastResult]:
    for at, call in enumerate(calls):
        result = found.get(first[at])
        if result is None:
            yield PastResult(call.id, over_budget(call.name), error=True)
        else:
            yield PastResult(call.id, result.text, result.error, result.parts)
