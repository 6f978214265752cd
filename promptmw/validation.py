"""Data from files and requests, checked against the dataclass that it is meant to become."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from promptmw.errors import ConfigError, InputError, nearest
from promptmw.fencing import RowsField, TextField, TextsField

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

T = TypeVar("T")
Path = tuple[str | int, ...]


def build(cls: type[T], data: object, *, path: Path, error: type[InputError | ConfigError]) -> T:
    """Returns an instance of a dataclass made of plain data.

    Args:
        cls: A dataclass; its field types are checked, unknown keys are refused.
        data: As read from JSON, TOML or YAML.
        path: Where the data stands in the whole, for the error.
        error: What to raise.

    Raises:
        InputError: As asked for by ``error``: names the key, the type found and what is possible.
        ConfigError: The same.
    """
    from pydantic import ValidationError

    shape: Any = cls
    if not isinstance(data, Mapping):
        raise error(f"{dotted(path)}: takes a table of {', '.join(_names(shape))}, not {_kind(data)}", path=path)
    for key in data:
        if key not in _names(shape):
            raise error(f"{dotted(path)} has no key {key!r}.{nearest(str(key), _names(shape))}", path=(*path, str(key)))
    try:
        checked = _model(shape).model_validate(dict(data))
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = (*path, *first["loc"])
        raise error(f"{dotted(where)}: {_reason(first)}", path=where) from None
    made: T = _made(cls, checked)
    return made


def _made(cls: Any, checked: BaseModel) -> Any:
    """Returns the dataclass that a checked model stands for, with the dataclasses inside."""
    inner = {n: h for n, h in _hints(cls).items() if is_dataclass(h)}
    stated = {name: getattr(checked, name) for name in checked.model_fields_set}
    return cls(**{n: _made(inner[n], v) if n in inner else v for n, v in stated.items()})


def dotted(path: Path) -> str:
    """Returns a path as people write it: ``memories[2].status``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the whole"


@functools.cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.init)


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


@functools.cache
def _model(cls: Any) -> type[BaseModel]:
    """Returns a pydantic model with the constructor's arguments of a dataclass."""
    from pydantic import ConfigDict, create_model

    hints = _hints(cls)
    arguments: dict[str, Any] = {}
    for field in (f for f in fields(cls) if f.init):
        optional = field.default is not MISSING or field.default_factory is not MISSING
        arguments[field.name] = (_plain(hints[field.name]), None if optional else ...)
    return create_model(cls.__name__, __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True), **arguments)


def _plain(hint: Any) -> Any:
    """Returns the type that a file can state for a field's type."""
    from pydantic import AwareDatetime

    if hint == datetime | None:
        return AwareDatetime | None
    if is_dataclass(hint) and isinstance(hint, type):
        return _model(hint)
    known = {
        TextField: str,
        TextsField: tuple[str, ...],
        RowsField: tuple[tuple[str, ...], ...],
        datetime: AwareDatetime,
    }
    return known.get(hint, hint)


_INSTANT = "a date and time with a time zone, such as 2026-08-24T09:00:00Z"
_TAKES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
}
"""What a value of the wrong type should be, by the kind of pydantic's complaint."""


def _reason(problem: ErrorDetails) -> str:
    kind = problem["type"]
    if kind == "missing":
        return "is required"
    if kind == "extra_forbidden":
        return "there is no such key"
    if kind == "timezone_aware" or kind.startswith("datetime"):
        return f"takes {_INSTANT}"
    if kind in _TAKES:
        return f"takes {_TAKES[kind]}, not {_kind(problem['input'])}"
    message = problem["msg"].replace("Input should be", "takes")
    if kind in ("enum", "literal_error"):
        return f"{message}, not {str(problem['input'])[:40]!r}"
    return f"{message}, not {_kind(problem['input'])}"


def _kind(value: object) -> str:
    names = {
        dict: "a table",
        list: "a list",
        str: "text",
        int: "a whole number",
        float: "a number",
        bool: "true or false",
    }
    return "nothing" if value is None else names.get(type(value), f"a {type(value).__name__}")
