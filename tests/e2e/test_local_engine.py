"""The embedded local model, for real."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from promptmw import EngineError, local
from promptmw.local import LocalEngine, cached_tokens

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None and not os.environ.get("PROMPTMW_E2E"),
        reason="the group local is not installed",
    ),
]
SYSTEM = "You are Nova. " + "The garden has beans and peas. " * 20
LEFT_WHILE_ANSWERING = """
import threading, time, urllib.request
from promptmw.local import LocalEngine
body = b'{"messages": [{"role": "user", "content": "Count"}], "max_tokens": 60, "ignore_eos": true}'
def ask(url):
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        print(answer.status)
with LocalEngine(context=512, threads=1) as engine:
    thread = threading.Thread(target=ask, args=(f"{engine.base_url}/chat/completions",))
    thread.start()
    while not engine._ask("GET", "/slots")[1][0]["is_processing"]:
        pass
thread.join()
"""


@pytest.fixture(scope="session")
def engine() -> Iterator[LocalEngine]:
    with LocalEngine(context=2048) as running:
        yield running


def ask(engine: LocalEngine, question: str, **more: Any) -> httpx.Response:
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    body = {"model": engine.model, "messages": messages, "max_tokens": 12, "temperature": 0, **more}
    return httpx.post(f"{engine.base_url}/chat/completions", json=body, timeout=120)


def chunks(engine: LocalEngine, question: str, **more: Any) -> list[dict[str, Any]]:
    lines = [x[6:] for x in ask(engine, question, stream=True, **more).text.splitlines() if x.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(x) for x in lines[:-1]]


def test_it_answers(engine: LocalEngine) -> None:
    answer = ask(engine, "Hello?").json()
    assert answer["choices"][0]["message"]["content"].strip()


def test_it_streams(engine: LocalEngine) -> None:
    deltas = [c["choices"][0]["delta"].get("content") for c in chunks(engine, "Hello?") if c["choices"]]
    assert "".join(d for d in deltas if d).strip()


def test_a_second_question_is_served_from_the_prefix_cache(engine: LocalEngine) -> None:
    ask(engine, "What grows here?")
    answer = ask(engine, "How are the peas?").json()
    assert (cached_tokens(answer) or 0) > answer["usage"]["prompt_tokens"] // 2


@pytest.mark.parametrize("more", [{}, {"stream_options": {"include_usage": True}}], ids=["timings", "usage"])
def test_the_last_chunk_of_a_stream_says_what_the_prefix_cache_served(
    engine: LocalEngine, more: dict[str, Any]
) -> None:
    ask(engine, "What grows here?")
    *others, last = [cached_tokens(c) for c in chunks(engine, "How are the beans?", **more)]
    assert set(others) == {None}
    assert last


def test_it_tells_its_tokens(engine: LocalEngine) -> None:
    assert engine.tokenize("") == []
    assert len(engine.tokenize("Beans and peas")) < len(engine.tokenize("Beans and peas, and 豆 too"))


def test_tokens_of_an_engine_that_does_not_run_are_an_error() -> None:
    with pytest.raises(EngineError, match="inside the with block"):
        LocalEngine().tokenize("x")


def test_it_writes_nothing_of_its_own_and_leaves_its_port(capfd: pytest.CaptureFixture[str]) -> None:
    with LocalEngine(context=512) as engine:
        assert ask(engine, "Hello?", messages=[{"role": "user", "content": "word " * 900}]).status_code == 400
        port = int(engine.base_url.removesuffix("/v1").rpartition(":")[2])
    assert engine.base_url == ""
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port))
    assert capfd.readouterr() == ("", "")


def test_leaving_waits_for_an_answer_that_another_thread_reads() -> None:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", LEFT_WHILE_ANSWERING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "200\n", "")


def test_an_answer_whose_client_has_gone_does_not_hold_up_leaving() -> None:
    with LocalEngine(threads=1) as engine:
        body = {"messages": [{"role": "user", "content": "Count"}], "max_tokens": 8000, "ignore_eos": True}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{engine.base_url}/chat/completions", json=body, timeout=1)
        start = time.monotonic()
    assert time.monotonic() - start < 30


def test_damaged_weights_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    monkeypatch.setattr(local, "weights_file", lambda: tmp_path / "broken.gguf")
    with pytest.raises(EngineError, match=r"does not start from broken\.gguf"):
        LocalEngine().__enter__()
    assert capfd.readouterr() == ("", "")


def test_a_server_that_is_never_ready_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalEngine, "_healthy", lambda self: False)
    with pytest.raises(EngineError, match=r"not ready within 0\.1 s"):
        LocalEngine(context=512, deadline=0.1).__enter__()


def test_missing_weights_are_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"weights of smollm2-135m are not installed.*uv run --group local"):
        local.weights_file()


def test_a_missing_engine_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None if name == "xllamacpp" else find_spec(name))
    monkeypatch.setattr(local, "weights_file", lambda: Path("weights.gguf"))
    with pytest.raises(EngineError, match="xllamacpp is not installed"):
        LocalEngine().__enter__()


def test_an_engine_that_cannot_be_loaded_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr(local, "find_spec", lambda name: name)
    with pytest.raises(EngineError, match="xllamacpp cannot be loaded"):
        local._engine()
