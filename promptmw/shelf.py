"""The shelf of profiles: what plugins ship, what a config file changes and adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from promptmw.config import Config, located
from promptmw.errors import ConfigError, PluginError, nearest
from promptmw.loading import Plugins
from promptmw.profiles import Profile, by_name

T = TypeVar("T")

BUILT_IN = Profile(name="chat")
"""What ``chat`` is when no installed plugin ships it: every section without a dot in its name."""


class Shelf:
    """Finds profiles by name.

    Args:
        plugins: Who may ship some.
        config: A config file's changes.
        defaults: Settings of every shipped profile, which the config may change.

    Raises:
        ConfigError: Two plugins ship one name.
    """

    def __init__(
        self, plugins: Plugins, config: Config | None = None, *, defaults: Mapping[str, Any] | None = None
    ) -> None:
        shipped = by_name(p for _, found in plugins.checked("promptmw_profiles", _as_profiles) for p in found)
        shipped.setdefault(BUILT_IN.name, BUILT_IN)
        self._shipped = {n: p.extended(defaults, name=n) for n, p in shipped.items()} if defaults else shipped
        self._config = config or Config()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all profiles."""
        return tuple(sorted({*self._shipped, *self._config.profiles}))

    def settled(self, profile: str | Profile, settings: Mapping[str, Any]) -> Profile:
        """Returns a profile with the config's changes and then these to it.

        Raises:
            ConfigError: There is no such profile, or a setting cannot be used.
        """
        found = self._named(profile, ()) if isinstance(profile, str) else profile
        return found.extended(settings, name=found.name) if settings else found

    def checked(self, profile: Profile, make: Callable[[], T]) -> T:
        """Returns what ``make`` returns; an error about this profile gets the config's file and line."""
        try:
            return make()
        except ConfigError as error:
            raise self._placed(error, profile.name) from None

    def _named(self, name: str, seen: tuple[str, ...]) -> Profile:
        stated = self._config.profiles.get(name)
        if stated is None and name in self._shipped:
            return self._shipped[name]
        if stated is None or name in seen:
            where = ("profiles", seen[-1], "extends") if seen else ("profile",)
            why = f"extends itself by way of {seen[-1]!r}" if name in seen else "does not exist"
            raise self._placed(ConfigError(f"profile {name!r} {why}.{nearest(name, self.names)}", path=where), "")
        return self._changed(name, stated, seen)

    def _changed(self, name: str, stated: Mapping[str, Any], seen: tuple[str, ...]) -> Profile:
        default = name if name in self._shipped else "chat"
        extends = str(stated.get("extends", default))
        own = self._shipped.get(name) if extends == name else None
        parent = own or self._named(extends, (*seen, name))
        try:
            return parent.extended({k: v for k, v in stated.items() if k != "extends"}, name=name)
        except ConfigError as error:
            raise self._placed(error, name) from None

    def _placed(self, error: ConfigError, profile: str) -> ConfigError:
        """Returns the error with file and line, when the config states that profile and was read from a file."""
        path = ("profiles", profile, *error.path) if profile else error.path
        if not self._config.source or (profile and profile not in self._config.profiles):
            return error
        file = Path(self._config.source)
        prefix = ("tool", "promptmw") if file.name == "pyproject.toml" else ()
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        return located(ConfigError(str(error), path=(*prefix, *path)), str(file), text)


def _as_profiles(value: Any) -> tuple[Profile, ...]:
    profiles = tuple(value or ())
    for profile in profiles:
        if not isinstance(profile, Profile):
            raise PluginError(f"promptmw_profiles returned {type(profile).__name__}, not Profile")
    return profiles
