"""Plugins of the tests' own, and pipelines with nothing but them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from chat_turns import NOW

from promptmw import Pipeline, Section, Text, hookimpl


def plugin(name: str, **hooks: Callable[..., object]) -> ModuleType:
    """Returns a plugin of that name; its hooks are given without their prefix."""
    made = ModuleType(name)
    for hook, function in hooks.items():
        if not hasattr(function, "promptmw_impl"):
            hookimpl(function)
        setattr(made, f"promptmw_{hook}", function)
    return made


def section(name: str, text: Callable[..., object] | Text | str | None = None, **more: Any) -> Section:
    """Returns a section that says its own name, or that text, or what a function of its facts returns."""
    render: Any = text if callable(text) else lambda facts: name if text is None else text
    return Section(name=name, render=render, **more)


def offering(name: str, *sections: Section, **hooks: Callable[..., object]) -> ModuleType:
    """Returns a plugin with these sections and hooks."""
    return plugin(name, sections=lambda: sections, **hooks)


def alone(*plugins: object, **more: Any) -> Pipeline:
    """Returns a pipeline with these plugins and no installed ones; keywords that it does not know are settings."""
    own = {k: more.pop(k) for k in ("strict", "clock", "settings") if k in more}
    return Pipeline("chat", plugins=plugins, discover=False, **{"clock": lambda: NOW, "settings": more, **own})


def reasons(made: Pipeline) -> dict[str, str]:
    """Returns why plugins were skipped, by name."""
    return {p.name: p.reason for p in made.plugins.found if p.reason}
