"""Every code block of the README, executed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from servers import SENTENCE, NativeServer

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.M | re.S)
SETUP = ("pip install uv && uv run --group local promptmw demo", "uv run pytest")
"""The two commands that need a network and a fresh machine; CI runs what is behind the first word of each."""

PYTHON = [code for kind, code in BLOCKS if kind == "python"]
COMMANDS = [x for kind, code in BLOCKS if kind == "bash" for x in code.splitlines() if x not in SETUP]


def run(*command: str) -> str:
    """Runs a command as a reader does, from the project's folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_is_a_block_of_each_kind_and_none_that_no_test_knows() -> None:
    assert {kind for kind, _ in BLOCKS} == {"bash", "python", "yaml"}


def test_the_readme_starts_with_the_two_commands() -> None:
    assert [code.strip() for kind, code in BLOCKS if kind == "bash"][:2] == list(SETUP)


def test_the_langchain_block_prints_an_answer(environment: NativeServer) -> None:
    said = run(sys.executable, "-W", "error", "-c", PYTHON[0])
    assert said.strip() == SENTENCE
    system = environment.last.body["messages"][0]["content"]
    assert system.startswith("You are Nova.")
    assert "[CURRENT] Grows beans" in system


def test_the_litellm_block_streams_an_answer(environment: NativeServer) -> None:
    said = run(sys.executable, "-c", PYTHON[1])
    assert said.strip() == SENTENCE
    assert "[1] Handbook\nBeans need 12 °C of soil." in environment.last.body["messages"][-1]["content"]


def test_the_block_with_tools_sends_them_as_text_and_prints_an_answer(environment: NativeServer) -> None:
    code = PYTHON[2].replace("ollama_chat/smollm2", "openai/gpt-4o-mini")  # the model that the server plays
    assert run(sys.executable, "-c", code).strip() == SENTENCE
    body = environment.last.body
    assert '"name": "get_weather"' in body["messages"][0]["content"]
    assert "tools" not in body


def test_the_plugin_block_adds_its_section() -> None:
    assert "Sign every answer as the team of Beans" in run(sys.executable, "-W", "error", "-c", PYTHON[3])


def test_no_python_block_is_left_untested() -> None:
    assert len(PYTHON) == 4


def test_the_proxy_block_is_the_example_that_the_proxy_tests_start() -> None:
    (block,) = (yaml.safe_load(code) for kind, code in BLOCKS if kind == "yaml")
    example = yaml.safe_load((ROOT / "examples" / "litellm_proxy" / "config.yaml").read_text(encoding="utf-8"))
    example["model_list"][0]["model_info"]["promptmw"]["profile"] = "chat"
    assert block == example


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_prints_something(command: str) -> None:
    assert run(*shlex.split(command)).strip()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text("utf-8")))))
def test_each_link_leads_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
