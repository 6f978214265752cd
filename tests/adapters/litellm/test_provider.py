"""The provider ``promptmw/<model>``, on the wire."""

import litellm
import pytest
from litellm.integrations.custom_logger import CustomLogger

from promptmw import Pipeline
from promptmw.inside import inside
from promptmw_litellm import Callback, Provider, install

from .conftest import logged

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "python_execute", "parameters": {"type": "object", "properties": {}}}}
SAID = "Hello, here is what the test server says to you."


@pytest.fixture
def behind(chat, pipeline, nova):
    """Where LiteLLM finds the server by way of the provider."""
    install(pipeline, turn=nova)
    return {**chat, "model": "promptmw/openai/small"}


class Events(CustomLogger):
    def __init__(self):
        super().__init__()
        self.seen = []

    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        self.seen.append(("success", kwargs.get("response_cost"), kwargs.get("model")))

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        self.seen.append(("failure", None, kwargs.get("model")))


def test_installing_twice_registers_once(pipeline, witness, nova):
    other = Pipeline("chat")
    install(pipeline, turn=nova)
    install(other)
    (item,) = [p for p in litellm.custom_provider_map if p["provider"] == "promptmw"]
    (callback,) = [c for c in litellm.callbacks if isinstance(c, Callback)]
    assert item["custom_handler"].pipeline is callback.pipeline is other


def test_a_sync_call_is_assembled_once(native_server, behind, witness):
    answer = litellm.completion(messages=HI, **behind)
    body = native_server.last.body
    assert body["model"] == "small"
    assert body["messages"][0]["content"].startswith("You are Nova")
    assert len(native_server.requests) == len(witness.prompts) == 1
    assert answer.choices[0].message.content == SAID
    assert [a.text for a in witness.answers] == [SAID]


async def test_an_async_call_is_assembled_once(native_server, behind, witness):
    await litellm.acompletion(messages=HI, **behind)
    await logged()
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")
    assert len(witness.prompts) == 1
    assert [a.text for a in witness.answers] == [SAID]


def test_a_sync_stream_ends_with_the_servers_own_counts(native_server, behind, witness):
    stream = litellm.completion(messages=HI, stream=True, stream_options={"include_usage": True}, **behind)
    chunks = list(stream)
    whole = litellm.stream_chunk_builder(chunks, messages=HI)
    words = sum(len(m["content"].split()) for m in native_server.last.body["messages"])
    assert whole.choices[0].message.content == SAID
    assert (whole.usage.prompt_tokens, whole.usage.completion_tokens) == (words, len(SAID.split()))
    assert [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason] == ["stop"]
    assert [a.complete for a in witness.answers] == [True]


async def test_an_async_stream_ends_with_the_servers_own_counts(native_server, behind, witness):
    stream = await litellm.acompletion(messages=HI, stream=True, stream_options={"include_usage": True}, **behind)
    chunks = [chunk async for chunk in stream]
    words = sum(len(m["content"].split()) for m in native_server.last.body["messages"])
    counts = [c.usage for c in chunks if getattr(c, "usage", None)]
    assert [(u.prompt_tokens, u.completion_tokens) for u in counts] == [(words, len(SAID.split()))]
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == SAID
    assert [(a.text, a.complete) for a in witness.answers] == [(SAID, True)]


async def test_a_stream_that_is_given_up_is_told_as_unfinished(behind, witness):
    stream = await litellm.acompletion(messages=HI, stream=True, **behind)
    await anext(stream)
    await stream.aclose()
    assert [a.complete for a in witness.answers] == [False]


async def test_tool_calls_of_a_stream_come_through(behind):
    stream = await litellm.acompletion(messages=HI, tools=[TOOL], stream=True, **behind)
    whole = litellm.stream_chunk_builder([chunk async for chunk in stream])
    (choice,) = whole.choices
    assert choice.finish_reason == "tool_calls"
    assert [c.function.name for c in choice.message.tool_calls] == ["python_execute"]


def test_sync_router_calls_are_assembled(native_server, behind):
    router = litellm.Router([{"model_name": "assistant", "litellm_params": behind}])
    router.completion("assistant", HI)
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")


async def test_responses_come_by_way_of_chat(native_server, behind, witness):
    answer = await litellm.aresponses(input="Hi", instructions="Mine.", **behind)
    (system, user) = native_server.last.body["messages"]
    assert system["content"].startswith("You are Nova")
    assert "Mine." in system["content"]
    assert user["content"] == "Hi"
    assert answer.output[0].content[0].text == SAID
    assert len(witness.prompts) == 1


async def test_messages_come_by_way_of_chat(native_server, behind, witness):
    answer = await litellm.anthropic_messages(max_tokens=50, messages=HI, system="Mine.", **behind)
    system = native_server.last.body["messages"][0]
    assert system["content"].startswith("You are Nova")
    assert "Mine." in system["content"]
    assert answer["content"][0]["text"] == SAID
    assert len(witness.prompts) == 1


def test_a_failure_makes_one_request(native_server, behind, witness):
    """LS12"""
    native_server.fail_next(5, 500)
    with pytest.raises(litellm.InternalServerError):
        litellm.completion(messages=HI, num_retries=0, **behind)
    assert len(native_server.requests) == 1
    assert [a.complete for a in witness.answers] == [False]


async def test_a_failure_of_a_router_makes_one_request_an_attempt(native_server, behind):
    """LS12"""
    native_server.fail_next(5, 500)
    router = litellm.Router([{"model_name": "assistant", "litellm_params": behind}], num_retries=0)
    with pytest.raises(litellm.InternalServerError):
        await router.acompletion("assistant", HI)
    assert len(native_server.requests) == 1


async def test_a_call_is_logged_once_with_its_cost(native_server, behind):
    """LS13, without tools"""
    events = Events()
    litellm.callbacks.append(events)
    behind["model"] = "promptmw/openai/gpt-4o"
    await litellm.acompletion(messages=HI, **behind)
    await logged()
    assert [kind for kind, _, _ in events.seen] == ["success"]
    assert events.seen[0][1] > 0


def test_a_parameter_that_the_deployment_allows_arrives(native_server, behind):
    """LS14"""
    litellm.completion(messages=HI, reasoning_effort="low", allowed_openai_params=["reasoning_effort"], **behind)
    assert native_server.last.body["reasoning_effort"] == "low"


def test_a_parameter_that_it_does_not_allow_is_an_error_that_names_the_setting(native_server, behind):
    """LS14"""
    with pytest.raises(litellm.UnsupportedParamsError, match="allowed_openai_params"):
        litellm.completion(messages=HI, reasoning_effort="low", **behind)


def test_max_completion_tokens_and_user_reach_a_target_that_knows_them(native_server, behind):
    """LS15"""
    behind["model"] = "promptmw/openai/gpt-4o"
    litellm.completion(messages=HI, max_completion_tokens=5, user="u7", **behind)
    body = native_server.last.body
    assert (body["max_completion_tokens"], body["user"]) == (5, "u7")
    assert "max_tokens" not in body


def test_max_tokens_keeps_its_name(native_server, behind):
    litellm.completion(messages=HI, max_tokens=5, **behind)
    assert native_server.last.body["max_tokens"] == 5
    assert "max_completion_tokens" not in native_server.last.body


def test_headers_and_other_parameters_arrive(native_server, behind):
    litellm.completion(messages=HI, temperature=0.2, extra_headers={"x-own": "1"}, **behind)
    assert native_server.last.body["temperature"] == 0.2
    assert native_server.last.headers["x-own"] == "1"


@pytest.mark.parametrize("stream", [False, True])
async def test_what_cannot_be_assembled_is_a_bad_request(native_server, chat, failing, nova, stream):
    """LS22"""
    install(failing, turn=nova)
    chat["model"] = "promptmw/openai/small"
    with pytest.raises(litellm.BadRequestError, match="failing") as raised:
        async for _ in await _streamed(litellm.acompletion(messages=HI, stream=stream, **chat)):
            pass
    assert "secret word" not in str(raised.value)
    assert native_server.requests == []


async def _streamed(call):
    return await call


@pytest.mark.parametrize("stream", [False, True])
def test_what_cannot_be_assembled_is_a_bad_request_sync(native_server, chat, failing, nova, stream):
    install(failing, turn=nova)
    chat["model"] = "promptmw/openai/small"
    with pytest.raises(litellm.BadRequestError, match="failing"):
        litellm.completion(messages=HI, stream=stream, **chat)
    assert native_server.requests == []


def test_a_call_that_is_assembled_already_is_only_passed_on(native_server, behind, pipeline):
    with inside(pipeline):
        litellm.completion(messages=HI, **behind)
    assert native_server.last.body["messages"] == HI


@pytest.mark.parametrize("stream", [False, True])
async def test_a_stream_keeps_no_trace_of_ours_for_later_calls(native_server, behind, chat, stream):
    answer = await litellm.acompletion(messages=HI, stream=stream, **behind)
    if stream:
        await anext(answer)
    await litellm.acompletion(messages=HI, **chat)
    if stream:
        await answer.aclose()
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")


def test_metadata_states_the_turn_where_the_application_gives_no_function(native_server, chat, pipeline):
    install(pipeline)
    chat["model"] = "promptmw/openai/small"
    litellm.completion(messages=HI, metadata={"promptmw": {"identity": {"label": "Vega"}}}, **chat)
    assert native_server.last.body["messages"][0]["content"].startswith("You are Vega")


def test_on_a_proxy_without_the_handler_a_client_states_nothing(native_server, chat, pipeline):
    install(pipeline)
    chat["model"] = "promptmw/openai/small"
    stated = {"promptmw": {"identity": {"label": "Forged"}}}
    litellm.completion(messages=HI, metadata=stated, proxy_server_request={"url": "x"}, **chat)
    assert "Forged" not in native_server.last.body["messages"][0]["content"]


def test_a_deployment_that_is_switched_off_is_only_passed_on(native_server, behind, witness):
    litellm.completion(messages=HI, model_info={"promptmw": {"enabled": False}}, **behind)
    assert native_server.last.body["messages"] == HI
    assert witness.prompts == []


def test_the_provider_can_be_registered_by_hand(native_server, chat, pipeline, nova):
    litellm.custom_provider_map = [{"provider": "promptmw", "custom_handler": Provider(pipeline, turn=nova)}]
    chat["model"] = "promptmw/openai/small"
    litellm.completion(messages=HI, **chat)
    assert native_server.last.body["messages"][0]["content"].startswith("You are Nova")
