"""Profiles: which sections are on, in what layout, with which settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from promptmw.errors import ConfigError, nearest
from promptmw.kinds import CallerSystem, Layer, Layout, Stability
from promptmw.sections import Section
from promptmw.validation import build

T = TypeVar("T")
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class SectionOverride:
    """Changes a section for one profile; None leaves it as the plugin made it.

    Attributes:
        layer: ``system``, ``first_user`` or ``last_user``.
        order: Within the layer.
        stability: Such as ``static`` or ``turn``.
        cap: Most tokens.
        priority: Who gives way first.
    """

    layer: str | None = None
    order: int | None = None
    stability: str | None = None
    cap: int | None = None
    priority: int | None = None

    def apply(self, section: Section) -> Section:
        """Returns the section with these changes.

        Raises:
            ConfigError: There is no such layer or stability, or the cap is below 0.
        """
        stated = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}
        for name, kind in (("layer", Layer), ("stability", Stability)):
            if name in stated:
                stated[name] = _member(kind, stated[name], path=("sections", section.name, name))
        try:
            return replace(section, **stated)
        except ConfigError as error:
            raise ConfigError(str(error), path=("sections", section.name)) from None


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Says which of the installed sections make up the prompt, and how.

    Attributes:
        name: How turns and config files call it.
        enable: Names of sections, or patterns: ``*`` stands for any name without a dot, ``x.*`` for all of a prefix.
        disable: Names of sections that stay off, or ``distribution:name`` for that of one distribution.
        required: Names that must be there; without one of them the pipeline is not made.
        layout: The order of the system blocks.
        timezone: IANA name for turns that state none; blank for the server's zone.
        caller_system: What becomes of a leading system message of the caller.
        counter: The token counter; blank for the estimate.
        tool_order: ``name`` sorts tools on the wire, ``given`` leaves them.
        offer_tools: Names of the plugins' tools that are offered to the model.
        collect_seconds: Time limit of each collector.
        history_seconds: Time limit of the history hook.
        tool_seconds: Time limit of each call of a plugin's tool.
        sections: Changes to single sections.
        tables: Settings of plugins, as read.
    """

    name: str
    enable: tuple[str, ...] = ("*",)
    disable: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    layout: Layout = Layout.DOCUMENTED
    timezone: str = ""
    caller_system: CallerSystem = CallerSystem.OPERATOR
    counter: str = ""
    tool_order: Literal["name", "given"] = "name"
    offer_tools: tuple[str, ...] = ()
    collect_seconds: float = 5.0
    history_seconds: float = 5.0
    tool_seconds: float = 60.0
    sections: Mapping[str, SectionOverride] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("collect_seconds", "history_seconds", "tool_seconds"):
            if not 0 < getattr(self, name) <= _DAY:  # which also refuses what is not a number
                raise ConfigError(f"{name}: takes seconds, above 0 and at most a day", path=(name,))

    def settings(self, table: str, kind: type[T]) -> T:
        """Returns a plugin's settings, from the profile's table of that name.

        Args:
            table: The name; dots lead into tables of tables.
            kind: A frozen dataclass with a default for each field.

        Raises:
            ConfigError: A key is unknown, or a value has the wrong type.
        """
        self._asked.add(table)
        path = tuple(table.split("."))
        found: Any = self.tables
        for part in path:
            found = found.get(part, {}) if isinstance(found, Mapping) else found
        return build(kind, found, path=path, error=ConfigError)

    def check_tables(self) -> None:
        """Checks that every table of settings was asked for by a plugin.

        Raises:
            ConfigError: One was not.
        """
        for name, table in self.tables.items():
            inner = {a.split(".", 1)[1] for a in self._asked if a.startswith(name + ".")}
            for key in table if inner and isinstance(table, Mapping) and name not in self._asked else ():
                if key not in inner:
                    raise ConfigError(f"no plugin has settings {name}.{key}.{nearest(key, inner)}", path=(name, key))
            if name not in self._asked and not inner:
                known = {*(a.split(".")[0] for a in self._asked), *_STATED}
                raise ConfigError(f"no plugin has settings {name!r}.{nearest(name, known)}", path=(name,))

    def picks(self, name: str, distribution: str) -> bool:
        """Says whether a section of that name, from that distribution, is on."""
        if name in self.disable or f"{distribution}:{name}" in self.disable:
            return False
        return any(_matches(pattern, name) for pattern in self.enable)

    def extended(self, data: Mapping[str, Any], *, name: str) -> Profile:
        """Returns a profile that has this one's settings where ``data`` states no other.

        Args:
            data: As read from a file; tables are merged, everything else is replaced.
            name: The new profile's name.

        Raises:
            ConfigError: A value has the wrong type.
        """
        own = {k: v for k, v in data.items() if k in _STATED}
        tables = {k: v for k, v in data.items() if k not in _STATED and k != "sections"}
        for key, value in tables.items():
            if not isinstance(value, Mapping):
                raise ConfigError(f"no setting {key!r}.{nearest(key, _STATED)}", path=(key,))
        stated = build(Profile, {**own, "name": name}, path=(), error=ConfigError)
        changes = {key: getattr(stated, key) for key in own}
        overrides = _overrides(data.get("sections", {}))
        return replace(
            self,
            name=name,
            sections={**self.sections, **overrides},
            tables=_merged(self.tables, tables),
            **changes,
        )


_STATED = tuple(f.name for f in fields(Profile) if f.name not in ("name", "sections", "tables", "_asked"))
"""The keys that a file may state for a profile itself; everything else is a plugin's table."""


def _overrides(data: object) -> dict[str, SectionOverride]:
    if not isinstance(data, Mapping):
        raise ConfigError("sections: takes a table by section name, such as [sections.excerpt]", path=("sections",))
    return {n: build(SectionOverride, v, path=("sections", n), error=ConfigError) for n, v in data.items()}


def _matches(pattern: str, name: str) -> bool:
    parts = (r"[^.]*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", pattern))
    return re.fullmatch("".join(parts), name) is not None


def _member(kind: type[Layer] | type[Stability], text: str, *, path: tuple[str, ...]) -> Layer | Stability:
    found = kind.__members__.get(text.upper())
    if found is None:
        raise ConfigError(
            f"{'.'.join(path)}: {text!r} is none of {', '.join(n.lower() for n in kind.__members__)}", path=path
        )
    return found


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(base)
    for key, value in over.items():
        old = both.get(key)
        both[key] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return both


def by_name(profiles: Iterable[Profile]) -> dict[str, Profile]:
    """Returns the profiles by name.

    Raises:
        ConfigError: Two have one name.
    """
    found: dict[str, Profile] = {}
    for profile in profiles:
        if profile.name in found:
            raise ConfigError(f"two plugins ship a profile {profile.name!r}: disable one of them")
        found[profile.name] = profile
    return found
