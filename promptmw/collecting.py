"""Asks plugins for more inputs, and for an edit of the history, without letting any of them hold up the turn."""

from __future__ import annotations

import inspect
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pluggy import HookImpl

from promptmw.errors import InputError, PromptmwError
from promptmw.history import HistoryEdit
from promptmw.loading import PluginInfo, Plugins
from promptmw.prompts import Kind, Problem
from promptmw.steps import Done, Job, NotAwaited, Steps, TimedOut
from promptmw.turn import Turn

MOST_STUCK = 4
"""Calls of one plugin that may hang before it is not called any more."""


class Collectors:
    """Calls ``promptmw_collect`` of all plugins at the same time.

    Args:
        plugins: Who may implement it.
        seconds: Time limit of each.
    """

    def __init__(self, plugins: Plugins, seconds: float) -> None:
        self._callables = plugins.callables("promptmw_collect")
        self._seconds = seconds
        self._stuck: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._callables)

    def steps(self, turn: Turn) -> Steps[tuple[tuple[object, ...], list[Problem]]]:
        """Yields the jobs, and returns the inputs collected and what went wrong."""
        calls = [_Call(info, impl, turn) for info, impl in self._callables if self._stuck[info.name] < MOST_STUCK]
        problems = [_stuck(info) for info, _ in self._callables if self._stuck[info.name] >= MOST_STUCK]
        waiting = [call for call in calls if not call.instant]
        if waiting:
            done = yield [call.job(self._seconds) for call in waiting]
            for call, result in zip(waiting, done, strict=True):
                call.done = result
                self._watch(call)
        known = turn
        for call in calls:
            try:
                known = known.adding(*_collected(call.done or call.called()))
            except Exception as error:
                problems.append(_problem(call.plugin, error))
        return known.inputs[len(turn.inputs) :], problems

    def _watch(self, call: _Call) -> None:
        """Counts a call that hangs, until it comes back."""
        if call.done and isinstance(call.done.error, TimedOut) and call.blocks:
            self._count(call.plugin.name, 1)
            call.when_ended(lambda: self._count(call.plugin.name, -1))

    def _count(self, plugin: str, change: int) -> None:
        with self._lock:  # calls come back on threads of their own
            self._stuck[plugin] += change


class _Call:
    """Is one call of a collector; it knows whether it has come back."""

    def __init__(self, plugin: PluginInfo, implementation: HookImpl, turn: Turn) -> None:
        self.plugin = plugin
        self.done: Done | None = None
        self.instant = getattr(implementation.function, "promptmw_instant", False)
        self.blocks = not inspect.iscoroutinefunction(implementation.function)
        self._function = partial(implementation.function, *([turn] if implementation.argnames else []))
        self._ended = False
        self._told: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    def job(self, seconds: float) -> Job:
        """Returns the call as a job."""
        return Job(self._run if self.blocks else self._function, seconds)

    def called(self) -> Done:
        """Calls it in place."""
        try:
            return Done(self._function())
        except Exception as error:
            return Done(error=error)

    def when_ended(self, tell: Callable[[], object]) -> None:
        """Calls ``tell`` when the call comes back, or now if it has."""
        with self._lock:
            if not self._ended:
                self._told.append(tell)
                return
        tell()

    def _run(self) -> Any:
        """Calls it, a generator to its end: all of that is under the time limit."""
        try:
            found: Any = self._function()
            return found if found is None or inspect.isawaitable(found) else tuple(found)
        finally:
            with self._lock:
                self._ended = True
            for tell in self._told:
                tell()


def history_steps(
    plugins: Plugins, turn: Turn, messages: Sequence[Any], seconds: float
) -> Steps[tuple[HistoryEdit, list[Problem]]]:
    """Yields a job for each plugin until one edits the history; returns the edit and what went wrong."""
    problems: list[Problem] = []
    for info, impl in plugins.callables("promptmw_history"):
        arguments = [{"turn": turn, "messages": messages}[name] for name in impl.argnames]
        (done,) = yield [Job(partial(impl.function, *arguments), seconds)]
        error = done.error or _not_an_edit(done.value, turn, len(messages))
        if error is not None:
            problems.append(Problem(Kind.HISTORY_FAILED, info.name, info.owner, _told(error)))
        elif done.value is not None:
            return done.value, problems
    return HistoryEdit(), problems


def _collected(done: Done) -> tuple[object, ...]:
    """Returns the inputs of one collector.

    Raises:
        Exception: Whatever went wrong with it.
    """
    if done.error is not None:
        raise done.error
    return tuple(done.value or ())


def _problem(info: PluginInfo, error: Exception) -> Problem:
    kind = Kind.COLLECT_TIMEOUT if isinstance(error, TimedOut) else Kind.COLLECT_FAILED
    kind = Kind.COLLECT_SKIPPED if isinstance(error, NotAwaited) else kind
    return Problem(kind, info.name, info.owner, _told(error))


def _stuck(info: PluginInfo) -> Problem:
    detail = f"{MOST_STUCK} earlier calls have not come back: not called until they do"
    return Problem(Kind.COLLECT_SKIPPED, info.name, info.owner, detail)


def _not_an_edit(value: object, turn: Turn, messages: int) -> Exception | None:
    if value is None:
        return None
    if not isinstance(value, HistoryEdit):
        return InputError(f"it returned {type(value).__name__}, not HistoryEdit")
    if not isinstance(value.keep_from, int) or not 0 <= value.keep_from <= messages:
        return InputError(f"keep_from {value.keep_from!r} is outside the {messages} messages")
    try:
        turn.adding(*value.inputs)
    except Exception as error:
        return error
    return None


def _told(error: Exception) -> str:
    """Returns what may be said of an error: of our own ones the text, of others the type, as it may hold content."""
    ours = isinstance(error, TimedOut | NotAwaited | PromptmwError)
    return str(error) if ours else type(error).__name__
