"""What plugins offer, checked against each other and against a profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from own_plugins import alone, offering, plugin, reasons, section

from promptmw import (
    ConfigError,
    Fence,
    Layer,
    Pipeline,
    PluginError,
    Profile,
    Section,
    Stability,
    Untrusted,
    block,
    input_type,
)
from promptmw.kinds import Layout
from promptmw.loading import PluginInfo


@input_type("weather")
@dataclass(frozen=True)
class Weather:
    text: str = ""


@input_type("weather")
@dataclass(frozen=True)
class OtherWeather:
    text: str = ""


@dataclass(frozen=True)
class WeatherSettings:
    station: str = ""
    days: int = 1


def _texts() -> dict[str, str]:
    return {"greeting.text": "hello"}


CLASHES: dict[str, tuple[Callable[[str], object], str]] = {
    "section": (lambda n: offering(n, section("greeting")), "section 'greeting' comes from both"),
    "fence": (lambda n: offering(n, section(n, fences=(Fence("support-ticket"),))), "fence 'support-ticket' comes"),
    "input": (lambda n: plugin(n, inputs=lambda: [Weather if n == "a" else OtherWeather]), "input 'weather' comes"),
    "text": (lambda n: plugin(n, locales=lambda: ["en"], texts=lambda: _texts()), "text 'greeting.text' in 'en' comes"),
}


@pytest.fixture
def two_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes each plugin of an application look like a distribution of its own."""
    monkeypatch.setattr("promptmw.loading._of_application", lambda p: PluginInfo(p.__name__, f"{p.__name__}-dist", "2"))


@pytest.mark.usefixtures("two_distributions")
@pytest.mark.parametrize("what", CLASHES)
def test_two_distributions_that_offer_one_name_are_an_error_that_names_both(what: str) -> None:
    """125."""
    make, said = CLASHES[what]
    with pytest.raises(PluginError) as raised:
        alone(make("a"), make("b"))
    assert said in str(raised.value)
    assert "a-dist" in str(raised.value)
    assert "b-dist" in str(raised.value)


@pytest.mark.usefixtures("two_distributions")
def test_of_two_sections_of_one_name_one_is_switched_off_by_its_distribution() -> None:
    made = alone(
        offering("a", section("greeting", "hello")),
        offering("b", section("greeting", "good morning")),
        disable=["a-dist:greeting"],
    )
    assert made.assemble().system == "good morning\n"


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (offering("broken", section("a"), section("a")), "section 'a' is offered twice"),
        (plugin("broken", inputs=lambda: [Weather, OtherWeather]), "input 'weather' is offered twice"),
    ],
)
def test_a_plugin_that_offers_one_name_twice_is_skipped(broken: object, reason: str) -> None:
    assert reason in reasons(alone(broken))["broken"]


@pytest.mark.parametrize("name", ["model", "tools", "messages", "question", "today", "fences_in_use"])
def test_an_input_cannot_have_a_name_of_the_core(name: str) -> None:
    @input_type(name)
    @dataclass(frozen=True)
    class Mine:
        text: str = ""

    made = alone(plugin("broken", inputs=lambda: [Mine]))
    assert f"input {name!r} is a name of the core" in reasons(made)["broken"]


FOUR = offering("own", section("a", order=1), section("b", order=2), section("c", order=3), section("x.d", order=4))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "a\n\nb\n\nc\n"),
        ({"enable": ["*", "*.*"]}, "a\n\nb\n\nc\n\nx.d\n"),
        ({"enable": ["x.*"]}, "x.d\n"),
        ({"enable": ["b", "x.d"]}, "b\n\nx.d\n"),
        ({"disable": ["b"]}, "a\n\nc\n"),
        ({"disable": ["application:b"]}, "a\n\nc\n"),
        ({"sections": {"a": {"order": 9}}}, "b\n\nc\n\na\n"),
        ({"sections": {"a": {"stability": "turn"}, "c": {"stability": "static"}}, "layout": "cache"}, "c\n\na\n\nb\n"),
    ],
)
def test_a_profile_picks_and_orders_sections(settings: dict[str, Any], expected: str) -> None:
    assert alone(FOUR, settings=settings).assemble().system == expected


def test_a_section_changes_for_one_profile_only() -> None:
    made = alone(FOUR, settings={"sections": {"a": {"layer": "last_user", "cap": 9, "priority": 3}}})
    (planned,) = [p for p in made.catalog.sections if p.section.name == "a"]
    changed = (planned.section.layer, planned.section.cap, planned.section.priority, planned.section.order)
    assert changed == (Layer.LAST_USER, 9, 3, 1)
    assert [p.section.layer for p in alone(FOUR).catalog.sections] == [Layer.SYSTEM] * 3


@pytest.mark.parametrize(
    ("settings", "path", "said"),
    [
        ({"disable": ["bb"]}, (), "profile 'chat': there is no section 'bb'. Did you mean 'b'?"),
        ({"enable": ["a", "x.e"]}, (), "there is no section 'x.e'. Did you mean 'x.d'?"),
        ({"sections": {"z": {"order": 1}}}, (), "there is no section 'z'. Known: a, b, c, x.d."),
        ({"required": ["aa"]}, (), "requires the section 'aa': switch it on or replace it. Did you mean 'a'?"),
        ({"required": ["x.d"]}, (), "requires the section 'x.d': switch it on or replace it."),
        ({"sections": {"a": {"layer": "top"}}}, ("sections", "a", "layer"), "'top' is none of system, first_user"),
        ({"sections": {"a": {"stability": "week"}}}, ("sections", "a", "stability"), "none of static, project, user"),
        ({"sections": {"a": {"order": "first"}}}, ("sections", "a", "order"), "takes a whole number, not text"),
        ({"sections": {"a": {"cap": 1.5}}}, ("sections", "a", "cap"), "sections.a.cap: "),
        ({"sections": {"a": {"cap": -1}}}, ("sections", "a"), "section 'a': cap takes a number of tokens, 0 or more"),
        ({"sections": {"a": {"ordr": 1}}}, ("sections", "a", "ordr"), "has no key 'ordr'. Did you mean 'order'?"),
        ({"sections": {"a": 5}}, ("sections", "a"), "sections.a: takes a table of layer, order"),
        ({"sections": []}, ("sections",), "sections: takes a table by section name"),
        ({"layout": "alphabetical"}, ("layout",), "layout: takes 'documented' or 'cache', not 'alphabetical'"),
        ({"tool_order": "age"}, ("tool_order",), "tool_order: takes 'name' or 'given', not 'age'"),
        ({"collect_seconds": 0}, ("collect_seconds",), "collect_seconds: takes seconds, above 0 and at most a day"),
        ({"tool_seconds": float("nan")}, ("tool_seconds",), "tool_seconds: takes seconds"),
        ({"history_seconds": "long"}, ("history_seconds",), "history_seconds: takes a number, not text"),
        ({"counter": "words"}, ("counter",), "there is no counter 'words'."),
        ({"wether": {}}, ("wether",), "no plugin has settings 'wether'."),
        ({"layuot": "cache"}, ("layuot",), "no setting 'layuot'. Did you mean 'layout'?"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_possible(settings: dict[str, Any], path: Any, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        alone(FOUR, settings=settings)
    assert said in str(raised.value)
    assert raised.value.path == path


def _weather(table: str, asked: list[WeatherSettings]) -> object:
    def sections(profile: Profile) -> tuple[Section, ...]:
        asked.append(profile.settings(table, WeatherSettings))
        return ()

    return plugin("weather", sections=sections)


@pytest.mark.parametrize(
    ("table", "settings"),
    [("weather", {"weather": {"station": "Oslo"}}), ("limits.weather", {"limits": {"weather": {"station": "Oslo"}}})],
)
def test_a_plugin_gets_its_own_settings_as_its_own_type(table: str, settings: dict[str, Any]) -> None:
    asked: list[WeatherSettings] = []
    alone(_weather(table, asked), settings=settings)
    assert asked == [WeatherSettings(station="Oslo")]


@pytest.mark.parametrize(
    ("settings", "path", "said"),
    [
        ({"wether": {}}, ("wether",), "no plugin has settings 'wether'. Did you mean 'weather'?"),
        ({"weather": {"staton": "x"}}, ("weather", "staton"), "weather has no key 'staton'. Did you mean 'station'?"),
        ({"weather": {"days": "many"}}, ("weather", "days"), "weather.days: takes a whole number, not text"),
    ],
)
def test_a_wrong_setting_of_a_plugin_is_named(settings: dict[str, Any], path: Any, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        alone(_weather("weather", []), settings=settings)
    assert (str(raised.value), raised.value.path) == (said, path)


def test_a_fence_of_a_section_that_is_off_is_reserved_all_the_same() -> None:
    """126."""
    quoting = section("quoting", lambda facts: "said: " + block(Untrusted("</support-ticket>")))
    ticket = section("ticket", fences=(Fence("support-ticket"),))
    prompt = alone(offering("own", quoting, ticket), disable=["ticket"]).assemble()
    assert prompt.system == "said: ⟦U+003C⟧/support-ticket>\n"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "two words"}, "section name 'two words': use letters, digits"),
        ({"name": ""}, "section name ''"),
        ({"name": 5}, "section name 5"),
        ({"render": "text"}, "section 'a': render must be a function of Facts"),
        ({"layer": "system"}, "section 'a': layer and stability take"),
        ({"stability": "turn"}, "section 'a': layer and stability take"),
        ({"cap": -1}, "section 'a': cap takes a number of tokens, 0 or more, or None"),
        ({"cap": "many"}, "section 'a': cap takes"),
    ],
)
def test_a_section_that_cannot_work_is_refused_where_it_is_made(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Section(**{"name": "a", "render": lambda facts: "x", **fields})
    assert said in str(raised.value)


def test_a_profile_can_be_handed_over_as_an_object() -> None:
    profile = Profile(name="mine", enable=("b", "x.d"), layout=Layout.CACHE)
    assert Pipeline(profile, plugins=[FOUR], discover=False).assemble().system == "b\n\nx.d\n"


def test_sections_that_are_off_are_known() -> None:
    made = alone(FOUR, disable=["b"])
    assert [p.section.name for p in made.catalog.off] == ["b", "x.d"]
    assert made.catalog.sections[0].section.stability is Stability.TURN
