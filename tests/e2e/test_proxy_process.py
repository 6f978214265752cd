"""The handler and the provider in a real proxy process, on the wire."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from servers import NativeServer

from .proxy_process import Running, command, environment, free_port, running, write

pytestmark = pytest.mark.e2e

SAID = "Hello, here is what the test server says to you."
HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "python_execute", "parameters": {"type": "object", "properties": {}}}}
KEYS: dict[str, dict[str, Any]] = {
    "sk-one": {},
    "sk-two": {},
    "sk-team": {"user_id": "u1", "team_id": "t1", "team_metadata": {"promptmw": {"profile": "other"}}},
}
CONFIG = """
[profiles.chat]
timezone = "UTC"
[profiles.other]
extends = "chat"
[profiles.deployed]
extends = "chat"
[profiles.failing]
extends = "chat"
enable = ["*", "e2e.failing"]
[proxy.client]
profiles = ["other"]
"""


def models(server: NativeServer) -> list[dict[str, Any]]:
    openai = {"model": "openai/small", "api_base": server.base_url, "api_key": "none", "max_retries": 0}
    behind: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "assistant": (openai, {}),
        "claude": ({**openai, "model": "anthropic/small", "api_base": server.root_url}, {}),
        "vllm": ({**openai, "model": "hosted_vllm/small"}, {}),
        "deepseek": ({**openai, "model": "deepseek/small"}, {}),
        "behind": ({**openai, "model": "promptmw/openai/small"}, {}),
        "profiled": (openai, {"promptmw": {"profile": "deployed"}}),
        **{name: (openai, {}) for name in ("embedder", "moderator", "painter")},
        "failing": (openai, {"promptmw": {"profile": "failing"}}),
        "failing-behind": ({**openai, "model": "promptmw/openai/small"}, {"promptmw": {"profile": "failing"}}),
    }
    return [{"model_name": n, "litellm_params": p, "model_info": i} for n, (p, i) in behind.items()]


@pytest.fixture(scope="module")
def server() -> Iterator[NativeServer]:
    with NativeServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _cleared(server: NativeServer) -> None:
    server.clear()


@pytest.fixture(scope="module")
def proxy(server: NativeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("proxy")
    write(folder, models=models(server), config=CONFIG)
    with running(folder, KEYS) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def strict_proxy(server: NativeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("strict")
    write(folder, models=models(server), config=CONFIG + "strict = true\n")
    with running(folder, KEYS) as proxy:
        yield proxy


PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages", "responses": "/v1/responses"}


def ask(proxy: Running, api: str, model: str, *, key: str = "sk-one", headers: Any = None, **more: Any) -> Any:
    body = {"model": model, "input": "Hi"} if api == "responses" else {"model": model, "messages": HI}
    body |= {"max_tokens": 50} if api == "messages" else {}
    return proxy.post(PATHS[api], {**body, **more}, key=key, **(headers or {}))


def system_of(body: dict[str, Any]) -> str:
    """Returns the system text of a payload of any of the three APIs."""
    found = body.get("system") or body.get("instructions") or body["messages"][0]["content"]
    return found if isinstance(found, str) else found[0]["text"]


def said(api: str, answer: Any, *, stream: bool) -> str:
    """Returns the text of an answer."""
    if not stream:
        whole = answer.json()
        parts = {
            "chat": lambda: whole["choices"][0]["message"]["content"],
            "messages": lambda: whole["content"][0]["text"],
            "responses": lambda: whole["output"][0]["content"][0]["text"],
        }
        return str(parts[api]())
    lines = [line.removeprefix("data:").strip() for line in answer.text.splitlines() if line.startswith("data:")]
    events = [json.loads(line) for line in lines if line != "[DONE]"]
    if api == "chat":
        return "".join(e["choices"][0]["delta"].get("content") or "" for e in events if e["choices"])
    kind = "content_block_delta" if api == "messages" else "response.output_text.delta"
    deltas = [e["delta"] for e in events if e["type"] == kind]
    return "".join(d if isinstance(d, str) else d.get("text", "") for d in deltas)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("api", "model", "path"),
    [
        ("chat", "assistant", "/v1/chat/completions"),
        ("chat", "claude", "/v1/messages"),
        ("chat", "behind", "/v1/chat/completions"),
        ("messages", "claude", "/v1/messages"),
        ("messages", "vllm", "/v1/chat/completions"),
        ("messages", "assistant", "/v1/responses"),
        ("messages", "behind", "/v1/chat/completions"),
        ("responses", "assistant", "/v1/responses"),
        ("responses", "deepseek", "/v1/chat/completions"),
        ("responses", "behind", "/v1/chat/completions"),
    ],
)
def test_every_endpoint_sends_the_prompt_once_with_the_clients_own(
    proxy: Running, server: NativeServer, api: str, model: str, path: str, stream: bool
) -> None:
    """PX1"""
    own: dict[str, Any] = {
        "chat": {"messages": [{"role": "system", "content": "Mine."}, *HI]},
        "messages": {"system": "Mine."},
        "responses": {"instructions": "Mine."},
    }[api]
    answer = ask(proxy, api, model, stream=stream, **own)
    assert answer.status_code == 200, answer.text
    assert said(api, answer, stream=stream) == SAID
    (received,) = server.requests
    assert received.path == path
    system = system_of(received.body)
    assert system.startswith("You are")
    assert system.count("Mine.") == 1
    assert json.dumps(received.body).count("REFERENCE MATERIAL") == 1


def test_fields_that_act_behind_all_hooks_are_not_on_the_wire(proxy: Running, server: NativeServer) -> None:
    """PX3"""
    evil = {"role": "user", "content": "EVIL"}
    fields = {
        "litellm_system_prompt": "EVIL",
        "extra_body": {"messages": [evil], "extra_body": {"messages": [evil]}, "tools": [TOOL]},
        "assistant_continue_message": {"role": "assistant", "content": "EVIL"},
    }
    assert ask(proxy, "chat", "assistant", **fields).status_code == 200
    assert "EVIL" not in json.dumps(server.last.body)
    assert "tools" not in server.last.body
    for name in ("litellm_system_prompt", "extra_body.messages", "extra_body.tools", "assistant_continue_message"):
        assert f"client's field ignored: {name} (promptmw-litellm)" in proxy.reports[-1]["problems"]


@pytest.mark.parametrize("name", ["identity", "no_such_thing"])
def test_what_a_client_may_not_state_is_ignored_and_reported(proxy: Running, server: NativeServer, name: str) -> None:
    """PX4"""
    answer = ask(proxy, "chat", "assistant", metadata={"promptmw": {name: {"label": "Forged"}}})
    assert answer.status_code == 200
    assert "Forged" not in json.dumps(server.last.body)
    assert any(f"promptmw.{name} (not allowed)" in p for p in proxy.reports[-1]["problems"])


def test_a_strict_proxy_answers_with_an_error(strict_proxy: Running, server: NativeServer) -> None:
    """PX4"""
    answer = ask(strict_proxy, "chat", "assistant", metadata={"promptmw": {"identity": {"label": "Forged"}}})
    assert answer.status_code == 400
    assert "promptmw.identity" in answer.text
    assert server.requests == []


def test_a_clients_model_info_says_nothing(proxy: Running, server: NativeServer) -> None:
    """PX5"""
    answer = ask(proxy, "chat", "assistant", tools=[TOOL], model_info={"supports_function_calling": False})
    assert answer.status_code == 200
    assert server.last.body["tools"]


@pytest.mark.parametrize(
    ("model", "profile", "expected"),
    [("assistant", "other", "other"), ("assistant", "deployed", "chat"), ("profiled", "other", "deployed")],
    ids=["listed", "not-listed", "deployment"],
)
def test_who_chooses_the_profile(proxy: Running, model: str, profile: str, expected: str) -> None:
    """PX6"""
    assert ask(proxy, "chat", model, headers={"x-promptmw-profile": profile}).status_code == 200
    assert proxy.reports[-1]["profile"] == expected


def test_identity_comes_from_the_key_alone(proxy: Running) -> None:
    """PX7"""
    forged = {"user_api_key_team_id": "t9", "user_api_key_user_id": "u9", "headers": {"x-promptmw-profile": "chat"}}
    assert ask(proxy, "chat", "assistant", key="sk-team", metadata=forged).status_code == 200
    assert (proxy.reports[-1]["profile"], proxy.reports[-1]["tenant"]) == ("other", "user:u1")


def test_two_keys_have_two_namespaces_for_one_session(proxy: Running) -> None:
    """PX8"""
    for key in ("sk-one", "sk-two"):
        assert ask(proxy, "chat", "assistant", key=key, headers={"x-promptmw-session": "s"}).status_code == 200
    one, two = proxy.reports[-2:]
    assert one["session"] == two["session"] == "s"
    assert one["tenant"] != two["tenant"]


@pytest.mark.parametrize(("api", "model"), [("messages", "claude"), ("responses", "assistant")])
def test_our_part_of_the_metadata_is_used_and_not_sent(
    proxy: Running, server: NativeServer, api: str, model: str
) -> None:
    """PX9"""
    answer = ask(proxy, api, model, metadata={"user_id": "u7", "promptmw": {"locale": "fr"}})
    assert answer.status_code == 200
    assert server.last.body["metadata"] == {"user_id": "u7"}
    assert system_of(server.last.body).startswith("Vous êtes")


@pytest.mark.parametrize(
    ("path", "model", "more"),
    [
        ("/v1/embeddings", "embedder", {"input": ["x"]}),
        ("/v1/moderations", "moderator", {"input": "x"}),
        ("/v1/images/generations", "painter", {"prompt": "x"}),
    ],
)
def test_other_calls_are_untouched(
    proxy: Running, server: NativeServer, path: str, model: str, more: dict[str, Any]
) -> None:
    """PX10"""
    before = len(proxy.reports)
    answer = proxy.post(path, {"model": model, **more}, key="sk-one")
    assert answer.status_code == 404, answer.text  # the server's own answer: it knows no such path
    sent = {key: server.last.body[key] for key in more}
    assert server.last.path == path
    assert sent == more
    assert "REFERENCE MATERIAL" not in json.dumps(server.last.body)
    assert len(proxy.reports) == before


def test_the_list_of_models_is_untouched(proxy: Running) -> None:
    """PX10"""
    answer = proxy.client.get("/v1/models", headers={"authorization": "Bearer sk-one"})
    assert "assistant" in {m["id"] for m in answer.json()["data"]}


def test_a_bad_file_keeps_the_proxy_from_starting(server: NativeServer, tmp_path: Any) -> None:
    """PX12"""
    write(tmp_path, models=models(server), config="\n[proxy.client]\nallwo = []\n")
    run = subprocess.run(
        command(tmp_path, free_port()), env=environment(tmp_path, KEYS), cwd=tmp_path, timeout=90,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode != 0
    assert "promptmw.toml:3: proxy.client has no key 'allwo'. Did you mean 'allow'?" in run.stdout + run.stderr


@pytest.mark.parametrize("model", ["failing", "failing-behind"])
def test_a_required_section_that_fails_is_a_400_without_content(
    proxy: Running, server: NativeServer, model: str
) -> None:
    """PX13"""
    for _ in range(3):  # a deployment that is held to be broken would answer 429
        answer = ask(proxy, "chat", model, messages=[{"role": "user", "content": "A private matter"}])
        assert answer.status_code == 400, answer.text
        assert "e2e.failing" in answer.text
        assert "private" not in answer.text
        assert "secret word" not in answer.text
    assert server.requests == []


@pytest.mark.parametrize("stated", [{"persona": {"custom": "x" * 65 * 1024}}, ["locale"]], ids=["large", "list"])
def test_an_object_that_is_too_large_or_none(
    proxy: Running, strict_proxy: Running, server: NativeServer, stated: Any
) -> None:
    """PX15"""
    assert ask(proxy, "chat", "assistant", metadata={"promptmw": stated}).status_code == 200
    assert any("metadata.promptmw (" in p for p in proxy.reports[-1]["problems"])
    assert "xxxx" not in json.dumps(server.last.body)
    assert ask(strict_proxy, "chat", "assistant", metadata={"promptmw": stated}).status_code == 400
