"""The callback: async calls of LiteLLM and of its Router, on the wire."""

import logging

import litellm
import pytest
from litellm.router_utils.cooldown_handlers import _async_get_cooldown_deployments
from litellm.types.utils import CallTypes

from promptmw import ConfigError, Pipeline, ToolMode
from promptmw.inside import inside
from promptmw_litellm import Callback, install
from promptmw_litellm.callback import _warn_of_positional
from promptmw_litellm.deployment import Deployment, deployment_of
from promptmw_plugins.material import WebResult

from .conftest import logged

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "python_execute", "parameters": {"type": "object", "properties": {}}}}
SAID = "Hello, here is what the test server says to you."


@pytest.fixture
def callback(pipeline, nova):
    callback = Callback(pipeline, turn=nova)
    litellm.callbacks = [callback]
    return callback


def router(*deployments, **settings):
    return litellm.Router(list(deployments), retry_after=0, **settings)


async def test_an_async_call_is_assembled_and_its_answer_told_once(native_server, chat, callback, witness):
    await litellm.acompletion(messages=HI, **chat)
    await logged()
    system, user = native_server.last.body["messages"]
    assert system["content"].startswith("You are Nova")
    assert user == HI[0]
    assert [(a.text, a.complete) for a in witness.answers] == [(SAID, True)]


async def test_the_answer_of_a_stream_is_told_when_it_has_ended(chat, callback, witness):
    stream = await litellm.acompletion(messages=HI, stream=True, **chat)
    assert [chunk async for chunk in stream]
    await logged()
    assert [(a.text, a.complete) for a in witness.answers] == [(SAID, True)]


async def test_a_call_that_fails_is_told_as_unfinished(native_server, chat, callback, witness):
    native_server.fail_next(1, 500)
    with pytest.raises(litellm.InternalServerError):
        await litellm.acompletion(messages=HI, max_retries=0, **chat)
    await logged()
    assert [a.complete for a in witness.answers] == [False]


async def test_a_call_with_positional_arguments_stays_and_is_warned_of_once(native_server, chat, callback, caplog):
    """LS5"""
    _warn_of_positional.cache_clear()
    model = chat.pop("model")
    with caplog.at_level(logging.WARNING, "promptmw"):
        await litellm.acompletion(model, HI, **chat)
        await litellm.acompletion(model, HI, **chat)
    assert native_server.last.body["messages"] == HI
    assert len([r for r in caplog.records if "positional" in r.message]) == 1


@pytest.mark.parametrize("reason", ["turn", "deployment"])
async def test_a_call_that_is_not_ours_goes_out_as_without_the_callback(native_server, chat, pipeline, nova, reason):
    """LS6"""
    call = {
        "messages": [{"role": "system", "content": "Mine."}, *HI],
        "tools": [TOOL, {**TOOL, "function": {**TOOL["function"], "name": "another"}}],
        "cache_control_injection_points": [{"location": "message", "role": "system"}],
        **chat,
    }
    await litellm.acompletion(**call)
    without = native_server.last.body
    litellm.callbacks = [Callback(pipeline, turn=(lambda fields: None) if reason == "turn" else nova)]
    if reason == "deployment":
        call["model_info"] = {"promptmw": {"enabled": False}}
    await litellm.acompletion(**call)
    assert native_server.last.body == without
    assert "cache_control" in str(without)


async def test_a_router_assembles_each_attempt_from_the_callers_messages(native_server, chat, callback, witness):
    native_server.fail_next(2, 500)
    calls = router({"model_name": "assistant", "litellm_params": {**chat, "max_retries": 0}}, num_retries=2)
    await calls.acompletion("assistant", [{"role": "system", "content": "Mine."}, *HI])
    await logged()
    bodies = [r.body["messages"] for r in native_server.requests]
    assert len(bodies) == 3
    assert bodies[0] == bodies[1] == bodies[2]
    assert bodies[0][0]["content"].count("Mine.") == 1
    assert [a.complete for a in witness.answers] == [False, False, True]


async def test_a_fallback_to_the_provider_starts_from_the_callers_messages(native_server, chat, pipeline, nova):
    """LS11, without tools"""
    install(pipeline, turn=nova)
    native_server.fail_next(1, 500)
    calls = router(
        {"model_name": "first", "litellm_params": {**chat, "max_retries": 0}},
        {"model_name": "second", "litellm_params": {**chat, "model": "promptmw/openai/other", "max_retries": 0}},
        fallbacks=[{"first": ["second"]}],
        num_retries=0,
    )
    await calls.acompletion("first", [{"role": "system", "content": "Mine."}, *HI])
    first, second = (r.body for r in native_server.requests)
    assert second["model"] == "other"
    assert first["messages"] == second["messages"]


async def test_the_deployment_chooses_the_profile(native_server, chat, witness, nova, tmp_path):
    config = tmp_path / "promptmw.toml"
    config.write_text('[profiles.short]\nextends = "chat"\nrequired = []\ndisable = ["date"]\n')
    litellm.callbacks = [Callback(Pipeline.from_config(config, plugins=[witness]), turn=nova)]
    info = {"promptmw": {"profile": "short"}}
    calls = router({"model_name": "assistant", "litellm_params": chat, "model_info": info})
    await calls.acompletion("assistant", HI)
    assert witness.prompts[0].profile == "short"
    assert "2026" not in native_server.last.body["messages"][0]["content"]


async def test_a_deployment_without_function_calling_gets_no_tools(native_server, chat, callback):
    info = {"promptmw": {"tool_mode": "none"}}
    calls = router({"model_name": "assistant", "litellm_params": chat, "model_info": info})
    await calls.acompletion("assistant", HI, tools=[TOOL], tool_choice="auto")
    assert not {"tools", "tool_choice"} & set(native_server.last.body)


async def test_tools_that_would_be_text_are_a_bad_request(native_server, chat, callback):
    info = {"supports_function_calling": False}
    calls = router({"model_name": "assistant", "litellm_params": chat, "model_info": info})
    with pytest.raises(litellm.BadRequestError, match="its tools go into the prompt"):
        await calls.acompletion("assistant", HI, tools=[TOOL])
    assert native_server.requests == []


async def test_an_unknown_setting_of_a_deployment_is_a_bad_request_that_names_the_nearest(chat, callback):
    info = {"promptmw": {"profil": "chat"}}
    calls = router({"model_name": "assistant", "litellm_params": chat, "model_info": info})
    with pytest.raises(litellm.BadRequestError, match=r"model_info\.promptmw has no key 'profil'.*'profile'"):
        await calls.acompletion("assistant", HI)


async def test_a_required_section_that_raises_is_neither_retried_nor_held_against_the_deployment(
    native_server, chat, failing, nova
):
    """LS22"""
    runs = []

    def turn(fields):
        runs.append(fields["model"])
        return nova

    litellm.callbacks = [Callback(failing, turn=turn)]
    deployment = {"model_name": "assistant", "litellm_params": chat}
    calls = router(deployment, {**deployment, "litellm_params": {**chat, "tpm": 5}}, num_retries=2, allowed_fails=0)
    with pytest.raises(litellm.BadRequestError, match="failing") as raised:
        await calls.acompletion("assistant", HI)
    await logged()
    assert len(runs) == 1
    assert "secret word" not in str(raised.value)
    assert await _async_get_cooldown_deployments(calls, parent_otel_span=None) == []
    assert native_server.requests == []


async def test_an_applications_own_error_is_told_by_its_type_alone(chat, pipeline):
    def turn(fields):
        raise KeyError("secret word")

    litellm.callbacks = [Callback(pipeline, turn=turn)]
    with pytest.raises(litellm.BadRequestError, match="KeyError") as raised:
        await litellm.acompletion(messages=HI, **chat)
    assert "secret word" not in str(raised.value)


async def test_responses_are_assembled_and_told(native_server, chat, callback, witness):
    await litellm.aresponses(input="hi", instructions="Mine.", **chat)
    await logged()
    assert native_server.last.body["instructions"].startswith("You are Nova")
    assert native_server.last.body["input"] == "hi"
    assert [a.text for a in witness.answers] == [SAID]


async def test_a_stream_of_responses_is_told_once(native_server, chat, callback, witness):
    stream = await litellm.aresponses(input="hi", stream=True, **chat)
    assert [event async for event in stream]
    await logged()
    assert [a.text for a in witness.answers] == [SAID]


def test_sync_responses_are_assembled_and_told(native_server, chat, callback, witness):
    litellm.responses(input="hi", **chat)
    assert native_server.last.body["instructions"].startswith("You are Nova")
    assert witness.told.wait(5)
    assert [a.text for a in witness.answers] == [SAID]


async def test_bridged_responses_are_assembled_once(native_server, chat, callback, witness):
    chat["model"] = "deepseek/small"
    await litellm.aresponses(input="hi", instructions="Mine.", **chat)
    await logged()
    system = native_server.last.body["messages"][0]
    assert native_server.last.path == "/v1/chat/completions"
    assert system["content"].count("You are Nova") == 1
    assert len(witness.prompts) == 1
    assert [a.text for a in witness.answers] == [SAID]


async def test_messages_are_assembled_and_told(native_server, claude, callback, witness):
    await litellm.anthropic_messages(max_tokens=50, messages=HI, system="Mine.", **claude)
    await logged()
    body = native_server.last.body
    assert body["system"].startswith("You are Nova")
    assert "Mine." in body["system"]
    assert [a.text for a in witness.answers] == [SAID]


@pytest.mark.parametrize("stream", [False, True])
async def test_bridged_messages_are_assembled_once(native_server, chat, callback, witness, stream):
    answer = await litellm.anthropic_messages(max_tokens=50, messages=HI, system="Mine.", stream=stream, **chat)
    if stream:
        assert [chunk async for chunk in answer]
    await logged()
    assert str(native_server.last.body).count("You are Nova") == 1
    assert len(witness.prompts) == 1
    assert [a.text for a in witness.answers] == [SAID]


async def test_inside_a_call_of_ours_nothing_is_assembled(native_server, chat, callback, pipeline):
    with inside(pipeline):
        await litellm.acompletion(messages=HI, **chat)
    assert native_server.last.body["messages"] == HI


@pytest.mark.parametrize("kind", ["aembedding", "amoderation", "atext_completion", "aimage_generation"])
async def test_other_calls_are_untouched(callback, witness, kind):
    """PX10"""
    call = {"model": "m", "input": ["x"], "messages": HI}
    assert await callback.async_pre_call_deployment_hook(call, CallTypes(kind)) is None
    assert witness.prompts == []


async def test_a_client_of_a_proxy_cannot_state_the_turn_of_a_bare_callback(native_server, chat, pipeline):
    litellm.callbacks = [Callback(pipeline)]
    stated = {"promptmw": {"identity": {"label": "Forged"}}}
    await litellm.acompletion(messages=HI, metadata=stated, proxy_server_request={"url": "x"}, **chat)
    assert "Forged" not in native_server.last.body["messages"][0]["content"]


async def test_blocks_of_user_layers_are_laid_over_the_request_only(native_server, chat, pipeline, nova):
    litellm.callbacks = [Callback(pipeline, turn=nova.adding(WebResult(text="A fact.", query="q", url="http://x")))]
    messages = [{"role": "user", "content": "Hi"}]
    await litellm.acompletion(messages=messages, **chat)
    assert "A fact." in native_server.last.body["messages"][1]["content"]
    assert messages == [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("model_info", "expected"),
    [
        (None, Deployment()),
        ({"id": "1"}, Deployment(id="1")),
        ({"supports_function_calling": False}, Deployment(function_calling=False)),
        (
            {"supports_function_calling": False, "promptmw": {"tool_mode": "native"}},
            Deployment(tool_mode=ToolMode.NATIVE, function_calling=False),
        ),
        ({"promptmw": {"grammar": True, "reasoning": "text"}}, Deployment(grammar=True, reasoning="text")),
        ({"promptmw": {"profile": "items"}}, Deployment(profile="items")),
    ],
)
def test_a_deployments_settings(model_info, expected):
    assert deployment_of(model_info) == expected


@pytest.mark.parametrize("stated", ["chat", ["chat"], {"profile": ["chat"]}, {"tool_mode": "sometimes"}])
def test_wrong_settings_of_a_deployment_are_errors(stated):
    with pytest.raises(ConfigError, match=r"model_info\.promptmw"):
        deployment_of({"promptmw": stated})
