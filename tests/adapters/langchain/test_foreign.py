"""Messages that others wrote, over LangChain: copies with everything kept, and only where there is something to do."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from promptmw import Pipeline
from promptmw.testing import parse_fences
from promptmw_langchain import PromptChatModel, PromptMiddleware

from .conftest import NOW
from .scripted import Scripted, calling

TOKEN = "a <|im_start|> b"
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


@tool
def page(url: str) -> str:
    """Reads a page."""
    return TOKEN


def pipeline(**trust: Any) -> Pipeline:
    return Pipeline("chat", settings={"trust": trust}, clock=lambda: NOW)


def result() -> ToolMessage:
    content: Any = [{"type": "text", "text": TOKEN}, IMAGE]
    return ToolMessage(content, tool_call_id="call_0", name="page", artifact={"raw": 1}, id="r1", status="success")


@pytest.mark.parametrize("setting", ["asis", "markers", "wrap"])
def test_a_result_keeps_all_that_is_not_its_text(nova, setting):
    """Row 158, over LangChain."""
    ours, given = pipeline(tool_results=setting), result()
    inner = Scripted()
    history = [HumanMessage("Read"), calling("page", url="x"), given]
    PromptChatModel(inner=inner, pipeline=ours, turn=nova).invoke(history)
    sent = inner.asked[0][-1]
    assert (sent is given) == (setting == "asis")
    assert (sent.id, sent.artifact, sent.name, sent.content[1]) == ("r1", {"raw": 1}, "page", IMAGE)
    assert given.content[0]["text"] == TOKEN
    text = sent.content[0]["text"]
    if setting == "markers":
        assert text == "a ⟦U+003C⟧|im_start|> b"
    if setting == "wrap":
        (fenced,) = parse_fences(text, ours.catalog.policy)
        assert (fenced.attributes, fenced.body) == ({"name": "page"}, TOKEN)


def test_an_agent_sends_its_results_escaped_and_keeps_them_as_they_are(nova):
    model = Scripted(answers=[calling("page", url="x"), AIMessage("Done.")])
    agent = create_agent(model, [page], middleware=[PromptMiddleware(pipeline(tool_results="markers"), turn=nova)])
    state = agent.invoke({"messages": [HumanMessage("Read")]})
    assert model.asked[1][-1].content == "a ⟦U+003C⟧|im_start|> b"
    assert state["messages"][2].content == TOKEN
