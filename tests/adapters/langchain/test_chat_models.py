"""`PromptChatModel` in native mode: what is sent, what caches and traces see, what plugins are told."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import BaseCallbackHandler, UsageMetadataCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, ChatMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableBinding, RunnableLambda
from langchain_litellm import ChatLiteLLM
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel, ValidationError

from promptmw import InputError, Layer, Pipeline, Section, Stability, Tool, ToolMode, Turn, hookimpl
from promptmw.inside import inside
from promptmw_langchain import PromptChatModel
from promptmw_plugins.identity import Identity
from promptmw_plugins.memories import Memory

from .conftest import NOW
from .scripted import Scripted, Streaming, calling

WEATHER = {"type": "function", "function": {"name": "weather", "description": "W.", "parameters": {"type": "object"}}}
STATED = {"metadata": {"promptmw": {"identity": {"label": "Nova"}, "timezone": "UTC"}}}


class Marked:
    """A plugin with a block in the last user message, and with whatever else a test gives it."""

    def __init__(self, *tools: Tool, collect: Any = None) -> None:
        self.tools = tools
        self.collect = collect

    @hookimpl
    def promptmw_sections(self, profile: Any) -> list[Section]:
        render = lambda facts: "BLOCK"  # noqa: E731
        return [Section(name="block", render=render, stability=Stability.STATIC, layer=Layer.LAST_USER)]

    @hookimpl
    def promptmw_tools(self, turn: Turn) -> Any:
        return self.tools

    @hookimpl
    def promptmw_collect(self, turn: Turn) -> Any:
        return self.collect(turn) if self.collect else None


@pytest.fixture
def model(pipeline, nova):
    return PromptChatModel(inner=Streaming(), pipeline=pipeline, turn=nova)


def systems(inner):
    """Returns the system text of each request; each has exactly one system message, in front."""
    assert all([m.type for m in asked].count("system") == 1 and asked[0].type == "system" for asked in inner.asked)
    return [asked[0].content for asked in inner.asked]


async def _all_ways(model, config):
    bound = model.with_config(config)
    model.invoke("Hi", config)
    await model.ainvoke("Hi", config)
    list(model.stream("Hi", config))
    [chunk async for chunk in model.astream("Hi", config)]
    model.batch(["Hi"], config)
    await model.abatch(["Hi"], config)
    list(bound.stream("Hi"))
    [chunk async for chunk in bound.astream("Hi")]
    [event async for event in model.astream_events("Hi", config, version="v2")]
    list(model.stream_events("Hi", config, version="v3"))
    [event async for event in await model.astream_events("Hi", config, version="v3")]
    (ChatPromptTemplate.from_messages([("human", "{q}")]) | model).invoke({"q": "Hi"}, config)


async def test_the_metadata_of_a_config_states_the_turn_in_every_way_to_call(pipeline):
    """CM2"""
    inner = Streaming()
    await _all_ways(PromptChatModel(inner=inner, pipeline=pipeline), STATED)
    assert len(inner.asked) == 12
    assert all(text.startswith("You are Nova") for text in systems(inner))


async def test_every_way_to_call_asks_for_the_turn_once(pipeline, nova):
    given = []
    inner = Streaming()
    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=lambda messages, metadata: given.append(metadata))
    await _all_ways(model, {"metadata": {"user": "u1"}})
    assert len(given) == len(inner.asked) == 12
    assert all(metadata["user"] == "u1" for metadata in given)
    assert all(asked == [HumanMessage("Hi")] for asked in inner.asked)  # None leaves a call as it is


async def test_a_turn_may_be_given_by_an_async_function_where_the_call_is_async(pipeline, nova):
    async def turn(messages, metadata):
        return nova

    model = PromptChatModel(inner=Streaming(), pipeline=pipeline, turn=turn)
    await model.ainvoke("Hi")
    assert [chunk async for chunk in model.astream("Hi")]
    assert all(text.startswith("You are Nova") for text in systems(model.inner))
    with pytest.raises(InputError, match="ainvoke"):
        model.invoke("Hi")


def test_what_is_no_turn_is_an_error(pipeline):
    with pytest.raises(InputError, match="not dict"):
        PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=lambda messages, metadata: {}).invoke("Hi")


def test_metadata_is_checked_like_a_file(pipeline):
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline)
    with pytest.raises(InputError, match="Did you mean 'identity'"):
        model.invoke("Hi", {"metadata": {"promptmw": {"identiti": {}}}})


def test_a_call_without_any_turn_gets_the_defaults(pipeline):
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline)
    model.invoke("Hi")
    assert systems(model.inner)[0] == pipeline.assemble(Turn()).system


def test_the_cache_tells_users_with_different_memories_apart(pipeline):
    """CM3"""
    inner = Scripted(answers=[AIMessage("one"), AIMessage("two")])
    whose = {"u1": Memory(text="Likes tea."), "u2": Memory(text="Likes coffee.")}

    def turn(messages, metadata):
        return Turn(whose[metadata["user"]], timezone="UTC")

    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=turn, cache=InMemoryCache())
    said = [model.invoke("Hi", {"metadata": {"user": user}}).text for user in ("u1", "u2", "u1")]
    assert said == ["one", "two", "one"]
    assert len(inner.asked) == 2


@pytest.mark.parametrize("other", [{"temperature": 0.5}, {"stop": ["x"]}, {"tool_mode": "none"}])
def test_the_cache_tells_models_with_different_settings_apart(pipeline, nova, other):
    inner, cache = Scripted(), InMemoryCache()
    for fields in ({}, other, {}):
        PromptChatModel(inner=inner, pipeline=pipeline, turn=nova, cache=cache, **fields).invoke("Hi")
    assert len(inner.asked) == 2


def test_the_cache_tells_endpoints_apart_as_that_of_the_inner_model_does(native_server, pipeline, nova):
    cache = InMemoryCache()
    for url in (native_server.base_url, native_server.base_url + "/"):
        inner = ChatOpenAI(model="m", base_url=url, api_key="none")
        PromptChatModel(inner=inner, pipeline=pipeline, turn=nova, cache=cache).invoke("Hi")
    assert len(native_server.requests) == 2


IDENTIFYING = """
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from promptmw_langchain import PromptChatModel
from promptmw import Pipeline
print(PromptChatModel(inner=FakeListChatModel(responses=["a"]), pipeline=Pipeline())._identifying_params)
"""


def test_identifying_params_are_the_same_in_every_process():
    """CM5"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", IDENTIFYING],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(printed) == 1


def test_identifying_params_change_with_profile_and_plugins(pipeline):
    def params(pipeline):
        return PromptChatModel(inner=Scripted(), pipeline=pipeline)._identifying_params

    other = Pipeline("chat", settings={"layout": "cache"})
    assert params(Pipeline()) == params(Pipeline()) != params(other)
    assert params(pipeline) != params(Pipeline())


async def test_a_model_that_cannot_stream_gives_one_chunk_with_the_whole_answer(pipeline, nova, witness):
    """CM6"""
    answers = [AIMessage("All of it."), calling("weather", place="Graz")] * 2
    model = PromptChatModel(inner=Scripted(answers=answers), pipeline=pipeline, turn=nova)
    texts = [list(model.stream("Hi")), list(model.stream("Hi"))]
    texts += [[c async for c in model.astream("Hi")], [c async for c in model.astream("Hi")]]
    assert [len(chunks) for chunks in texts] == [1, 1, 1, 1]
    text, call, atext, acall = (chunks[0] for chunks in texts)
    assert text.text == atext.text == "All of it."
    assert call.chunk_position == acall.chunk_position == "last"
    assert call.tool_calls == acall.tool_calls == calling("weather", place="Graz").tool_calls
    assert [c["index"] for c in call.tool_call_chunks] == [0]
    assert [a.complete for a in witness.answers] == [True] * 4


def test_a_streaming_inner_model_gives_its_tokens_to_callbacks(native_server, pipeline, nova):
    """CM7, native"""
    inner = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none", streaming=True)
    tokens = Tokens()
    said = PromptChatModel(inner=inner, pipeline=pipeline, turn=nova).invoke("Hi", {"callbacks": [tokens]})
    assert len(tokens.seen) > 2
    assert "".join(tokens.seen) == said.text


class Tokens(BaseCallbackHandler):
    def __init__(self):
        self.seen = []

    def on_llm_new_token(self, token, **kwargs):
        self.seen.append(token)


class Starts(BaseCallbackHandler):
    """Remembers what a tracer is told at the start of a call."""

    def __init__(self):
        self.serialized = []
        self.messages = []
        self.params = []

    def on_chat_model_start(self, serialized, messages, **kwargs):
        self.serialized.append(serialized)
        self.messages.extend(messages)
        self.params.append(kwargs)


async def test_in_a_graph_the_model_runs_once_and_its_usage_counts_once(native_server, pipeline):
    """CM8"""
    inner = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
    model = PromptChatModel(inner=inner, pipeline=pipeline)
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_edge(START, "model")
    starts, usage = Starts(), UsageMetadataCallbackHandler()
    result = graph.compile().invoke({"messages": [HumanMessage("Hi")]}, {**STATED, "callbacks": [starts, usage]})
    (counts,) = usage.usage_metadata.values()
    assert len(starts.messages) == 1
    assert counts["input_tokens"] == result["messages"][-1].usage_metadata["input_tokens"]
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")
    assert [m.type for m in result["messages"]] == ["human", "ai"]


def test_a_tracer_sees_what_is_sent_and_nothing_of_the_private_keyword(pipeline, witness):
    """CM9"""
    starts = Starts()
    inner = Streaming()
    secret = Turn(Identity(label="Nova"), Memory(text="SECRET"), timezone="UTC")
    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=secret, api_key="KEY")
    model.invoke("Hi", {"callbacks": [starts]})
    list(model.stream("Hi", {"callbacks": [starts]}))
    assert starts.messages == inner.asked
    for said in (*starts.params, *starts.serialized):
        assert "SECRET" not in repr(said)
        assert "KEY" not in repr(said)
    assert [repr(p["invocation_params"]["promptmw"]) for p in starts.params] == ["promptmw:native"] * 2


def test_fallbacks_keep_tools_and_structured_output(native_server, pipeline, nova):
    """CM10, both native"""

    def wrapped(name):
        inner = ChatOpenAI(model=name, base_url=native_server.base_url, api_key="none", max_retries=0)
        return PromptChatModel(inner=inner, pipeline=pipeline, turn=nova)

    model = wrapped("first").with_fallbacks([wrapped("second")])
    native_server.fail_next(1, 500)
    said = model.bind_tools([WEATHER]).invoke("Hi")
    assert said.tool_calls[0]["name"] == "weather"
    native_server.fail_next(1, 500)
    assert isinstance(model.with_structured_output(Place).invoke("Graz"), Place)
    bodies = [r.body for r in native_server.requests]
    assert [b["model"] for b in bodies] == ["first", "second"] * 2
    assert all(b["messages"][0]["content"].startswith("You are Nova") for b in bodies)
    assert bodies[0]["tools"] == bodies[1]["tools"]


class Place(BaseModel):
    """A place."""

    name: str


def field_of(method):
    return "response_format" if method == "json_schema" else "tools"


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_structured_output_is_the_providers_own_with_our_prompt(native_server, pipeline, nova, method):
    """CM11"""
    inner = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
    chain = PromptChatModel(inner=inner, pipeline=pipeline, turn=nova).with_structured_output(
        Place, method=method, include_raw=True, strict=True
    )
    given = chain.invoke("Graz")
    assert set(given) == {"raw", "parsed", "parsing_error"}
    assert isinstance(given["parsed"], Place)
    assert given["parsing_error"] is None
    ours = native_server.last.body
    inner.with_structured_output(Place, method=method, include_raw=True, strict=True).invoke("Graz")
    assert ours[field_of(method)] == native_server.last.body[field_of(method)]
    assert ours["messages"][0]["content"].startswith("You are Nova")


def test_where_the_inner_model_is_not_in_its_own_chain_the_plain_chain_is_made(pipeline, nova):
    class Aside(Scripted):
        def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
            return RunnableLambda(lambda messages: pytest.fail("the call went around the prompt"))

    inner = Aside(answers=[calling("Place", name="Graz")])
    chain = PromptChatModel(inner=inner, pipeline=pipeline, turn=nova).with_structured_output(Place)
    assert chain.invoke("Graz") == Place(name="Graz")
    assert systems(inner)[0].startswith("You are Nova")


def test_leading_system_messages_become_one_with_their_texts_in_order(pipeline, nova):
    """CM14, native"""
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=nova)
    blocks = [{"type": "text", "text": "Second.\n\n"}, {"type": "text", "text": "Third."}]
    developer = ChatMessage("Zeroth?", role="developer")
    model.invoke([SystemMessage("First."), developer, SystemMessage(blocks), ("user", "Hi")])
    (text,) = systems(model.inner)
    assert "First.\n\nZeroth?\n\nSecond.\n\nThird." in text


@pytest.mark.parametrize("kind", [ChatOpenAI, ChatAnthropic])
def test_assembling_asks_no_counter_of_the_model(pipeline, nova, kind, monkeypatch, socket_disabled):
    """CM15"""
    asked = []
    monkeypatch.setattr(kind, "get_num_tokens_from_messages", lambda *args, **kwargs: asked.append(args))
    monkeypatch.setattr(BaseChatModel, "get_num_tokens", lambda *args: asked.append(args))
    sent = []
    monkeypatch.setattr(kind, "_generate", lambda self, messages, *args, **kwargs: sent.append(messages) or _said())
    PromptChatModel(inner=kind(model="m", api_key="none"), pipeline=pipeline, turn=nova).invoke("Hi")
    assert sent[0][0].content.startswith("You are Nova")
    assert asked == []


def _said():
    return Scripted()._generate([])


@pytest.mark.filterwarnings("ignore:Using fallback GPT-2 tokenizer")
def test_tokens_are_counted_without_the_package_that_langchain_counts_with(pipeline, monkeypatch):
    """CM16"""
    monkeypatch.setitem(sys.modules, "transformers", None)
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline)
    assert model.get_num_tokens_from_messages([HumanMessage("one two three")]) > 2
    assert model.get_num_tokens("one two three") > 2


def test_tokens_are_counted_by_the_inner_model_where_it_can(pipeline):
    inner = Scripted(custom_get_token_ids=lambda text: list(range(42)))
    assert PromptChatModel(inner=inner, pipeline=pipeline).get_num_tokens("any") == 42


def test_a_stream_that_is_closed_is_told_as_unfinished(model, witness):
    """CM18"""
    stream = model.stream("Hi")
    assert next(stream).text == "So "
    stream.close()
    assert [(a.text, a.complete) for a in witness.answers] == [("So ", False)]
    assert model.inner.closed == ["sync"]


async def test_an_async_stream_that_is_closed_is_told_as_unfinished(model, witness):
    """CM18"""
    stream = model.astream("Hi")
    assert (await anext(stream)).text == "So "
    await stream.aclose()
    await _settled(lambda: witness.answers and model.inner.closed)
    assert [(a.text, a.complete) for a in witness.answers] == [("So ", False)]
    assert model.inner.closed == ["async"]


async def _settled(done):
    """Let the loop close what LangChain leaves to it."""
    for _ in range(50):
        if done():
            return
        gc.collect()
        await asyncio.sleep(0)


async def test_what_cannot_be_awaited_is_missing_and_reported(nova, witness):
    """CM19"""

    async def collect(turn):
        return [Memory(text="Likes tea.")]

    pipeline = Pipeline("chat", plugins=[Marked(collect=collect), witness], clock=lambda: NOW)
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=nova)
    model.invoke("Hi")
    assert "Likes tea." not in repr(model.inner.asked)
    assert [p.kind.value for p in witness.reported] == ["collect skipped"]
    await model.ainvoke("Hello")
    assert "Likes tea." in repr(model.inner.asked)


@pytest.mark.parametrize("way", ["invoke", "stream"])
def test_plugins_are_told_the_answer(model, witness, way):
    model.inner.answers = [AIMessage("Ä calls", tool_calls=calling("weather", place="Köln").tool_calls)]
    message = model.invoke("Hi") if way == "invoke" else sum(list(model.stream("Hi")), AIMessageChunk(""))
    (told,) = witness.answers
    assert told.text == message.text
    (call,) = told.tool_calls
    assert (call.id, call.name, json.loads(call.arguments)) == ("call_0", "weather", {"place": "Köln"})
    assert told.complete
    assert told.usage.input_tokens == (None if way == "invoke" else 7)


async def _by(way, model):
    match way:
        case "invoke":
            return model.invoke("Hi")
        case "ainvoke":
            return await model.ainvoke("Hi")
        case "stream":
            return list(model.stream("Hi"))
        case _:
            return [chunk async for chunk in model.astream("Hi")]


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream"])
async def test_a_call_that_fails_is_told_as_unfinished(model, witness, way):
    model.inner.answers = [ValueError("no")]
    with pytest.raises(ValueError, match="no"):
        await _by(way, model)
    assert [a.complete for a in witness.answers] == [False]


async def test_each_of_several_lists_has_a_prompt_of_its_own(pipeline, witness):
    def turn(messages, metadata):
        return Turn(Identity(label=messages[-1].text), timezone="UTC")

    inner = Scripted()
    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=turn)
    lists = [[HumanMessage("Ada")], [HumanMessage("Bob")]]
    whole, awaited = model.generate(lists), await model.agenerate(lists)
    assert len(whole.generations) == len(whole.run) == len(awaited.generations) == 2
    assert [text.split()[2].strip(".,") for text in systems(inner)] == ["Ada", "Bob"] * 2
    assert len(witness.answers) == 4
    assert model.generate([]).generations == []


def test_history_is_the_callers_own_and_only_the_last_message_is_a_copy(nova):
    pipeline = Pipeline("chat", plugins=[Marked()])
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=nova)
    history = [HumanMessage("One", id="1"), AIMessage("Two", id="2"), HumanMessage("Three", id="3", name="ada")]
    before = list(history)
    model.invoke(history)
    _, one, two, three = model.inner.asked[0]
    assert one is history[0]
    assert two is history[1]
    assert (three.text, three.id, three.name) == ("Three\n\nBLOCK", "3", "ada")
    assert history == before
    assert history[2].text == "Three"


def test_assembling_an_assembled_request_changes_nothing(nova, witness):
    pipeline = Pipeline("chat", plugins=[Marked(), witness])
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=nova)
    model.invoke([SystemMessage("Mine."), HumanMessage("Hi")])
    model.invoke(model.inner.asked[0])
    assert model.inner.asked[0] == model.inner.asked[1]


def test_the_wrapper_passes_on_what_it_was_given_and_a_call_goes_before_it(model):
    given = model.model_copy(update={"temperature": 0.5, "max_tokens": 9, "stop": ["x"], "timeout": 1})
    given.invoke("Hi")
    given.invoke("Hi", temperature=0.1, stop=["y"], model="other")
    list(given.stream("Hi"))
    first, second, streamed = model.inner.options
    assert first == {"temperature": 0.5, "max_tokens": 9, "stop": ["x"]}
    assert second == {"temperature": 0.1, "max_tokens": 9, "stop": ["y"], "model": "other"}
    assert streamed == first


def test_what_the_inner_model_does_around_a_call_is_taken_over(pipeline):
    around = {"cache": InMemoryCache(), "tags": ["t"], "metadata": {"m": 1}, "disable_streaming": "tool_calling"}
    inner = Streaming(**around, profile={"max_input_tokens": 9})
    model = PromptChatModel(inner=inner, pipeline=pipeline)
    assert all(getattr(model, name) == getattr(inner, name) for name in around)
    assert model.profile == {"max_input_tokens": 9}


def test_tracing_names_the_inner_model(pipeline):
    model = PromptChatModel(inner=ChatOpenAI(model="gpt-4o", api_key="none"), pipeline=pipeline, temperature=0.5)
    params = model._get_ls_params(stop=["x"])
    assert params["ls_provider"] == "openai"
    assert params["ls_model_name"] == "gpt-4o"
    assert params["ls_temperature"] == 0.5
    assert params["ls_stop"] == ["x"]
    assert model._llm_type == "promptmw-openai-chat"


def test_bound_tools_go_out_by_name_and_the_prompt_knows_them(model, witness):
    tools = [{**WEATHER, "function": {**WEATHER["function"], "name": name}} for name in "cab"]
    bound = model.bind_tools(tools)
    assert isinstance(bound, RunnableBinding)
    assert bound.bound is model
    bound.invoke("Hi")
    assert [t["function"]["name"] for t in model.inner.options[0]["tools"]] == ["a", "b", "c"]
    assert witness.prompts[0].tools.local == ("a", "b", "c")


@pytest.mark.parametrize(
    ("definition", "name", "hosted"),
    [
        (WEATHER, "weather", False),
        ({"type": "function", "name": "weather", "parameters": {}}, "weather", False),
        ({"name": "weather", "input_schema": {}}, "weather", False),
        ({"toolSpec": {"name": "weather"}}, "weather", False),
        ({"function_declarations": [{"name": "weather"}]}, "weather", False),
        ({"type": "bash_20250124", "name": "bash"}, "bash", False),
        ({"type": "web_search_20250305", "name": "web_search"}, "web_search", True),
        ({"type": "web_search_preview"}, "web_search_preview", True),
        ({"google_search": {}}, "google_search", True),
    ],
)
def test_tools_are_known_in_every_providers_form(model, witness, definition, name, hosted):
    model.invoke("Hi", tools=[definition])
    settled = witness.prompts[0].tools
    assert (settled.hosted if hosted else settled.local) == (name,)


def test_tools_of_which_one_carries_a_mark_stay_in_their_order(model):
    tools = [{"name": name, "input_schema": {}} for name in "cab"]
    tools[1]["cache_control"] = {"type": "ephemeral"}
    model.invoke("Hi", tools=tools)
    assert model.inner.options[0]["tools"] == tools


@pytest.mark.parametrize(("mode", "tools"), [("none", [WEATHER]), ("auto", []), ("auto", None)])
def test_without_tools_the_request_has_no_keyword_of_theirs(model, mode, tools):
    """TG11"""
    other = model.model_copy(update={"tool_mode": ToolMode(mode)})
    other.invoke("Hi", tools=tools, tool_choice="auto", parallel_tool_calls=False, seed=1)
    assert model.inner.options == [{"seed": 1}]


def test_an_explicit_mode_goes_before_what_the_models_profile_says(pipeline, nova):
    model = PromptChatModel(
        inner=Scripted(profile={"tool_calling": False}), pipeline=pipeline, turn=nova, tool_mode="native"
    )
    model.bind_tools([WEATHER]).invoke("Hi")
    assert model.inner.options[0]["tools"] == [WEATHER]


def test_plugins_tools_are_not_offered_and_the_report_says_so(nova, witness):
    tool = Tool(name="note", description="Notes.", handler=lambda turn, arguments: "noted")
    settings = {"offer_tools": ["note"]}
    pipeline = Pipeline("chat", plugins=[Marked(tool), witness], settings=settings)
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=nova)
    model.invoke("Hi")
    assert "tools" not in model.inner.options[0]
    assert witness.prompts[0].tools.local == ()
    assert [(p.subject, "note" in p.detail) for p in witness.reported] == [("offer_tools", True)]


def test_the_turn_chooses_the_profile(witness, nova, tmp_path):
    config = tmp_path / "promptmw.toml"
    config.write_text('[profiles.short]\nextends = "chat"\nrequired = []\ndisable = ["date"]\n')
    pipeline = Pipeline.from_config(config, plugins=[witness])
    model = PromptChatModel(inner=Scripted(), pipeline=pipeline, turn=nova.replace(profile="short"))
    for _ in range(2):
        model.invoke(model.inner.asked[-1] if model.inner.asked else [SystemMessage("Mine."), HumanMessage("Hi")])
    assert [p.profile for p in witness.prompts] == ["short", "short"]
    assert model.inner.asked[0] == model.inner.asked[1]


def test_blocks_are_one_a_section_and_read_as_the_string(model):
    blocks = model.model_copy(update={"system_format": "blocks"})
    model.invoke("Hi")
    blocks.invoke("Hi")
    (string, listed) = (asked[0] for asked in model.inner.asked)
    assert isinstance(string.content, str)
    assert len(listed.content) > 2
    assert all(set(part) == {"type", "text"} for part in listed.content)
    assert listed.text == string.content


def test_each_request_has_blocks_of_its_own(model):
    blocks = model.model_copy(update={"system_format": "blocks"})
    blocks.invoke("Hi")
    blocks.inner.asked[0][0].content[0]["text"] = "spoilt"
    blocks.invoke("Hi")
    assert blocks.inner.asked[1][0].content[0]["text"].startswith("You are Nova")


def test_inside_a_call_that_the_pipeline_has_assembled_nothing_is_added(model, pipeline):
    with inside(pipeline):
        model.invoke("Hi")
        list(model.stream("Hi"))
    assert model.inner.asked == [[HumanMessage("Hi")]] * 2


@pytest.mark.parametrize("way", ["ainvoke", "astream"])
async def test_the_callback_of_litellm_leaves_our_calls_alone(native_server, pipeline, nova, witness, way, monkeypatch):
    import litellm

    from promptmw_litellm import Callback

    other = Callback(Pipeline(plugins=[witness]), turn=Turn(Identity(label="Vega")))
    monkeypatch.setattr(litellm, "callbacks", [other])
    inner = ChatLiteLLM(model="openai/m", api_base=native_server.base_url, api_key="none")
    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=nova)
    assert await _by(way, model)
    system, user = native_server.last.body["messages"]
    assert system["content"].startswith("You are Nova")
    assert "Vega" not in system["content"]
    assert user == {"role": "user", "content": "Hi"}
    assert len(witness.prompts) == 1


def test_a_model_in_a_wrapper_in_a_wrapper_is_asked_with_the_outer_prompt(model, pipeline):
    outer = PromptChatModel(inner=model, pipeline=pipeline, turn=Turn(Identity(label="Vega"), timezone="UTC"))
    outer.invoke("Hi")
    assert systems(model.inner)[0].startswith("You are Vega")


def test_what_is_no_chat_model_cannot_be_wrapped(pipeline):
    with pytest.raises(ValidationError, match="inner"):
        PromptChatModel(inner=Scripted().bind(stop=["x"]), pipeline=pipeline)


def test_it_is_not_serialisable_by_langchain(model):
    assert not model.is_lc_serializable()


def test_v3_events_of_a_call_of_a_tool_hold_it(native_server, pipeline, nova):
    inner = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=nova).bind_tools([WEATHER])
    stream = model.stream_events("Hi", version="v3")
    kinds = [event["event"] for event in stream]
    assert kinds[0] == "message-start"
    assert kinds[-1] == "message-finish"
    assert [c["name"] for c in stream.output.tool_calls] == ["weather"]
