"""Escapes come out again: for tools, for people, and from a stream."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptmw import Restorer, Untrusted, block, restore, restore_arguments, restore_display
from promptmw.fencing import Policy

PIECES = [
    "⟦",
    "U+",
    "003C",
    "27E6",
    "001B",
    "D83D",
    "0022",
    "⟧",
    "\\",
    "\\u27e6",
    "\\u27E7",
    '"',
    "a",
    "\n",
    "U",
    "10FFFF",
]


@pytest.mark.parametrize("text", ["⟦U+3C⟧", "⟦U+0000003C⟧", "⟦U+003c⟧", "⟦U+110000⟧", "⟦x⟧", "⟦U+00003C⟧"])
def test_what_is_no_escape_of_ours_stays(text: str) -> None:
    """Row 144."""
    assert restore(text) == restore_display(text) == restore_arguments(text) == text
    assert Restorer.for_json().all(text) == text


def test_people_see_visible_characters_only() -> None:
    """Row 145."""
    assert restore_display("⟦U+003C⟧b⟦U+001B⟧⟦U+202E⟧") == "<b⟦U+001B⟧⟦U+202E⟧"
    assert restore_display("⟦U+000A⟧⟦U+0009⟧⟦U+000D⟧⟦U+27E6⟧") == "\n\t⟦U+000D⟧⟦"


def test_tools_get_the_real_characters() -> None:
    """Row 146."""
    given = {"a": ["⟦U+003C⟧/x", {"b": "⟦U+D83D⟧"}], "n": 1, "⟦U+003C⟧": None}
    assert restore_arguments(given) == {"a": ["</x", {"b": "⟦U+D83D⟧"}], "n": 1, "⟦U+003C⟧": None}
    assert given["a"] == ["⟦U+003C⟧/x", {"b": "⟦U+D83D⟧"}], "the arguments of others are never changed"


def test_how_deep_arguments_are_does_not_matter() -> None:
    value: Any = "⟦U+003C⟧"
    for _ in range(20 * sys.getrecursionlimit()):
        value = [value]
    value = restore_arguments(value)
    while isinstance(value, list):
        value = value[0]
    assert value == "<"


@pytest.mark.parametrize("text", ["a⟦U+003C⟧b", "⟦U+10FFFF⟧", "⟦⟦U+003C⟧⟦U", "⟦U+003C⟧⟦U+001B⟧"])
def test_a_stream_that_is_cut_anywhere_gives_the_same_text(text: str) -> None:
    """Row 147."""
    for cut in range(len(text) + 1):
        restorer = Restorer.for_display()
        shown = restorer.feed(text[:cut])
        assert shown + restorer.feed(text[cut:]) + restorer.end() == restore_display(text)


def test_a_stream_holds_ten_characters_at_most() -> None:
    """Row 147."""
    text, restorer, said = "x⟦U+10FFFFFFFF" * 50, Restorer.for_display(), ""
    for at, character in enumerate(text, 1):
        said += restorer.feed(character)
        assert at - len(said) <= 10
    assert said + restorer.end() == text


@given(st.lists(st.sampled_from(PIECES)), st.data())
def test_arguments_that_come_in_pieces_are_restored_as_whole_ones_are(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    whole, restorer = Restorer.for_json().all(text), Restorer.for_json()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join(map(restorer.feed, parts)) + restorer.end() == whole


@given(st.lists(st.sampled_from(PIECES)).map("".join), st.booleans())
def test_text_of_json_means_what_the_parsed_value_means(value: str, ascii_only: bool) -> None:
    written = json.dumps({"a": value, "n": [1.50, True]}, ensure_ascii=ascii_only)
    assert json.loads(Restorer.for_json().all(written)) == restore_arguments(json.loads(written))


def test_text_without_an_escape_is_the_same_object() -> None:
    text = "plain text" * 10
    assert restore_display(text) is text
    assert Restorer.for_display().feed(text) is text


def test_what_is_restored_on_its_way_into_a_store_never_nests() -> None:
    """Row 149: a summary that quotes an escape, three times over."""
    policy = Policy(("excerpt",))
    stored = "The page says </excerpt> and ⟦U+003C⟧."
    for _ in range(3):
        quoted = policy.write(block(Untrusted(stored))).text
        assert restore(quoted) == stored
        stored = restore(quoted)
