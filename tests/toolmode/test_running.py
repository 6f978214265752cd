"""Running the calls of one answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from promptmw import ToolFailed, ToolResult
from promptmw.steps import adrive, drive
from promptmw.toolmode.bounds import LoopPolicy
from promptmw.toolmode.events import PastCall, PastResult
from promptmw.toolmode.running import run_calls

CANARY = "/srv/secret"


def calls_of(*names: str) -> list[PastCall]:
    return [PastCall(str(at), name, {}) for at, name in enumerate(names)]


def ran(calls: list[PastCall], tools: dict[str, Callable[[], Any]], **more: Any) -> list[PastResult]:
    policy = more.pop("policy", LoopPolicy())
    allowed = more.pop("allowed", [True] * len(calls))
    return drive(run_calls(calls, lambda call: tools[call.name], policy, allowed=allowed, **more))


def test_results_stand_in_the_order_of_the_calls_whatever_runs_first() -> None:
    """LP10"""
    second = threading.Event()

    def first() -> str:
        second.wait(10)
        return "a"

    def then() -> str:
        second.set()
        return "b"

    found = ran(calls_of("first", "then"), {"first": first, "then": then})
    assert [(r.id, r.text) for r in found] == [("0", "a"), ("1", "b")]


def test_no_more_run_at_the_same_time_than_the_bounds_say() -> None:
    running, most, lock = [0], [0], threading.Lock()
    gate = threading.Barrier(2, timeout=10)

    def tool() -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        gate.wait()
        with lock:
            running[0] -= 1
        return ""

    ran(calls_of(*["tool"] * 6), {"tool": tool}, policy=LoopPolicy(concurrency=2))
    assert most == [2]


def test_what_fails_says_nothing_of_what_is_inside(caplog: Any) -> None:
    """LP10, LP13"""

    def fails() -> str:
        raise OSError(f"no such file: {CANARY}")

    def refuses() -> str:
        raise ToolFailed("Only on Mondays.")

    never = threading.Event()
    tools: dict[str, Callable[[], Any]] = {"fails": fails, "refuses": refuses, "slow": lambda: never.wait(10)}
    found = ran(calls_of("fails", "refuses", "slow"), tools, policy=LoopPolicy(timeout_by_tool={"slow": 0.01}))
    never.set()
    assert [r.text for r in found] == ["The tool failed.", "Only on Mondays.", "The tool timed out after 0.01 s."]
    assert all(r.error for r in found)
    assert CANARY not in caplog.text


def test_calls_beyond_a_budget_are_not_run() -> None:
    """LP6"""
    seen: list[str] = []
    tool = partial(seen.append, "ran")
    found = ran(calls_of("tool", "tool"), {"tool": tool}, allowed=[True, False])
    assert seen == ["ran"]
    assert found[1] == PastResult("1", "The budget for tool is used up in this turn.", error=True)


def test_equal_calls_share_a_result_where_that_changes_nothing() -> None:
    """LP4"""
    for shares, times in ((True, 1), (False, 2)):
        seen: list[int] = []

        def tool(seen: list[int] = seen) -> str:
            seen.append(1)
            return "same"

        found = ran(calls_of("tool", "tool"), {"tool": tool}, shares=lambda call, shares=shares: shares)
        assert (len(seen), [(r.id, r.text) for r in found]) == (times, [("0", "same"), ("1", "same")])


def test_results_of_any_kind_become_text() -> None:
    tools: dict[str, Callable[[], Any]] = {
        "text": lambda: "text",
        "data": lambda: {"degrees": [21]},
        "nothing": lambda: None,
        "own": lambda: ToolResult("no", error=True),
    }
    found = ran(calls_of(*tools), tools)
    assert [(r.text, r.error) for r in found] == [
        ("text", False),
        ('{"degrees": [21]}', False),
        ("null", False),
        ("no", True),
    ]


async def test_async_functions_are_awaited() -> None:
    async def tool() -> str:
        await asyncio.sleep(0)
        return "awaited"

    steps = run_calls(calls_of("tool"), lambda call: tool, LoopPolicy(), allowed=[True])
    assert [r.text for r in await adrive(steps)] == ["awaited"]
