"""Config files: ``promptmw.toml``, or the table ``tool.promptmw`` of a ``pyproject.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from promptmw.errors import ConfigError, PromptmwError, nearest

KNOWN = ("profile", "profiles", "disable_plugins", "proxy")
MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Config:
    """Is a config file as read.

    Attributes:
        source: The file's name, for errors.
        profile: The profile of turns that name none.
        profiles: Changes to profiles, and new ones that extend others, by name.
        disable_plugins: Plugins that are not loaded.
        tables: The whole file; adapters read their own tables from it.
    """

    source: str = ""
    profile: str = "chat"
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    disable_plugins: tuple[str, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)


def load_config(path: str | Path) -> Config:
    """Reads a config file.

    Raises:
        ConfigError: It cannot be read, is no TOML, or has an unknown key; the text names file and line.
    """
    import tomllib

    file = Path(path)
    try:
        text = _read(file)
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: {error}") from None
    prefix = ("tool", "promptmw") if file.name == "pyproject.toml" else ()
    try:
        return config_from_data(_table(_table(whole, "tool"), "promptmw") if prefix else whole, source=str(file))
    except ConfigError as error:
        raise located(ConfigError(str(error), path=(*prefix, *error.path)), str(file), text) from None


def config_from_data(data: Mapping[str, Any], *, source: str = "") -> Config:
    """Returns the config that plain data states.

    Raises:
        ConfigError: A key is unknown or has the wrong type.
    """
    for key in data:
        if key not in KNOWN:
            raise ConfigError(f"there is no setting {key!r}.{nearest(key, KNOWN)}", path=(key,))
    profiles = _table(data, "profiles")
    for name, table in profiles.items():
        if not isinstance(table, Mapping):
            raise ConfigError(f"profiles.{name}: takes a table, not {type(table).__name__}", path=("profiles", name))
    _table(data, "proxy")
    return Config(
        source=source,
        profile=_text(data, "profile", "chat"),
        profiles=profiles,
        disable_plugins=_names(data, "disable_plugins"),
        tables=dict(data),
    )


def located(error: PromptmwError, source: str, text: str) -> ConfigError:
    """Returns a config error with the file and the line that its path leads to."""
    line = line_in_toml(text, error.path)
    return ConfigError(f"{source}{f':{line}' if line else ''}: {error}", path=error.path)


def line_in_toml(text: str, path: tuple[str | int, ...]) -> int | None:
    """Returns the line, from 1, of the key that a path leads to, or of the nearest table above it."""
    counts: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    best: tuple[int, int] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*(\[{1,2})([^\[\]]+)\]{1,2}", line)
        if header:
            table = here = _header(_keys(header[2]), counts, listed=len(header[1]) == 2)
        else:
            key = re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line)
            here = (*table, *_keys(key[1])) if key else ()
        if here and here == path[: len(here)] and (best is None or len(here) > best[0]):
            best = (len(here), number)
    return best[1] if best else None


def _header(keys: list[str], counts: dict[tuple[str | int, ...], int], *, listed: bool) -> tuple[str | int, ...]:
    """Returns the path of a table, with the index of each list of tables on its way."""
    path: tuple[str | int, ...] = ()
    for i, key in enumerate(keys):
        path = (*path, key)
        if listed and i + 1 == len(keys):
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _keys(dotted: str) -> list[str]:
    return [k.strip().strip("\"'") for k in re.findall(r'"[^"]*"|\'[^\']*\'|[^.]+', dotted)]


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{file}: larger than {MOST_BYTES} bytes; this is no config file")
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 at byte {error.start}") from None


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key}: takes a table, not {type(value).__name__}", path=(key,))
    return value


def _text(data: Mapping[str, Any], key: str, default: str) -> str:
    value = data.get(key, default)
    if not isinstance(value, str):
        raise ConfigError(f"{key}: takes text, not {type(value).__name__}", path=(key,))
    return value


def _names(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key, ())
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise ConfigError(f"{key}: takes a list of names", path=(key,))
    return tuple(value)
