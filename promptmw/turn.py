"""A turn: everything that the application states about one model call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, NoReturn, Self, TypedDict, TypeVar, Unpack

from promptmw.errors import InputError, nearest
from promptmw.inputs import declared
from promptmw.kinds import ToolMode

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Names a tool that the model may call in this turn.

    Attributes:
        name: As the model calls it.
        description: What it does; empty when the provider's field carries it.
        hosted: Whether the provider runs it itself.
        parameters: Its JSON Schema as JSON text, for prompt-tool mode; blank when the provider's field carries it.
        read_only: Whether a call changes nothing, so that equal calls of one answer may share a result.
        source: Who brought it, as a distribution or a server; for errors.
    """

    name: str
    description: str = ""
    hosted: bool = False
    parameters: str = ""
    read_only: bool = False
    source: str = ""


class TurnFields(TypedDict, total=False):
    """Names the core fields of a turn and what they take."""

    model: str
    locale: str | None
    now: datetime | None
    timezone: str
    tools: Iterable[ToolSpec | str]
    tool_mode: ToolMode | str
    profile: str
    session: str
    tenant: str
    preview: bool


@dataclass(frozen=True, slots=True)
class _Core:
    """Holds the core fields of a turn, with their defaults."""

    model: str = ""
    locale: str | None = "en"
    now: datetime | None = None
    timezone: str = ""
    tools: tuple[ToolSpec, ...] = ()
    tool_mode: ToolMode = ToolMode.AUTO
    profile: str = ""
    session: str = ""
    tenant: str = ""
    preview: bool = False


CORE_FIELDS = tuple(f.name for f in fields(_Core))


class Turn:
    """Is everything that the application states about one model call. Frozen.

    Args:
        *inputs: Facts that plugins read, such as ``Persona(…)`` or ``Memory(…)``, in any order.
        model: The model's name; never shown to the model itself.
        locale: Of the reader, as a tag or an ``Accept-Language`` list; unknown ones read as English.
        now: An aware datetime; by default the pipeline's clock.
        timezone: An IANA name; by default the profile's, then the server's.
        tools: What the model may call, as `ToolSpec` or plain names.
        tool_mode: A `ToolMode` or its value.
        profile: The name of the profile; by default the pipeline's.
        session: Names the conversation within its tenant.
        tenant: Whose data this turn may see.
        preview: Only looks: nothing is stored.

    Raises:
        InputError: A value has the wrong type, ``now`` is naive, or an input is stated twice that stands once.

    Example:
        >>> Turn(locale="fr", tools=("python_execute",)).locale
        'fr'
    """

    __slots__ = ("_by_type", "_core", "inputs")
    inputs: tuple[Any, ...]
    _core: _Core
    _by_type: dict[type, tuple[Any, ...]]

    def __init__(self, *inputs: object, **core: Unpack[TurnFields]) -> None:
        self._settle(inputs, _core(dict(core)))

    def _settle(
        self, inputs: tuple[object, ...], core: _Core, groups: dict[type, tuple[Any, ...]] | None = None
    ) -> None:
        put = object.__setattr__
        put(self, "inputs", inputs)
        put(self, "_core", core)
        put(self, "_by_type", _grouped(inputs) if groups is None else groups)

    @property
    def model(self) -> str:
        """The model's name."""
        return self._core.model

    @property
    def locale(self) -> str | None:
        """The reader's locale, as stated."""
        return self._core.locale

    @property
    def now(self) -> datetime | None:
        """The time of the turn, when the application states one."""
        return self._core.now

    @property
    def timezone(self) -> str:
        """The IANA name of the reader's zone, as stated."""
        return self._core.timezone

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """What the model may call."""
        return self._core.tools

    @property
    def tool_mode(self) -> ToolMode:
        """How tools reach the model, as stated."""
        return self._core.tool_mode

    @property
    def profile(self) -> str:
        """The profile's name, as stated."""
        return self._core.profile

    @property
    def session(self) -> str:
        """The name of the conversation."""
        return self._core.session

    @property
    def tenant(self) -> str:
        """Whose data this turn may see."""
        return self._core.tenant

    @property
    def preview(self) -> bool:
        """Whether this turn only looks."""
        return self._core.preview

    def get(self, kind: type[T]) -> T | None:
        """Returns the input of that type, or None."""
        found = self._by_type.get(kind)
        return found[0] if found else None

    def all(self, kind: type[T]) -> tuple[T, ...]:
        """Returns all inputs of that type in stated order."""
        return self._by_type.get(kind, ())

    def adding(self, *inputs: object) -> Self:
        """Returns this turn with more inputs; the ones already stated come first."""
        if not inputs:
            return self
        turn = object.__new__(type(self))
        turn._settle((*self.inputs, *inputs), self._core, _joined(self._by_type, inputs))
        return turn

    def replace(self, **core: Unpack[TurnFields]) -> Self:
        """Returns this turn with other core fields."""
        if not core:
            return self
        turn = object.__new__(type(self))
        turn._settle(self.inputs, _core(dict(core), self._core), self._by_type)
        return turn

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Turn) and (self.inputs, self._core) == (other.inputs, other._core)

    def __hash__(self) -> int:
        return hash((self.inputs, self._core))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Turn is frozen: use turn.replace({name}=…)")

    def __repr__(self) -> str:
        stated = ", ".join(f"{declared(kind).name}×{len(found)}" for kind, found in self._by_type.items())
        return f"<Turn of {stated or 'no inputs'}, locale {self.locale}, {self.tool_mode.value} tools>"


def _grouped(inputs: Iterable[object]) -> dict[type, tuple[Any, ...]]:
    return _joined({}, inputs)


def _joined(groups: dict[type, tuple[Any, ...]], inputs: Iterable[object]) -> dict[type, tuple[Any, ...]]:
    """Returns the groups with more inputs, each behind those of its type."""
    more: dict[type, list[Any]] = {}
    for value in inputs:
        more.setdefault(type(value), []).append(value)
    both = dict(groups)
    for kind, found in more.items():
        both[kind] = (*groups.get(kind, ()), *found)
        if not declared(kind).many and len(both[kind]) > 1:
            raise InputError(f"input {declared(kind).name!r} is stated {len(both[kind])} times; it stands once")
    return both


def _core(stated: dict[str, Any], base: _Core | None = None) -> _Core:
    base = base or _Core()
    if not stated:
        return base
    for name in stated:
        if name not in CORE_FIELDS:
            raise InputError(f"a turn has no field {name!r}.{nearest(name, CORE_FIELDS)}")
    if "tools" in stated:
        stated["tools"] = _tools(stated["tools"])
    if "tool_mode" in stated:
        stated["tool_mode"] = _mode(stated["tool_mode"])
    core = replace(base, **stated)
    _check(core)
    return core


def _check(core: _Core) -> None:
    if core.now is not None and (not isinstance(core.now, datetime) or core.now.utcoffset() is None):
        raise InputError(f"now: takes a datetime with a time zone, not {core.now!r}; add tzinfo", path=("now",))
    if core.locale is not None and not isinstance(core.locale, str):
        raise InputError(f"locale: takes a language tag or None, not {type(core.locale).__name__}", path=("locale",))
    for name in ("model", "timezone", "profile", "session", "tenant"):
        if not isinstance(getattr(core, name), str):
            raise InputError(f"{name}: takes text, not {type(getattr(core, name)).__name__}", path=(name,))
    if not isinstance(core.preview, bool):
        raise InputError(f"preview: takes True or False, not {type(core.preview).__name__}", path=("preview",))


def _tools(tools: object) -> tuple[ToolSpec, ...]:
    if tools is None:
        return ()
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        raise InputError(f"tools: takes a list of ToolSpec or names, not {type(tools).__name__}", path=("tools",))
    return tuple(_tool(t) for t in tools)


def _tool(tool: object) -> ToolSpec:
    if isinstance(tool, ToolSpec):
        return tool
    if isinstance(tool, str):
        return ToolSpec(tool)
    raise InputError(f"tools: takes ToolSpec or names, not {type(tool).__name__}")


def _mode(mode: object) -> ToolMode:
    try:
        return ToolMode(mode)
    except ValueError:
        known = ", ".join(m.value for m in ToolMode)
        raise InputError(f"tool_mode: {mode!r} is none of {known}", path=("tool_mode",)) from None
