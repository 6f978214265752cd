"""The proxy of the examples, started as its header says."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import SENTENCE, NativeServer

from .proxy_process import Running, running

pytestmark = pytest.mark.e2e

EXAMPLE = Path(__file__).parents[2] / "examples" / "litellm_proxy"
KEY = f"sk-{secrets.token_hex(16)}"


@pytest.fixture(scope="module")
def server() -> Iterator[NativeServer]:
    with NativeServer() as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server: NativeServer) -> Iterator[Running]:
    provider = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.base_url, "OPENAI_API_BASE": server.base_url}
    with running(EXAMPLE, {}, LITELLM_MASTER_KEY=KEY, **provider) as proxy:
        yield proxy


def test_a_client_gets_an_answer_to_an_assembled_prompt(proxy: Running, server: NativeServer) -> None:
    stated = {"persona": {"nickname": "Ada"}, "operator_prompt": {"text": "Obey."}}
    body = {"model": "assistant", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"promptmw": stated}}
    answer = proxy.post("/v1/chat/completions", body, key=KEY).json()
    assert answer["choices"][0]["message"]["content"] == SENTENCE
    system = server.last.body["messages"][0]["content"]
    assert system.startswith("You are an AI assistant.")
    assert 'Address the user as "Ada".' in system
    assert "Obey." not in system
    assert system.index("## Trust boundary") < system.index("## How the user wants") < system.index("Today is")
