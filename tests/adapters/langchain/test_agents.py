"""`PromptMiddleware` in native mode: what an agent's model is asked, and what stays as it is."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ModelRetryMiddleware,
    TodoListMiddleware,
)
from langchain.agents.middleware.internal_call_transformer import InternalCallTransformer, internal_call_metadata
from langchain.agents.structured_output import ToolStrategy
from langchain_anthropic import ChatAnthropic
from langchain_anthropic.middleware import AnthropicPromptCachingMiddleware
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel

from promptmw import (
    ConfigError,
    InputError,
    Pipeline,
    PluginError,
    Section,
    Stability,
    Tool,
    Turn,
    hookimpl,
    moved,
)
from promptmw_langchain import PromptChatModel, PromptMiddleware
from promptmw_plugins.identity import Identity
from promptmw_plugins.material import Snippet
from promptmw_plugins.memories import Memory
from promptmw_plugins.style import OperatorPrompt

from .conftest import NOW
from .scripted import SAID, Scripted, Streaming, calling

QUESTION = {"messages": [HumanMessage("Hi")]}
STATED = {"metadata": {"promptmw": {"identity": {"label": "Nova"}, "timezone": "UTC"}}}


@tool
def weather(place: str) -> str:
    """Says what the weather is."""
    return f"Fine in {place}."


@tool
def alarm(at: str) -> str:
    """Sets an alarm."""
    return f"Set to {at}."


@dataclass
class Context:
    promptmw: Any = None
    user: str = ""


class Notes:
    """A plugin with a tool that writes down, for the tenant of the turn, what it is given."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, str]] = []

    @hookimpl
    def promptmw_tools(self, turn: Turn) -> list[Tool]:
        def note(turn: Turn, arguments: Any) -> str:
            if not arguments:
                raise ValueError("secret")
            self.kept.append((turn.tenant, arguments["text"]))
            return f"Noted: {arguments['text']}."

        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return [Tool(name="note", description="Notes a text.", parameters=schema, handler=note)]


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def noting(witness, notes):
    """A pipeline that offers the plugin's tool."""
    return Pipeline("chat", plugins=[witness, notes], settings={"offer_tools": ["note"]}, clock=lambda: NOW)


@pytest.fixture
def ours(pipeline, nova):
    return PromptMiddleware(pipeline, turn=nova)


def systems(model):
    """Returns the system text of each request."""
    return [asked[0].text for asked in model.asked]


def test_the_context_states_the_turn_of_each_call(pipeline):
    """AG1"""
    model = Scripted()

    def turn(request):
        return Turn(Identity(label=request.runtime.context.user), timezone="UTC")

    agent = create_agent(model, middleware=[PromptMiddleware(pipeline, turn=turn)], context_schema=Context)
    for user in ("Ada", "Bob"):
        agent.invoke(QUESTION, context=Context(user=user))
    ada, bob = systems(model)
    assert "Ada" in ada
    assert "Bob" not in ada
    assert "Bob" in bob


def test_a_context_that_has_a_turn_needs_no_function(pipeline, nova):
    model = Scripted()
    agent = create_agent(model, middleware=[PromptMiddleware(pipeline)])
    agent.invoke(QUESTION, context=Context(promptmw=nova))
    agent.invoke(QUESTION, context=nova)
    agent.invoke(QUESTION, STATED)
    agent.invoke(QUESTION)
    assert [text.startswith("You are Nova") for text in systems(model)] == [True, True, True, False]
    with pytest.raises(InputError, match="not dict"):
        agent.invoke(QUESTION, context=Context(promptmw={"persona": {}}))


async def test_a_turn_may_be_given_by_an_async_function_in_an_async_run(pipeline, nova):
    async def turn(request):
        return nova

    model = Scripted()
    agent = create_agent(model, middleware=[PromptMiddleware(pipeline, turn=turn)])
    await agent.ainvoke(QUESTION)
    assert systems(model)[0].startswith("You are Nova")
    with pytest.raises(InputError, match="ainvoke"):
        agent.invoke(QUESTION)


def test_a_request_for_which_there_is_no_turn_stays_as_it_is(pipeline, witness):
    requests = []
    agent = create_agent(
        Scripted(), [weather, alarm], middleware=[PromptMiddleware(pipeline, turn=lambda r: requests.append(r))]
    )
    agent.invoke(QUESTION)
    assert agent.invoke(QUESTION)["messages"][-1].text == SAID
    assert witness.prompts == witness.answers == []


def test_a_file_that_changes_between_two_calls_moves_one_section(pipeline, witness, tmp_path):
    """AG2"""
    file = tmp_path / "operator.md"
    model = Scripted()

    def turn(request):
        return Turn(Identity(label="Nova"), OperatorPrompt(text=file.read_text()), timezone="UTC")

    agent = create_agent(model, middleware=[PromptMiddleware(pipeline, turn=turn)])
    for text in ("Answer in verse.", "Answer in prose."):
        file.write_text(text)
        agent.invoke(QUESTION)
    assert "Answer in prose." in systems(model)[1]
    found = moved(*witness.prompts)
    assert (found.section, found.inputs, found.change) == ("style", ("operator_prompt",), "changed")


def _says(name, *, order=500):
    class Says:
        @hookimpl
        def promptmw_sections(self, profile: Any) -> list[Section]:
            text = f"This is {name}."
            return [Section(name=name, render=lambda facts: text, stability=Stability.STATIC, order=order)]

    return type(name.title(), (Says,), {})()  # plugins go by the name of their class


class Idle(AgentMiddleware):
    def wrap_model_call(self, request, handler):
        return handler(request)


def test_the_order_of_plugins_and_of_other_middlewares_moves_no_byte(nova):
    """AG3"""
    sent = set()
    for plugins in itertools.permutations([_says("alpha"), _says("beta"), _says("gamma")]):
        for others in ([], [Idle()]):
            model = Scripted()
            middleware = [*others, PromptMiddleware(Pipeline("chat", plugins=plugins, clock=lambda: NOW), turn=nova)]
            create_agent(model, middleware=middleware).invoke(QUESTION)
            sent.add(systems(model)[0])
    assert len(sent) == 1


def test_what_changes_with_every_turn_stands_behind_what_does_not(native_server, pipeline):
    """AG4"""
    questions = [f"Question {i}" for i in range(5)]

    def turn(request):
        i = int(request.messages[-1].text[-1])
        snippet = Snippet(text=f"Text {i}.", title=f"{i}.md")
        return Turn(Identity(label="Nova"), Memory(text=f"Memory {i}."), snippet, timezone="UTC")

    model = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
    agent = create_agent(model, middleware=[PromptMiddleware(pipeline, turn=turn)])
    for question in questions:
        agent.invoke({"messages": [HumanMessage(question)]})
    payloads = [json.dumps(r.body["messages"]) for r in native_server.requests]
    stable = json.dumps(pipeline.assemble(Turn(Identity(label="Nova"), timezone="UTC")).blocks[0].text)[:-1]
    assert all(stable in payload for payload in payloads)
    assert len({payload.partition(stable)[0] for payload in payloads}) == 1
    assert all(f"Text {i}." in payload and f"Memory {i}." in payload for i, payload in enumerate(payloads))


def test_the_clock_and_the_order_of_tools_move_no_byte_within_a_day(native_server, nova):
    """AG7"""
    minutes = itertools.count()
    pipeline = Pipeline("chat", clock=lambda: NOW.replace(minute=next(minutes)))
    for tools in ([weather, alarm], [alarm, weather], [weather, alarm]):
        model = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
        create_agent(model, tools, middleware=[PromptMiddleware(pipeline, turn=nova)]).invoke(QUESTION)
    first = [r.body for r in native_server.requests if len(r.body["messages"]) == 2]
    assert len(first) == 3
    assert len({json.dumps([b["messages"][0], b["tools"]]) for b in first}) == 1


@pytest.mark.parametrize(("form", "kind"), [("auto", str), ("string", str), ("blocks", list)])
def test_the_system_text_is_a_string_unless_blocks_are_asked_for(native_server, pipeline, nova, form, kind):
    """AG9, without marks"""
    model = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
    middleware = PromptMiddleware(pipeline, turn=nova, system_format=form)
    create_agent(model, middleware=[middleware]).invoke(QUESTION)
    assert isinstance(native_server.last.body["messages"][0]["content"], kind)


def test_a_section_that_is_blocked_writes_no_second_list_of_tools(nova):
    """AG10"""
    model = Scripted()
    pipeline = Pipeline("chat", settings={"disable": ["tools"]})
    agent = create_agent(model, [weather], system_prompt="Your tools: weather.", middleware=[
        PromptMiddleware(pipeline, turn=nova)
    ])  # fmt: skip
    agent.invoke(QUESTION)
    assert "## Tools" not in systems(model)[0]
    assert systems(model)[0].count("Your tools: weather.") == 1
    with pytest.raises(ConfigError, match=r"'toolz'.*Did you mean 'tools'"):
        Pipeline("chat", settings={"disable": ["toolz"]})


def test_another_section_of_the_same_name_takes_the_place_of_one_that_is_blocked(nova):
    """AG11"""
    model = Scripted()
    theirs = _says("identity", order=10)
    with pytest.raises(PluginError, match=r"application.*promptmw-plugins|promptmw-plugins.*application"):
        Pipeline("chat", plugins=[theirs])
    pipeline = Pipeline("chat", plugins=[theirs], settings={"disable": ["promptmw-plugins:identity"]})
    create_agent(model, middleware=[PromptMiddleware(pipeline, turn=nova)]).invoke(QUESTION)
    assert systems(model)[0].startswith("This is identity.\n\n")
    assert "Nova" not in systems(model)[0]


class Summarises:
    """A plugin that asks a model of its own while it collects."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @hookimpl
    def promptmw_collect(self, turn: Turn) -> list[Any]:
        config = {"metadata": internal_call_metadata(), "tags": [TAG_NOSTREAM]}
        return [Memory(text=self.model.invoke("Summarise", config).text)]


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
async def test_a_plugins_own_model_calls_stay_out_of_the_streams(nova):
    """AG16, without usage"""
    own = Streaming(answers=[AIMessage("inner summary") for _ in range(3)])
    model = Streaming()
    pipeline = Pipeline("chat", plugins=[Summarises(own)])
    agent = create_agent(model, middleware=[PromptMiddleware(pipeline, turn=nova)])
    sync = [chunk.text for chunk, _ in agent.stream(QUESTION, stream_mode="messages")]
    asynchronous = [chunk.text async for chunk, _ in agent.astream(_question("Two"), stream_mode="messages")]
    run = agent.stream_events(_question("Three"), version="v3")
    events = [str(message.text) for message in run.messages]
    assert len(own.asked) == 3
    assert all("inner summary" in repr(asked) for asked in model.asked)
    assert "".join(sync).strip() == "".join(asynchronous).strip() == "".join(events).strip() == SAID
    assert InternalCallTransformer in PromptMiddleware.transformers


def _question(text):
    return {"messages": [HumanMessage(text)]}


def _bare(*sections):
    return Pipeline("chat", plugins=[_says(s) for s in sections], settings={"enable": list(sections), "required": []})


def test_without_any_text_there_is_no_system_message(native_server):
    """AG17"""
    model = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
    for prompt in ("", SystemMessage([]), None):
        agent = create_agent(model, system_prompt=prompt, middleware=[PromptMiddleware(_bare())])
        agent.invoke(QUESTION)
        assert [m["role"] for m in native_server.last.body["messages"]] == ["user"]


def test_with_one_section_the_system_message_is_that_section(native_server):
    """AG18"""
    model = ChatOpenAI(model="m", base_url=native_server.base_url, api_key="none")
    create_agent(model, system_prompt="", middleware=[PromptMiddleware(_bare("alpha"))]).invoke(QUESTION)
    assert native_server.last.body["messages"][0] == {"role": "system", "content": "This is alpha.\n"}


def _bound(model):
    return model.bind(temperature=0.3)


def _tagged(model):
    return model.with_config(tags=["t"])


def _with_fallbacks(model):
    return model.with_fallbacks([Scripted()])


@pytest.mark.parametrize("kind", [_bound, _tagged, _with_fallbacks])
@pytest.mark.parametrize("tools", [[], [weather]])
def test_models_that_are_bound_tagged_or_have_fallbacks_are_served(ours, kind, tools):
    """AG19, native"""
    model = Scripted()
    said = create_agent(kind(model), tools, middleware=[ours]).invoke(QUESTION)
    assert said["messages"][-1].text == SAID
    assert systems(model)[0].startswith("You are Nova")


def test_a_model_that_is_chosen_when_it_is_called_is_served(native_server, ours, monkeypatch):
    """AG19, native"""
    from langchain.chat_models import init_chat_model

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    model = init_chat_model("openai:m", configurable_fields=["model"], base_url=native_server.base_url)
    agent = create_agent(model, [weather], middleware=[ours])
    agent.invoke(QUESTION, {"configurable": {"model": "openai:other"}})
    assert {r.body["model"] for r in native_server.requests} == {"other"}
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")


def test_history_is_the_callers_own_and_only_the_last_message_is_a_copy(pipeline):
    """AG20"""
    model = Scripted()
    image = {"type": "image", "url": "https://example.com/a.png"}
    asked = HumanMessage([{"type": "text", "text": "Which?"}, image], id="3", name="ada", additional_kwargs={"k": 1})
    history = [HumanMessage("One", id="1"), AIMessage("Two", id="2", name="nova"), asked]
    before = [m.model_copy(deep=True) for m in history]
    turn = Turn(Identity(label="Nova"), Snippet(text="An apple.", title="a.md"), timezone="UTC")
    seen = []

    class Spy(Idle):
        def wrap_model_call(self, request, handler):
            seen.extend(request.messages)
            return handler(request)

    agent = create_agent(model, middleware=[Spy(), PromptMiddleware(pipeline, turn=turn)])
    agent.invoke({"messages": history})
    _, one, two, last = model.asked[0]
    assert one is seen[0]
    assert two is seen[1]
    assert last is not seen[2]
    assert (last.id, last.name, last.additional_kwargs) == ("3", "ada", {"k": 1})
    assert image in last.content
    assert "An apple." in last.text
    assert seen == history == before


def test_the_state_holds_only_the_applications_messages(pipeline):
    """AG21"""
    turn = Turn(Identity(label="Nova"), Snippet(text="An apple.", title="a.md"), timezone="UTC")
    agent = create_agent(Scripted(), middleware=[PromptMiddleware(pipeline, turn=turn)], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    for text in ("One", "Two", "Three"):
        agent.invoke(_question(text), config)
    kept = agent.get_state(config).values["messages"]
    assert [m.text for m in kept] == ["One", SAID, "Two", SAID, "Three", SAID]


async def _run(agent, question, *, way, **options):
    return agent.invoke(question, **options) if way == "sync" else await agent.ainvoke(question, **options)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("tools", [[], [weather]])
async def test_a_plugins_tool_is_offered_and_run(noting, notes, witness, nova, tools, way):
    """AG22"""
    model = Scripted(answers=[calling("note", text="tea"), AIMessage("Done.")])
    agent = create_agent(model, tools, middleware=[PromptMiddleware(noting, turn=nova)])
    messages = (await _run(agent, QUESTION, way=way))["messages"]
    assert [m.type for m in messages] == ["human", "ai", "tool", "ai"]
    assert (messages[2].content, messages[2].name, messages[2].status) == ("Noted: tea.", "note", "success")
    assert notes.kept == [("nova", "tea")]
    sent = {t["function"]["name"]: t["function"] for t in model.options[0]["tools"]}
    assert list(sent) == sorted(["note", *(t.name for t in tools)])
    assert sent["note"]["description"] == "Notes a text."
    assert sent["note"]["parameters"]["required"] == ["text"]
    assert "note" in witness.prompts[0].tools.local


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_plugins_tool_that_fails_gives_the_model_an_error_without_content(noting, nova, way):
    model = Scripted(answers=[calling("note"), AIMessage("Done.")])
    agent = create_agent(model, middleware=[PromptMiddleware(noting, turn=nova)])
    result = (await _run(agent, QUESTION, way=way))["messages"][2]
    assert (result.content, result.status) == ("The tool note failed.", "error")


async def test_a_plugins_tool_runs_with_the_turn_of_its_own_call(noting, notes):
    def turn(request):
        return Turn(tenant=request.runtime.context.user)

    model = Scripted(answers=[calling("note", text=t) for t in "ab"])
    agent = create_agent(
        model, middleware=[PromptMiddleware(noting, turn=turn)], context_schema=Context, interrupt_before=["tools"],
        checkpointer=InMemorySaver(),
    )  # fmt: skip
    threads = {user: {"configurable": {"thread_id": user}} for user in ("Ada", "Bob")}
    for user, config in threads.items():  # both wait, with one and the same id of their calls
        agent.invoke(QUESTION, config, context=Context(user=user))
    for user, config in threads.items():
        await agent.ainvoke(None, config, context=Context(user=user))
    assert notes.kept == [("Ada", "a"), ("Bob", "b")]


async def test_a_plugins_tool_runs_where_the_graph_goes_on_in_another_process(noting, notes, nova):
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "1"}}

    def agent(model):
        middleware = [PromptMiddleware(noting, turn=nova)]
        return create_agent(model, middleware=middleware, checkpointer=saver, interrupt_before=["tools"])

    agent(Scripted(answers=[calling("note", text="tea")])).invoke(QUESTION, config)
    agent(Scripted()).invoke(None, config)
    assert notes.kept == [("nova", "tea")]


async def test_a_call_of_the_applications_own_tool_is_not_taken_for_a_plugins(noting, notes, nova):
    model = Scripted(answers=[calling("note", text="a"), AIMessage("Done."), calling("weather", place="Graz")])
    agent = create_agent(model, [weather], middleware=[PromptMiddleware(noting, turn=nova)])
    agent.invoke(QUESTION)
    messages = agent.invoke(_question("And now?"))["messages"]
    assert messages[2].content == "Fine in Graz."


def test_an_applications_tool_of_the_same_name_stays(noting, notes, nova):
    @tool
    def note(text: str) -> str:
        """Is the application's."""
        return "mine"

    model = Scripted(answers=[calling("note", text="a")])
    agent = create_agent(model, [note], middleware=[PromptMiddleware(noting, turn=nova)])
    assert agent.invoke(QUESTION)["messages"][2].content == "mine"
    assert len(model.options[0]["tools"]) == 1
    assert notes.kept == []


class Counting(Idle):
    """An application's middleware with a hook of its own around tools."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def wrap_tool_call(self, request, handler):
        self.seen.append(request.tool_call["name"])
        return handler(request)


@pytest.mark.parametrize("first", [True, False])
def test_other_hooks_around_tools_run_too(noting, nova, first):
    """AG23"""
    other, own = Counting(), PromptMiddleware(noting, turn=nova)
    model = Scripted(answers=[calling("note", text="tea")])
    messages = create_agent(model, middleware=[other, own] if first else [own, other]).invoke(QUESTION)["messages"]
    assert messages[2].content == "Noted: tea."
    assert other.seen == ["note"]


@pytest.mark.parametrize("name", ["nothing", "note"])
async def test_an_unknown_tool_gives_langchains_own_error(pipeline, noting, nova, name):
    """AG23"""
    known = noting if name == "nothing" else pipeline
    for way in ("sync", "async"):
        model = Scripted(answers=[calling(name, text="tea")])
        agent = create_agent(model, [weather], middleware=[PromptMiddleware(known, turn=nova)])
        result = (await _run(agent, QUESTION, way=way))["messages"][2]
        assert result.status == "error"
        assert f"{name} is not a valid tool" in result.content


def test_two_of_them_need_names(pipeline, nova):
    """AG24"""
    with pytest.raises(AssertionError, match="duplicate middleware"):
        create_agent(Scripted(), middleware=[PromptMiddleware(pipeline), PromptMiddleware(pipeline)])
    model = Scripted()
    first = PromptMiddleware(pipeline, turn=nova, name="first")
    second = PromptMiddleware(pipeline, turn=Turn(Identity(label="Vega")), name="second")
    create_agent(model, middleware=[first, second]).invoke(QUESTION)
    assert (first.name, second.name) == ("first", "second")
    assert "Nova" in systems(model)[0]
    assert "Vega" not in systems(model)[0]  # of the same pipeline, and the call was assembled already


def test_text_of_other_middlewares_is_the_callers(ours):
    """AG25, without marks"""
    model = Scripted()
    marked = [{"type": "text", "text": "Mine.", "cache_control": {"type": "ephemeral"}}]
    agent = create_agent(model, system_prompt=SystemMessage(marked), middleware=[TodoListMiddleware(), ours])
    agent.invoke(QUESTION)
    (text,) = systems(model)
    assert text.startswith("You are Nova")
    assert "Mine.\n\n## `write_todos`" in text


def test_a_marked_tool_keeps_the_order_of_the_array(ours):
    @tool(extras={"cache_control": {"type": "ephemeral"}})
    def marked(x: str) -> str:
        """Is marked."""
        return x

    model = Scripted()
    create_agent(model, [weather, marked, alarm], middleware=[ours]).invoke(QUESTION)
    assert [t["function"]["name"] for t in model.options[0]["tools"]] == ["weather", "marked", "alarm"]


@pytest.mark.filterwarnings("error")
def test_natively_the_model_stays_the_applications_own(native_server, ours):
    """AG26"""
    seen = []

    class Spy(Idle):
        def wrap_model_call(self, request, handler):
            seen.append(request)
            return handler(request)

    model = ChatAnthropic(model_name="claude-sonnet-4-6", base_url=native_server.root_url, api_key="none")
    agent = create_agent(model, [weather], middleware=[AnthropicPromptCachingMiddleware(), ours, Spy()])
    agent.invoke(QUESTION)
    assert all(request.model is model for request in seen)
    assert native_server.last.body["system"].startswith("You are Nova")


async def test_each_attempt_is_assembled_and_told(ours, witness):
    """AG27"""
    model = Scripted(answers=[ValueError("no"), ValueError("no"), AIMessage("Third.")])
    retry = ModelRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    said = create_agent(model, middleware=[retry, ours]).invoke(QUESTION)
    assert said["messages"][-1].text == "Third."
    assert [(a.text, a.complete) for a in witness.answers] == [("", False), ("", False), ("Third.", True)]
    assert model.asked[0] == model.asked[1] == model.asked[2]


async def test_an_async_call_is_told_too(ours, witness):
    model = Scripted(answers=[AIMessage("One."), ValueError("no")])
    agent = create_agent(model, middleware=[ours])
    await agent.ainvoke(QUESTION)
    with pytest.raises(ValueError, match="no"):
        await agent.ainvoke(QUESTION)
    assert [(a.text, a.complete) for a in witness.answers] == [("One.", True), ("", False)]


@pytest.mark.parametrize("session", ["", "s1"])
def test_what_is_collected_stays_for_a_round_whatever_model_answers(nova, session):
    collected = []

    class Collects:
        @hookimpl
        def promptmw_collect(self, turn: Turn) -> list[Any]:
            collected.append(turn)
            return [Memory(text=f"Memory {len(collected)}.")]

    class OtherModel(Idle):
        def wrap_model_call(self, request, handler):
            handler(request)
            return handler(request.override(model=Scripted(model_name="other"), tools=[]))

    pipeline = Pipeline("chat", plugins=[Collects()], clock=lambda: NOW)
    ours = PromptMiddleware(pipeline, turn=nova.replace(session=session))
    create_agent(Scripted(), [weather], middleware=[OtherModel(), ours]).invoke(QUESTION)
    assert len(collected) == 1


class Place(BaseModel):
    """A place."""

    name: str


def test_the_answer_of_a_structured_strategy_is_told_and_returned(ours, witness):
    model = Scripted(answers=[calling("Place", name="Graz")])
    result = create_agent(model, response_format=ToolStrategy(Place), middleware=[ours]).invoke(QUESTION)
    assert result["structured_response"] == Place(name="Graz")
    assert [c.name for c in witness.answers[0].tool_calls] == ["Place"]
    assert witness.prompts[0].tools.local == ()


@pytest.mark.parametrize("mode", ["none", "auto"])
def test_without_tools_the_request_has_no_setting_of_theirs(pipeline, nova, mode):
    """TG11"""

    class Settings(Idle):
        def wrap_model_call(self, request, handler):
            settings = {"parallel_tool_calls": False, "seed": 1}
            return handler(request.override(model_settings=settings, tool_choice="any"))

    model = Scripted()
    tools = [weather] if mode == "none" else []
    middleware = [Settings(), PromptMiddleware(pipeline, turn=nova, tool_mode=mode)]
    create_agent(model, tools, middleware=middleware).invoke(QUESTION)
    assert model.options == [{"seed": 1}]


@pytest.mark.parametrize("kind", [lambda m: m, _bound, _tagged, lambda m: m.with_fallbacks([m])])
@pytest.mark.parametrize("tools", [[], [weather]])
def test_a_model_that_assembles_itself_gets_the_turn_and_nothing_else_changes(pipeline, nova, witness, kind, tools):
    inner = Scripted()
    model = PromptChatModel(inner=inner, pipeline=pipeline, turn=Turn(Identity(label="Vega")))
    agent = create_agent(kind(model), tools, system_prompt="Mine.", middleware=[PromptMiddleware(pipeline, turn=nova)])
    agent.invoke(QUESTION)
    assert systems(inner)[0].startswith("You are Nova")
    assert systems(inner)[0].count("Mine.") == 1
    assert len(witness.prompts) == len(witness.answers) == 1
    create_agent(model, middleware=[PromptMiddleware(pipeline)]).invoke(QUESTION)
    assert "Vega" in systems(inner)[1]  # nothing was stated: the model finds its turn itself


def test_among_fallbacks_of_which_one_assembles_itself_each_is_asked_with_the_prompt(pipeline, nova):
    first, second = Scripted(answers=[ValueError("no")]), Scripted()
    model = PromptChatModel(inner=first, pipeline=pipeline).with_fallbacks([second])
    create_agent(model, middleware=[PromptMiddleware(pipeline, turn=nova)]).invoke(QUESTION)
    assert first.asked == second.asked
    assert systems(second)[0].startswith("You are Nova")


def test_only_fields_that_change_are_overridden(pipeline, nova):
    seen = []

    class Spy(Idle):
        def wrap_model_call(self, request, handler):
            seen.append(request)
            return handler(request)

    class Again(Spy):
        pass

    agent = create_agent(
        Scripted(), [alarm, weather], middleware=[Spy(), PromptMiddleware(pipeline, turn=nova), Again()]
    )
    agent.invoke(QUESTION)
    before, after = seen
    assert after.system_message is not before.system_message
    for name in ("model", "messages", "tools", "tool_choice", "response_format", "state", "runtime", "model_settings"):
        assert getattr(after, name) is getattr(before, name)


def test_system_messages_in_the_history_are_the_callers_text_and_stand_in_front_once(ours):
    model = Scripted()
    create_agent(model, middleware=[ours]).invoke({"messages": [SystemMessage("Mine."), HumanMessage("Hi")]})
    assert [m.type for m in model.asked[0]] == ["system", "human"]
    assert systems(model)[0].count("Mine.") == 1


def test_a_tool_result_is_no_question(pipeline):
    turn = Turn(Identity(label="Nova"), Snippet(text="An apple.", title="a.md"), timezone="UTC")
    model = Scripted(answers=[calling("weather", place="Graz")])
    create_agent(model, [weather], middleware=[PromptMiddleware(pipeline, turn=turn)]).invoke(QUESTION)
    _, asked, _, result = model.asked[1]
    assert "An apple." in asked.text
    assert isinstance(result, ToolMessage)
    assert result.content == "Fine in Graz."


def test_the_middleware_has_no_hook_that_writes_to_the_state():
    own = set(vars(PromptMiddleware))
    assert not own & {n for a in ("", "a") for n in (f"{a}before_model", f"{a}after_model", f"{a}before_agent")}
    assert own >= {"wrap_model_call", "awrap_model_call", "wrap_tool_call", "awrap_tool_call"}
