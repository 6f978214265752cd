"""``promptmw chat``, with piped input, on the test server."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import TURNS, run

from promptmw import local
from promptmw.cli.demo import demo_turn

SENTENCE = "Hello, here is what the test server says to you.\n"


@pytest.fixture(autouse=True)
def _server_by_environment(native_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", native_server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def chat(stdin: str, *arguments: object) -> Any:
    return run("chat", "--model", "openai/small", *arguments, stdin=stdin)


def test_each_line_is_a_question_and_no_prompts_are_shown(native_server: Any) -> None:
    result = chat("When do I sow beans?\n\n  And peas?  \n")
    assert (result.exit_code, result.stdout) == (0, SENTENCE * 2)
    assert [r.body["messages"][-1]["content"] for r in native_server.requests] == ["When do I sow beans?", "And peas?"]


def test_the_prompt_is_put_in_and_the_history_is_kept_plain(native_server: Any) -> None:
    chat("One?\nTwo?\n", "--turn", TURNS / "minimal.toml")
    body = native_server.last.body
    assert body["stream"]
    assert body["messages"][0]["content"].startswith("You are Rosemary.")
    said = [m["content"] for m in body["messages"][1:]]
    assert said == ["Which vegetables can still be sown this week?", SENTENCE[:-1], "One?", SENTENCE[:-1], "Two?"]


def test_blocks_of_the_last_message_stay_out_of_the_history(native_server: Any) -> None:
    chat("And then?\n", "--turn", TURNS / "typical.toml")
    *earlier, last = native_server.last.body["messages"]
    assert "<context-from-knowledge-base>" in last["content"]
    assert not any("<context-from-knowledge-base>\n" in m["content"] for m in earlier[1:])


def test_options_go_before_the_turn_file(native_server: Any) -> None:
    chat("", "--turn", TURNS / "minimal.toml", "--locale", "fr")
    assert native_server.last.body["messages"][0]["content"].startswith("Vous êtes Rosemary")


def test_cached_tokens_are_told_on_standard_error_where_the_provider_reports_them() -> None:
    assert "prompt tokens from the prefix cache" in chat("Hello?\n").stderr


def test_inspect_shows_the_table_of_what_was_sent() -> None:
    result = chat("/inspect\nHello?\n/inspect\n", "--turn", TURNS / "minimal.toml")
    assert result.stdout.count("│ identity ") == 2
    assert "nothing was sent yet" in chat("/inspect\n").stderr


def test_turn_help_and_quit() -> None:
    result = chat("/turn\n/help\n/bogus\n/quit\nnever asked\n", "--locale", "fr")
    assert '"locale": "fr"' in result.stdout
    assert "/inspect  the table" in result.stdout
    assert SENTENCE not in result.stdout
    assert "there is no command /bogus" in result.stderr


def test_a_question_that_fails_is_told_and_leaves_no_trace_in_the_history(native_server: Any) -> None:
    native_server.fail_next(1, 400)
    result = chat("One?\nTwo?\n")
    assert (result.exit_code, result.stdout) == (1, SENTENCE)
    assert "no answer: " in result.stderr
    assert [m["content"] for m in native_server.last.body["messages"][1:]] == ["Two?"]


def test_a_bad_turn_file_is_refused_before_anything_is_asked(native_server: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("nope = 1")
    result = chat("Hello?\n", "--turn", tmp_path / "bad.toml")
    assert (result.exit_code, result.stdout, native_server.requests) == (2, "", [])
    assert "bad.toml:1: " in result.stderr


def test_the_default_model_is_the_local_one(native_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Engine:
        model, base_url, api_key = "small", native_server.base_url, "none"

        def __enter__(self) -> Engine:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(local, "LocalEngine", Engine)
    result = run("chat", stdin="Hello?\n")
    assert (result.exit_code, result.stdout) == (0, SENTENCE)
    assert native_server.last.body["model"] == "small"


def test_the_legs_of_the_demo_answer_whole_and_in_pieces(native_server: Any) -> None:
    from promptmw_litellm.demo import run as leg

    class Engine:
        model, base_url, api_key = "small", native_server.base_url, "none"

    stated = demo_turn()
    steps = list(leg(stated.pipeline, stated.turn, stated.messages, Engine()))
    whole, *pieces = steps
    assert (whole.title, whole.text) == ("completion", SENTENCE[:-1])
    assert "".join(p.text for p in pieces) == SENTENCE[:-1]
    assert len(pieces) > 2
    assert pieces[-1].seconds is not None
    assert pieces[-1].usage == whole.usage
    assert whole.usage.cached_tokens
    assert all(r.body["messages"][0]["content"].startswith("You are Rosemary") for r in native_server.requests)


@pytest.fixture
def terminal() -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Gives a terminal's other end and a chat that runs on it and waits for input."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "promptmw.cli", "chat", "--model", "openai/small"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as running:
        os.close(theirs)
        seen = b""
        while "› ".encode() not in seen:
            seen += os.read(ours, 1024)
        yield ours, running
        os.close(ours)


def test_on_a_terminal_the_end_of_input_leaves_cleanly(terminal: tuple[int, subprocess.Popen[bytes]]) -> None:
    ours, running = terminal
    os.write(ours, b"\x04")
    assert running.wait(20) == 0


def test_on_a_terminal_an_interrupt_leaves_cleanly(terminal: tuple[int, subprocess.Popen[bytes]]) -> None:
    ours, running = terminal
    for _ in range(20):  # one that comes between the prompt and the reading of the line is seen with the next
        running.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(1)
            break
    assert running.returncode == 130
    assert b"Traceback" not in _rest(ours)


def _rest(terminal: int) -> bytes:
    """Returns what is left to be read; a terminal whose other end is closed raises."""
    seen = b""
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 4096):
            seen += piece
    return seen
