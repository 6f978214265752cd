"""Finds plugins, loads each on its own, and calls their hooks so that one of them cannot harm the others."""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from promptmw import hookspecs
from promptmw.errors import ConfigError, PluginError, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

GROUP = "promptmw"
APPLICATION = "application"
"""Stands for the distribution of plugins that the application hands over itself."""


class Status(Enum):
    """Says what became of a plugin."""

    LOADED = "loaded"
    SKIPPED = "skipped"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """Describes a plugin that was found.

    Attributes:
        name: Of its entry point.
        distribution: That it was installed with, or ``application``.
        version: Of that distribution.
        target: What the entry point names.
        status: What became of it.
        reason: Why it was skipped.
        hooks: Names of the hooks that it implements.
    """

    name: str
    distribution: str
    version: str = ""
    target: str = ""
    status: Status = Status.LOADED
    reason: str = ""
    hooks: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """The distribution with its version."""
        return f"{self.distribution} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Is what one plugin made of one hook call: a value, or the exception that it raised."""

    plugin: PluginInfo
    value: Any = None
    error: Exception | None = None


class Plugins:
    """Holds the loaded plugins, and what was found and not loaded.

    Args:
        extra: Plugins that the application hands over.
        discover: Whether to look for installed ones.
        disable: Names of entry points, or ``distribution:name``, that are not loaded.
        strict: Raise instead of skipping a plugin that fails.

    Raises:
        ConfigError: A name in ``disable`` is not installed.
        PluginError: Two distributions have an entry point of one name; or, when strict, a plugin fails.
    """

    def __init__(
        self, extra: Iterable[object] = (), *, discover: bool = True, disable: Iterable[str] = (), strict: bool = False
    ) -> None:
        self.strict = strict
        self.manager = pluggy.PluginManager(hookspecs.PROJECT)
        self.manager.add_hookspecs(hookspecs)
        self._infos: dict[str, PluginInfo] = {}
        off = {*disable, *_names_in("PROMPTMW_DISABLE")}
        if discover:
            self._discover(off)
        for plugin in extra:
            self._register(plugin, _of_application(plugin))

    @property
    def found(self) -> tuple[PluginInfo, ...]:
        """Every plugin that was found, by name."""
        return tuple(self._infos[name] for name in sorted(self._infos))

    def implements(self, hook: str) -> bool:
        """Says whether any loaded plugin implements a hook."""
        return bool(self._implementations(hook))

    def call(self, hook: str, *, only: Container[str] | None = None, **arguments: object) -> Iterator[Outcome]:
        """Calls a hook of every plugin, or of those named, one after the other, in order of name.

        Yields:
            What each made of it; an exception is an outcome, not raised.
        """
        for plugin, implementation in self._implementations(hook):
            if only is None or plugin.name in only:
                yield call(plugin, implementation, arguments)

    def checked(
        self, hook: str, check: Callable[[Any], T], *, only: Container[str] | None = None, **arguments: object
    ) -> Iterator[tuple[PluginInfo, T]]:
        """Calls a hook as `call` does; a plugin that raises, or returns what cannot be used, is skipped whole.

        Args:
            hook: One that is called when a pipeline is made.
            check: Returns what is used of a plugin's result; raises when it is not what the hook asks for.
            only: Names of the plugins that are called.
            **arguments: For the hook.

        Raises:
            ConfigError: A plugin has found a setting wrong.
            PluginError: A plugin fails, and the plugins are strict.
        """
        for outcome in list(self.call(hook, only=only, **arguments)):
            try:
                if outcome.error:
                    raise outcome.error
                found = check(outcome.value)  # may run a plugin's generator
            except ConfigError:
                raise
            except Exception as error:
                self.skip(outcome.plugin, error)
            else:
                yield outcome.plugin, found

    def callables(self, hook: str) -> list[tuple[PluginInfo, pluggy.HookImpl]]:
        """Returns who implements a hook, in the order in which they are called."""
        return self._implementations(hook)

    def skip(self, info: PluginInfo, error: BaseException) -> None:
        """Records that a loaded plugin turned out not to be usable.

        Raises:
            PluginError: The plugins are strict.
        """
        reason = f"{type(error).__name__}: {error}"
        if self.strict:
            raise PluginError(f"plugin {info.name!r} of {info.owner} failed: {reason}") from error
        if self._infos[info.name].status is Status.LOADED:
            self.manager.unregister(name=info.name)
        self._infos[info.name] = replace(self._infos[info.name], status=Status.SKIPPED, reason=reason)

    def _discover(self, off: set[str]) -> None:
        from importlib.metadata import entry_points

        points = sorted(entry_points(group=GROUP), key=lambda p: (p.name, _distribution(p)))
        only = _names_in("PROMPTMW_LOAD_PLUGINS")
        for name in sorted(off | only):
            if name not in {label for p in points for label in _labels(p)}:
                what = "disable" if name in off else "load"
                raise ConfigError(f"no plugin {name!r} to {what}.{nearest(name, (p.name for p in points))}")
        for point in points:
            info = PluginInfo(point.name, _distribution(point), _version(point), point.value)
            if off & set(_labels(point)) or (only and not only & set(_labels(point))):
                self._infos.setdefault(point.name, replace(info, status=Status.DISABLED))
            else:
                self._load(point, info)

    def _load(self, point: EntryPoint, info: PluginInfo) -> None:
        other = self._infos.get(point.name)
        if other and other.status is not Status.DISABLED:
            raise PluginError(
                f"plugin {point.name!r} comes from both {other.owner} and {info.owner}: "
                f"disable one with {other.distribution}:{point.name} or {info.distribution}:{point.name}"
            )
        self._infos[point.name] = info
        try:
            plugin = point.load()
        except (Exception, SystemExit) as error:  # a stranger's module may raise anything, or try to leave
            self._infos[point.name] = replace(info, status=Status.SKIPPED)
            self.skip(info, error)
        else:
            self._register(plugin, info)

    def _register(self, plugin: object, info: PluginInfo) -> None:
        if info.name in self._infos and self._infos[info.name] is not info:
            raise PluginError(f"plugin {info.name!r} is given twice: {self._infos[info.name].owner} and {info.owner}")
        self._infos[info.name] = replace(info, status=Status.SKIPPED)
        try:
            _check_instance(plugin, info)
            self.manager.register(plugin, name=info.name)
            self.manager.check_pending()
        except Exception as error:  # pluggy raises its own kinds for misspelt hooks and arguments
            if self.manager.has_plugin(info.name):
                self.manager.unregister(name=info.name)
            self.skip(info, error)
        else:
            callers = self.manager.get_hookcallers(plugin) or []
            self._infos[info.name] = replace(info, hooks=tuple(sorted(c.name for c in callers)))

    def _implementations(self, hook: str) -> list[tuple[PluginInfo, pluggy.HookImpl]]:
        found = getattr(self.manager.hook, hook).get_hookimpls()
        return [(self._infos[i.plugin_name], i) for i in sorted(found, key=_call_order)]


def call(plugin: PluginInfo, implementation: pluggy.HookImpl, arguments: dict[str, object]) -> Outcome:
    """Calls one plugin's implementation of a hook with the arguments that it takes."""
    try:
        value = implementation.function(*(arguments[name] for name in implementation.argnames))
    except Exception as error:
        return Outcome(plugin, error=error)
    return Outcome(plugin, value)


def _call_order(implementation: pluggy.HookImpl) -> tuple[int, str]:
    return (-1 if implementation.tryfirst else 1 if implementation.trylast else 0, implementation.plugin_name)


def _check_instance(plugin: object, info: PluginInfo) -> None:
    if isinstance(plugin, type):
        raise PluginError(f"plugin {info.name!r} is a class: hand over an instance, {plugin.__name__}()")


def _of_application(plugin: object) -> PluginInfo:
    name = plugin.__name__ if isinstance(plugin, types.ModuleType | type) else type(plugin).__name__
    return PluginInfo(name, APPLICATION, target=name)


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def _version(point: EntryPoint) -> str:
    return point.dist.version if point.dist else ""


def _labels(point: EntryPoint) -> tuple[str, str]:
    return point.name, f"{_distribution(point)}:{point.name}"


def _names_in(variable: str) -> set[str]:
    return {name.strip() for name in os.environ.get(variable, "").split(",") if name.strip()}
