"""Reference material with citation numbers: snippets, web results and outputs of tools, in one number space."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from promptmw import (
    Citation,
    Facts,
    Numbers,
    Source,
    TextField,
    Trust,
    Untrusted,
    allocate,
    input_type,
    text_field,
)


class OutputStatus(Enum):
    """Says whether a tool did what it was asked for."""

    OK = "ok"
    ERROR = "error"


@input_type("snippets", many=True, trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class Snippet:
    """Is a passage found in the knowledge base, best first.

    Attributes:
        text: The passage.
        title: Of its document.
        source: A key that is equal for passages of one source; not printed.
        citation: The number to print, when the application has given one out.
    """

    text: TextField = text_field(cap=2_000, lines=True)
    title: TextField = text_field(cap=200, default="")
    source: str = ""
    citation: int | None = None


@input_type("web_results", many=True, trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class WebResult:
    """Is a result of a web search that the application has run.

    Attributes:
        text: The passage.
        query: What was searched for; results of one query share a fence.
        title: Of the page.
        url: Of the page.
        citation: The number to print, when the application has given one out.
    """

    text: TextField = text_field(cap=1_000, lines=True)
    query: TextField = text_field(cap=300, default="")
    title: TextField = text_field(cap=200, default="")
    url: TextField = text_field(cap=2_000, default="")
    citation: int | None = None


@input_type("tool_outputs", many=True, trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class ToolOutput:
    """Is the output of a tool that the application ran itself and that has no message of its own.

    Attributes:
        name: The tool.
        text: What it said.
        status: Whether it worked.
        sources: Keys of what its markers ``[1]``, ``[2]``, … stand for.
    """

    name: TextField = text_field(cap=64)
    text: TextField = text_field(cap=200_000, lines=True)
    status: OutputStatus = OutputStatus.OK
    sources: tuple[str, ...] = ()


@input_type("cited_sources", trust=Trust.OPERATOR)
@dataclass(frozen=True)
class CitedSources:
    """States the numbers that this conversation has already shown, by source key."""

    numbers: tuple[tuple[str, int], ...] = ()

    def adding(self, citations: Iterable[Citation]) -> CitedSources:
        """Returns these numbers and those of a prompt, ``prompt.citations``: what the next turn states."""
        found = dict(self.numbers)
        for citation in citations:
            found.setdefault(citation.key, citation.number)
        return CitedSources(tuple(found.items()))


READS = (Snippet, WebResult, ToolOutput, CitedSources)
"""What every section that prints numbers declares to read, since they share them."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """Is what the numbers of one turn stand for.

    Attributes:
        numbers: By source key, for all material that has text, whether it is printed or not.
        citations: The same for the application, each with the first title and address that its source has.
    """

    numbers: Numbers
    citations: Mapping[str, Citation]

    def number(self, material: Snippet | WebResult) -> int:
        """Returns the number of a passage's source."""
        return self.numbers.by_key[_source(material).key]

    def cited(self, *material: Material) -> tuple[Citation, ...]:
        """Returns what the numbers printed with this material stand for."""
        return tuple(dict.fromkeys(self.citations[s.key] for m in material for s in _sources(m)))

    def moved(self, material: Iterable[Material]) -> tuple[str, ...]:
        """Returns a remark for each source in this material that did not get the number stated for it."""
        keys = dict.fromkeys(s.key for m in material for s in _sources(m) if s.key in self.numbers.moved)
        return tuple(f"a source got {self.numbers.by_key[k]}: its stated number belongs to another one" for k in keys)


Material = Snippet | WebResult | ToolOutput
T = TypeVar("T", Snippet, WebResult, ToolOutput)


def numbering(facts: Facts) -> Numbering:
    """Returns the numbers of all material of this turn."""
    return _numbering(facts.all(Snippet), facts.all(WebResult), facts.all(ToolOutput), facts.get(CitedSources))


def printed(material: Iterable[T]) -> list[T]:
    """Returns the material that has text; the rest gets no number."""
    return [m for m in material if not m.text.blank]


def by_query(results: Iterable[WebResult]) -> list[WebResult]:
    """Returns results with those of one query together, in the order in which the queries first appear."""
    groups: dict[Untrusted, list[WebResult]] = {}
    for result in results:
        groups.setdefault(result.query.one_line(), []).append(result)
    return [result for group in groups.values() for result in group]


@functools.lru_cache(maxsize=256)
def _numbering(
    snippets: tuple[Snippet, ...],
    results: tuple[WebResult, ...],
    outputs: tuple[ToolOutput, ...],
    cited: CitedSources | None,
) -> Numbering:
    material: list[Material] = [*printed(snippets), *by_query(printed(results)), *printed(outputs)]
    numbers = allocate((s for m in material for s in _sources(m)), cited.numbers if cited else ())
    citations: dict[str, Citation] = {}
    for passage in material:
        for source in _sources(passage):
            known = citations.get(source.key) or Citation(numbers.by_key[source.key], source.key)
            citations[source.key] = _described(known, passage)
    return Numbering(numbers, citations)


def _described(citation: Citation, material: Material) -> Citation:
    """Returns a citation with what this material adds to it."""
    if isinstance(material, ToolOutput):
        return citation
    title = material.title if citation.title.blank else citation.title
    url = material.url if isinstance(material, WebResult) and citation.url.blank else citation.url
    return replace(citation, title=title, url=url)


def _sources(material: Material) -> Iterable[Source]:
    if isinstance(material, ToolOutput):
        return tuple(Source(key) for key in material.sources)
    return (_source(material),)


def _source(material: Snippet | WebResult) -> Source:
    """Returns what a passage is to be cited as; without a key of its own, by title and beginning of its text."""
    key = material.url.strip().reveal() if isinstance(material, WebResult) else material.source.strip()
    return Source(key or f"{material.title.key()}-{material.text.key(64)}", material.citation)
