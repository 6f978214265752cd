"""What plugins collect for a turn, and that none of them holds it up."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import sys
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from own_plugins import alone, offering, plugin, section

from promptmw import ChatFormat, Conversation, HistoryEdit, Pipeline, Prompt, Question, Turn, input_type, instant
from promptmw.collecting import MOST_STUCK

SECRET = "words-of-the-user"
SOON = 0.05


@input_type("findings", many=True)
@dataclass(frozen=True)
class Finding:
    text: str


@input_type("place")
@dataclass(frozen=True)
class Place:
    name: str


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Is what a hanging plugin waits for; set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def collecting(*, seconds: float = 20.0, **collectors: Callable[..., object]) -> Pipeline:
    """Returns a pipeline with a plugin for each collector, and a section that shows what was found."""
    plugins = [plugin(name, collect=function) for name, function in collectors.items()]
    return alone(offering("shown", section("shown", _shown, reads=(Finding,))), *plugins, collect_seconds=seconds)


def _shown(facts: Any) -> str:
    return " ".join(f.text for f in facts.all(Finding))


def said(prompt: Prompt) -> list[str]:
    return [str(p) for p in prompt.problems]


async def in_both_ways(make: Callable[[], Pipeline], turn: Turn | None = None) -> list[Prompt]:
    """Returns what two fresh pipelines make of a turn: one awaited, one called from a thread without an event loop."""
    plain = make()
    return [await make().aassemble(turn), await asyncio.to_thread(plain.assemble, turn)]


def _found(*texts: str) -> Callable[[], list[Finding]]:
    return lambda: [Finding(t) for t in texts]


async def _later() -> list[Finding]:
    await asyncio.sleep(0)
    return [Finding("later")]


def _generated() -> Iterator[Finding]:
    yield Finding("one")
    yield Finding("two")


@pytest.mark.parametrize(
    ("collect", "text"),
    [
        (_found("a", "b"), "a b\n"),
        (_later, "later\n"),
        (lambda: _later(), "later\n"),
        (_generated, "one two\n"),
        (instant(_found("at hand")), "at hand\n"),
        (lambda: None, ""),
        (lambda: (), ""),
    ],
    ids=["plain", "coroutine", "awaitable", "generator", "instant", "nothing", "empty"],
)
async def test_what_is_collected_reaches_the_sections(collect: Callable[..., object], text: str) -> None:
    for prompt in await in_both_ways(lambda: collecting(search=collect)):
        assert (prompt.system, prompt.problems) == (text, ())


async def test_results_stand_behind_the_application_s_own_in_order_of_plugin_name() -> None:
    def make() -> Pipeline:
        return collecting(zebra=_found("z"), bear=_later, ant=_found("a1", "a2"))

    for prompt in await in_both_ways(make, Turn(Finding("own"))):
        assert prompt.system == "own a1 a2 later z\n"


def _raise(error: BaseException) -> Callable[[], object]:
    def collect() -> object:
        raise error

    return collect


def _araise(error: BaseException) -> Callable[[], object]:
    async def collect() -> object:
        raise error

    return collect


def _half_way() -> Iterator[Finding]:
    yield Finding("one")
    raise RuntimeError(SECRET)


async def _forever() -> object:
    await asyncio.Event().wait()
    return ()


LATE = "collect took too long: broken (application): no result within 0.05 s"
FAILED = "collect failed: broken (application): "
FAILING: dict[str, tuple[Callable[[], object], str]] = {
    "raises": (_raise(ValueError(SECRET)), FAILED + "ValueError"),
    "raises awaited": (_araise(ValueError(SECRET)), FAILED + "ValueError"),
    "instant": (instant(_raise(ValueError(SECRET))), FAILED + "ValueError"),
    "half way": (_half_way, FAILED + "RuntimeError"),
    "leaves": (_raise(SystemExit(SECRET)), FAILED + "it raised SystemExit"),
    "leaves awaited": (_araise(SystemExit(SECRET)), FAILED + "it raised SystemExit"),
    "cancelled": (_raise(asyncio.CancelledError(SECRET)), FAILED + "it raised CancelledError"),
    "cancelled inside": (_araise(asyncio.CancelledError(SECRET)), FAILED + "it raised CancelledError"),
    "for ever": (_forever, LATE),
    "number": (lambda: 5, FAILED + "TypeError"),
    "no input": (lambda: [SECRET], FAILED + "str is no input: declare it with @input_type(name) over a frozen"),
    "a class": (lambda: [Finding], FAILED + "type is no input"),
    "twice": (lambda: [Place("a"), Place("b")], FAILED + "input 'place' is stated 2 times; it stands once"),
}


@pytest.mark.parametrize("way", FAILING)
async def test_a_collector_that_fails_loses_only_itself(way: str, caplog: pytest.LogCaptureFixture) -> None:
    collect, expected = FAILING[way]
    limit = SOON if expected == LATE else 20.0
    with caplog.at_level(logging.INFO, "promptmw"):
        prompts = await in_both_ways(lambda: collecting(seconds=limit, another=instant(_found("kept")), broken=collect))
    for prompt in prompts:
        assert prompt.system == "kept\n"
        (told,) = said(prompt)
        assert told.startswith(expected)
    assert [r.__dict__["subject"] for r in caplog.records] == ["broken", "broken"]
    assert [r.__dict__["distribution"] for r in caplog.records] == ["application", "application"]
    assert SECRET not in str([r.__dict__ for r in caplog.records])


async def test_a_collector_cannot_state_what_the_application_has_stated() -> None:
    for prompt in await in_both_ways(lambda: collecting(broken=lambda: [Place("Oslo")]), Turn(Place("Rome"))):
        assert prompt.turn.all(Place) == (Place("Rome"),)
        assert said(prompt) == [FAILED + "input 'place' is stated 2 times; it stands once"]


async def test_a_collector_that_blocks_is_left_behind_in_either_way(released: threading.Event) -> None:
    def make() -> Pipeline:
        return collecting(seconds=SOON, another=instant(_found("kept")), broken=lambda: released.wait())

    for prompt in await in_both_ways(make):
        assert (prompt.system, said(prompt)) == ("kept\n", [LATE])


def test_a_generator_is_under_the_time_limit_too(released: threading.Event) -> None:
    def collect() -> Iterator[Finding]:
        released.wait()
        yield Finding("too late")

    assert said(collecting(seconds=SOON, broken=collect).assemble()) == [LATE]


async def test_cancelling_the_call_itself_cancels_it() -> None:
    begun = asyncio.Event()

    async def collect() -> object:
        begun.set()
        return await _forever()

    made = alone(plugin("slow", collect=collect))
    task = asyncio.create_task(made.aassemble())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_collector_that_hangs_too_often_is_left_alone_until_it_comes_back() -> None:
    gate, calls = threading.Event(), threading.Semaphore(0)
    states: list[int] = []

    def collect() -> object:
        states.append(1)
        gate.wait()
        calls.release()
        return ()

    made = collecting(seconds=SOON, broken=collect)
    for _ in range(MOST_STUCK):
        assert said(made.assemble()) == [LATE]
    (told,) = said(made.assemble())
    assert told == (
        "collect skipped: broken (application): 4 earlier calls have not come back: not called until they do"
    )
    assert len(states) == MOST_STUCK
    gate.set()
    for _ in range(MOST_STUCK):
        assert calls.acquire(timeout=10)
    _until(lambda: not any(made._collectors._stuck.values()))
    made.assemble()
    assert len(states) == MOST_STUCK + 1


def _until(true: Callable[[], bool]) -> None:
    """Waits, at most some seconds, for what another thread is just about to do."""
    gate = threading.Event()
    for _ in range(1000):
        if true():
            return
        gate.wait(0.01)
    raise AssertionError("it did not happen")


WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


async def test_collectors_see_the_caller_s_context() -> None:
    async def awaited() -> list[Finding]:
        return [Finding(f"awaited {WHO.get()}")]

    WHO.set("me")
    for prompt in await in_both_ways(lambda: collecting(a=lambda: [Finding(f"plain {WHO.get()}")], b=awaited)):
        assert prompt.system == "plain me awaited me\n"


async def test_what_awaits_is_closed_where_a_sync_call_cannot_await_it() -> None:
    """CM19."""
    future = asyncio.get_running_loop().create_future()

    def pending() -> Awaitable[object]:
        return future

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prompt = collecting(another=_found("kept"), broken=lambda: _later(), future=pending).assemble()
    assert prompt.system == "kept\n"
    assert said(prompt) == [
        f"collect skipped: {name} (application): it returned an awaitable to a sync call inside a running event loop: "
        "call the async form"
        for name in ("broken", "future")
    ]
    assert future.cancelled()


def test_collectors_run_at_the_same_time() -> None:
    barrier = threading.Barrier(3, timeout=10)

    def collect() -> object:
        barrier.wait()
        return ()

    made = alone(*(plugin(n, collect=collect) for n in "abc"), collect_seconds=20)
    assert made.assemble().problems == ()


async def test_awaited_collectors_run_at_the_same_time() -> None:
    barrier = asyncio.Barrier(3)

    async def collect() -> object:
        await barrier.wait()
        return ()

    made = alone(*(plugin(n, collect=collect) for n in "abc"), collect_seconds=20)
    assert (await made.aassemble()).problems == ()


def test_collectors_get_the_question_and_nothing_that_was_laid_in() -> None:
    seen: list[Any] = []
    made = alone(plugin("own", collect=lambda turn: seen.append(turn.get(Question))))
    made.assemble(Turn(), Conversation([{"role": "user", "content": "Why?"}], ChatFormat()))
    made.assemble()
    assert [q.text.reveal() for q in seen] == ["Why?", ""]


MESSAGES = [{"role": "user", "content": "old"}, {"role": "user", "content": "new"}]


async def _alate(messages: Any) -> object:
    return await _forever()


@pytest.mark.parametrize(
    ("edit", "detail"),
    [
        (lambda messages: HistoryEdit(keep_from=-1), "keep_from -1 is outside the 2 messages"),
        (lambda messages: HistoryEdit(keep_from="1"), "keep_from '1' is outside the 2 messages"),  # type: ignore[arg-type]
        (lambda messages: HistoryEdit(inputs=(SECRET,)), "str is no input"),
        (lambda messages: HistoryEdit(inputs=5), "TypeError"),  # type: ignore[arg-type]
        (lambda messages: HistoryEdit(inputs=(Place("Oslo"),)), "input 'place' is stated 2 times"),
        (lambda messages: sys.exit(1), "it raised SystemExit"),
        (_alate, "no result within 0.05 s"),
    ],
)
async def test_an_edit_of_the_history_that_cannot_be_used_is_reported(edit: Any, detail: str) -> None:
    conversation = Conversation(MESSAGES, ChatFormat())
    limit = SOON if edit is _alate else 20.0
    made = alone(plugin("own", history=lambda messages: edit(messages)), history_seconds=limit)
    turn = Turn(Place("Rome"))
    plain = await asyncio.to_thread(made.assemble, turn, conversation)
    for prompt in (await made.aassemble(turn, conversation), plain):
        assert prompt.edit == HistoryEdit()
        (told,) = said(prompt)
        assert told.startswith(f"history hook failed: own (application): {detail}")


def test_the_first_plugin_that_edits_the_history_decides() -> None:
    asked: list[str] = []

    def edits(name: str, edit: HistoryEdit | None) -> object:
        def history(messages: Any) -> HistoryEdit | None:
            asked.append(name)
            return edit

        return plugin(name, history=history)

    made = alone(edits("c", HistoryEdit(keep_from=2)), edits("a", None), edits("b", HistoryEdit(keep_from=1)))
    prompt = made.assemble(Turn(), Conversation(MESSAGES, ChatFormat()))
    assert (prompt.edit.keep_from, asked) == (1, ["a", "b"])
