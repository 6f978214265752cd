"""The tests' own servers, driven by the clients that the adapters meet."""

from collections.abc import Iterator
from typing import Any, Literal

import jsonschema
import litellm
import openai
import pytest
from anthropic import Anthropic
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from .servers import SENTENCE, NativeServer, TextServer
from .servers.fitting import fit

CLAUDE = "claude-sonnet-4-6"
ADD = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}
ADD_TOOL: Any = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": ADD}}
NOTE_TOOL: Any = {"type": "function", "function": {"name": "note", "parameters": {"type": "object"}}}
MESSAGES_TOOLS: Any = [{"name": "add", "description": "Adds.", "input_schema": ADD}]
RESPONSES_TOOLS: Any = [{"type": "function", "name": "add", "parameters": ADD}]
QUESTION: Any = [{"role": "user", "content": "What is 3 + 4?"}]
ASSISTANT_CALL: Any = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}],
}
TOOL_RESULT: Any = {"role": "tool", "tool_call_id": "c1", "content": "7"}


class Sum(BaseModel):
    """The sum of two numbers."""

    a: int
    b: int


@pytest.fixture
def client(native_server: NativeServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=native_server.base_url, api_key="x") as client:
        yield client


@pytest.fixture
def text_client(text_server: TextServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=text_server.base_url, api_key="x") as client:
        yield client


@pytest.fixture
def claude(native_server: NativeServer) -> Iterator[Anthropic]:
    with Anthropic(base_url=native_server.root_url, api_key="x") as client:
        yield client


def chat_openai(server: NativeServer | TextServer, **kwargs: Any) -> ChatOpenAI:
    return ChatOpenAI(model="m", api_key="x", base_url=server.base_url, **kwargs)


def chat_anthropic(server: NativeServer) -> ChatAnthropic:
    return ChatAnthropic(model=CLAUDE, api_key="x", base_url=server.root_url)


def targets(server: NativeServer) -> dict[str, dict[str, Any]]:
    return {
        "openai": {"model": "openai/gpt-4o", "api_base": server.base_url, "api_key": "x"},
        "anthropic": {"model": f"anthropic/{CLAUDE}", "api_base": server.root_url, "api_key": "x"},
    }


@pytest.fixture(params=["openai", "anthropic"])
def target(request: pytest.FixtureRequest, native_server: NativeServer) -> dict[str, Any]:
    return targets(native_server)[request.param]


class TestLog:
    def test_requests_are_logged_with_path_headers_and_body(
        self, client: openai.OpenAI, native_server: NativeServer
    ) -> None:
        client.chat.completions.create(model="m", messages=QUESTION, extra_headers={"X-Test": "1"})
        received = native_server.last
        assert received.path == "/v1/chat/completions"
        assert received.headers["x-test"] == "1"
        assert received.body == {"model": "m", "messages": QUESTION}
        assert native_server.requests == [received]

    def test_clear_forgets_requests_and_failures(self, client: openai.OpenAI, native_server: NativeServer) -> None:
        native_server.fail_next(9, 500)
        native_server.clear()
        client.chat.completions.create(model="m", messages=QUESTION)
        assert len(native_server.requests) == 1

    def test_fail_next_fails_as_often_as_told(self, client: openai.OpenAI, native_server: NativeServer) -> None:
        native_server.fail_next(2, 503)
        once = client.with_options(max_retries=0)
        for _ in range(2):
            with pytest.raises(openai.InternalServerError, match="failing with 503, as told"):
                once.chat.completions.create(model="m", messages=QUESTION)
        assert once.chat.completions.create(model="m", messages=QUESTION).choices

    def test_failed_requests_are_logged(self, client: openai.OpenAI, native_server: NativeServer) -> None:
        native_server.fail_next(2, 500)
        client.chat.completions.create(model="m", messages=QUESTION)
        assert len(native_server.requests) == 3

    def test_anthropic_client_reads_the_error(self, claude: Anthropic, native_server: NativeServer) -> None:
        native_server.fail_next(1, 400)
        with pytest.raises(Exception, match="failing with 400, as told"):
            claude.messages.create(model=CLAUDE, max_tokens=9, messages=QUESTION)

    def test_unknown_path_is_404(self, client: openai.OpenAI) -> None:
        with pytest.raises(openai.NotFoundError):
            client.embeddings.create(model="m", input="x")

    def test_missing_field_is_400(self, client: openai.OpenAI) -> None:
        with pytest.raises(openai.BadRequestError, match="messages is missing"):
            client.post("/chat/completions", body={"model": "m"}, cast_to=object)

    def test_client_may_leave_a_stream(self, client: openai.OpenAI, native_server: NativeServer) -> None:
        with client.chat.completions.create(model="m", messages=QUESTION, stream=True) as stream:
            next(iter(stream))
        assert client.chat.completions.create(model="m", messages=QUESTION).choices


class TestChatCompletions:
    def test_without_tools_says_the_sentence(self, client: openai.OpenAI) -> None:
        answer = client.chat.completions.create(model="m", messages=QUESTION)
        assert answer.model == "m"
        assert answer.choices[0].message.content == SENTENCE
        assert answer.choices[0].finish_reason == "stop"

    def test_calls_the_first_tool_with_numbers_of_the_question(self, client: openai.OpenAI) -> None:
        answer = client.chat.completions.create(model="m", messages=QUESTION, tools=[ADD_TOOL, NOTE_TOOL])
        (call,) = answer.choices[0].message.tool_calls
        assert (call.function.name, call.function.arguments) == ("add", '{"a": 3, "b": 4}')
        assert answer.choices[0].finish_reason == "tool_calls"

    def test_calls_the_chosen_tool(self, client: openai.OpenAI) -> None:
        choice: Any = {"type": "function", "function": {"name": "note"}}
        answer = client.chat.completions.create(
            model="m", messages=QUESTION, tools=[ADD_TOOL, NOTE_TOOL], tool_choice=choice
        )
        (call,) = answer.choices[0].message.tool_calls
        assert (call.function.name, call.function.arguments) == ("note", "{}")

    def test_unknown_choice_is_refused(self, client: openai.OpenAI) -> None:
        choice: Any = {"type": "function", "function": {"name": "nothing"}}
        with pytest.raises(openai.BadRequestError, match="no tool is called 'nothing'"):
            client.chat.completions.create(model="m", messages=QUESTION, tools=[ADD_TOOL], tool_choice=choice)

    def test_choice_none_calls_nothing(self, client: openai.OpenAI) -> None:
        answer = client.chat.completions.create(model="m", messages=QUESTION, tools=[ADD_TOOL], tool_choice="none")
        assert answer.choices[0].message.content == SENTENCE

    def test_after_a_result_says_the_sentence(self, client: openai.OpenAI) -> None:
        history = [*QUESTION, ASSISTANT_CALL, TOOL_RESULT]
        answer = client.chat.completions.create(model="m", messages=history, tools=[ADD_TOOL, NOTE_TOOL])
        assert answer.choices[0].message.content == SENTENCE

    @pytest.mark.parametrize(("tools", "called"), [([ADD_TOOL, NOTE_TOOL], ["note"]), ([ADD_TOOL], [])])
    def test_when_forced_after_a_result_calls_what_was_not_called(
        self, client: openai.OpenAI, tools: list[Any], called: list[str]
    ) -> None:
        history = [*QUESTION, ASSISTANT_CALL, TOOL_RESULT]
        answer = client.chat.completions.create(model="m", messages=history, tools=tools, tool_choice="required")
        assert [call.function.name for call in answer.choices[0].message.tool_calls or ()] == called

    def test_system_message_after_the_question_changes_nothing(self, client: openai.OpenAI) -> None:
        history = [*QUESTION, {"role": "system", "content": "Be brief."}]
        answer = client.chat.completions.create(model="m", messages=history, tools=[ADD_TOOL])
        assert answer.choices[0].finish_reason == "tool_calls"

    def test_json_schema_is_answered_with_fitting_json(self, client: openai.OpenAI) -> None:
        wanted: Any = {"type": "json_schema", "json_schema": {"name": "sum", "schema": ADD}}
        answer = client.chat.completions.create(model="m", messages=QUESTION, response_format=wanted)
        assert Sum.model_validate_json(answer.choices[0].message.content or "") == Sum(a=3, b=4)

    def test_json_object_has_the_keys_that_the_question_names(self, client: openai.OpenAI) -> None:
        question: Any = [{"role": "user", "content": "JSON with 'setup' and 'punchline', please."}]
        wanted: Any = {"type": "json_object"}
        answer = client.chat.completions.create(model="m", messages=question, response_format=wanted)
        assert answer.choices[0].message.content == '{"setup": "setup", "punchline": "punchline"}'

    @pytest.mark.parametrize(("stop", "first"), [("you", "you"), (["nothing", "you", "to you"], "to you")])
    def test_cuts_at_the_first_stop(self, client: openai.OpenAI, stop: Any, first: str) -> None:
        answer = client.chat.completions.create(model="m", messages=QUESTION, stop=stop)
        assert answer.choices[0].message.content == SENTENCE[: SENTENCE.index(first)]
        assert answer.choices[0].finish_reason == "stop"

    @pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
    def test_limit_counts_words(self, client: openai.OpenAI, name: str) -> None:
        answer = client.chat.completions.create(model="m", messages=QUESTION, **{name: 2})
        assert answer.choices[0].message.content == "Hello, here"
        assert answer.choices[0].finish_reason == "length"

    def test_gives_as_many_choices_as_asked_for(self, client: openai.OpenAI) -> None:
        answer = client.chat.completions.create(model="m", messages=QUESTION, n=2, tools=[ADD_TOOL])
        assert [choice.index for choice in answer.choices] == [0, 1]
        assert len({choice.message.tool_calls[0].id for choice in answer.choices}) == 2

    def test_usage_counts_words_and_the_system_text_as_cached(self, client: openai.OpenAI) -> None:
        messages: Any = [{"role": "system", "content": "Be very brief."}, *QUESTION]
        usage = client.chat.completions.create(model="m", messages=messages).usage
        assert usage is not None
        assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (8, 10, 18)
        assert usage.prompt_tokens_details.cached_tokens == 3

    def test_streams_in_small_pieces(self, client: openai.OpenAI) -> None:
        chunks = list(client.chat.completions.create(model="m", messages=QUESTION, stream=True))
        texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
        assert "".join(texts) == SENTENCE
        assert max(len(text) for text in texts) == 6
        assert [chunk.usage for chunk in chunks] == [None] * len(chunks)

    def test_streams_arguments_in_pieces_of_four(self, client: openai.OpenAI) -> None:
        chunks = list(client.chat.completions.create(model="m", messages=QUESTION, tools=[ADD_TOOL], stream=True))
        calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
        assert (calls[0].id is not None, calls[0].function.name) == (True, "add")
        assert [call.function.arguments for call in calls] == ["", '{"a"', ": 3,", ' "b"', ": 4}"]
        assert chunks[-1].choices[0].finish_reason == "tool_calls"

    def test_streams_usage_when_asked(self, client: openai.OpenAI) -> None:
        stream = client.chat.completions.create(
            model="m", messages=QUESTION, stream=True, stream_options={"include_usage": True}
        )
        *others, last = list(stream)
        assert (last.choices, last.usage.total_tokens) == ([], 15)
        assert all(chunk.usage is None for chunk in others)

    def test_streams_choices_in_turns(self, client: openai.OpenAI) -> None:
        chunks = list(client.chat.completions.create(model="m", messages=QUESTION, stream=True, n=2))
        assert [chunk.choices[0].index for chunk in chunks] == [0, 1] * (len(chunks) // 2)


class TestMessages:
    def test_whole_answer(self, claude: Anthropic) -> None:
        answer = claude.messages.create(model=CLAUDE, max_tokens=99, messages=QUESTION, system="Be brief.")
        assert (answer.content[0].text, answer.stop_reason) == (SENTENCE, "end_turn")
        assert (answer.usage.input_tokens, answer.usage.cache_read_input_tokens) == (5, 2)

    def test_whole_call(self, claude: Anthropic) -> None:
        answer = claude.messages.create(model=CLAUDE, max_tokens=99, messages=QUESTION, tools=MESSAGES_TOOLS)
        assert (answer.content[0].name, answer.content[0].input) == ("add", {"a": 3, "b": 4})
        assert answer.stop_reason == "tool_use"

    @pytest.mark.parametrize("tools", [[], MESSAGES_TOOLS])
    def test_stream_adds_up_to_the_whole_answer(self, claude: Anthropic, tools: Any) -> None:
        request: Any = {"model": CLAUDE, "max_tokens": 99, "messages": QUESTION, "tools": tools}
        with claude.messages.stream(**request) as stream:
            streamed = stream.get_final_message()
        whole = claude.messages.create(**request)
        assert streamed.stop_reason == whole.stop_reason
        assert streamed.usage.output_tokens == whole.usage.output_tokens
        assert streamed.content[0].model_dump(exclude={"id"}) == whole.content[0].model_dump(exclude={"id"})

    def test_stop_and_limit(self, claude: Anthropic) -> None:
        stopped = claude.messages.create(model=CLAUDE, max_tokens=99, messages=QUESTION, stop_sequences=["you"])
        limited = claude.messages.create(model=CLAUDE, max_tokens=2, messages=QUESTION)
        assert (stopped.stop_reason, stopped.stop_sequence) == ("stop_sequence", "you")
        assert (limited.stop_reason, limited.content[0].text) == ("max_tokens", "Hello, here")

    def test_after_a_result_says_the_sentence(self, claude: Anthropic) -> None:
        history: Any = [
            *QUESTION,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "add", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "7"}]},
        ]
        answer = claude.messages.create(model=CLAUDE, max_tokens=99, messages=history, tools=MESSAGES_TOOLS)
        assert answer.content[0].text == SENTENCE


class TestResponses:
    def test_whole_answer(self, client: openai.OpenAI) -> None:
        answer = client.responses.create(model="m", input="What is 3 + 4?", instructions="Be brief.")
        assert (answer.output_text, answer.status, answer.instructions) == (SENTENCE, "completed", "Be brief.")
        assert (answer.usage.input_tokens, answer.usage.input_tokens_details.cached_tokens) == (7, 2)

    def test_whole_call(self, client: openai.OpenAI) -> None:
        (item,) = client.responses.create(model="m", input=QUESTION, tools=RESPONSES_TOOLS).output
        assert (item.type, item.name, item.arguments) == ("function_call", "add", '{"a": 3, "b": 4}')

    @pytest.mark.parametrize("tools", [[], RESPONSES_TOOLS])
    def test_stream_adds_up_to_the_whole_answer(self, client: openai.OpenAI, tools: Any) -> None:
        request: Any = {"model": "m", "input": QUESTION, "tools": tools}
        with client.responses.stream(**request) as stream:
            streamed = stream.get_final_response()
        whole = client.responses.create(**request)
        assert streamed.usage == whole.usage
        assert streamed.output_text == whole.output_text
        assert [item.type for item in streamed.output] == [item.type for item in whole.output]

    def test_events_are_numbered_and_deltas_small(self, client: openai.OpenAI) -> None:
        events = list(client.responses.create(model="m", input=QUESTION, stream=True))
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == SENTENCE
        assert events[-1].type == "response.completed"

    def test_limit_leaves_the_answer_incomplete(self, client: openai.OpenAI) -> None:
        answer = client.responses.create(model="m", input="hi", max_output_tokens=2)
        assert (answer.status, answer.output_text) == ("incomplete", "Hello, here")

    def test_schema_is_answered_with_fitting_json(self, client: openai.OpenAI) -> None:
        answer = client.responses.parse(model="m", input="What is 3 + 4?", text_format=Sum)
        assert answer.output_parsed == Sum(a=3, b=4)

    def test_after_a_result_says_the_sentence(self, client: openai.OpenAI) -> None:
        history: Any = [
            *QUESTION,
            {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "7"},
        ]
        assert client.responses.create(model="m", input=history, tools=RESPONSES_TOOLS).output_text == SENTENCE


class TestChatOpenAI:
    def test_invoke(self, native_server: NativeServer) -> None:
        answer = chat_openai(native_server).invoke("hi")
        assert answer.text == SENTENCE
        assert answer.usage_metadata["total_tokens"] == 11

    async def test_astream_carries_usage_once(self, native_server: NativeServer) -> None:
        chunks = [c async for c in chat_openai(native_server, stream_usage=True).astream("hi")]
        assert "".join(chunk.text for chunk in chunks) == SENTENCE
        assert [chunk.usage_metadata["total_tokens"] for chunk in chunks if chunk.usage_metadata] == [11]

    def test_bind_tools(self, native_server: NativeServer) -> None:
        (call,) = chat_openai(native_server).bind_tools([Sum]).invoke("What is 3 + 4?").tool_calls
        assert (call["name"], call["args"]) == ("Sum", {"a": 3, "b": 4})

    @pytest.mark.parametrize("method", ["json_schema", "function_calling"])
    def test_structured_output(self, native_server: NativeServer, method: Any) -> None:
        chain = chat_openai(native_server).with_structured_output(Sum, method=method)
        assert chain.invoke("What is 3 + 4?") == Sum(a=3, b=4)

    def test_structured_output_by_responses_api_streams(self, native_server: NativeServer) -> None:
        chain = chat_openai(native_server, use_responses_api=True).with_structured_output(Sum)
        assert list(chain.stream("What is 3 + 4?")) == [Sum(a=3, b=4)]


class TestChatAnthropic:
    def test_invoke(self, native_server: NativeServer) -> None:
        assert chat_anthropic(native_server).invoke("hi").text == SENTENCE
        assert native_server.last.path == "/v1/messages"

    def test_stream(self, native_server: NativeServer) -> None:
        assert "".join(chunk.text for chunk in chat_anthropic(native_server).stream("hi")) == SENTENCE

    async def test_ainvoke_with_tools(self, native_server: NativeServer) -> None:
        answer = await chat_anthropic(native_server).bind_tools([Sum]).ainvoke("What is 3 + 4?")
        assert answer.tool_calls[0]["args"] == {"a": 3, "b": 4}

    @pytest.mark.parametrize("method", ["json_schema", "function_calling"])
    def test_structured_output(self, native_server: NativeServer, method: Any) -> None:
        chain = chat_anthropic(native_server).with_structured_output(Sum, method=method)
        assert chain.invoke("What is 3 + 4?") == Sum(a=3, b=4)


class TestLiteLLM:
    def test_completion(self, target: dict[str, Any]) -> None:
        answer = litellm.completion(messages=QUESTION, tools=[ADD_TOOL], **target)
        assert answer.choices[0].message.tool_calls[0].function.arguments == '{"a": 3, "b": 4}'

    async def test_acompletion(self, target: dict[str, Any]) -> None:
        answer = await litellm.acompletion(messages=QUESTION, **target)
        assert (answer.choices[0].message.content, answer.usage.prompt_tokens) == (SENTENCE, 5)

    def test_completion_stream(self, target: dict[str, Any]) -> None:
        chunks = list(litellm.completion(messages=QUESTION, tools=[ADD_TOOL], stream=True, **target))
        answer = litellm.stream_chunk_builder(chunks)
        assert answer.choices[0].message.tool_calls[0].function.arguments == '{"a": 3, "b": 4}'

    async def test_acompletion_stream(self, target: dict[str, Any]) -> None:
        chunks = [c async for c in await litellm.acompletion(messages=QUESTION, stream=True, **target)]
        assert "".join(c.choices[0].delta.content or "" for c in chunks) == SENTENCE

    async def test_anthropic_messages(self, target: dict[str, Any]) -> None:
        answer = await litellm.anthropic_messages(messages=QUESTION, max_tokens=99, tools=MESSAGES_TOOLS, **target)
        assert (answer["stop_reason"], answer["content"][0]["input"]) == ("tool_use", {"a": 3, "b": 4})

    async def test_anthropic_messages_stream(self, target: dict[str, Any]) -> None:
        stream = await litellm.anthropic_messages(messages=QUESTION, max_tokens=99, stream=True, **target)
        raw = b"".join([piece async for piece in stream])
        assert raw.count(b'"text_delta"') > 1
        assert b"message_stop" in raw

    @pytest.mark.parametrize("tools", [None, RESPONSES_TOOLS])
    def test_responses(self, target: dict[str, Any], tools: Any) -> None:
        answer = litellm.responses(input="What is 3 + 4?", tools=tools, **target)
        assert [item.type for item in answer.output] == ["function_call" if tools else "message"]

    async def test_aresponses_stream(self, target: dict[str, Any]) -> None:
        stream = await litellm.aresponses(input="What is 3 + 4?", stream=True, **target)
        events = [event async for event in stream]
        assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == SENTENCE
        assert events[-1].type == "response.completed"


class TestTextServer:
    @pytest.mark.parametrize(
        "extra",
        [
            {"tools": [ADD_TOOL]},
            {"tool_choice": "auto"},
            {"response_format": {"type": "json_object"}},
            {"functions": [ADD_TOOL["function"]]},
            {"parallel_tool_calls": False},
        ],
        ids=lambda extra: next(iter(extra)),
    )
    def test_refuses_parameters_of_function_calling(self, text_client: openai.OpenAI, extra: Any) -> None:
        with pytest.raises(openai.BadRequestError) as refused:
            text_client.chat.completions.create(model="m", messages=QUESTION, **extra)
        assert refused.value.param == next(iter(extra))

    @pytest.mark.parametrize(
        ("history", "param"),
        [
            ([*QUESTION, TOOL_RESULT], "messages[1].role"),
            ([*QUESTION, ASSISTANT_CALL], "messages[1].tool_calls"),
            ([*QUESTION, {"role": "system", "content": "Be brief."}], "messages[1].role"),
        ],
        ids=["tool role", "tool calls", "late system message"],
    )
    def test_refuses_messages_of_function_calling(self, text_client: openai.OpenAI, history: Any, param: str) -> None:
        with pytest.raises(openai.BadRequestError) as refused:
            text_client.chat.completions.create(model="m", messages=history)
        assert refused.value.param == param

    def test_refused_requests_are_logged(self, text_client: openai.OpenAI, text_server: TextServer) -> None:
        with pytest.raises(openai.BadRequestError):
            text_client.chat.completions.create(model="m", messages=QUESTION, tools=[ADD_TOOL])
        assert text_server.last.body["tools"] == [ADD_TOOL]

    def test_other_apis_are_404(self, text_client: openai.OpenAI) -> None:
        with pytest.raises(openai.NotFoundError):
            text_client.responses.create(model="m", input="hi")

    def test_answers_plain_text(self, text_server: TextServer) -> None:
        answer = chat_openai(text_server).invoke([SystemMessage("Be brief."), HumanMessage("hi")])
        assert answer.text == SENTENCE

    def test_streams_in_pieces_of_three(self, text_client: openai.OpenAI) -> None:
        chunks = list(text_client.chat.completions.create(model="m", messages=QUESTION, stream=True))
        texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
        assert ("".join(texts), max(len(text) for text in texts)) == (SENTENCE, 3)

    def test_chat_openai_with_tools_is_refused(self, text_server: TextServer) -> None:
        with pytest.raises(openai.BadRequestError):
            chat_openai(text_server).bind_tools([Sum]).invoke("What is 3 + 4?")

    def test_chat_openai_history_with_calls_is_refused(self, text_server: TextServer) -> None:
        call: Any = {"name": "Sum", "args": {}, "id": "c1"}
        history = [HumanMessage("hi"), AIMessage("", tool_calls=[call]), ToolMessage("7", tool_call_id="c1")]
        with pytest.raises(openai.BadRequestError):
            chat_openai(text_server).invoke(history)


class Place(BaseModel):
    name: str
    kind: Literal["city", "village"]
    size: float | None = None


class Trip(BaseModel):
    title: str
    stops: list[Place]
    days: int
    start: Place | None
    after: "Trip | None" = None


class Nested(BaseModel):
    parts: list["Nested"]


class TestFitting:
    def test_nested_schema_gets_values_of_the_question(self) -> None:
        question = "Plan 'Round tour' with a stop at the village \"Höfn\", 3 days. It's the customer's wish."
        trip = Trip.model_validate(fit(Trip.model_json_schema(), question))
        assert (trip.title, trip.days) == ("Round tour", 3)
        assert trip.stops == [Place(name="Höfn", kind="village")]
        assert trip.after is None

    def test_recursive_schema_ends(self) -> None:
        Nested.model_validate(fit(Nested.model_json_schema(), ""))

    @pytest.mark.parametrize(
        "schema",
        [
            {"type": "integer", "minimum": 10},
            {"type": "integer", "exclusiveMaximum": 0},
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            {"type": "string", "minLength": 40},
            {"type": "string", "maxLength": 3},
            {"type": ["null", "boolean"]},
            {"type": "null"},
            {"const": 7},
            {"type": "array", "items": {"type": "integer"}, "minItems": 3},
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
            {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}], "type": "object"},
        ],
    )
    def test_value_fits(self, schema: dict[str, Any]) -> None:
        jsonschema.validate(fit(schema, "3 and 4.5"), schema)
