"""The leg of ``promptmw demo`` that goes through the wrapped chat model."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from promptmw import EngineError
from promptmw.cli.demo import demo_turn
from promptmw_langchain.demo import run

SENTENCE = "Hello, here is what the test server says to you."


class Engine:
    """Stands where the local model would."""

    model, api_key = "small", "none"

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url


def test_it_answers_whole_and_in_pieces_with_usage(native_server: Any) -> None:
    stated = demo_turn()
    whole, *pieces = run(stated.pipeline, stated.turn, stated.messages, Engine(native_server.base_url))
    assert (whole.title, whole.text) == ("invoke", SENTENCE)
    assert "".join(p.text for p in pieces) == SENTENCE
    assert len(pieces) > 2
    assert pieces[-1].seconds is not None
    assert pieces[-1].usage == whole.usage
    assert whole.usage.cached_tokens
    assert all(r.body["messages"][0]["content"].startswith("You are Rosemary") for r in native_server.requests)


def test_without_a_client_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_openai", None)
    stated = demo_turn()
    with pytest.raises(EngineError, match="pip install langchain-openai"):
        next(run(stated.pipeline, stated.turn, stated.messages, Engine("http://127.0.0.1:1/v1")))
