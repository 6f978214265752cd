"""Turns and configs as plain data: what is wrong is said with its path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chat_turns import NOW, chat, text_of

from promptmw import ConfigError, InputError, Pipeline, ToolSpec, Turn
from promptmw.config import config_from_data, line_in_toml, load_config
from promptmw.turnfiles import turn_from_data


def turn(data: Any) -> Turn:
    return turn_from_data(data, chat().catalog.inputs)


def test_a_turn_is_made_of_plain_data() -> None:
    """116."""
    from promptmw_plugins.memories import Memory, MemoryStatus

    made = turn({"locale": "fr", "memories": [{"text": "a", "status": "query_dependent"}], "tools": ["t"]})
    assert made == Turn(Memory("a", status=MemoryStatus.QUERY_DEPENDENT), locale="fr", tools=("t",))


@pytest.mark.parametrize(
    "tool",
    ["t", {"name": "t"}, {"type": "function", "function": {"name": "t"}}],
)
def test_tools_are_taken_in_three_forms(tool: Any) -> None:
    assert turn({"tools": [tool]}).tools == (ToolSpec("t"),)


@pytest.mark.parametrize(
    ("data", "path", "said"),
    [
        ({"persna": {}}, ("persna",), "a turn has no key 'persna'. Did you mean 'persona'?"),
        ({"persona": {"traits": "concise"}}, ("persona", "traits"), "persona.traits: takes a list, not text"),
        ({"persona": {"nick": "A"}}, ("persona", "nick"), "persona has no key 'nick'. Did you mean 'nickname'?"),
        ({"persona": []}, ("persona",), "persona: takes a table of traits, nickname, custom, not a list"),
        ({"memories": {"text": "a"}}, ("memories",), "memories: takes a list of tables, not dict"),
        ({"memories": [{}]}, ("memories", 0, "text"), "memories[0].text: is required"),
        ({"now": "someday"}, ("now",), "now: takes a date and time"),
        ({"tool_mode": 5}, ("tool_mode",), "tool_mode: takes text, not a whole number"),
        ({"tools": "t"}, ("tools",), "tools: takes a list of names or tables, not str"),
        ({"documents": [{"name": "a", "created": "2026-08-24T09:00:00"}]}, ("documents", 0, "created"), "documents[0]"),
    ],
)
def test_what_is_wrong_in_a_turn_is_said_with_its_path(data: Any, path: tuple[Any, ...], said: str) -> None:
    """PE12."""
    with pytest.raises(InputError) as raised:
        turn(data)
    assert raised.value.path == path
    assert str(raised.value).startswith(said)


def test_an_unknown_status_is_named_with_those_that_exist() -> None:
    """ME3."""
    with pytest.raises(InputError) as raised:
        turn({"memories": [{"text": "a", "status": "OLD"}]})
    assert "'OLD'" in str(raised.value)
    assert all(f"'{s}'" in str(raised.value) for s in ("active", "query_dependent", "stale", "unknown"))


@pytest.mark.parametrize("data", [5, "text", [], None])
def test_what_is_no_table_is_no_turn(data: Any) -> None:
    with pytest.raises(InputError, match="a turn is a table"):
        turn(data)


CONFIG = """
profile = "support"

[profiles.support]
extends = "chat"
layout = "cache"
timezone = "Europe/Vienna"

[profiles.support.sections.excerpt]
layer = "last_user"
"""


def write(folder: Path, text: str, name: str = "promptmw.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_config_file_makes_profiles(tmp_path: Path) -> None:
    made = Pipeline.from_config(write(tmp_path, CONFIG), clock=lambda: NOW)
    assert (made.profile.name, made.profile.timezone) == ("support", "Europe/Vienna")
    assert set(made.profiles) == {"chat", "support"}
    assert made.for_profile("chat").profile.timezone == ""


def test_a_config_stands_in_a_pyproject_too(tmp_path: Path) -> None:
    file = write(tmp_path, "[tool.promptmw.profiles.chat]\ntimezone = 'UTC'\n", "pyproject.toml")
    assert Pipeline.from_config(file).profile.timezone == "UTC"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("profle = 'a'", 1, "there is no setting 'profle'. Did you mean 'profile'?"),
        ("profile = 'chta'", 1, "profile 'chta' does not exist. Did you mean 'chat'?"),
        ("[profiles.a]\nextends = 'b'\n", 2, "profile 'b' does not exist"),
        ("[profiles.a]\nextends = 'b'\n[profiles.b]\nextends = 'a'\n", 4, "profile 'a' extends itself by way of"),
        ("[profiles.chat]\nlayout = 'cach'\n", 2, "layout: takes 'documented' or 'cache', not 'cach'"),
        ("[profiles.chat]\nlayuot = 'cache'\n", 2, "no setting 'layuot'. Did you mean 'layout'?"),
        ("[profiles.chat.sandbox]\nmax_fils = 5\n", 2, "sandbox has no key 'max_fils'. Did you mean"),
        ("[profiles.chat.sanbox]\nmax_files = 5\n", 1, "no plugin has settings 'sanbox'. Did you mean 'sandbox'?"),
        ("[profiles.chat.limits.rga]\nitems = 5\n", 1, "no plugin has settings limits.rga. Did you mean 'rag'?"),
        ("[profiles.chat.limits.rag]\nitems = 'five'\n", 2, "limits.rag.items: takes a"),
        ("[profiles.chat]\ndisable = ['toolz']\n", 1, "there is no section 'toolz'. Did you mean 'tools'?"),
        ("[profiles.chat]\ndisable = ['trust']\n", 1, "requires the section 'trust'"),
        ("[profiles.chat.sections.excerpt]\nlayer = 'depht'\n", 2, "'depht' is none of system, first_user, last_user"),
        ("[profiles.chat.tool_names]\nweb_search = 'image_generate'\n", 2, "one tool has one role"),
        ("[profiles.chat]\nlayout = ", 0, "Invalid value"),
    ],
)
def test_what_is_wrong_in_a_config_is_said_with_file_and_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    """TG8, TR13, AG10."""
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as raised:
        Pipeline.from_config(file)
    assert said in str(raised.value)
    assert str(raised.value).startswith(f"{file}:{line}: " if line else f"{file}: ")


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff\xfe", "not UTF-8 at byte 0"), (b"#" * 1_000_001, "larger than 1000000 bytes")]
)
def test_a_file_that_is_no_config_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "promptmw.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        load_config(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_config(tmp_path / "promptmw.toml")


@pytest.mark.parametrize("data", [{"profiles": []}, {"profile": 5}, {"profiles": {"a": 5}}, {"proxy": 5}])
def test_a_wrong_shape_is_refused(data: Any) -> None:
    with pytest.raises(ConfigError, match="takes"):
        config_from_data(data)


def test_lines_are_found_by_path() -> None:
    assert line_in_toml(CONFIG, ("profiles", "support", "layout")) == 6
    assert line_in_toml(CONFIG, ("profiles", "support", "sections", "excerpt", "layer")) == 10
    assert line_in_toml(CONFIG, ("profiles", "support", "absent")) == 4
    assert line_in_toml(CONFIG, ("absent",)) is None


def test_a_turn_names_its_profile() -> None:
    made = Pipeline.from_config(
        config_from_data({"profiles": {"brief": {"disable": ["documents"], "trust": {"extra": "off"}}}})
    )
    stated = turn({"documents": [{"name": "a.pdf"}], "profile": "brief"})
    assert not text_of(made.assemble(stated), "documents")
    assert text_of(made.assemble(stated.replace(profile="")), "documents")
