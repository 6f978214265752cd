"""Passages from the knowledge base, numbered so that the answer can cite them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from promptmw import (
    CITATION,
    Body,
    Citation,
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
from promptmw_plugins.material import READS, CitedSources, Snippet, numbers, printed, snippet_source

KNOWLEDGE = Fence("context-from-knowledge-base")

__all__ = ["KNOWLEDGE", "CitedSources", "Snippet", "promptmw_inputs", "promptmw_sections"]


@dataclass(frozen=True, slots=True)
class RagLimits:
    """Is the profile's table ``limits.rag``."""

    items: int = 8


def renderer(limits: RagLimits) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the limits of a profile."""

    def render(facts: Facts) -> Body | None:
        stated = printed(facts.all(Snippet))
        given = numbers(facts)
        shown = [(s, given.by_key[snippet_source(s).key]) for s in stated[: limits.items]]
        intro = facts.texts["rag.intro"]
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(stated), len(shown), source="snippets")
        return Body(
            items=tuple(Item(_snippet(s, number), str(number)) for s, number in shown),
            build=lambda items, _cut: (
                KNOWLEDGE(Text.join("\n\n", (intro, *(i.text for i in items)))) if items else Text()
            ),
            cuts=(cut,) if len(shown) < len(stated) else (),
            citations=tuple(Citation(number, snippet_source(s).key, s.title) for s, number in shown),
            notes=tuple(f"a stated number was taken: {key[:64]!r} got another" for key in given.moved),
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
