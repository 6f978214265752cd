"""What models write, and what must come of it, however it is cut into chunks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolmode.reading import Short, check_deltas, cut_at, driven, in_two, joined, merged, opened, same, tool

from promptmw.toolmode import Arguments, Event, FinishReason, ToolTable
from promptmw.toolmode.formats import FORMATS

REASONS = {reason.value: reason for reason in FinishReason} | {None: None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Is an answer and its merged events; calls as name, arguments and notes, problems as kind and name."""

    id: str
    title: str
    text: str
    events: list[list[Any]]
    format: str = "hermes"
    reason: str | None = "stop"
    stop_sent: bool = False
    starts_in_reasoning: bool = False
    max_blocks: int | None = None

    def read(self, chunks: Iterable[str], **options: Any) -> list[Event]:
        parser = opened(
            self.format, stop_sent=self.stop_sent, starts_in_reasoning=self.starts_in_reasoning,
            max_blocks=self.max_blocks, **options,
        )  # fmt: skip
        return driven(parser, chunks, REASONS[self.reason])

    def wanted(self) -> list[Short]:
        return [tuple(event) for event in self.events]


LINES = Path(__file__).with_name("hard_answers.jsonl").read_text(encoding="utf-8").splitlines()
ROWS = [row for row in (Row(**json.loads(line)) for line in LINES) if row.format in FORMATS]

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
each_mode = pytest.mark.parametrize("arguments", Arguments, ids=lambda mode: mode.value)


def test_each_format_has_rows_and_each_row_an_id_of_its_own() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS) > 130
    assert {row.format for row in ROWS} == set(FORMATS) - {"seed"}  # which differs from another by its tag only


@each_row
def test_whole(row: Row) -> None:
    events = row.read([row.text])
    assert same(merged(events)[:-1], row.wanted()), row.title
    check_deltas(events)


@each_row
def test_in_any_two_chunks_and_one_character_at_a_time(row: Row) -> None:
    """Merged events and argument deltas are the same as whole."""
    whole = joined(row.read([row.text]))
    for chunks in (list(row.text), *in_two(row.text)):
        assert same(joined(row.read(chunks)), whole), chunks


@each_row
def test_eager(row: Row) -> None:
    """What is sent early is what was meant, or the call ends in an error; never anything else."""
    validated = merged(row.read([row.text]))
    whole = row.read([row.text], arguments=Arguments.EAGER)
    check_deltas(whole)
    for got, want in zip(merged(whole)[:-1], validated[:-1], strict=True):
        assert same(got, want) or _sent_early(got, want), (got, want)
    for chunks in (list(row.text), *in_two(row.text)):
        assert same(joined(row.read(chunks, arguments=Arguments.EAGER)), joined(whole)), chunks


def _sent_early(got: Short, want: Short) -> bool:
    """Says whether two events differ only because arguments were out before they were found wanting."""
    match want[0], got[0]:
        case "call", "error":
            return bool({"repaired", "duplicate_key"} & set(want[3])) and got[1] == "malformed" and len(got) == 4
        case "error", "call":
            return want[1] == "invalid_arguments" and "invalid_arguments" in got[3]
        case "error", "error":
            return want[2] == got[2] and len(got) == 4
    return False


@each_mode
@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_in_any_chunks(data: st.DataObject, arguments: Arguments) -> None:
    """Empty chunks included."""
    row = data.draw(st.sampled_from(ROWS))
    chunks = cut_at(row.text, data.draw(st.lists(st.integers(0, len(row.text)), max_size=12)))
    assert "".join(chunks) == row.text
    got, whole = row.read(chunks, arguments=arguments), row.read([row.text], arguments=arguments)
    assert same(joined(got), joined(whole))
    check_deltas(got)


@each_row
def test_a_stranger_s_tools_are_not_called(row: Row) -> None:
    """With other tools on, no row gives a call; whatever is left over is a problem, a drop or text."""
    table = ToolTable.of([tool("something_else")])
    assert not [event for event in merged(row.read([row.text], table=table)) if event[0] == "call"]
