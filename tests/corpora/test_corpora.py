"""Public attack collections against the fences: alone, over LangChain, and at the upstream of a real proxy.

They need the packages of the group ``corpora``, and fail without them where ``PROMPTMW_CORPORA=1`` says so.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from typing import Any

import pytest
from e2e.proxy_process import Running, running, write
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from servers import NativeServer

from promptmw import Pipeline, Turn
from promptmw.testing import parse_fences
from promptmw_langchain import PromptChatModel

from .attacks import PACKAGES, Attack, attacks
from .clean import measured
from .containment import failure, policies

pytestmark = pytest.mark.corpora

BATCH = 50
SETTINGS = {"trust": {"tool_results": "wrap"}}
CONFIG = '[profiles.chat]\ntimezone = "UTC"\n[profiles.chat.trust]\ntool_results = "wrap"\n'


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    missing = [p for p in (*PACKAGES, "mistral_common") if importlib.util.find_spec(p) is None]
    if missing and os.environ.get("PROMPTMW_CORPORA") != "1":
        pytest.skip(f"not installed: {', '.join(missing)}")
    assert not missing


@pytest.fixture(scope="module")
def found(_installed: None) -> list[Attack]:
    return attacks(policies()["plain"].tags)


def batches(found: list[Attack]) -> Iterator[list[Attack]]:
    """Yields those that a request can carry, some at a time."""
    able = [a for a in found if a.text.strip() and _encodes(a.text)]
    for at in range(0, len(able), BATCH):
        yield able[at : at + BATCH]


def _encodes(text: str) -> bool:
    return text.encode("utf-8", "replace").decode() == text


def test_no_string_gets_out_of_its_place(found: list[Attack]) -> None:
    assert len(found) > 4_000
    escaped = [(attack, why) for attack in found if (why := failure(attack.text))]
    assert not escaped


def test_ordinary_documents_come_through_as_they_are() -> None:
    clean = measured(policies()["plain"], most=400)
    assert clean.documents > 1_000
    assert len(clean.changed) <= 0.005 * clean.documents, clean.changed


def test_the_tasks_of_agentdojo_are_solved_as_without_fences() -> None:
    from .dojo import played

    dojo = played(most=40)
    assert dojo.outputs > 200
    assert (dojo.outside, dojo.utility_changed) == (0, 0)


def _read_back(texts: list[str], batch: list[Attack]) -> None:
    read = [[fence.body for fence in parse_fences(text, policies()["plain"])] for text in texts]
    assert len(read) == len(batch)
    assert [a for a, bodies in zip(batch, read, strict=True) if bodies != [a.text]] == []


def _results(server: NativeServer) -> list[str]:
    """Returns the texts of the results in the last request."""
    texts = [m["content"] for m in server.last.body["messages"] if m["role"] == "tool"]
    server.clear()
    return texts


@pytest.fixture(scope="module")
def server() -> Iterator[NativeServer]:
    with NativeServer() as server:
        yield server


def test_every_string_reads_back_from_what_a_model_of_langchain_gets(found: list[Attack], server: NativeServer) -> None:
    inner = ChatOpenAI(model="small", base_url=server.base_url, api_key="none")
    model = PromptChatModel(inner=inner, pipeline=Pipeline("chat", settings=SETTINGS), turn=Turn(tool_mode="native"))
    for batch in batches(found):
        calls = [{"name": "page", "args": {}, "id": f"c{i}"} for i in range(len(batch))]
        results = [ToolMessage(a.text, tool_call_id=f"c{i}") for i, a in enumerate(batch)]
        model.invoke([HumanMessage("Read"), AIMessage("", tool_calls=calls), *results])
        _read_back(_results(server), batch)


@pytest.fixture(scope="module")
def proxy(server: NativeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("proxy")
    openai = {"model": "openai/small", "api_base": server.base_url, "api_key": "none", "max_retries": 0}
    write(folder, models=[{"model_name": "assistant", "litellm_params": openai}], config=CONFIG)
    with running(folder, {"sk-one": {}}) as proxy:
        yield proxy


def test_every_string_reads_back_at_the_upstream_of_a_proxy(
    found: list[Attack], proxy: Running, server: NativeServer
) -> None:
    for batch in batches(found):
        calls: list[Any] = [
            {"id": f"c{i}", "type": "function", "function": {"name": "page", "arguments": "{}"}}
            for i in range(len(batch))
        ]
        results = [{"role": "tool", "tool_call_id": f"c{i}", "content": a.text} for i, a in enumerate(batch)]
        messages = [{"role": "user", "content": "Read"}, {"role": "assistant", "tool_calls": calls}, *results]
        body = {"model": "assistant", "messages": messages}
        assert proxy.post("/v1/chat/completions", body, key="sk-one").status_code == 200
        _read_back(_results(server), batch)
