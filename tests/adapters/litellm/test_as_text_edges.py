"""Prompt-tool mode over LiteLLM where things go wrong or change: providers, connections, clients, deployments."""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any

import litellm
import pytest
from litellm.exceptions import MidStreamFallbackError

import promptmw_litellm
from promptmw import Pipeline
from promptmw_litellm import install

from .conftest import NOW
from .test_as_text import (
    GOOD,
    HI,
    WEATHER,
    WRAPPERS,
    _provided,
    astreamed,
    astreamed_by_provider,
    call,
    calls_in,
    streamed,
    streamed_by_provider,
    text,
    way,
    whole,
)

__all__ = ["call", "text", "way"]

STREAMS = (streamed, astreamed, streamed_by_provider, astreamed_by_provider)
CALLED = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
HISTORY = [
    *HI,
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALLED]},
    {"role": "tool", "tool_call_id": "call_1", "content": "21 degrees"},
]


def auto(call: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in call.items() if k != "tool_mode"}


@pytest.mark.parametrize("ask", STREAMS)
def test_a_provider_that_writes_on_behind_the_call_is_left(text_server: Any, call: dict[str, Any], ask: Any) -> None:
    """ST4"""
    text_server.ignores_stop = True
    text_server.lines = [f"Let me look.\n{GOOD}\n" + "and so on " * 40_000]
    answer = ask(call)
    assert (answer.choices[0].message.content, len(calls_in(answer))) == ("Let me look.", 1)
    assert text_server.gone.wait(10)


def test_what_it_writes_on_is_no_part_of_a_whole_answer_either(text_server: Any, call: dict[str, Any]) -> None:
    """ST4"""
    text_server.ignores_stop = True
    text_server.lines = [f"Let me look.\n{GOOD}\n" + "and so on " * 1_000]
    answer = whole(call)
    assert (answer.choices[0].message.content, len(calls_in(answer))) == ("Let me look.", 1)


@pytest.mark.parametrize("ask", WRAPPERS)
@pytest.mark.parametrize(("known", "as_text"), [(False, True), (True, False), (None, False)])
def test_litellms_map_says_how(
    native_server: Any, chat: Any, call: dict[str, Any], ask: Any, known: bool | None, as_text: bool
) -> None:
    """CP3"""
    stated = {} if known is None else {"supports_function_calling": known}
    litellm.model_cost["openai/small"] = {"litellm_provider": "openai", "mode": "chat", **stated}
    ask({**auto(call), **chat})
    assert ("tools" not in native_server.last.body) is as_text


async def test_what_one_deployment_says_does_not_count_for_another(native_server: Any, nova: Any) -> None:
    """CP6: the Router writes it into the map under the name of the model that both have."""
    install(Pipeline("chat", clock=lambda: NOW), turn=nova)
    behind = {"model": "openai/gpt-4o", "api_key": "none", "api_base": native_server.base_url}
    router = litellm.Router(
        [
            {"model_name": "first", "litellm_params": behind},
            {"model_name": "other", "litellm_params": behind, "model_info": {"supports_function_calling": False}},
        ]
    )
    await router.acompletion("first", HI, tools=[WEATHER])
    assert "tools" in native_server.last.body


@pytest.mark.parametrize("ask", WRAPPERS)
def test_a_refusal_of_tools_is_an_error_where_the_profile_says_so(
    text_server: Any, call: dict[str, Any], witness: Any, ask: Any
) -> None:
    """CP5"""
    settings = {"tool_protocol": {"on_rejected_tools": "error"}}
    call["pipeline"] = Pipeline("chat", plugins=[witness], settings=settings, clock=lambda: NOW)
    call["model_info"] = {"id": f"strict {ask.__name__}"}
    with pytest.raises(litellm.BadRequestError, match="tools is not supported"):
        ask(auto(call))
    assert len(text_server.requests) == 1


@pytest.mark.parametrize("ask", WRAPPERS)
def test_the_same_words_about_a_request_without_tools_mean_nothing(
    text_server: Any, call: dict[str, Any], ask: Any
) -> None:
    """CP5"""
    text_server.refusals = ["this model does not support tools"]
    with pytest.raises(litellm.BadRequestError, match="does not support tools"):
        ask({k: v for k, v in auto(call).items() if k != "tools"})
    assert len(text_server.requests) == 1


@pytest.fixture
def router(native_server: Any, text_server: Any, pipeline: Pipeline, nova: Any) -> litellm.Router:
    """Two deployments: one whose model calls functions, and one whose model knows only text, to fall back to."""
    install(pipeline, turn=nova)
    behind = {"model": "promptmw/openai/small", "api_key": "none", "max_retries": 0}
    no_calls = {"supports_function_calling": False}
    return litellm.Router(
        [
            {"model_name": "native", "litellm_params": {**behind, "api_base": native_server.base_url}},
            {
                "model_name": "text",
                "litellm_params": {**behind, "api_base": text_server.base_url},
                "model_info": no_calls,
            },
        ],
        fallbacks=[{"native": ["text"]}, {"text": ["native"]}],
        num_retries=0,
        retry_after=0,
    )


def routed(router: litellm.Router, name: str, messages: list[Any], kind: str) -> Any:
    """Returns the answer of a router, by one of its ways."""
    if kind == "sync":
        return router.completion(name, messages, tools=[WEATHER])
    if kind == "async":
        return asyncio.run(router.acompletion(name, messages, tools=[WEATHER]))

    async def run() -> Any:
        stream = await router.acompletion(name, messages, tools=[WEATHER], stream=True)
        return litellm.stream_chunk_builder([chunk async for chunk in stream])

    return asyncio.run(run())


@pytest.mark.parametrize("kind", ["sync", "async", "stream"])
@pytest.mark.parametrize("messages", [HI, HISTORY], ids=["question", "loop"])
def test_each_attempt_of_a_router_has_its_own_mode(
    router: litellm.Router, native_server: Any, text_server: Any, messages: list[Any], kind: str
) -> None:
    """CP6, HI20"""
    before = json.dumps(messages)
    native_server.fail_next(1, 500)
    text_server.lines = [GOOD]
    answer = routed(router, "native", messages, kind)
    assert calls_in(answer) == [("get_weather", {"city": "Oslo"})]
    (native,), (as_text,) = ([r.body for r in server.requests] for server in (native_server, text_server))
    assert [t["function"]["name"] for t in native["tools"]] == ["get_weather"]
    assert "## Calling tools" not in str(native["messages"])
    assert "tools" not in as_text
    assert str(as_text["messages"]).count("## Calling tools") == 1
    assert str(as_text["messages"]).count("21 degrees") == (messages is HISTORY)
    assert [m["role"] for m in native["messages"][1:]] == [m["role"] for m in messages]
    assert json.dumps(messages) == before


def test_and_so_has_one_the_other_way_round(router: litellm.Router, native_server: Any, text_server: Any) -> None:
    """CP6"""
    text_server.fail_next(1, 500)
    routed(router, "text", HISTORY, "sync")
    body = native_server.last.body
    assert body["messages"][2]["tool_calls"][0]["function"]["name"] == "get_weather"
    assert body["messages"][3]["role"] == "tool"
    assert "tool_call>" not in str(body["messages"])


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("ask", STREAMS)
def test_frames_that_come_in_pieces_are_the_same_answer(
    text_server: Any, call: dict[str, Any], ask: Any, size: int
) -> None:
    """AD6"""
    text_server.write_size = size
    text_server.lines = [
        'Ich schaue nach – Übung 😀.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Ñandú"}}'
    ]
    answer = ask(call)
    assert answer.choices[0].message.content == "Ich schaue nach – Übung 😀."
    assert calls_in(answer) == [("get_weather", {"city": "Ñandú"})]


def gather(seen: list[Any], call: dict[str, Any], kind: str) -> None:
    """Adds the chunks of a stream of one of the ways to a list, up to its error."""
    if kind == "sync":
        seen.extend(promptmw_litellm.completion(stream=True, **call))
    elif kind == "provider":
        seen.extend(litellm.completion(stream=True, **_provided(call)))
    else:
        asyncio.run(agather(seen, call))


async def agather(seen: list[Any], call: dict[str, Any]) -> None:
    async for chunk in await promptmw_litellm.acompletion(stream=True, **call):
        seen.append(chunk)  # noqa: PERF401 (what comes before an error counts)


@pytest.mark.parametrize("kind", ["sync", "async", "provider"])
def test_a_connection_that_breaks_inside_a_call_is_the_providers_error(
    text_server: Any, call: dict[str, Any], kind: str
) -> None:
    """AD7"""
    text_server.lines = [f"Let me look.\n{GOOD}"]
    text_server.breaks_after = 16
    seen: list[Any] = []
    with pytest.raises((litellm.APIConnectionError, MidStreamFallbackError)):
        gather(seen, call, kind)
    shown = "".join(c.choices[0].delta.content or "" for c in seen if c.choices)
    assert shown == "Let me look."
    assert not any(c.choices[0].delta.tool_calls for c in seen if c.choices)
    assert len(text_server.requests) == 1


@pytest.mark.parametrize("by", ["wrapper", "provider"])
def test_a_client_that_leaves_takes_the_provider_along(text_server: Any, call: dict[str, Any], by: str) -> None:
    """AD8"""
    text_server.lines = ["and so on " * 40_000]
    stream = (
        promptmw_litellm.completion(stream=True, **call)
        if by == "wrapper"
        else litellm.completion(stream=True, **_provided(call))
    )
    next(stream)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        stream.close()
        del stream
    assert text_server.gone.wait(10)


@pytest.mark.parametrize("by", ["wrapper", "provider"])
async def test_a_client_that_leaves_takes_the_provider_along_awaited(
    text_server: Any, call: dict[str, Any], by: str
) -> None:
    """AD8"""
    text_server.lines = ["and so on " * 40_000]
    make = promptmw_litellm.acompletion if by == "wrapper" else litellm.acompletion
    stream = await make(stream=True, **(call if by == "wrapper" else _provided(call)))
    await anext(stream)
    await stream.aclose()
    assert await asyncio.to_thread(text_server.gone.wait, 10)
