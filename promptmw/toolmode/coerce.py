"""Brings arguments to the types of their schema: by the schema alone, never by guess."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptmw.toolmode.lenient import Undecodable, decoded
from promptmw.toolmode.options import DEFAULT_LIMITS

Schema = Mapping[str, Any]

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?")
_BRACKET = re.compile(r"[\[\]{}]")
_REFS = 16
_KINDS = ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"), (list, "array"), (dict, "object"))


@dataclass(slots=True)
class Coerced:
    """Is a value, and where it was changed.

    Attributes:
        value: As the schema wants it, as far as that is certain.
        changes: JSON pointers of values that became another type.
        wrapped: JSON pointers of strings that became a list.
    """

    value: Any
    changes: list[str] = field(default_factory=list)
    wrapped: list[str] = field(default_factory=list)


def coerced(value: Any, schema: Schema, root: Schema | None = None) -> Coerced:
    """Returns a value in the types of a schema.

    Args:
        value: Decoded JSON.
        schema: Normalised.
        root: What its references point into; by default itself.
    """
    found = Coerced(value)
    found.value = _Coercion(schema if root is None else root, found).of(value, schema, "")
    return found


def typed(text: str, schema: Schema | None, root: Schema | None = None) -> Any:
    """Returns the value of a raw text that stands between tags.

    Args:
        text: As the model wrote it.
        schema: Of the value; None where there is none, which makes it a string.
        root: Of the tool, for references.
    """
    if schema is None:
        return text
    types = accepted(schema, root or schema)
    if types is None or "string" in types:
        return None if text == "null" and types is not None and "null" in types else text
    found = _from_string(text.strip(), types)
    return text if found is None else found.value


def accepted(schema: Schema, root: Schema, depth: int = _REFS) -> frozenset[str] | None:
    """Returns the types that a schema accepts; None where it does not say.

    Args:
        schema: A part of ``root``.
        root: What references point into.
        depth: References and alternatives that are still followed.
    """
    schema = resolved(schema, root)
    stated = schema.get("type")
    if isinstance(stated, str):
        return frozenset((stated,))
    if isinstance(stated, list):
        return frozenset(t for t in stated if isinstance(t, str))
    if depth:
        for found in (_of_any(schema, root, depth - 1), _of_all(schema, root, depth - 1)):
            if found is not None:
                return found
    return _of_values(schema)


def _of_any(schema: Schema, root: Schema, depth: int) -> frozenset[str] | None:
    for keyword in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(keyword), list):
            kinds = [accepted(b, root, depth) for b in branches if isinstance(b, Mapping)]
            return None if None in kinds else frozenset().union(*(k for k in kinds if k is not None))
    return None


def _of_all(schema: Schema, root: Schema, depth: int) -> frozenset[str] | None:
    branches = schema.get("allOf")
    if not isinstance(branches, list):
        return None
    known = [k for b in branches if isinstance(b, Mapping) if (k := accepted(b, root, depth)) is not None]
    return frozenset.intersection(*known) if known else None


def _of_values(schema: Schema) -> frozenset[str] | None:
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    return frozenset(map(_kind, values)) or None


def _kind(value: Any) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "null")


def resolved(schema: Schema, root: Schema) -> Schema:
    """Returns what a schema refers to; itself where it refers to nothing."""
    for _ in range(_REFS):
        ref = schema.get("$ref")
        if not isinstance(ref, str) or not ref.startswith("#"):
            break
        target: Any = root
        for step in ref[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            break
        schema = target
    return schema


def property_schema(schema: Schema, key: str, root: Schema) -> Schema | None:
    """Returns the schema of a key; None where nothing is said about it."""
    found = list(_properties(schema, key, root, _REFS))
    if not found:
        return None
    return found[0] if len(found) == 1 else {"anyOf": found}


def _properties(schema: Schema, key: str, root: Schema, depth: int) -> Iterator[Schema]:
    schema = resolved(schema, root)
    own = schema.get("properties")
    if isinstance(own, Mapping) and key in own:
        if isinstance(own[key], Mapping):
            yield own[key]
        return
    if depth:
        for keyword in ("allOf", "anyOf", "oneOf"):
            for branch in schema.get(keyword) or ():
                if isinstance(branch, Mapping):
                    yield from _properties(branch, key, root, depth - 1)
    if isinstance(more := schema.get("additionalProperties"), Mapping):
        yield more


def _items(schema: Schema, at: int) -> Schema | None:
    for keyword in ("prefixItems", "items"):
        found = schema.get(keyword)
        if isinstance(found, list):
            found = found[at] if at < len(found) else None
        if isinstance(found, Mapping):
            return found
    return None


class _Coercion:
    def __init__(self, root: Schema, found: Coerced) -> None:
        self._root = root
        self._found = found

    def of(self, value: Any, schema: Schema, pointer: str) -> Any:
        types = accepted(schema, self._root)
        if types is not None:
            value = self._retyped(value, schema, types, pointer)
        if isinstance(value, dict):
            return {k: self._inside(v, property_schema(schema, k, self._root), pointer, k) for k, v in value.items()}
        if isinstance(value, list):
            inner = resolved(schema, self._root)
            return [self._inside(item, _items(inner, at), pointer, str(at)) for at, item in enumerate(value)]
        return value

    def _inside(self, value: Any, schema: Schema | None, pointer: str, key: str) -> Any:
        if schema is None:
            return value
        return self.of(value, schema, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")

    def _retyped(self, value: Any, schema: Schema, types: frozenset[str], pointer: str) -> Any:
        found = None
        if isinstance(value, str) and "string" not in types:
            found = _from_string(value, types)
            if found is None and self._wraps(schema, types):
                self._found.wrapped.append(pointer)
                return [value]
        elif isinstance(value, int | float) and types <= {"string", "null"} and "string" in types:
            found = _New(json.dumps(value))
        elif isinstance(value, float) and value.is_integer() and "integer" in types and "number" not in types:
            found = _New(int(value))
        if found is None:
            return value
        self._found.changes.append(pointer)
        return found.value

    def _wraps(self, schema: Schema, types: frozenset[str]) -> bool:
        items = _items(resolved(schema, self._root), 0) if "array" in types and "object" not in types else None
        return items is not None and "string" in (accepted(items, self._root) or ())


@dataclass(frozen=True, slots=True)
class _New:
    """Is a value that takes the place of another one; None in its place means that there is none."""

    value: Any


def _from_string(text: str, types: frozenset[str]) -> _New | None:
    """Returns what a string stands for where no string is accepted."""
    if types & {"integer", "number"} and _NUMBER.fullmatch(text):
        return _number(text, whole="number" not in types)
    word = text.lower()
    if "boolean" in types and word in ("true", "false"):
        return _New(word == "true")
    if "null" in types and word in ("null", "none"):
        return _New(None)
    if types & {"object", "array"} and text.lstrip()[:1] in ("{", "["):
        return _structure(text, types)
    return None


def _number(text: str, *, whole: bool) -> _New | None:
    try:
        number = json.loads(text)
    except ValueError:  # more digits than an integer may have
        return None
    if isinstance(number, float) and (math.isinf(number) or (whole and not number.is_integer())):
        return None
    return _New(int(number) if whole else number)


def _structure(text: str, types: frozenset[str]) -> _New | None:
    if _nesting(text) > DEFAULT_LIMITS.depth:
        return None
    try:
        value = decoded(text, complete=True, repair=True, limits=DEFAULT_LIMITS).value
    except Undecodable:
        return None
    return _New(value) if _kind(value) in types else None


def _nesting(text: str) -> int:
    """Returns how deeply a text is nested, or more where brackets stand in its strings."""
    depth = most = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[{" else -1
        most = max(most, depth)
    return most
