"""A real LiteLLM proxy in a process of its own, with a plugin that is found by its entry point."""

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

PLUGIN = '''
"""Writes down what it is told, and offers a section that fails where a profile asks for it."""
import json, os
from promptmw import Section, Stability, hookimpl

@hookimpl
def promptmw_sections(profile):
    def render(facts):
        raise RuntimeError("secret word")
    return [Section(name="e2e.failing", render=render, stability=Stability.STATIC, required=True)]

@hookimpl
def promptmw_answered(turn, prompt, answer):
    row = {
        "problems": [str(p) for p in prompt.problems], "profile": prompt.profile, "tenant": turn.tenant,
        "session": turn.session, "text": answer.text, "complete": answer.complete,
    }
    with open(os.environ["E2E_REPORT"], "a") as file:
        file.write(json.dumps(row) + "\\n")
'''
AUTH = '''
"""Knows the keys of the test."""
import json, os
from litellm.proxy._types import UserAPIKeyAuth

async def check(request, api_key):
    known = json.loads(os.environ["E2E_KEYS"])
    return UserAPIKeyAuth(api_key=f"hash of {api_key}", **known[api_key])
'''


@dataclass(frozen=True)
class Running:
    """A proxy that answers.

    Attributes:
        client: Sends requests to it.
        report: The file that the plugin writes.
    """

    client: httpx.Client
    report: Path

    def post(self, path: str, body: Mapping[str, Any], *, key: str, **headers: str) -> httpx.Response:
        """Sends a request with a key."""
        authorized = {"authorization": f"Bearer {key}", **headers}
        return self.client.post(path, json=body, headers=authorized)

    @property
    def reports(self) -> list[dict[str, Any]]:
        """What the plugin was told."""
        return [json.loads(line) for line in self.report.read_text().splitlines()]


def write(folder: Path, *, models: list[dict[str, Any]], config: str) -> None:
    """Writes all files of a proxy."""
    callbacks = {"callbacks": ["promptmw_litellm.proxy.handler"], "num_retries": 0}
    provider = [{"provider": "promptmw", "custom_handler": "promptmw_litellm.provider.handler"}]
    general = {"master_key": "os.environ/LITELLM_MASTER_KEY", "custom_auth": "keys.check"}
    whole = {
        "model_list": models,
        "litellm_settings": {**callbacks, "custom_provider_map": provider},
        "general_settings": general,
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(whole))
    (folder / "promptmw.toml").write_text(config)
    (folder / "keys.py").write_text(AUTH)
    (folder / "e2e_plugin.py").write_text(PLUGIN)
    (folder / "report.jsonl").touch()
    installed = folder / "e2e_plugin-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: e2e-plugin\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[promptmw]\ne2e = e2e_plugin\n")


def command(folder: Path, port: int) -> list[str]:
    """Returns how a proxy is started."""
    litellm = Path(sys.executable).parent / "litellm"
    return [str(litellm), "--config", str(folder / "config.yaml"), "--host", "127.0.0.1", "--port", str(port)]


def environment(folder: Path, keys: Mapping[str, Any], **more: str) -> dict[str, str]:
    """Returns the environment of a proxy: offline, no database, a master key that nobody knows; and what is added."""
    return {
        **os.environ,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MASTER_KEY": f"sk-{secrets.token_hex(16)}",
        "PROMPTMW_CONFIG": str(folder / "promptmw.toml"),
        "PYTHONPATH": str(folder),
        "PYTHONUNBUFFERED": "1",
        "E2E_REPORT": str(folder / "report.jsonl"),
        "E2E_KEYS": json.dumps(keys),
        **more,
    }


@contextmanager
def running(folder: Path, keys: Mapping[str, Any], **more: str) -> Iterator[Running]:
    """Starts the proxy of a folder, waits until it answers, and stops it at the end."""
    port = free_port()
    process = subprocess.Popen(
        command(folder, port), env=environment(folder, keys, **more), cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    output = _Output(process)
    try:
        output.wait_until_it_answers(port, seconds=120)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield Running(client, folder / "report.jsonl")
    finally:
        process.terminate()
        process.wait(30)
        output.thread.join()


class _Output:
    """Reads what a process prints, so that its pipe never fills."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.lines: list[str] = []
        self.process = process
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def wait_until_it_answers(self, port: int, *, seconds: int) -> None:
        for _ in range(seconds * 4):
            if self.ended.wait(0.25):
                break
            with suppress(httpx.TransportError):
                httpx.get(f"http://127.0.0.1:{port}/health/liveliness", timeout=5)
                return
        raise AssertionError("the proxy did not start:\n" + "".join(self.lines[-40:]))

    def _read(self) -> None:
        assert self.process.stdout is not None  # it is a pipe
        with self.process.stdout as printed:
            for line in printed:
                self.lines.append(line)
        self.ended.set()


def free_port() -> int:
    """Returns a port of the loopback that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
