"""Finds the texts of others in what a turn states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from promptmw.fencing.untrusted import Untrusted


def values_in(value: object, path: str = "") -> Iterator[tuple[str, Untrusted]]:
    """Yields the texts of others in an input, in many of them or in a part of one, with the names of their fields."""
    if isinstance(value, Untrusted):
        yield path, value
    elif isinstance(value, Mapping):
        yield from values_in(list(value.values()), path)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from values_in(item, path)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from values_in(getattr(value, field.name), f"{path}.{field.name}")
