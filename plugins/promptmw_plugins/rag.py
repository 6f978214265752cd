"""Passages from the knowledge base, numbered so that the answer can cite them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from promptmw import (
    CITATION,
    Body,
    Cut,
    CutReason,
    Facts,
    Fence,
    Item,
    Layer,
    Profile,
    Section,
    Stability,
    Text,
    Trust,
    block,
    hookimpl,
    line,
)
from promptmw_plugins.material import READS, CitedSources, Snippet, numbering, printed

KNOWLEDGE = Fence("context-from-knowledge-base")

__all__ = ["KNOWLEDGE", "CitedSources", "Snippet", "promptmw_inputs", "promptmw_sections"]


@dataclass(frozen=True, slots=True)
class RagLimits:
    """Is the profile's table ``limits.rag``: the best ones are kept."""

    items: int = 8


def renderer(limits: RagLimits) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the limits of a profile."""

    def render(facts: Facts) -> Body | None:
        stated = printed(facts.all(Snippet))
        given = numbering(facts)
        shown = stated[: limits.items]
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(stated), len(shown), source="snippets")
        intro = facts.texts["rag.intro"]

        def build(items: tuple[Item, ...], _cut: bool) -> Text:
            return KNOWLEDGE(Text.join("\n\n", (intro, *(i.text for i in items)))) if items else Text()

        return Body(
            items=tuple(Item(_snippet(s, given.number(s)), str(given.number(s)), given.cited(s)) for s in shown),
            build=build,
            cuts=(cut,) if len(shown) < len(stated) else (),
            notes=given.moved(stated),
        )

    return render


def _snippet(snippet: Snippet, number: int) -> Text:
    title = line(snippet.title.one_line(), grammars=(CITATION,))
    head = Text.join(" ", (f"[{number}]", title))
    return Text.join("\n", (head, block(snippet.text.strip_lines(), grammars=(CITATION,))))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``snippets`` and ``cited_sources``."""
    return (Snippet, CitedSources)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="rag",
            render=renderer(profile.settings("limits.rag", RagLimits)),
            reads=READS,
            layer=Layer.LAST_USER,
            order=20,
            stability=Stability.TURN,
            trust=Trust.UNTRUSTED,
            fences=(KNOWLEDGE,),
            cap=6_000,
            priority=80,
        ),
    )
