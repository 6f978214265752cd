"""Results of web searches that the application has run, numbered so that the answer can cite them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

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
    Untrusted,
    attr,
    block,
    hookimpl,
    line,
)
from promptmw_plugins.material import READS, WebResult, by_query, numbering, printed

RESULT = Fence("web-search-result")

__all__ = ["RESULT", "WebResult", "promptmw_inputs", "promptmw_sections"]


@dataclass(frozen=True, slots=True)
class WebLimits:
    """Is the profile's table ``limits.web_search``."""

    items: int = 10


def renderer(limits: WebLimits) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the limits of a profile: one fence for each query."""

    def render(facts: Facts) -> Body | None:
        stated = by_query(printed(facts.all(WebResult)))
        given = numbering(facts)
        shown = {str(i): r for i, r in enumerate(stated[: limits.items])}
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(stated), len(shown), source="web_results")

        def build(items: tuple[Item, ...], _cut: bool) -> Text:
            groups = groupby(items, key=lambda i: shown[i.id].query.one_line())
            return Text.join("\n\n", (_fence(query, group) for query, group in groups))

        return Body(
            items=tuple(Item(_result(r, given.number(r)), i, given.cited(r)) for i, r in shown.items()),
            build=build,
            cuts=(cut,) if len(shown) < len(stated) else (),
            notes=given.moved(stated),
        )

    return render


def _fence(query: Untrusted, items: Iterable[Item]) -> Text:
    return RESULT(Text.join("\n\n", (i.text for i in items)), query=attr(query))


def _result(result: WebResult, number: int) -> Text:
    head = Text.join(" ", (f"[{number}]", line(result.title.one_line(), grammars=(CITATION,))))
    url = line(result.url.one_line(), grammars=(CITATION,))
    return Text.join("\n", (head, url, block(result.text.strip_lines(), grammars=(CITATION,))))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``web_results``."""
    return (WebResult,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section; it has no words of its own."""
    return (
        Section(
            name="web_search",
            render=renderer(profile.settings("limits.web_search", WebLimits)),
            reads=READS,
            layer=Layer.LAST_USER,
            order=30,
            stability=Stability.TURN,
            trust=Trust.UNTRUSTED,
            fences=(RESULT,),
            cap=6_000,
            priority=75,
        ),
    )
