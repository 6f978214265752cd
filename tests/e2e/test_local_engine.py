"""The embedded local model, for real."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from promptmw import EngineError, local
from promptmw.local import LocalEngine

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None and not os.environ.get("PROMPTMW_E2E"),
        reason="the group local is not installed",
    ),
]
SYSTEM = "You are Nova. " + "The garden has beans and peas. " * 20


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    with LocalEngine(context=2048) as running:
        yield running


def ask(engine: LocalEngine, question: str, **more: Any) -> httpx.Response:
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    body = {"model": engine.model, "messages": messages, "max_tokens": 12, "temperature": 0, **more}
    return httpx.post(f"{engine.base_url}/chat/completions", json=body, timeout=120)


def test_it_answers(engine: LocalEngine) -> None:
    answer = ask(engine, "Hello?").json()
    assert answer["choices"][0]["message"]["content"].strip()


def test_it_streams(engine: LocalEngine) -> None:
    lines = [x[6:] for x in ask(engine, "Hello?", stream=True).text.splitlines() if x.startswith("data: ")]
    deltas = [json.loads(x)["choices"][0]["delta"].get("content") for x in lines[:-1] if json.loads(x)["choices"]]
    assert lines[-1] == "[DONE]"
    assert "".join(d for d in deltas if d).strip()


def test_a_second_question_is_served_from_the_prefix_cache(engine: LocalEngine) -> None:
    ask(engine, "What grows here?")
    usage = ask(engine, "How are the peas?").json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > usage["prompt_tokens"] // 2


def test_missing_weights_are_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"weights of smollm2-135m are not installed.*uv run --group local"):
        local.weights_file()


def test_a_missing_engine_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None if name == "xllamacpp" else find_spec(name))
    monkeypatch.setattr(local, "weights_file", lambda: Path("weights.gguf"))
    with pytest.raises(EngineError, match=r"xllamacpp is not installed"):
        LocalEngine().__enter__()
