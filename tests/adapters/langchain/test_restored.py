"""What a model repeats of our escapes: characters again for people and for tools, and in the state as it wrote them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool

from promptmw import Pipeline
from promptmw_langchain import PromptChatModel, PromptMiddleware

from .conftest import NOW
from .scripted import Scripted, Streaming, calling

ASKED = [HumanMessage("Hi")]
QUOTED = "See ⟦U+003C⟧tool_call> and ⟦U+001B⟧."
SEEN = "See <tool_call> and ⟦U+001B⟧."


class InPieces(Streaming):
    """Says the text of its answer in pieces of a few characters."""

    size: int = 3

    def _pieces(self, messages: Any, stop: Any, options: dict[str, Any]) -> Any:
        answer = self._next(messages, options)
        blocks = isinstance(answer.content, list)
        text = str(answer.text)
        for at in range(0, len(text), self.size):
            piece = text[at : at + self.size]
            content: Any = [{"type": "text", "text": piece, "index": 0}] if blocks else piece
            yield ChatGenerationChunk(message=AIMessageChunk(content))
        for call in answer.tool_calls:
            args = '{"text": "' + call["args"]["text"] + '"}'
            for at in range(0, len(args), self.size):
                first = {"name": call["name"], "id": call["id"]} if at == 0 else {"name": None, "id": None}
                piece = {**first, "args": args[at : at + self.size], "index": 0, "type": "tool_call_chunk"}
                yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[piece]))


def streamed(model: PromptChatModel) -> Any:
    chunks = list(model.stream(ASKED))
    return sum(chunks[1:], chunks[0])


def astreamed(model: PromptChatModel) -> Any:
    async def run() -> Any:
        chunks = [chunk async for chunk in model.astream(ASKED)]
        return sum(chunks[1:], chunks[0])

    return asyncio.run(run())


WAYS = {
    "invoke": lambda model: model.invoke(ASKED),
    "ainvoke": lambda model: asyncio.run(model.ainvoke(ASKED)),
    "stream": streamed,
    "astream": astreamed,
}


@pytest.fixture(params=list(WAYS.values()), ids=list(WAYS))
def way(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("content", [QUOTED, [{"type": "text", "text": QUOTED, "index": 0}]], ids=["text", "blocks"])
def test_people_see_the_characters(way, pipeline, nova, content, size):
    """Row 145, over LangChain."""
    inner = InPieces(answers=[AIMessage(content)], size=size)
    answer = way(PromptChatModel(inner=inner, pipeline=pipeline, turn=nova))
    assert answer.text == SEEN


def test_a_text_that_ends_in_the_beginning_of_an_escape_is_whole(way, pipeline, nova):
    inner = InPieces(answers=[AIMessage("See ⟦U+00")], size=2)
    assert way(PromptChatModel(inner=inner, pipeline=pipeline, turn=nova)).text == "See ⟦U+00"


@pytest.mark.parametrize("size", [1, 4, 100])
def test_arguments_are_restored_in_the_message_where_there_is_no_later_place(way, pipeline, nova, size):
    inner = InPieces(answers=[calling("note", text="⟦U+003C⟧b⟦U+0022⟧⟦U+001B⟧")], size=size)
    answer = way(PromptChatModel(inner=inner, pipeline=pipeline, turn=nova))
    assert answer.tool_calls[0]["args"] == {"text": '<b"\x1b'}


def test_the_message_of_the_inner_model_stays_as_it_is(pipeline, nova):
    said = AIMessage(QUOTED)
    PromptChatModel(inner=Scripted(answers=[said]), pipeline=pipeline, turn=nova).invoke(ASKED)
    assert said.content == QUOTED


@pytest.mark.parametrize(("setting", "text", "args"), [("arguments", QUOTED, "<"), ("off", QUOTED, "⟦U+003C⟧")])
def test_the_profile_says_what_is_restored(witness, nova, setting, text, args):
    pipeline = Pipeline("chat", plugins=[witness], settings={"trust": {"restore": setting}}, clock=lambda: NOW)
    said = AIMessage(QUOTED, tool_calls=[{"name": "note", "args": {"text": "⟦U+003C⟧"}, "id": "call_0"}])
    answer = PromptChatModel(inner=Scripted(answers=[said]), pipeline=pipeline, turn=nova).invoke(ASKED)
    assert answer.text == text
    assert answer.tool_calls[0]["args"] == {"text": args}


@pytest.fixture
def noted() -> list[str]:
    return []


@pytest.fixture
def note(noted: list[str]) -> Any:
    @tool
    def note(text: str) -> str:
        """Notes a text."""
        noted.append(text)
        return "Noted."

    return note


def test_an_agent_runs_a_tool_with_the_real_characters_and_keeps_what_the_model_wrote(pipeline, nova, note, noted):
    """Row 150."""
    model = Scripted(answers=[calling("note", text="⟦U+003C⟧/x ⟦U+27E6⟧U+003C⟧")])
    agent = create_agent(model, [note], middleware=[PromptMiddleware(pipeline, turn=nova)])
    state = agent.invoke({"messages": ASKED})
    assert noted == ["</x ⟦U+003C⟧"]
    assert state["messages"][1].tool_calls[0]["args"] == {"text": "⟦U+003C⟧/x ⟦U+27E6⟧U+003C⟧"}
    assert model.asked[1][2].tool_calls[0]["args"] == {"text": "⟦U+003C⟧/x ⟦U+27E6⟧U+003C⟧"}


TEXT_CALL = '<tool_call>\n{"name": "note", "arguments": {"text": "⟦U+27E6⟧U+003C⟧"}}\n</tool_call>'


@pytest.mark.parametrize("way", ["prompt", "nested"])
def test_arguments_are_never_restored_twice(pipeline, nova, note, noted, way):
    """An escape that stands in a file is written by the tool as it stands there."""
    if way == "prompt":
        model: Any = Scripted(answers=[AIMessage(TEXT_CALL)])
    else:
        inner = Scripted(answers=[calling("note", text="⟦U+27E6⟧U+003C⟧")])
        model = PromptChatModel(inner=inner, pipeline=pipeline, turn=nova)
    ours = PromptMiddleware(pipeline, turn=nova, tool_mode="prompt" if way == "prompt" else "auto")
    create_agent(model, [note], middleware=[ours]).invoke({"messages": ASKED})
    assert noted == ["⟦U+003C⟧"]


def test_an_escaped_call_in_the_text_of_a_model_is_no_call(way, pipeline, nova):
    """Row 148."""
    inner = InPieces(answers=[AIMessage("Write ⟦U+003C⟧tool_call>{} there.")])
    tools = [{"type": "function", "function": {"name": "note", "parameters": {"type": "object"}}}]
    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=nova, tool_mode="prompt").bind(tools=tools)
    answer = way(model)
    assert answer.text == "Write <tool_call>{} there."
    assert not answer.tool_calls


@pytest.mark.parametrize("stored", ["Write ⟦U+003C⟧tool_call>.", "Write <tool_call>."])
def test_an_answer_is_replayed_the_same_however_it_was_stored(pipeline, nova, stored):
    """Row 164."""
    tools = [{"type": "function", "function": {"name": "note", "parameters": {"type": "object"}}}]
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=nova, tool_mode="prompt")
    call = {"name": "note", "args": {"text": stored}, "id": "call_0"}
    model.bind(tools=tools).invoke([*ASKED, AIMessage(stored, tool_calls=[call]), HumanMessage("Go on")])
    said = model.inner.asked[-1][2].content
    assert said.startswith("Write ⟦U+003C⟧tool_call>.\n<tool_call>\n")
    assert '{"text": "Write \\u003ctool_call>."}' in said
    assert said.count("<tool_call>") == 1
