"""A catalog: everything that the loaded plugins offer, checked against each other, for one profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from promptmw.errors import ConfigError, PluginError, nearest
from promptmw.fencing import Fence, Policy, TrustSettings
from promptmw.inputs import InputType, declared
from promptmw.kinds import Layout, Trust
from promptmw.loading import PluginInfo, Plugins, Status
from promptmw.locales import Missing, TextTables
from promptmw.messages import Question
from promptmw.profiles import Profile, SectionOverride
from promptmw.recent import Recent
from promptmw.sections import Section
from promptmw.settled import SETTLED
from promptmw.tokens import Counted, Estimate, TokenCounter
from promptmw.toolmode.bounds import LoopPolicy
from promptmw.toolmode.choice import Choice
from promptmw.toolmode.offered import checked_settings, offered_protocols
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.retries import ToolRound
from promptmw.toolmode.using import ProtocolInUse, ToolSettings
from promptmw.turn import CORE_FIELDS

if TYPE_CHECKING:
    from promptmw.toolmode.registry import Chosen

T = TypeVar("T")

RESERVED = frozenset(
    {*CORE_FIELDS, "messages", *(declared(k).name for k in (Question, *SETTLED, Choice, ProtocolInUse, ToolRound))}
)
"""Names that no plugin's input can have: a turn file or the core itself uses them."""


@dataclass(frozen=True, slots=True)
class Planned:
    """Is a section that a profile has switched on, with who offers it."""

    section: Section
    plugin: PluginInfo


@dataclass(frozen=True, slots=True)
class Catalog:
    """Is what one pipeline works with.

    Attributes:
        profile: As settled.
        inputs: Input types by registered name.
        sections: Those that are on, in the order in which they are sent.
        off: Those that the profile does not switch on.
        texts: Of all plugins.
        policy: Knows all fences and headings.
        counter: Counts tokens.
        untrusted: Sorted tags of the UNTRUSTED fences of the sections that are on.
        protocols: Formats of tool calls that plugins offer, by name.
        tool_settings: Of prompt-tool mode.
        tool_loop: Bounds of loops that run tools.
        formats: Formats by the name of a model, as far as they were asked for.
    """

    profile: Profile
    inputs: Mapping[str, InputType]
    sections: tuple[Planned, ...]
    off: tuple[Planned, ...]
    texts: TextTables
    policy: Policy
    counter: Counted
    untrusted: tuple[str, ...]
    protocols: Mapping[str, ToolProtocol]
    tool_settings: ToolSettings
    tool_loop: LoopPolicy
    formats: Recent[str, Chosen] = field(default_factory=lambda: Recent(256))

    def missing(self) -> list[Missing]:
        """Returns what keeps a locale from being used for a section that is on."""
        return [m for p in self.sections for m in self.texts.missing(p.section.name, p.section.text_prefixes)]


def make_catalog(plugins: Plugins, profile: Profile) -> Catalog:
    """Asks all plugins once and puts their answers together.

    Raises:
        PluginError: Two distributions offer the same name, text key or fence; or, when strict, a plugin fails.
        ConfigError: The profile names what does not exist, or lacks a section that it requires.
    """
    offered = list(_sections(plugins, profile))
    inputs = _inputs(plugins)
    texts = TextTables(_texts(plugins))
    counter = _counter(plugins, profile.counter)
    planned = [p for p in offered if plugins_has(plugins, p.plugin)]
    on = _switched_on(planned, profile)
    protocols = offered_protocols(plugins)
    tool_settings = checked_settings(profile.settings("tool_protocol", ToolSettings), protocols)
    tool_loop = profile.settings("tool_loop", LoopPolicy)
    trust = profile.settings("trust", TrustSettings)
    profile.check_tables()
    return Catalog(
        profile=profile,
        inputs=inputs,
        sections=tuple(sorted(on, key=sort_key(profile.layout))),
        off=tuple(p for p in planned if not any(p.section.name == o.section.name for o in on)),
        texts=texts,
        policy=Policy(_tags(planned), texts.headings(), trust),
        counter=counter,
        untrusted=tuple(sorted({f.tag for p in on for f in p.section.fences if f.trust is Trust.UNTRUSTED})),
        protocols=protocols,
        tool_settings=tool_settings,
        tool_loop=tool_loop,
    )


def sort_key(layout: Layout) -> Callable[[Planned], tuple[object, ...]]:
    """Returns the key by which blocks are ordered: never the order in which plugins were loaded."""

    def key(planned: Planned) -> tuple[object, ...]:
        s = planned.section
        first = s.stability if layout is Layout.CACHE else 0
        return (s.layer, first, s.order, s.name)

    return key


def plugins_has(plugins: Plugins, info: PluginInfo) -> bool:
    """Says whether a plugin is still loaded after all of its hooks were called."""
    return any(p.name == info.name and p.status is Status.LOADED for p in plugins.found)


def _sections(plugins: Plugins, profile: Profile) -> Iterator[Planned]:
    for info, sections in plugins.checked("promptmw_sections", _as_sections, profile=profile):
        for section in sections:
            yield Planned(section, info)


def _as_sections(value: object) -> tuple[Section, ...]:
    sections = _all_of(Section, value, "promptmw_sections")
    _once((s.name for s in sections), "section")
    return sections


def _all_of(kind: type[T], value: Any, hook: str) -> tuple[T, ...]:
    found = tuple(value or ()) if not isinstance(value, str) else (value,)
    for item in found:
        if not isinstance(item, kind):
            raise PluginError(f"{hook} returned {type(item).__name__}, not {kind.__name__}")
    return found


def _switched_on(planned: Iterable[Planned], profile: Profile) -> list[Planned]:
    all_planned = list(planned)
    on = [p for p in all_planned if profile.picks(p.section.name, p.plugin.distribution)]
    _check_names(on)
    known = {p.section.name for p in all_planned}
    labels = known | {f"{p.plugin.distribution}:{p.section.name}" for p in all_planned}
    for name in (*profile.disable, *(e for e in profile.enable if "*" not in e), *profile.sections):
        if name not in labels:
            raise ConfigError(f"profile {profile.name!r}: there is no section {name!r}.{nearest(name, known)}")
    for name in profile.required:
        if not any(p.section.name == name for p in on):
            hint = "" if name in known else nearest(name, known)
            raise ConfigError(
                f"profile {profile.name!r} requires the section {name!r}: switch it on or replace it.{hint}"
            )
    override = profile.sections
    return [replace(p, section=override.get(p.section.name, SectionOverride()).apply(p.section)) for p in on]


def _check_names(planned: Iterable[Planned]) -> None:
    owners: dict[str, PluginInfo] = {}
    for p in planned:
        other = owners.setdefault(p.section.name, p.plugin)
        if other is not p.plugin:
            raise PluginError(
                f"section {p.section.name!r} comes from both {other.owner} and {p.plugin.owner}: "
                f"disable one, such as {other.distribution}:{p.section.name}"
            )


def _tags(planned: Iterable[Planned]) -> list[str]:
    owners: dict[str, str] = {}
    fences: list[Fence] = []
    for p in planned:
        for fence in p.section.fences:
            owner = owners.setdefault(fence.tag, p.plugin.distribution)
            if owner != p.plugin.distribution:
                raise PluginError(
                    f"fence {fence.tag!r} comes from both {owner} and {p.plugin.distribution}: rename one"
                )
            fences.append(fence)
    return [f.tag for f in fences if not f.local]


def _inputs(plugins: Plugins) -> dict[str, InputType]:
    owners: dict[str, PluginInfo] = {}
    found: dict[str, InputType] = {}
    for info, inputs in plugins.checked("promptmw_inputs", _as_inputs):
        for kind in inputs:
            other = owners.setdefault(kind.name, info)
            if other is not info:
                raise PluginError(f"input {kind.name!r} comes from both {other.owner} and {info.owner}")
            found[kind.name] = kind
    return found


def _as_inputs(value: Any) -> list[InputType]:
    inputs = [declared(kind) for kind in value or ()]
    for kind in inputs:
        if kind.name in RESERVED:
            raise PluginError(f"input {kind.name!r} is a name of the core: choose another")
    _once((kind.name for kind in inputs), "input")
    return inputs


def _texts(plugins: Plugins) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    named: dict[str, tuple[str, ...]] = {}
    for info, locales in plugins.checked("promptmw_locales", lambda v: _all_of(str, v, "promptmw_locales")):
        named[info.name] = locales
    for locale in dict.fromkeys(locale for locales in named.values() for locale in locales):
        only = {name for name, locales in named.items() if locale in locales}
        for info, table in plugins.checked("promptmw_texts", _as_texts, only=only, locale=locale):
            yield locale, f"{info.distribution}:{info.name}", table


def _as_texts(value: Any) -> dict[str, str]:
    table = dict(value or {})
    _all_of(str, (*table, *table.values()), "promptmw_texts")
    return table


def _as_counters(value: Any) -> dict[str, TokenCounter]:
    counters = dict(value or {})
    for name, counter in counters.items():
        if not isinstance(counter, TokenCounter):
            raise PluginError(f"counter {name!r} is {type(counter).__name__}: give it name, exact and count(text)")
    return counters


def _once(names: Iterable[str], what: str) -> None:
    """Checks that one plugin does not offer one name twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PluginError(f"{what} {name!r} is offered twice")
        seen.add(name)


def _counter(plugins: Plugins, name: str) -> Counted:
    found: dict[str, TokenCounter] = {}
    for _, counters in plugins.checked("promptmw_counters", _as_counters):
        found.update(counters)
    if name and name not in found:
        raise ConfigError(f"counter: there is no counter {name!r}.{nearest(name, found)}", path=("counter",))
    return Counted(found[name] if name else Estimate())
