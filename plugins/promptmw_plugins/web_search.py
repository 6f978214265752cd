"""Results of web searches that the application has run, numbered so that the answer can cite them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

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
    attr,
    block,
    hookimpl,
    line,
)
from promptmw_plugins.material import READS, WebResult, numbers, printed, result_source

RESULT = Fence("web-search-result")
MOST = 10

__all__ = ["MOST", "RESULT", "WebResult", "promptmw_inputs", "promptmw_sections"]


def render(facts: Facts) -> Body | None:
    """Returns one fence for each query, in the order in which the queries first appear."""
    stated = printed(facts.all(WebResult))
    queries = {r.query.one_line(): None for r in stated}
    shown = sorted(stated[:MOST], key=lambda r: list(queries).index(r.query.one_line()))
    by_key = numbers(facts).by_key
    results = {str(i): r for i, r in enumerate(shown)}

    def build(items: tuple[Item, ...], _cut: bool) -> Text:
        fences = []
        for query, group in groupby(items, key=lambda i: results[i.id].query.one_line()):
            fences.append(RESULT(Text.join("\n\n", (i.text for i in group)), query=attr(query)))
        return Text.join("\n\n", fences)

    cut = Cut(CutReason.COUNT_LIMIT, "items", len(stated), len(shown), source="web_results")
    return Body(
        items=tuple(Item(_result(r, by_key[result_source(r).key]), i) for i, r in results.items()),
        build=build,
        cuts=(cut,) if len(shown) < len(stated) else (),
        citations=tuple(_citation(r, by_key[result_source(r).key]) for r in shown),
    )


def _result(result: WebResult, number: int) -> Text:
    head = Text.join(" ", (f"[{number}]", line(result.title.one_line(), grammars=(CITATION,))))
    url = line(result.url.one_line(), grammars=(CITATION,))
    return Text.join("\n", (head, url, block(result.text.strip_lines(), grammars=(CITATION,))))


def _citation(result: WebResult, number: int) -> Citation:
    return Citation(number, result_source(result).key, result.title, result.url)


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
            render=render,
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
