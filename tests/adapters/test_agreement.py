"""All adapters send the same text for the same turn and history."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_openai import ChatOpenAI
from servers import NativeServer

import promptmw_litellm
from promptmw import Pipeline, Turn
from promptmw.turnfiles import turn_from_data
from promptmw_langchain import PromptChatModel

NOW = datetime(2026, 8, 24, 9, 0, tzinfo=UTC)
FULL = Path(__file__).parents[2] / "examples" / "turns" / "full.toml"
Sent = list[dict[str, Any]]


def pipeline() -> Pipeline:
    return Pipeline("chat", clock=lambda: NOW)


@pytest.fixture(scope="module")
def turn() -> Turn:
    data = tomllib.loads(FULL.read_text(encoding="utf-8"))
    data.pop("messages")
    return turn_from_data({**data, "tools": [], "tool_mode": "native"}, pipeline().catalog.inputs)


def by_langchain(server: NativeServer, turn: Turn, messages: Sent) -> Sent:
    inner = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key="none", max_retries=0)
    PromptChatModel(inner=inner, pipeline=pipeline(), turn=lambda messages, metadata: turn).invoke(messages)
    return plain(server.last.body["messages"])


def by_litellm(server: NativeServer, turn: Turn, messages: Sent) -> Sent:
    promptmw_litellm.completion(
        "openai/gpt-4o", messages, api_base=server.base_url, api_key="none", turn=turn, pipeline=pipeline()
    )
    return plain(server.last.body["messages"])


def plain(messages: Sent) -> Sent:
    """Returns role and content alone; clients add keys of their own."""
    return [{"role": m["role"], "content": m["content"]} for m in messages]


HISTORIES = st.lists(
    st.builds(
        lambda role, text: {"role": role, "content": text},
        st.sampled_from(["user", "assistant"]),
        st.text("ab \n</>&é中", min_size=1, max_size=30).filter(str.strip),
    ),
    max_size=6,
).map(lambda history: [*history, {"role": "user", "content": "And now?"}])


@pytest.mark.parametrize("send", [by_langchain, by_litellm])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HISTORIES)
def test_what_arrives_is_what_the_pipeline_lays_out(
    native_server: NativeServer, turn: Turn, send: Callable[..., Sent], messages: Sent
) -> None:
    """XA1, XA2."""
    before = copy.deepcopy(messages)
    assert send(native_server, turn, messages) == plain(pipeline().messages(turn, messages))
    assert messages == before


@pytest.mark.parametrize("send", [by_langchain, by_litellm])
def test_a_caller_s_system_message_is_merged_into_the_one_that_is_sent(
    native_server: NativeServer, send: Callable[..., Sent]
) -> None:
    """CM14, LS10."""
    messages = [{"role": "system", "content": "First."}, {"role": "system", "content": "Second."}]
    sent = send(native_server, Turn(timezone="UTC"), [*messages, {"role": "user", "content": "Hi"}])
    assert [m["role"] for m in sent] == ["system", "user"]
    assert "\n\nFirst.\n\nSecond.\n\nToday is " in sent[0]["content"]
