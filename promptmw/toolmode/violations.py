"""Checks arguments against a schema, and says in words of ours what does not fit."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from promptmw.logs import warn
from promptmw.toolmode.events import Violation

_MOST = 5
_SHOWN = 120

_WORDS: Mapping[str, Callable[[Any], str]] = {
    "type": lambda kind: f"must be of type {_listed(sorted(kind.types))}",
    "required": lambda kind: f"lacks {json.dumps(kind.property, ensure_ascii=False)}",
    "additionalProperties": lambda kind: f"does not know {_listed(kind.unexpected)}",
    "falseSchema": lambda kind: "has a key that the schema does not know",
    "enum": lambda kind: f"must be one of {_listed(kind.options)}",
    "const": lambda kind: f"must be {_listed([kind.expected_value])}",
    "minimum": lambda kind: f"must be at least {kind.limit}",
    "maximum": lambda kind: f"must be at most {kind.limit}",
    "exclusiveMinimum": lambda kind: f"must be more than {kind.limit}",
    "exclusiveMaximum": lambda kind: f"must be less than {kind.limit}",
    "multipleOf": lambda kind: f"must be a multiple of {kind.multiple_of}",
    "minLength": lambda kind: f"must have at least {kind.limit} characters",
    "maxLength": lambda kind: f"must have at most {kind.limit} characters",
    "minItems": lambda kind: f"must have at least {kind.limit} items",
    "maxItems": lambda kind: f"must have at most {kind.limit} items",
    "uniqueItems": lambda kind: "must have no item twice",
    "pattern": lambda kind: f"must match the pattern {kind.pattern}",
    "format": lambda kind: f"must be in the format {kind.format}",
}
"""What is wrong, by keyword; only the schema's own values are named, and names that the model wrote as keys."""


class Validator:
    """Checks arguments. Made when it is first needed.

    Args:
        schema: Of the arguments.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    def fits(self, arguments: Mapping[str, Any]) -> bool:
        """Says whether arguments are known to fit."""
        checker = self._checker
        return checker is not None and bool(checker.is_valid(arguments))

    def violations(self, arguments: Mapping[str, Any]) -> tuple[Violation, ...]:
        """Returns what does not fit, at most five things."""
        checker = self._checker
        if checker is None or checker.is_valid(arguments):
            return ()
        return tuple(map(_violation, itertools.islice(checker.iter_errors(arguments), _MOST)))

    @cached_property
    def _checker(self) -> Any:
        import jsonschema_rs  # here: a turn without calls does not need it

        try:
            return jsonschema_rs.validator_for(self._schema, offline=True)
        except Exception as error:  # the library raises several types; the tool is of use without being checked
            warn("a tool's arguments are not checked: its schema cannot be used", error=type(error).__name__)
            return None


def _violation(error: Any) -> Violation:
    pointer = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in error.instance_path)
    rule = next((str(step) for step in reversed(error.schema_path) if isinstance(step, str)), "")
    kind = error.kind
    words = _WORDS.get(kind.name)
    return Violation(pointer, rule, words(kind) if words else f"breaks the rule {kind.name!r}")


def _listed(values: Iterable[Any]) -> str:
    text = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
