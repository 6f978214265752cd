"""Which format a model gets: by its name, by the profile's rows, or by the profile's word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from promptmw.errors import ConfigError, nearest
from promptmw.toolmode.formats import FORMATS
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.using import FormatRow, ToolSettings

if TYPE_CHECKING:
    from promptmw.catalog import Catalog

ROWS = (
    FormatRow(r"qwen3[-_.]?coder|qwen[-_.]?3\.[5-9]|step-?3\.5|mimo|nemotron-?3", "qwen3-coder"),
    FormatRow(r"seed-?oss", "seed"),
    FormatRow(r"(?<!chat)glm-?(4\.[5-9]|[5-9])", "glm"),
    FormatRow(r"llama-?4|lfm-?2|olmo-?3", "hermes", ("llama",)),
    FormatRow(r"llama-?3", "hermes", ("llama",)),
    FormatRow(r"mistral|mixtral|ministral|devstral|magistral|codestral", "hermes", ("mistral",)),
    FormatRow(r"deepseek", "hermes", ("deepseek",)),
    FormatRow(r"kimi|moonshot", "hermes", ("kimi",)),
    FormatRow(r"gpt-?oss", "hermes", ("harmony",)),
    FormatRow(r"gemma", "hermes", ("gemma",)),
)
"""Formats by the name of a model; the first row that matches counts. What is not installed is not accepted."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Is what a model gets.

    Attributes:
        protocol: Asks for calls and shows earlier ones.
        accept: Understood besides.
        why: In a few words, for the report.
    """

    protocol: ToolProtocol
    accept: tuple[ToolProtocol, ...]
    why: str


def format_of(model: str, catalog: Catalog) -> Chosen:
    """Returns the format of a model in a pipeline; remembered. Otherwise as `resolved`."""
    found = catalog.formats.get(model)
    if found is None:
        found = resolved(model, catalog.tool_settings, catalog.protocols)
        catalog.formats.put(model, found)
    return found


def resolved(model: str, settings: ToolSettings, offered: Mapping[str, ToolProtocol] | None = None) -> Chosen:
    """Returns the format of a model.

    Args:
        model: Its name, with or without a path in front.
        settings: Of the profile.
        offered: Formats of plugins, by name.

    Raises:
        ConfigError: The profile names a format that does not exist.
    """
    known = offered or {}
    if settings.format != "auto":
        return Chosen(_asked(settings.format, settings, known), (), f"set to {settings.format!r}")
    names = (model.lower(), model.lower().rpartition("/")[2])
    for row in (*settings.formats, *ROWS):
        if any(re.search(row.match, name) for name in names):
            accept = _present(row.accept, settings, known)
            return Chosen(_asked(row.format, settings, known), accept, f"auto: the model's name matches {row.match!r}")
    return Chosen(named("hermes", settings, known), (), "auto: no row matches the model's name")


def named(name: str, settings: ToolSettings, offered: Mapping[str, ToolProtocol] | None = None) -> ToolProtocol:
    """Returns a format by its name.

    Raises:
        ConfigError: There is none of that name.
    """
    if name in FORMATS:
        return FORMATS[name](settings.tag)
    found = (offered or {}).get(name)
    if found is None:
        known = nearest(name, (*FORMATS, *(offered or ())))
        raise ConfigError(f"tool_protocol: there is no format {name!r}.{known}", path=("tool_protocol", "format"))
    return found


def _asked(name: str, settings: ToolSettings, offered: Mapping[str, ToolProtocol]) -> ToolProtocol:
    """Returns a format that calls can be asked for in."""
    found = named(name, settings, offered)
    if not found.form:
        raise ConfigError(f"tool_protocol: the format {name!r} is only understood: name it in a row's accept")
    return found


def _present(
    names: Iterable[str], settings: ToolSettings, offered: Mapping[str, ToolProtocol]
) -> tuple[ToolProtocol, ...]:
    return tuple(named(name, settings, offered) for name in names if name in FORMATS or name in offered)
