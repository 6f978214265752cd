"""JSON Schemas of tools: brought to standard types, and shortened to what a model needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from promptmw.errors import ToolDefinitionError

Change = Callable[[dict[str, Any], str, str], dict[str, Any]]
"""Returns a schema in the place of one, of which it gets a copy, the name of its property and its JSON pointer."""

_SIZE = 64 * 1024
_DEPTH = 32
_EXAMPLES = 2
_STANDARD = {
    "str": "string", "String": "string", "int": "integer", "long": "integer", "float": "number", "double": "number",
    "bool": "boolean", "dict": "object", "list": "array", "tuple": "array",
}  # fmt: skip
_INSIDE = (
    "items", "additionalProperties", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def normalised(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Returns a tool's schema in standard types, and what was changed.

    Args:
        text: JSON; blank for a tool without parameters.

    Raises:
        ToolDefinitionError: It is no schema of an object, too large, too deep, or refers to somewhere else.
    """
    if not text.strip():
        return {"type": "object", "properties": {}}, ()
    changed: dict[str, None] = {}

    def standard(part: dict[str, Any], _name: str, pointer: str) -> dict[str, Any]:
        _check_reference(part, pointer)
        return _standard(part, changed)

    schema = each_schema(_object(text), standard)
    if schema.get("type", "object") != "object":
        raise ToolDefinitionError(f"its parameters at '/type' are {schema['type']!r}: they must be of type 'object'")
    notes = tuple(f"type {old} was read as {new}" for old, new in (c.split(" ") for c in changed))
    return {"type": "object", **schema}, notes


def shown(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a schema without what tells a model nothing."""
    return each_schema(schema, _shortened)


def each_schema(schema: dict[str, Any], change: Change, name: str = "", pointer: str = "") -> dict[str, Any]:
    """Returns a copy in which each part that is a schema was changed, innermost first. Data in it stay as they are."""
    copy = {key: _changed(key, value, change, f"{pointer}/{_step(key)}") for key, value in schema.items()}
    return change(copy, name, pointer)


def _changed(key: str, value: Any, change: Change, pointer: str) -> Any:
    if key in _NAMED and isinstance(value, dict):
        return {n: _part(v, change, n, f"{pointer}/{_step(n)}") for n, v in value.items()}
    if key in _LISTS and isinstance(value, list):
        return [_part(v, change, "", f"{pointer}/{i}") for i, v in enumerate(value)]
    return _part(value, change, "", pointer) if key in _INSIDE else value


def _part(value: Any, change: Change, name: str, pointer: str) -> Any:
    return each_schema(value, change, name, pointer) if isinstance(value, dict) else value


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _object(text: str) -> dict[str, Any]:
    if len(text) > _SIZE:
        raise ToolDefinitionError(f"its parameters have {len(text):,} characters: at most {_SIZE:,} are taken")
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        raise ToolDefinitionError("its parameters are not valid JSON") from None
    if not isinstance(schema, dict):
        raise ToolDefinitionError(f"its parameters are a {type(schema).__name__}: they must be a JSON Schema object")
    if any(depth > _DEPTH for depth in _depths(schema)):
        raise ToolDefinitionError(f"its parameters are nested more than {_DEPTH} deep")
    return schema


def _depths(value: Any) -> Iterator[int]:
    """Gives the depth of each list and object in a value."""
    open_ = [(value, 1)]
    while open_:
        part, depth = open_.pop()
        yield depth
        inner = part.values() if isinstance(part, dict) else part
        open_ += [(item, depth + 1) for item in inner if isinstance(item, dict | list)]


def _check_reference(part: dict[str, Any], pointer: str) -> None:
    for keyword in ("$ref", "$dynamicRef"):
        ref = part.get(keyword)
        if ref is not None and not (isinstance(ref, str) and ref.startswith("#")):
            raise ToolDefinitionError(
                f"its parameters refer to another document at '{pointer}/{keyword}': put the schema under '#/$defs'"
            )


def _standard(part: dict[str, Any], changed: dict[str, None]) -> dict[str, Any]:
    stated = part.get("type")
    kinds = [stated] if isinstance(stated, str) else stated
    if not isinstance(kinds, list):
        return part
    made = [_STANDARD.get(k, k) if isinstance(k, str) else k for k in kinds]
    changed.update((f"{k} {m}", None) for k, m in zip(kinds, made, strict=True) if k != m)
    if "any" in made:
        changed["any anything"] = None
        return {key: value for key, value in part.items() if key != "type"}
    return {**part, "type": made[0] if isinstance(stated, str) else list(dict.fromkeys(made))}


def _shortened(part: dict[str, Any], name: str, _pointer: str) -> dict[str, Any]:
    kept = {key: value for key, value in part.items() if key not in ("$schema", "$id")}
    if kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    if isinstance(title := kept.get("title"), str) and name and _letters(title) == _letters(name):
        del kept["title"]
    if isinstance(examples := kept.get("examples"), list):
        kept["examples"] = examples[:_EXAMPLES]
    return kept


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
