"""Plugins as they are installed: found, named, left out, and kept from harming the others."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import command_line
import pytest
from own_plugins import alone, offering, plugin, reasons, section

from promptmw import ConfigError, PluginError, Profile, hookimpl
from promptmw.loading import PluginInfo, Plugins, Status

GREETING = """
from promptmw import Section, hookimpl
@hookimpl
def promptmw_sections(profile):
    return [Section(name="greeting", render=lambda facts: "hello")]
"""
Install = Callable[..., None]


@pytest.fixture
def install(packages: Path) -> Iterator[Install]:
    """Returns a function that installs a distribution with one plugin beside the real ones."""
    before = set(sys.modules)

    def put(distribution: str, source: str = GREETING, *, plugin: str = "stranger", attribute: str = "") -> None:
        module = f"{distribution}_module"
        command_line.install(packages, "promptmw", {module: source}, {plugin: module + attribute}, name=distribution)
        importlib.invalidate_caches()

    yield put
    for name in set(sys.modules) - before:
        if name.endswith("_module"):
            del sys.modules[name]


def found(plugins: Plugins, name: str = "stranger") -> PluginInfo:
    return next(p for p in plugins.found if p.name == name)


def test_a_plugin_is_listed_with_its_distribution_version_target_and_hooks(install: Install) -> None:
    install("acme")
    assert found(Plugins()) == PluginInfo(
        "stranger", "acme", "1.0", "acme_module", Status.LOADED, hooks=("promptmw_sections",)
    )


def test_plugins_are_listed_by_name() -> None:
    names = [p.name for p in Plugins().found]
    assert names == sorted(names)
    assert {"identity", "trust"} <= set(names)


@pytest.mark.parametrize(
    ("source", "attribute", "reason"),
    [
        ("raise RuntimeError('no luck')", "", "RuntimeError: no luck"),
        ("raise SystemExit(3)", "", "SystemExit: 3"),
        ("import no_such_module_anywhere", "", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
        ("def broken(:", "", "SyntaxError"),
        (GREETING, ":absent", "AttributeError"),
        ("class Plugin: pass", ":Plugin", "plugin 'stranger' is a class: hand over an instance, Plugin()"),
        (GREETING.replace("promptmw_sections", "promptmw_sectoins"), "", "unknown hook 'promptmw_sectoins'"),
        (GREETING.replace("(profile)", "(profiles)"), "", "declared in the hookimpl but can not be found"),
    ],
    ids=["raises", "leaves", "imports", "syntax", "attribute", "class", "misspelt", "arguments"],
)
def test_a_plugin_that_cannot_be_loaded_is_skipped_with_its_cause_and_the_others_are_not(
    install: Install, source: str, attribute: str, reason: str
) -> None:
    install("acme", source, attribute=attribute)
    plugins = Plugins()
    info = found(plugins)
    assert (info.distribution, info.version, info.status, info.hooks) == ("acme", "1.0", Status.SKIPPED, ())
    assert reason in info.reason
    assert found(plugins, "identity").status is Status.LOADED
    with pytest.raises(PluginError, match=r"plugin 'stranger' of acme 1\.0 failed: "):
        Plugins(strict=True)


def test_two_distributions_with_one_name_are_an_error_that_says_how_to_choose(install: Install) -> None:
    install("acme")
    install("zenith")
    with pytest.raises(PluginError) as raised:
        Plugins()
    assert str(raised.value) == (
        "plugin 'stranger' comes from both acme 1.0 and zenith 1.0: disable one with acme:stranger or zenith:stranger"
    )


@pytest.mark.parametrize(("off", "kept"), [("acme", "zenith"), ("zenith", "acme")])
def test_one_of_two_distributions_is_disabled_by_its_own_name(install: Install, off: str, kept: str) -> None:
    install("acme")
    install("zenith")
    info = found(Plugins(disable=[f"{off}:stranger"]))
    assert (info.distribution, info.status) == (kept, Status.LOADED)


@pytest.mark.parametrize("label", ["stranger", "acme:stranger"])
def test_a_disabled_plugin_is_listed_and_its_module_is_not_imported(install: Install, label: str) -> None:
    install("acme", "raise RuntimeError")
    assert found(Plugins(disable=[label], strict=True)).status is Status.DISABLED
    assert "acme_module" not in sys.modules


@pytest.mark.parametrize("label", ["identty", "acme:identity"])
def test_disabling_what_is_not_installed_is_an_error_that_names_the_nearest(label: str) -> None:
    with pytest.raises(ConfigError, match=rf"no plugin '{label}' to disable\. Did you mean 'identity'\?"):
        Plugins(disable=[label])


def test_plugins_are_disabled_from_the_environment_too(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("acme")
    monkeypatch.setenv("PROMPTMW_DISABLE", " acme:stranger , ,persona")
    plugins = Plugins(disable=["rag"])
    assert {p.name for p in plugins.found if p.status is Status.DISABLED} == {"stranger", "persona", "rag"}


@pytest.mark.parametrize("label", ["stranger", "acme:stranger"])
def test_the_environment_may_name_the_only_plugins_that_are_loaded(
    install: Install, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    install("acme")
    monkeypatch.setenv("PROMPTMW_LOAD_PLUGINS", f"{label},identity")
    assert {p.name for p in Plugins().found if p.status is Status.LOADED} == {"stranger", "identity"}


def test_a_name_in_the_environment_that_is_not_installed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTMW_LOAD_PLUGINS", "identty")
    with pytest.raises(ConfigError, match=r"no plugin 'identty' to load\. Did you mean 'identity'\?"):
        Plugins()


def test_nothing_is_looked_for_when_told_so(install: Install) -> None:
    install("acme", "raise RuntimeError")
    assert Plugins(discover=False, strict=True).found == ()


def test_an_application_s_plugin_is_listed_as_its_own() -> None:
    plugins = Plugins([offering("mine")], discover=False)
    assert plugins.found == (PluginInfo("mine", "application", target="mine", hooks=("promptmw_sections",)),)


def test_an_application_s_plugin_of_an_installed_name_is_an_error() -> None:
    with pytest.raises(PluginError, match=r"plugin 'identity' is given twice: promptmw-plugins .* and application"):
        Plugins([plugin("identity")])


NONSENSE: dict[str, Callable[..., object]] = {
    "inputs": lambda: [int],
    "sections": lambda: ["greeting"],
    "profiles": lambda: ["support"],
    "locales": lambda: [5],
    "counters": lambda: {"mine": len},
}


def _lazy() -> Iterator[object]:
    yield section("lazy")
    raise RuntimeError("too late")


@pytest.mark.parametrize("hook", NONSENSE)
@pytest.mark.parametrize("wrong", ["nonsense", "number", "raises"])
def test_a_hook_that_fails_while_loading_skips_its_plugin_whole(hook: str, wrong: str) -> None:
    returned = {"nonsense": NONSENSE[hook], "number": lambda: 5, "raises": lambda: 1 // 0}[wrong]
    hooks: dict[str, Callable[..., object]] = {"sections": lambda: [section("greeting")]}
    broken = plugin("broken", **{**hooks, hook: returned})
    made = alone(broken, offering("other", section("other")))
    assert made.assemble().system == "other\n"
    assert list(reasons(made)) == ["broken"]
    with pytest.raises(PluginError, match="plugin 'broken' of application failed"):
        alone(broken, strict=True)


@pytest.mark.parametrize("table", [5, {"greeting.text": 5}, {5: "hello"}], ids=repr)
def test_texts_that_are_none_skip_their_plugin(table: Any) -> None:
    broken = offering("broken", section("greeting"), locales=lambda: ("en",), texts=lambda: table)
    made = alone(broken)
    assert made.assemble().system == ""
    assert list(reasons(made)) == ["broken"]


def test_a_hook_that_raises_half_way_skips_its_plugin() -> None:
    assert reasons(alone(plugin("broken", sections=_lazy))) == {"broken": "RuntimeError: too late"}


def test_a_setting_that_a_plugin_finds_wrong_is_raised_and_its_plugin_not_skipped() -> None:
    def complain() -> object:
        raise ConfigError("weather.station: there is no such station")

    with pytest.raises(ConfigError, match=r"weather\.station"):
        alone(plugin("weather", sections=complain))


@pytest.mark.parametrize("hook", ["inputs", "sections", "profiles", "locales", "counters"])
def test_a_hook_may_return_nothing(hook: str) -> None:
    assert reasons(alone(plugin("silent", **{hook: lambda: None}), strict=True)) == {}


def test_two_plugins_that_ship_one_profile_are_an_error() -> None:
    def ship() -> tuple[Profile, ...]:
        return (Profile(name="support"),)

    with pytest.raises(ConfigError, match="two plugins ship a profile 'support'"):
        alone(plugin("a", profiles=ship), plugin("b", profiles=hookimpl(lambda: ship())))
