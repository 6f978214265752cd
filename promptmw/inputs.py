"""Inputs: the facts that plugins read, each a frozen dataclass with a registered name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any, TypeVar

from promptmw.errors import InputError
from promptmw.kinds import Trust

T = TypeVar("T", bound=type)


@dataclass(frozen=True, slots=True)
class InputType:
    """Describes one input type.

    Attributes:
        name: By which JSON, TOML and YAML state it.
        type: The frozen dataclass.
        many: Whether a turn may state several.
        trust: Whose text its fields hold.
        client: Whether the client of a proxy may state it when the operator says nothing.
    """

    name: str
    type: type
    many: bool = False
    trust: Trust = Trust.USER
    client: bool = False


def input_type(name: str, *, many: bool = False, trust: Trust = Trust.USER, client: bool = False) -> Callable[[T], T]:
    """Registers a frozen dataclass as an input, under the name that turn files use.

    Args:
        name: Lower-case words joined by underscores; a plural for lists.
        many: Whether a turn may state several.
        trust: Whose text its fields hold.
        client: Whether the client of a proxy may state it by default. Operator inputs never.

    Raises:
        InputError: The class is no frozen dataclass.

    Example:
        >>> @input_type("weather")
        ... @dataclass(frozen=True)
        ... class Weather:
        ...     degrees: int
    """

    def declare(cls: T) -> T:
        if not is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise InputError(f"input {name!r}: {cls.__name__} must be a frozen dataclass")
        if client and trust <= Trust.OPERATOR:
            raise InputError(f"input {name!r}: a client cannot state an input of {trust.name} trust")
        cls.__promptmw_input__ = InputType(name, cls, many, trust, client)  # type: ignore[attr-defined]
        cls.__repr__ = _shown  # type: ignore[method-assign]
        return cls

    return declare


def _shown(value: Any) -> str:
    """Returns what may be seen of an input in logs and tracebacks: sizes instead of texts."""
    return f"<{declared(value).name} {', '.join(f'{f.name}={_size(getattr(value, f.name))}' for f in fields(value))}>"


def _size(value: object) -> str:
    from promptmw.fencing import Untrusted  # here, as a turn needs it for nothing else

    if isinstance(value, str):
        return f"{len(value)} characters"
    if isinstance(value, tuple):
        return f"{len(value)} items"
    harmless = value is None or isinstance(value, bool | int | float | Enum | date | Untrusted)
    return repr(value) if harmless else type(value).__name__


def aware(name: str, value: datetime | None) -> None:
    """Checks that a time of an input carries its zone.

    Args:
        name: Input and field, for the error: ``memories.created``.
        value: The time, or None.

    Raises:
        InputError: It is no datetime, or a naive one.
    """
    if value is not None and (not isinstance(value, datetime) or value.utcoffset() is None):
        raise InputError(f"{name}: takes a datetime with a time zone; add tzinfo")


def declared(value: type | object) -> InputType:
    """Returns the declaration of an input type, or of an input's type.

    Raises:
        InputError: It is none.
    """
    found = getattr(value, "__promptmw_input__", None)
    if not isinstance(found, InputType):
        name = value.__name__ if isinstance(value, type) else type(value).__name__
        raise InputError(f"{name} is no input: declare it with @input_type(name) over a frozen dataclass")
    return found
