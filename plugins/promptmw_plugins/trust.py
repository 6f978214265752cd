"""The trust boundary: says that what stands in a fence is material, and names every fence of this turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from promptmw import (
    Facts,
    FencesInUse,
    Layout,
    Profile,
    Section,
    Stability,
    Text,
    ToolMode,
    Tools,
    hookimpl,
)
from promptmw.fencing import Extra, TrustSettings


def renderer(extra: Extra, notes: tuple[str, ...]) -> Callable[[Facts], Text]:
    """Returns the section's function.

    Args:
        extra: Which fences it names beside those of the seed's sentence.
        notes: What it explains: ``escapes``, and modes of fences.
    """

    def render(facts: Facts) -> Text:
        body = facts.texts["trust.body"]
        lines = [facts.texts["trust.heading"], body]
        if extra is not Extra.OFF:
            lines += [*_more_tags(facts, extra, body), *_tool_messages(facts)]
        lines += [facts.texts[f"trust.note.{note}"] for note in notes]
        return Text.of("\n".join(lines))

    return render


def _more_tags(facts: Facts, extra: Extra, body: str) -> list[str]:
    """Returns the line that names the fences which the body does not."""
    fences = facts.get(FencesInUse) or FencesInUse()
    tags = fences.registered if extra is Extra.REGISTERED else fences.tags
    named = facts.texts["trust.join"].join(f"<{t}>…</{t}>" for t in tags if f"<{t}>" not in body)
    return [facts.texts["trust.more_tags"].replace("{tags}", named)] if named else []


def _tool_messages(facts: Facts) -> list[str]:
    tools = facts.get(Tools)
    native = tools is not None and tools.mode is ToolMode.NATIVE and (tools.local or tools.hosted)
    return [facts.texts["trust.tool_messages"]] if native else []


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    settings = profile.settings("trust", TrustSettings)
    default = Extra.REGISTERED if profile.layout is Layout.CACHE else Extra.USED
    notes = ("escapes", *(m.value for m in settings.modes)) if settings.fence_notes else ()
    return (
        Section(
            name="trust",
            render=renderer(settings.extra or default, notes),
            reads=(Tools, FencesInUse),
            order=50,
            stability=Stability.STATIC,
            required=True,
        ),
    )
