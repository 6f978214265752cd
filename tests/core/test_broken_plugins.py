"""Plugins that fail in every way there is: the call still works, and the report and the log name them."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import types
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from chat_turns import NOW, base, chat

from promptmw import Pipeline, PluginError, Section, SectionError, hookimpl
from promptmw.collecting import MOST_STUCK
from promptmw.loading import Plugins, Status

SECRET = "the-secret-of-the-user"
EXPECTED = chat().assemble(base()).system


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Is what a hanging plugin waits for; set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, dict[str, Any] | Exception], None]:
    """Returns a function that makes a module look installed, beside the real plugins."""
    import importlib.metadata

    real = importlib.metadata.entry_points
    points: list[EntryPoint] = []
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **groups: [*real(**groups), *points])

    def install(name: str, content: dict[str, Any] | Exception) -> None:
        module = types.ModuleType(f"stranger_{name}")
        if isinstance(content, BaseException):
            monkeypatch.setitem(sys.modules, module.__name__, None)
        else:
            module.__dict__.update(content)
            monkeypatch.setitem(sys.modules, module.__name__, module)
        points.append(EntryPoint(name, module.__name__, "promptmw"))

    return install


def pipeline(plugin: object, **more: Any) -> Pipeline:
    return Pipeline("chat", plugins=[plugin], clock=lambda: NOW, **more)


def skipped(made: Pipeline) -> dict[str, str]:
    return {p.name: p.reason for p in made.plugins.found if p.status is Status.SKIPPED}


@hookimpl
def promptmw_sections(profile: object) -> object:
    raise RuntimeError(SECRET)


@hookimpl
def promptmw_sectoins(profile: object) -> object:
    return ()


def nonsense(profile: object) -> object:
    return "no sections at all"


def test_a_module_that_cannot_be_imported_is_skipped_and_named(installed: Any) -> None:
    installed("broken", ImportError())
    made = Pipeline(clock=lambda: NOW)
    assert made.assemble(base()).system == EXPECTED
    assert list(skipped(made)) == ["broken"]
    assert "stranger_broken" in skipped(made)["broken"]


def test_a_module_that_leaves_while_it_is_imported_is_skipped(monkeypatch: pytest.MonkeyPatch, installed: Any) -> None:
    installed("leaving", {})
    monkeypatch.setattr(EntryPoint, "load", _leaving(EntryPoint.load))
    assert skipped(Pipeline()) == {"leaving": "SystemExit: 1"}


def _leaving(load: Callable[[EntryPoint], object]) -> Callable[[EntryPoint], object]:
    def loading(point: EntryPoint) -> object:
        return sys.exit(1) if point.name == "leaving" else load(point)

    return loading


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"promptmw_sectoins": promptmw_sectoins}, "unknown hook 'promptmw_sectoins'"),
        ({"promptmw_sections": promptmw_sections}, "RuntimeError"),
        ({"promptmw_sections": hookimpl(nonsense)}, "not Section"),
    ],
    ids=["misspelt hook", "hook raises", "hook returns nonsense"],
)
def test_a_plugin_that_fails_at_registration_is_skipped_and_named(installed: Any, content: Any, reason: str) -> None:
    installed("broken", content)
    made = Pipeline(clock=lambda: NOW)
    assert made.assemble(base()).system == EXPECTED
    assert reason in skipped(made)["broken"]


def test_a_strict_pipeline_raises_where_it_would_skip(installed: Any) -> None:
    installed("broken", ImportError())
    with pytest.raises(PluginError, match=r"plugin 'broken'.*failed"):
        Pipeline(strict=True)


def test_two_plugins_of_one_name_are_an_error_that_names_both(installed: Any) -> None:
    installed("identity", {})
    with pytest.raises(PluginError, match=r"'identity' comes from both .*promptmw-plugins"):
        Plugins()


def test_a_class_instead_of_an_instance_is_named() -> None:
    class Offering:
        pass

    assert "hand over an instance, Offering()" in skipped(pipeline(Offering))["Offering"]


class Raising:
    """Has a section that raises."""

    def __init__(self, *, required: bool) -> None:
        self.required = required

    def fail(self, facts: object) -> str:
        raise ValueError(SECRET)

    @hookimpl
    def promptmw_sections(self) -> tuple[Section, ...]:
        return (Section(name="raising", render=self.fail, required=self.required),)


def test_a_section_that_raises_is_in_the_report_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "promptmw"):
        prompt = pipeline(Raising(required=False)).assemble(base())
    assert prompt.system == EXPECTED
    assert [str(p) for p in prompt.problems] == ["section failed: raising (application): ValueError"]
    (record,) = caplog.records
    assert (record.getMessage(), record.__dict__["subject"]) == ("section failed", "raising")
    assert SECRET not in str(record.__dict__)


def test_a_required_section_that_raises_fails_the_call_without_content() -> None:
    with pytest.raises(SectionError, match=r"required section 'raising' of application failed: ValueError") as failed:
        pipeline(Raising(required=True)).assemble(base())
    assert SECRET not in str(failed.value)


class Collecting:
    """Has a collector that does what it is given."""

    def __init__(self, collect: Callable[[], object]) -> None:
        self.collect = collect
        self.calls = 0

    @hookimpl
    def promptmw_collect(self) -> object:
        self.calls += 1
        return self.collect()


def _raise() -> object:
    raise ValueError(SECRET)


async def _araise() -> object:
    raise ValueError(SECRET)


async def _forever() -> object:
    await asyncio.Event().wait()
    return ()


LIMIT = {"collect_seconds": 0.05}


@pytest.mark.parametrize(
    ("collect", "said"),
    [
        (_raise, "collect failed: Collecting (application): ValueError"),
        (_araise, "collect failed: Collecting (application): ValueError"),
        (_forever, "collect took too long: Collecting (application): no result within 0.05 s"),
        (lambda: ("no input",), "collect failed: Collecting (application): str is no input"),
        (lambda: 5, "collect failed: Collecting (application): TypeError"),
    ],
)
async def test_a_collector_that_fails_is_reported_and_the_turn_goes_on(collect: Any, said: str) -> None:
    made = pipeline(Collecting(collect), settings=LIMIT)
    for prompt in (await made.aassemble(base()), await asyncio.to_thread(made.assemble, base())):
        assert prompt.system == EXPECTED
        (problem,) = prompt.problems
        assert str(problem).startswith(said)


def test_a_stranger_s_error_tells_its_type_only_whatever_its_module_is_called() -> None:
    error = type("WeatherError", (Exception,), {"__module__": "promptmw_weather"})

    def collect() -> object:
        raise error(SECRET)

    (problem,) = pipeline(Collecting(collect)).assemble(base()).problems
    assert problem.detail == "WeatherError"


async def test_a_collector_that_blocks_for_ever_is_left_behind(released: threading.Event) -> None:
    made = pipeline(Collecting(released.wait), settings=LIMIT)
    for prompt in (await made.aassemble(base()), made.assemble(base())):
        assert [str(p) for p in prompt.problems] == [
            "collect took too long: Collecting (application): no result within 0.05 s"
        ]


def test_a_collector_that_keeps_hanging_is_not_called_until_it_comes_back(released: threading.Event) -> None:
    plugin = Collecting(released.wait)
    made = pipeline(plugin, settings=LIMIT)
    for _ in range(MOST_STUCK + 2):
        problems = made.assemble(base()).problems
    assert plugin.calls == MOST_STUCK
    assert "have not come back" in str(problems[0])


async def test_an_awaitable_in_a_sync_call_inside_a_running_loop_is_reported() -> None:
    """CM19."""
    (problem,) = pipeline(Collecting(_forever), settings=LIMIT).assemble(base()).problems
    assert "call the async form" in str(problem)
