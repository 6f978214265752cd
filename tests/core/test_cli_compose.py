"""``promptmw compose``."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import TURNS, data, process, run

from promptmw import Pipeline
from promptmw.turnfiles import turn_from_data


@pytest.fixture
def typical() -> dict[str, Any]:
    return tomllib.loads((TURNS / "typical.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["minimal", "typical", "full"])
def test_it_prints_what_the_pipeline_sends(name: str) -> None:
    stated = tomllib.loads((TURNS / f"{name}.toml").read_text(encoding="utf-8"))
    history = stated.pop("messages")
    pipeline = Pipeline()
    sent = pipeline.messages(turn_from_data(stated, pipeline.catalog.inputs), history)
    assert data("compose", TURNS / f"{name}.toml")["messages"] == sent
    assert run("compose", TURNS / f"{name}.toml").stdout == "".join(f"─── {m['role']} ───\n{shown(m)}" for m in sent)


def shown(message: dict[str, Any]) -> str:
    text: str = message["content"]
    return text if text.endswith("\n") else text + "\n"


def test_three_formats_give_the_same_messages(typical: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(typical, default=lambda d: d.isoformat()), encoding="utf-8")
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(typical, allow_unicode=True), encoding="utf-8")
    found = [data("compose", f) for f in (TURNS / "typical.toml", tmp_path / "a.json", tmp_path / "a.yaml")]
    assert found[0] == found[1] == found[2]
    assert found[0]["tools"]["local"] == ["aivory_web_search", "save_memory"]


def test_standard_input_is_a_turn_too(typical: dict[str, Any]) -> None:
    text = yaml.safe_dump(typical, allow_unicode=True)
    assert data("compose", "-", stdin=text) == data("compose", TURNS / "typical.toml")
    assert data("compose", "-", "--format", "yaml", stdin=text) == data("compose", TURNS / "typical.toml")


def test_options_go_before_what_the_turn_states() -> None:
    file = TURNS / "typical.toml"
    assert data("compose", file, "--locale", "fr")["messages"][0]["content"].startswith("Vous êtes Rosemary")
    assert data("compose", file, "--mode", "prompt")["tools"]["mode"] == "prompt"
    assert "## Tool guidance" not in run("compose", file, "--mode", "none").stdout


def test_a_layout_changes_the_order_and_not_what_is_in_it() -> None:
    found = [data("inspect", TURNS / "typical.toml", "--layout", x)["blocks"] for x in ("documented", "cache")]
    orders = [[block["section"] for block in blocks] for blocks in found]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def test_a_config_file_brings_profiles_and_its_errors_name_its_line(tmp_path: Path) -> None:
    config = tmp_path / "promptmw.toml"
    config.write_text('[profiles.short]\ndisable = ["date"]\nrequired = []\n')
    short = run("compose", TURNS / "minimal.toml", "--config", config, "--profile", "short")
    assert (short.exit_code, "Today is" in short.stdout) == (0, False)
    config.write_text("[profiles.short]\nlayot = 'cache'\n")
    bad = run("compose", TURNS / "minimal.toml", "--config", config)
    assert (bad.exit_code, bad.stdout) == (2, "")
    assert f"{config}:2: " in bad.stderr


def test_a_profile_that_is_not_there_is_named_with_those_that_are() -> None:
    result = run("compose", TURNS / "minimal.toml", "--profile", "chatt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "profile 'chatt' does not exist. Did you mean 'chat'?\n"


def test_text_is_printed_as_it_is_and_other_content_by_its_type() -> None:
    parts = [{"type": "text", "text": "[bold]no markup[/] \t {x}"}, {"type": "image_url", "image_url": {"url": "x"}}]
    call = {"id": "1", "type": "function", "function": {"name": "dig", "arguments": '{"bed": 3}'}}
    messages = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "done"},
    ]
    text = run("compose", "-", stdin=json.dumps({"messages": messages})).stdout
    assert '\n[bold]no markup[/] \t {x}\n[image_url]\n─── assistant ───\n[call dig {"bed": 3}]\n' in text


def test_problems_are_told_on_standard_error_and_in_json() -> None:
    turn = 'timezone = "Nowhere/Town"'
    assert run("compose", "-", stdin=turn).stderr.startswith("unknown time zone: Nowhere/Town")
    assert [p["kind"] for p in data("compose", "-", stdin=turn)["problems"]] == ["unknown time zone"]


def test_nothing_is_stored_by_looking() -> None:
    from promptmw.cli.options import Choices
    from promptmw.cli.turns import Desk

    assert Desk(Choices()).open(str(TURNS / "full.toml")).turn.preview


def test_in_a_process_of_its_own_it_writes_utf8_and_no_colours() -> None:
    done = process("compose", TURNS / "full.toml", "--locale", "ja", PYTHONIOENCODING="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert done.stdout == run("compose", TURNS / "full.toml", "--locale", "ja").stdout


def test_an_encoding_that_lacks_a_character_gets_it_spelled_out() -> None:
    done = process("compose", TURNS / "minimal.toml", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u2014 never claim" in done.stdout
