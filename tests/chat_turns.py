"""The base turns of the conformance checks: B (no tools), N (native), P (prompt), each plus what a check states."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from typing import Any

from promptmw import Block, Pipeline, Prompt, Turn
from promptmw_plugins.identity import Identity

NOW = datetime(2026, 8, 24, 9, 0, tzinfo=UTC)  # a Monday
ALL_TOOLS = ("aivory_web_search", "fetch_image", "python_execute", "image_generate", "save_memory")
LOCALES = ("en", "zh", "zh-Hant", "ja", "fr")


def base(*inputs: object, **core: Any) -> Turn:
    """Returns B: an identity unless one is stated, locale en, a Monday, UTC, no tools."""
    given = inputs if any(isinstance(i, Identity) for i in inputs) else (Identity(label="Nova"), *inputs)
    return Turn(*given, **{"locale": "en", "now": NOW, "timezone": "UTC", "tool_mode": "none", **core})


def native(*inputs: object, **core: Any) -> Turn:
    return base(*inputs, **{"tool_mode": "native", **core})


def prompted(*inputs: object, **core: Any) -> Turn:
    return base(*inputs, **{"tool_mode": "prompt", **core})


@functools.cache
def chat(**settings: Any) -> Pipeline:
    """Returns the pipeline of the chat profile as installed, with plain settings such as ``layout="cache"``."""
    return Pipeline("chat", settings=settings, strict=True, clock=lambda: NOW)


def with_tables(settings: dict[str, Any]) -> Pipeline:
    """Returns the same with settings that are tables."""
    return Pipeline("chat", settings=settings, strict=True, clock=lambda: NOW)


def assembled(turn: Turn, **settings: Any) -> Prompt:
    return chat(**settings).assemble(turn)


def block_of(prompt: Prompt, section: str) -> Block | None:
    return next((b for b in prompt.blocks if b.section == section), None)


def text_of(prompt: Prompt, section: str) -> str:
    """Returns a block's text; empty when the section has none."""
    block = block_of(prompt, section)
    return block.text if block else ""
