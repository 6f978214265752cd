"""Turn files of three formats as plain data, with the line of each key."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

import yaml

from promptmw.cli.places import (
    MOST_DEEP,
    Path,
    Refused,
    Token,
    YamlLoader,
    json_tokens,
    line_of,
    path_at,
    places,
    yaml_tokens,
)
from promptmw.cli.toml_text import check_depth, without_long_strings
from promptmw.config import line_in_toml
from promptmw.errors import InputError
from promptmw.validation import dotted


class Format(Enum):
    """Says how a turn file is written."""

    JSON = "json"
    TOML = "toml"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class Document:
    """Is a file as read.

    Attributes:
        source: Its name, for errors.
        text: What it holds.
        format: How that is written.
        data: What it says.
    """

    source: str
    text: str
    format: Format
    data: Mapping[str, Any]

    def error(self, message: object, path: Path = ()) -> InputError:
        """Returns an error with the file, and the line that a path leads to."""
        line = line_at(self.text, self.format, path) if path else None
        return InputError(f"{self.source}{f':{line}' if line else ''}: {message}", path=path)


def parsed(text: str, *, source: str, form: Format) -> Document:
    """Returns what a text says.

    Raises:
        InputError: It cannot be parsed, repeats a key, nests deeper than 64, or holds an infinite number or half a
            character. The message names file and line.
    """
    try:
        data = _READ[form](text)
    except Refused as error:
        raise InputError(f"{source}:{error.line}: {error}", path=error.path) from None
    except ValueError as error:  # such as a day that no month has, or a whole number of thousands of digits
        raise InputError(f"{source}: {error}") from None
    if not isinstance(data, Mapping):
        raise InputError(f"{source}: a turn is a table of fields and inputs")
    document = Document(source, text, form, data)
    for path, trouble in _troubles(data, ()):
        raise document.error(f"{dotted(path)}: {trouble}", path)
    return document


def format_of(name: str, text: str) -> Format:
    """Returns the format that a file's name says, or else its first line that says anything."""
    suffix = PurePath(name).suffix.lower()
    named = {".json": Format.JSON, ".toml": Format.TOML, ".yaml": Format.YAML, ".yml": Format.YAML}.get(suffix)
    if named:
        return named
    first = next((line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    if first.startswith("{"):
        return Format.JSON
    return Format.TOML if re.match(r"\[|[A-Za-z0-9_.\"'-]+\s*=", first) else Format.YAML


def line_at(text: str, form: Format, path: Path) -> int | None:
    """Returns the line of the key that a path leads to, or of the nearest one above it."""
    if form is Format.TOML:
        return line_in_toml(without_long_strings(text), path)
    return line_of(_tokens(text, form), path)


def _tokens(text: str, form: Format) -> Iterator[Token]:
    return json_tokens(text) if form is Format.JSON else yaml_tokens(text)


def _read_json(text: str) -> Any:
    repeated = _repeated(json_tokens(text))
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise Refused(f"no JSON: {error.msg}", error.lineno) from None
    if repeated:
        raise repeated
    return data


def _read_yaml(text: str) -> Any:
    try:
        repeated = _repeated(yaml_tokens(text))
        if repeated:
            raise repeated
        return yaml.load(text, Loader=_Loader) or {}
    except _Unlike as error:
        path = path_at(yaml_tokens(text), error.line)
        raise Refused(f"{dotted(path)}: {error}", error.line, path) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
        line = mark.line + 1 if mark else text.count("\n", 0, getattr(error, "position", 0)) + 1
        raise Refused(f"no YAML: {what}", line) from None


class _Unlike(Refused):
    """Says that a scalar cannot be what it looks like, such as a day that no month has."""


class _Loader(YamlLoader):  # type: ignore[misc, valid-type]
    """Says where a scalar stands that cannot be made."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            raise _Unlike(str(error), node.start_mark.line + 1) from None


def _read_toml(text: str) -> Any:
    check_depth(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, where = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", where)
        line = int(found[1]) if found else text.count("\n") + 1
        raise Refused(f"{_key_in(text, line)}no TOML: {what}", line) from None


def _key_in(text: str, line: int) -> str:
    """Returns the key that a line of TOML begins with, and a colon; blank for none."""
    key = re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", text.split("\n")[line - 1])
    return f"{key[1]}: " if key else ""


_READ = {Format.JSON: _read_json, Format.YAML: _read_yaml, Format.TOML: _read_toml}


def _repeated(tokens: Iterator[Token]) -> Refused | None:
    """Returns the error of the first repeated key; goes through all of the text, for its depth."""
    found = [Refused(f"{dotted(p.path)}: stated twice", p.line, p.path) for p in places(tokens) if p.repeated]
    return found[0] if found else None


def _troubles(data: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yields path and description of what no turn file may hold."""
    if len(path) > MOST_DEEP:
        yield path[:1], f"nested deeper than {MOST_DEEP}"
    elif isinstance(data, Mapping):
        for key, value in data.items():
            if not isinstance(key, str):
                yield (*path, str(key)), f"a key is text, not {key!r}"
            yield from _troubles(value, (*path, str(key)))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from _troubles(value, (*path, i))
    elif isinstance(data, float) and not math.isfinite(data):
        yield path, "takes a finite number"
    elif isinstance(data, str) and not _whole(data):
        yield path, "holds half a character (a lone surrogate)"


def _whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
