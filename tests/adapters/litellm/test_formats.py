"""Random histories in the three forms: what is changed, and what stays the caller's own."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import promptmw_litellm
from promptmw import Pipeline, Turn
from promptmw_litellm import Api
from promptmw_plugins.material import WebResult
from promptmw_plugins.summary import Summary

PIPELINE = Pipeline("chat")
BLOCKS = Turn(Summary(text="Earlier things."), WebResult(text="A fact.", query="q", url="http://x"), timezone="UTC")
TEXT = st.text("ab \n", max_size=6)


def chat() -> st.SearchStrategy[dict[str, Any]]:
    parts = st.lists(
        st.one_of(
            st.builds(lambda t: {"type": "text", "text": t}, TEXT),
            st.just({"type": "image_url", "image_url": {"url": "data:,"}}),
        ),
        min_size=1,
        max_size=3,
    )
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return st.one_of(
        st.builds(lambda c: {"role": "user", "content": c, "name": "n"}, st.one_of(TEXT, parts)),
        st.builds(lambda c: {"role": "assistant", "content": c}, TEXT),
        st.just({"role": "assistant", "content": None, "tool_calls": [call]}),
        st.just({"role": "tool", "tool_call_id": "c", "content": "4"}),
        st.builds(lambda role, c: {"role": role, "content": c}, st.sampled_from(("system", "developer")), TEXT),
    )


def messages() -> st.SearchStrategy[dict[str, Any]]:
    text = st.builds(lambda t: {"type": "text", "text": t}, TEXT)
    result = st.just({"type": "tool_result", "tool_use_id": "t", "content": "4"})
    image = st.just({"type": "image", "source": {"type": "url", "url": "http://x"}})
    said = st.lists(st.one_of(text, image), min_size=1, max_size=2)
    return st.one_of(
        st.builds(lambda c: {"role": "user", "content": c}, st.one_of(TEXT, said)),
        st.builds(lambda r, c: {"role": "user", "content": [*r, *c]}, st.lists(result, min_size=1, max_size=2), said),
        st.builds(lambda c: {"role": "user", "content": c}, st.lists(result, min_size=1, max_size=2)),
        st.builds(lambda c: {"role": "assistant", "content": c}, TEXT),
        st.just({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}),
    )


def responses() -> st.SearchStrategy[dict[str, Any]]:
    parts = st.lists(st.builds(lambda t: {"type": "input_text", "text": t}, TEXT), min_size=1, max_size=2)
    return st.one_of(
        st.builds(lambda c: {"role": "user", "content": c}, st.one_of(TEXT, parts)),
        st.builds(lambda c: {"role": "assistant", "content": c, "type": "message"}, TEXT),
        st.builds(lambda c: {"role": "developer", "content": c}, TEXT),
        st.just({"type": "reasoning", "id": "r", "summary": []}),
        st.just({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}),
        st.just({"type": "function_call_output", "call_id": "c", "output": "4"}),
    )


ITEMS = {Api.CHAT: chat(), Api.MESSAGES: messages(), Api.RESPONSES: responses()}
FIELD = {Api.CHAT: "messages", Api.MESSAGES: "messages", Api.RESPONSES: "input"}


def is_system(item: dict[str, Any]) -> bool:
    return item.get("role") in ("system", "developer")


def is_real_user(item: dict[str, Any]) -> bool:
    content = item.get("content")
    only_results = isinstance(content, list) and all(p["type"] == "tool_result" for p in content)
    return item.get("role") == "user" and not only_results


@pytest.mark.parametrize("api", Api)
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_only_the_first_and_the_last_user_message_change(api: Api, data: st.DataObject) -> None:
    """XA2"""
    history = data.draw(st.lists(ITEMS[api], max_size=6))
    before = copy.deepcopy(history)
    fields = {"model": "m", FIELD[api]: history}
    sent = promptmw_litellm.prepare(api=api, pipeline=PIPELINE, turn=BLOCKS, **fields)
    assert history == before

    lead = next((i for i, item in enumerate(history) if not is_system(item)), len(history))
    own, laid = history[lead:], sent[FIELD[api]]
    if api is Api.CHAT:
        assert laid[0]["role"] == "system"
        laid = laid[1:]
    users = [i for i, item in enumerate(own) if is_real_user(item)]
    if not users:
        assert [item.get("role") for item in (laid[0], laid[-1])] == ["user", "user"]
        assert all(a is b for a, b in zip(laid[1:-1], own, strict=True))
        return
    assert len(laid) == len(own)
    for i, (a, b) in enumerate(zip(laid, own, strict=True)):
        if i in (users[0], users[-1]):
            assert {k: v for k, v in a.items() if k != "content"} == {k: v for k, v in b.items() if k != "content"}
        else:
            assert a is b
    assert "Earlier things." in str(laid[users[0]]["content"])
    assert "A fact." in str(laid[users[-1]]["content"])


@given(history=st.lists(messages(), max_size=6))
@settings(max_examples=200, deadline=None)
def test_results_of_tools_stay_in_front(history: list[dict[str, Any]]) -> None:
    """LS19"""
    sent = promptmw_litellm.prepare(api=Api.MESSAGES, pipeline=PIPELINE, turn=BLOCKS, model="m", messages=history)
    for message in sent["messages"]:
        kinds = [p["type"] == "tool_result" for p in message["content"]] if isinstance(message["content"], list) else []
        assert kinds == sorted(kinds, reverse=True)


@given(history=st.lists(chat(), min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_an_assembled_request_is_not_assembled_again(history: list[dict[str, Any]]) -> None:
    once = promptmw_litellm.prepare(pipeline=PIPELINE, turn=BLOCKS, model="m", messages=history)
    if any(is_real_user(m) for m in history):
        assert promptmw_litellm.prepare(**once, pipeline=PIPELINE, turn=BLOCKS) == once
