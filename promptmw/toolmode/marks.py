"""The markers of an answer, and what each of them is."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from promptmw.toolmode.cursor import Literals
from promptmw.toolmode.readers import Reader

RESULT_TAGS = ("<tool-output", "<tool_output", "<tool_result", "<tool_response", "<tool_error")
"""What the application alone may write, in the spellings of several harnesses."""


class Mark(Enum):
    """Says what a marker is."""

    OPENER = "opener"
    HEAD = "head"
    CLOSER = "closer"
    RESULT = "result"
    THOUGHT = "thought"
    THOUGHT_END = "thought end"
    SILENT = "silent"


@dataclass(frozen=True)
class Marks:
    """Knows the markers of an answer.

    Attributes:
        kinds: What each marker is.
        readers: By opening marker, or by the lead of a head.
        closers: Closing tags of thoughts, by their opening tag.
        ends: All that can end a thought whose opening tag was not seen.
        text: Finds any of them in text, or a run of fence characters.
        openers: Finds opening markers.
        thoughts: Finds what ends a thought, or could be a call in it.
    """

    kinds: Mapping[str, Mark]
    readers: Mapping[str, Reader]
    closers: Mapping[str, str]
    ends: frozenset[str]
    text: Literals
    openers: Literals
    thoughts: Literals

    @staticmethod
    @functools.lru_cache(maxsize=256)
    def of(readers: tuple[Reader, ...], thoughts: tuple[tuple[str, str], ...]) -> Marks:
        """Returns the markers of some readers; remembered."""
        thoughts = (*thoughts, *(pair for reader in readers for pair in reader.thoughts))
        ends = {end for _, end in thoughts} | {end for reader in readers for end in reader.thought_ends}
        openers = {opener: reader for reader in readers for opener in reader.openers}
        heads = {reader.head.lead: reader for reader in readers if reader.head is not None}
        kinds = {
            **dict.fromkeys(RESULT_TAGS, Mark.RESULT),
            **dict.fromkeys((closer for reader in readers for closer in reader.closers), Mark.CLOSER),
            **dict.fromkeys(heads, Mark.HEAD),
            **dict.fromkeys((mark for reader in readers for mark in reader.silent), Mark.SILENT),
            **dict.fromkeys((start for start, _ in thoughts), Mark.THOUGHT),
            **dict.fromkeys((end for _, end in thoughts), Mark.THOUGHT_END),
            **dict.fromkeys(openers, Mark.OPENER),
        }
        return Marks(
            kinds,
            {**heads, **openers},
            dict(thoughts),
            frozenset(ends),
            Literals(kinds, runs="`~"),
            Literals(openers),
            Literals({*openers, *ends}),
        )
