"""Profiles: what extends what, which statement of a setting counts, and how tables are merged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chat_turns import NOW
from own_plugins import alone, offering, plugin, section

from promptmw import ConfigError, Pipeline, Profile, Section
from promptmw.config import Config, config_from_data, load_config
from promptmw.kinds import CallerSystem, Layout


@dataclass(frozen=True)
class Limits:
    items: int = 10
    size: int = 100


class Kitchen:
    """Ships a profile, and asks for its settings."""

    def __init__(self) -> None:
        self.asked: dict[str, Limits] = {}

    def sections(self, profile: Profile) -> tuple[Section, ...]:
        self.asked[profile.name] = profile.settings("limits.kitchen", Limits)
        return (section("kitchen.menu"), section("salt"))

    def profiles(self) -> tuple[Profile, ...]:
        tables = {"limits": {"kitchen": {"items": 3, "size": 30}}}
        return (Profile(name="kitchen", enable=("kitchen.*",), timezone="Europe/Rome", tables=tables),)


def configured(data: dict[str, Any], **more: Any) -> tuple[Pipeline, Kitchen]:
    kitchen = Kitchen()
    shipped = plugin("kitchen", sections=lambda profile: kitchen.sections(profile), profiles=lambda: kitchen.profiles())
    made = Pipeline.from_config(config_from_data(data), plugins=[shipped], clock=lambda: NOW, **more)
    return made, kitchen


def test_a_new_profile_extends_chat_when_it_names_no_other() -> None:
    made, _ = configured({"profiles": {"mine": {"timezone": "UTC"}}})
    mine = made.for_profile("mine").profile
    chat = made.for_profile("chat").profile
    assert (mine.timezone, mine.enable, mine.required) == ("UTC", chat.enable, chat.required)


def test_a_shipped_profile_is_changed_under_its_own_name() -> None:
    made, kitchen = configured({"profile": "kitchen", "profiles": {"kitchen": {"layout": "cache"}}})
    assert (made.profile.timezone, made.profile.layout) == ("Europe/Rome", Layout.CACHE)
    assert kitchen.asked["kitchen"] == Limits(items=3, size=30)


def test_tables_are_merged_key_by_key_and_lists_are_replaced() -> None:
    stated = {"extends": "kitchen", "enable": ["salt"], "limits": {"kitchen": {"items": 5}}}
    made, kitchen = configured({"profiles": {"mine": stated}})
    mine = made.for_profile("mine").profile
    assert mine.enable == ("salt",)
    assert kitchen.asked["mine"] == Limits(items=5, size=30)


def test_changes_to_sections_are_merged_by_section() -> None:
    first = {"extends": "kitchen", "sections": {"salt": {"order": 1}, "kitchen.menu": {"order": 2}}}
    second = {"extends": "first", "sections": {"salt": {"cap": 9}}}
    made, _ = configured({"profiles": {"first": first, "second": second}})
    overrides = made.for_profile("second").profile.sections
    assert (overrides["salt"].order, overrides["salt"].cap) == (None, 9)
    assert overrides["kitchen.menu"].order == 2


def test_a_chain_of_profiles_is_followed_to_its_end() -> None:
    profiles = {
        "a": {"extends": "b", "timezone": "UTC"},
        "b": {"extends": "c", "timezone": "Asia/Tokyo", "caller_system": "drop"},
        "c": {"extends": "kitchen", "caller_system": "user", "layout": "cache"},
    }
    made, _ = configured({"profiles": profiles})
    found = made.for_profile("a").profile
    assert (found.timezone, found.caller_system, found.layout) == ("UTC", CallerSystem.DROP, Layout.CACHE)
    assert found.enable == ("kitchen.*",)


def test_defaults_hold_where_a_file_states_nothing_else() -> None:
    data = {"profiles": {"kitchen": {"caller_system": "user"}}}
    made, _ = configured(data, defaults={"caller_system": "drop", "layout": "cache"})
    kitchen, chat = made.for_profile("kitchen").profile, made.for_profile("chat").profile
    assert (kitchen.caller_system, kitchen.layout) == (CallerSystem.USER, Layout.CACHE)
    assert (chat.caller_system, chat.layout) == (CallerSystem.DROP, Layout.CACHE)


def test_a_shipped_profile_itself_is_never_changed() -> None:
    profile = Profile(name="mine", tables={"limits": {"kitchen": {"items": 3}}})
    changed = profile.extended({"limits": {"kitchen": {"items": 4}}, "timezone": "UTC"}, name="mine")
    assert changed.tables == {"limits": {"kitchen": {"items": 4}}}
    assert profile == Profile(name="mine", tables={"limits": {"kitchen": {"items": 3}}})


def test_a_profile_that_no_turn_has_used_yet_is_checked_when_the_file_is_read() -> None:
    with pytest.raises(ConfigError, match="there is no section 'suger'"):
        configured({"profiles": {"mine": {"disable": ["suger"]}}})


def test_a_wrong_extends_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"profile 'kitchn' does not exist\. Did you mean 'kitchen'\?"):
        configured({"profile": "mine", "profiles": {"mine": {"extends": "kitchn"}}})


@pytest.mark.parametrize("names", ["a", "ab", "abc"])
def test_profiles_that_extend_each_other_in_a_circle_are_an_error(names: str) -> None:
    profiles = {n: {"extends": names[(i + 1) % len(names)]} for i, n in enumerate(names)}
    with pytest.raises(ConfigError, match="profile 'a' extends itself by way of"):
        configured({"profile": "a", "profiles": profiles})


@pytest.mark.parametrize(
    ("enable", "picked"),
    [
        (("*",), "salt"),
        (("*.*",), "kitchen.menu"),
        (("kitchen.*",), "kitchen.menu"),
        (("s*t",), "salt"),
        (("kitchen.m*",), "kitchen.menu"),
        (("salt", "kitchen.menu"), "salt kitchen.menu"),
        (("*", "*.*"), "salt kitchen.menu"),
        (("x*",), ""),
        ((), ""),
    ],
)
def test_patterns_pick_names_and_a_star_never_passes_a_dot(enable: tuple[str, ...], picked: str) -> None:
    profile = Profile(name="p", enable=enable)
    assert [n for n in ("salt", "kitchen.menu") if profile.picks(n, "d")] == picked.split()


def test_a_pipeline_s_own_settings_come_last() -> None:
    made = alone(offering("own", section("a"), section("b")), settings={"disable": ["a"], "timezone": "Asia/Tokyo"})
    assert (made.profile.timezone, made.assemble().system) == ("Asia/Tokyo", "b\n")


def write(folder: Path, text: str, name: str = "pyproject.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_pyproject_without_our_table_states_nothing(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, "[project]\nname = 'x'\n")).profiles == {}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\n[tool.promptmw]\nprofle = 'a'\n", 3, "there is no setting 'profle'. Did you mean 'profile'?"),
        ("[tool]\npromptmw = 5\n", 2, "promptmw: takes a table, not int"),
        ("tool = 5\n", 1, "tool: takes a table, not int"),
        ("[tool.promptmw]\ndisable_plugins = 'rag'\n", 2, "disable_plugins: takes a list of names"),
    ],
)
def test_what_is_wrong_in_a_pyproject_is_said_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as raised:
        load_config(file)
    assert str(raised.value) == f"{file}:{line}: {said}"


@pytest.mark.parametrize("names", ["rag", 5, [5], {"rag": True}])
def test_disabled_plugins_are_a_list_of_names(names: Any) -> None:
    with pytest.raises(ConfigError, match="disable_plugins: takes a list of names"):
        config_from_data({"disable_plugins": names})


def test_disabled_plugins_are_not_loaded() -> None:
    made = Pipeline.from_config(Config(disable_plugins=("rag",)))
    assert [p.name for p in made.plugins.found if p.status.value == "disabled"] == ["rag"]
