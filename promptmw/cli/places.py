"""Where each key of a JSON or YAML text stands; repeated keys, and nesting that is too deep, found on the way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

import yaml

MOST_DEEP = 64
"""Containers within each other. Parsers and checks recurse, so this is counted before any of them runs."""

Path = tuple[str | int, ...]


class Refused(Exception):
    """Says that a text has what no turn file may have, and in which line."""

    def __init__(self, message: str, line: int, path: Path = ()) -> None:
        super().__init__(message)
        self.line = line
        self.path = path


class Sort(Enum):
    """Says what a token is."""

    TABLE = "table"
    LIST = "list"
    END = "end"
    SCALAR = "scalar"


@dataclass(frozen=True, slots=True)
class Token:
    """Is one step through a text: a table or list begins or ends, or a scalar stands there."""

    sort: Sort
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Is where a key, or an item of a list, stands.

    Attributes:
        path: Keys and indexes that lead to it.
        line: From 1.
        repeated: Whether its table has had that key before.
    """

    path: Path
    line: int
    repeated: bool = False


@dataclass(slots=True)
class _Open:
    """Is a table or list that has begun and not ended."""

    path: Path
    is_table: bool
    seen: set[str] = field(default_factory=set)
    key: str | None = None
    index: int = 0


def places(tokens: Iterable[Token]) -> Iterator[Place]:
    """Yields the place of each key and list item, in the order of the text.

    Raises:
        Refused: The nesting is too deep, or a key is no text.
    """
    opened: list[_Open] = []
    for token in tokens:
        if token.sort is Sort.END:
            del opened[-1:]
            continue
        top = opened[-1] if opened else None
        if top and top.is_table and top.key is None:
            yield _key(top, token)
            continue
        path = _next(top)
        if top and not top.is_table:
            yield Place(path, token.line)
        if token.sort is not Sort.SCALAR:
            opened.append(_Open(path, token.sort is Sort.TABLE))
        if len(opened) > MOST_DEEP:
            raise Refused(f"nested deeper than {MOST_DEEP}", token.line)


def line_of(tokens: Iterable[Token], path: Path) -> int | None:
    """Returns the line of the key that a path leads to, or of the nearest one above it."""
    best: tuple[int, int] | None = None
    for place in places(tokens):
        depth = len(place.path)
        if place.path == path[:depth] and (best is None or depth > best[0]):
            best = (depth, place.line)
    return best[1] if best else None


def path_at(tokens: Iterable[Token], line: int) -> Path:
    """Returns the path of the last key that stands in a line, or of the last one before it."""
    found: Path = ()
    for place in places(tokens):
        if place.line > line:
            break
        found = place.path
    return found


def _key(top: _Open, token: Token) -> Place:
    if token.sort is not Sort.SCALAR:
        raise Refused("a key is text", token.line)
    place = Place((*top.path, token.text), token.line, token.text in top.seen)
    top.seen.add(token.text)
    top.key = token.text
    return place


def _next(top: _Open | None) -> Path:
    """Returns the path of the value that stands next in a container."""
    if top is None:
        return ()
    if top.key is not None:
        path = (*top.path, top.key)
        top.key = None
        return path
    top.index += 1
    return (*top.path, top.index - 1)


# The closing quote is optional so that a string without one matches to the end: each character is seen once.
_JSON = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{\[]|[}\]]|[^\s"{}\[\],:]++', re.DOTALL)
_BRACKETS = {"{": Sort.TABLE, "[": Sort.LIST, "}": Sort.END, "]": Sort.END}


def json_tokens(text: str) -> Iterator[Token]:
    """Yields the tokens of a JSON text; what is no JSON gives some tokens too."""
    line, at = 1, 0
    for match in _JSON.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        found = match[0]
        yield Token(_BRACKETS.get(found, Sort.SCALAR), line, _unquoted(found))


def _unquoted(found: str) -> str:
    if not found.startswith('"'):
        return found
    if "\\" not in found:
        return found.strip('"')
    try:
        return str(json.loads(found))
    except ValueError:
        return found


YamlLoader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def yaml_tokens(text: str) -> Iterator[Token]:
    """Yields the tokens of a YAML text.

    Raises:
        Refused: It has an anchor, an alias or a tag: a few lines of these can stand for gigabytes, or for code.
        yaml.YAMLError: It is no YAML.
    """
    for event in yaml.parse(text, Loader=YamlLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if getattr(event, "anchor", None) is not None:
            raise Refused("anchors and aliases are not taken", line)
        if getattr(event, "tag", None) is not None:
            raise Refused("tags are not taken", line)
        if isinstance(event, yaml.ScalarEvent):
            yield Token(Sort.SCALAR, line, event.value)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            yield Token(Sort.TABLE if isinstance(event, yaml.MappingStartEvent) else Sort.LIST, line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            yield Token(Sort.END, line)
