"""Reference material with citation numbers: snippets, web results and outputs of tools, in one number space."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from promptmw import (
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


READS = (Snippet, WebResult, ToolOutput, CitedSources)
"""What every section that prints numbers declares to read, since they share them."""


def numbers(facts: Facts) -> Numbers:
    """Returns the numbers of all material of this turn."""
    return _numbers(facts.all(Snippet), facts.all(WebResult), facts.all(ToolOutput), facts.get(CitedSources))


@functools.lru_cache(maxsize=256)
def _numbers(
    snippets: tuple[Snippet, ...],
    results: tuple[WebResult, ...],
    outputs: tuple[ToolOutput, ...],
    cited: CitedSources | None,
) -> Numbers:
    sources = [*map(snippet_source, printed(snippets)), *map(result_source, printed(results))]
    return allocate([*sources, *_output_sources(outputs)], cited.numbers if cited else ())


T = TypeVar("T", Snippet, WebResult)


def printed(material: tuple[T, ...]) -> list[T]:
    """Returns the material that has text; the rest gets no number."""
    return [m for m in material if not m.text.blank]


def snippet_source(snippet: Snippet) -> Source:
    """Returns what a snippet is to be cited as."""
    return Source(snippet.source or _key(snippet.title, snippet.text), snippet.citation)


def result_source(result: WebResult) -> Source:
    """Returns what a web result is to be cited as."""
    key = _key(result.title, result.text) if result.url.blank else result.url.reveal()
    return Source(key, result.citation)


def _output_sources(outputs: tuple[ToolOutput, ...]) -> Iterator[Source]:
    for output in outputs:
        yield from (Source(key) for key in output.sources)


def _key(title: Untrusted, text: Untrusted) -> str:
    return f"{title.key()}-{text.key(64)}"
