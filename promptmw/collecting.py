"""Asks plugins for more inputs, and for an edit of the history, without letting any of them hold up the turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from promptmw.history import HistoryEdit
from promptmw.inputs import declared
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

    def __bool__(self) -> bool:
        return bool(self._callables)

    def steps(self, turn: Turn) -> Steps[tuple[tuple[object, ...], list[Problem]]]:
        """Yields the jobs, and returns the inputs collected and what went wrong."""
        asked = [(info, impl) for info, impl in self._callables if self._stuck[info.name] < MOST_STUCK]
        problems = [_stuck(info) for info, _ in self._callables if self._stuck[info.name] >= MOST_STUCK]
        calls = [_Call(partial(impl.function, *_arguments(impl.argnames, turn))) for _, impl in asked]
        jobs = [
            Job(call.run if call.blocks else call.function, self._seconds)
            for call, (info, _) in zip(calls, asked, strict=True)
        ]
        done: Sequence[Done] = (yield jobs) if jobs else ()
        inputs: list[object] = []
        for call, (info, _), result in zip(calls, asked, done, strict=True):
            if isinstance(result.error, TimedOut) and call.blocks and not call.ended:
                self._mark_stuck(info, call)
            found, problem = _checked(info, result)
            inputs += found
            problems += [problem] if problem else []
        return tuple(inputs), problems

    def _mark_stuck(self, info: PluginInfo, call: _Call) -> None:
        self._stuck[info.name] += 1
        call.when_ended = lambda: self._stuck.subtract([info.name])


class _Call:
    """Is one call of a collector; it knows whether it has come back."""

    def __init__(self, function: partial[Any]) -> None:
        import inspect

        self.function = function
        self.blocks = not inspect.iscoroutinefunction(function.func)
        self.ended = False
        self.when_ended: Callable[[], object] = lambda: None

    def run(self) -> Any:
        """Calls it, and says so when it comes back."""
        try:
            return self.function()
        finally:
            self.ended = True
            self.when_ended()


def history_steps(
    plugins: Plugins, turn: Turn, messages: Sequence[Any], seconds: float
) -> Steps[tuple[HistoryEdit, list[Problem]]]:
    """Yields a job for each plugin until one edits the history; returns the edit and what went wrong."""
    problems: list[Problem] = []
    for info, impl in plugins.callables("promptmw_history"):
        arguments = [{"turn": turn, "messages": messages}[name] for name in impl.argnames]
        (done,) = yield [Job(partial(impl.function, *arguments), seconds)]
        error = done.error or _not_an_edit(done.value, len(messages))
        if error is not None:
            problems.append(Problem(Kind.HISTORY_FAILED, info.name, info.owner, _told(error)))
        elif done.value is not None:
            return done.value, problems
    return HistoryEdit(), problems


def _arguments(names: Iterable[str], turn: Turn) -> list[object]:
    return [{"turn": turn}[name] for name in names]


def _checked(info: PluginInfo, done: Done) -> tuple[tuple[object, ...], Problem | None]:
    """Returns the inputs of one collector, or the problem with them."""
    if done.error is None:
        try:
            found = tuple(done.value or ())
            for value in found:
                declared(value)
            return found, None
        except (TypeError, ValueError) as error:
            done = Done(error=error)
    assert done.error is not None  # both ways lead here with one
    kind = Kind.COLLECT_TIMEOUT if isinstance(done.error, TimedOut) else Kind.COLLECT_FAILED
    kind = Kind.COLLECT_SKIPPED if isinstance(done.error, NotAwaited) else kind
    return (), Problem(kind, info.name, info.owner, _told(done.error))


def _stuck(info: PluginInfo) -> Problem:
    detail = f"{MOST_STUCK} earlier calls have not come back: not called until they do"
    return Problem(Kind.COLLECT_SKIPPED, info.name, info.owner, detail)


def _not_an_edit(value: object, messages: int) -> Exception | None:
    if value is not None and not isinstance(value, HistoryEdit):
        return TypeError(f"it returned {type(value).__name__}, not HistoryEdit")
    if value is not None and not 0 <= value.keep_from <= messages:
        return ValueError(f"keep_from {value.keep_from} is outside the {messages} messages")
    return None


def _told(error: Exception) -> str:
    """Returns what may be said of an error: of our own ones the text, of others the type, as it may hold content."""
    ours = isinstance(error, TimedOut | NotAwaited) or type(error).__module__.startswith("promptmw")
    return str(error) if ours else type(error).__name__
