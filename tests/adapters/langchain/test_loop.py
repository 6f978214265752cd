"""The loop of an agent: bounds, last rounds, tools that fail; natively and as text."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver

from promptmw import Pipeline, ToolLoopExhausted
from promptmw_langchain import PromptMiddleware

from .conftest import NOW
from .scripted import Scripted, Streaming, calling
from .test_agents import systems

QUESTION = {"messages": [HumanMessage("How is it in Oslo?")]}
CALL = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
CANARY = "/srv/secret/token-1234"


@tool
def look() -> str:
    """Looks."""
    return "nothing"


@tool
def failing() -> str:
    """Fails."""
    raise RuntimeError(f"no such file: {CANARY}")


@tool
def refusing() -> str:
    """Refuses."""
    raise ToolException("Only on Mondays.")


@tool
async def slow() -> str:
    """Takes its time."""
    await asyncio.Event().wait()
    return "never"


def agent_of(model: Any, tools: Any, nova: Any, mode: str = "native", **loop: Any) -> Any:
    pipeline = Pipeline("chat", settings={"tool_loop": loop}, clock=lambda: NOW)
    return create_agent(model, tools, middleware=[PromptMiddleware(pipeline, turn=nova, tool_mode=mode)])


def results_of(found: Any) -> list[tuple[str, str]]:
    return [(m.text, m.status) for m in found["messages"] if m.type == "tool"]


def test_the_same_again_and_again_ends_in_words(nova):
    """LP1, LP9: as text; the system text stays as it is, and the note stands in the last user message."""
    model = Streaming(answers=[*[AIMessage(CALL)] * 3, AIMessage("I saw nothing.")])
    found = agent_of(model, [look], nova, "prompt").invoke(QUESTION)
    assert found["messages"][-1].text.strip() == "I saw nothing."
    assert len(model.asked) == 4
    assert len(set(systems(model))) == 1
    note = "Do not call a tool in this message. The last calls brought nothing new. Answer with what you have"
    assert [note in str(asked[1].content) for asked in model.asked] == [False, False, False, True]
    assert model.options[-1] == {"stop": ["<tool_call>"]}


def test_a_native_loop_ends_by_the_choice_of_no_tool(nova):
    model = Scripted(answers=[*(calling("look", id=f"call_{i}") for i in range(3)), AIMessage("I saw nothing.")])
    found = agent_of(model, [look], nova).invoke(QUESTION)
    assert found["messages"][-1].text == "I saw nothing."
    assert [o.get("tool_choice") for o in model.options] == [None, None, None, "none"]
    assert "The last calls brought nothing new." in model.asked[-1][1].text


def test_the_last_round_that_gives_no_text_is_an_error(nova):
    """LP8"""
    model = Streaming(answers=[AIMessage(CALL)] * 5)
    with pytest.raises(ToolLoopExhausted, match="nothing new"):
        agent_of(model, [look], nova, "prompt").invoke(QUESTION)
    assert len(model.asked) == 5


def test_an_agent_that_goes_on_from_a_checkpoint_comes_to_the_same_end(nova):
    """LP12: another agent object, as in another process; what counts stands in the messages."""
    answers = [*[AIMessage(CALL)] * 3, AIMessage("I saw nothing.")]
    at_once = agent_of(Streaming(answers=list(answers)), [look], nova, "prompt").invoke(QUESTION)
    saver, given, config = InMemorySaver(), QUESTION, {"configurable": {"thread_id": "1"}}
    model = Streaming(answers=answers)
    for _ in range(4):
        pipeline = Pipeline("chat", clock=lambda: NOW)
        middleware = [PromptMiddleware(pipeline, turn=nova, tool_mode="prompt")]
        agent = create_agent(model, [look], middleware=middleware, checkpointer=saver, interrupt_after=["tools"])
        found = agent.invoke(given, config)
        given = None
    said = [[(m.type, m.text) for m in end["messages"]] for end in (at_once, found)]
    assert said[0] == said[1]
    assert len(model.asked) == 4


def test_calls_beyond_the_budget_are_not_run(nova):
    """LP6"""
    four = AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": str(i)} for i in range(4)])
    model = Scripted(answers=[four, AIMessage("Enough.")])
    found = agent_of(model, [look], nova, max_calls_by_tool={"look": 2}).invoke(QUESTION)
    refused = ("The budget for look is used up in this turn.", "error")
    assert results_of(found) == [("nothing", "success")] * 2 + [refused] * 2
    assert model.options[-1]["tool_choice"] == "none"


def test_what_a_tool_raises_stays_inside(nova, caplog):
    """LP10, LP13"""
    model = Scripted(answers=[calling("failing"), calling("refusing"), AIMessage("Well.")])
    found = agent_of(model, [failing, refusing], nova).invoke(QUESTION)
    assert results_of(found) == [("The tool failed.", "error"), ("Only on Mondays.", "error")]
    assert CANARY not in caplog.text
    assert "tool failed" in caplog.text


async def test_a_tool_that_takes_too_long_is_ended(nova):
    """LP10"""
    model = Scripted(answers=[calling("slow"), AIMessage("Well.")])
    found = await agent_of(model, [slow], nova, tool_timeout=0.05).ainvoke(QUESTION)
    assert results_of(found) == [("The tool timed out after 0.05 s.", "error")]


def test_tools_of_one_answer_run_at_the_same_time_and_results_keep_their_order(nova):
    """LP10"""
    met = threading.Barrier(2, timeout=10)

    @tool
    def meet(name: str) -> str:
        """Waits for the other one."""
        met.wait()
        return f"{name} was there"

    both = AIMessage("", tool_calls=[{"name": "meet", "args": {"name": n}, "id": n} for n in ("Ada", "Bo")])
    found = agent_of(Scripted(answers=[both, AIMessage("Well.")]), [meet], nova).invoke(QUESTION)
    assert [text for text, _ in results_of(found)] == ["Ada was there", "Bo was there"]


async def test_cancelling_ends_the_tools_and_comes_out(nova):
    """LP11"""
    started = asyncio.Event()
    ended: list[str] = []

    @tool
    async def wait() -> str:
        """Waits."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return ""

    task = asyncio.ensure_future(agent_of(Scripted(answers=[calling("wait")]), [wait], nova).ainvoke(QUESTION))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cancelled"]


def test_time_is_not_measured_where_no_bound_is_set(nova, monkeypatch):
    monkeypatch.setattr(time, "sleep", None)
    model = Scripted(answers=[calling("look"), AIMessage("Well.")])
    assert agent_of(model, [look], nova).invoke(QUESTION)["messages"][-1].text == "Well."
