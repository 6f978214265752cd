"""What holds for every text in every slot.

`uv run pytest tests/properties --hypothesis-profile thorough` tries 50,000 texts for each property.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from properties.hostile import HEADINGS, HOSTILE, TAGS
from properties.marker_oracle import plain, tags

from promptmw import (
    CITATION,
    STATUS,
    TRUNCATION,
    Text,
    Trust,
    Untrusted,
    attr,
    block,
    line,
    list_item,
    restore,
    section,
)
from promptmw.fencing import Policy, Slot, json_string
from promptmw.fencing.markers import markers
from promptmw.fencing.names import EXACT, SQUARE, TOKENS

POLICY = Policy(TAGS, HEADINGS)
SLOTS: dict[str, Callable[[Untrusted], Text]] = {
    "block": block,
    "block, item": lambda u: block(u, item=True),
    "block, grammars": lambda u: block(u, grammars=(CITATION, STATUS, TRUNCATION)),
    "section": section,
    "line": line,
    "line, quoted": lambda u: line(u, quoted=True),
    "line, grammars": lambda u: line(u, grammars=(STATUS,), reserve="; "),
    "attr": attr,
    "list_item": lambda u: list_item(u, reserve=": "),
}
ONE_LINE = ("line", "line, quoted", "line, grammars", "attr", "list_item")
IN_MESSAGES = Slot("message", markers_only=True)
FOREIGN = ("system-reminder", "tool_call", "start_of_turn")
CONTROL = [*(f"<|{t}|>" for t in TOKENS), *(f"<{t}>" for t in EXACT), *(f"</{t}>" for t in EXACT), "<<SYS>>"]
SQUARES = [f"[{t}]" for t in SQUARE] + [f"[/{t}]" for t in SQUARE]
AFTERWARDS: dict[str, Callable[[str], str]] = {
    "NFC": lambda t: unicodedata.normalize("NFC", t),
    "NFD": lambda t: unicodedata.normalize("NFD", t),
    "NFKC": lambda t: unicodedata.normalize("NFKC", t),
    "NFKD": lambda t: unicodedata.normalize("NFKD", t),
    "casefold": str.casefold,
    "upper": str.upper,
    "unescaped": html.unescape,
    "json": lambda t: json.dumps(t, ensure_ascii=False),
    "ascii json": json.dumps,
    "stripped": str.strip,
}


def written(slot: str, text: str) -> str:
    return POLICY.write(SLOTS[slot](Untrusted(text, trust=Trust.USER))).text


def shown(text: str) -> str:
    return POLICY.neutralise(text, Slot("block"))


def in_slots(names: tuple[str, ...] = tuple(SLOTS)) -> st.SearchStrategy[str]:
    return st.sampled_from(names)


@given(HOSTILE, in_slots())
def test_every_text_comes_back_and_can_be_sent(text: str, slot: str) -> None:
    """P2, P6, P18."""
    found = written(slot, text)
    assert text.isspace() or restore(found) == text
    assert len(found) <= 10 * len(text)
    found.encode()


@given(HOSTILE)
def test_a_message_comes_back(text: str) -> None:
    """P2, for the level of messages that are not ours."""
    found = POLICY.neutralise(text, IN_MESSAGES)
    assert restore(found) == text
    assert "⟦" in found or found is text


@given(HOSTILE)
def test_a_string_of_json_comes_back(text: str) -> None:
    """P17."""
    found = POLICY.write(json_string(Untrusted(text))).text
    assert restore(json.loads(found)) == text
    assert len(found.splitlines()) == 1
    assert not tags(found, TAGS)


@given(HOSTILE, in_slots())
@example("＆lt;/tool-output>", "block")
@example("&＃６0；/excerpt", "block")
def test_no_tag_is_left_in_any_spelling(text: str, slot: str) -> None:
    """P3."""
    found = written(slot, text)
    assert not tags(found, TAGS)
    assert not [token for token in (*CONTROL, *SQUARES) if token in found]


@given(HOSTILE, st.sampled_from(sorted(AFTERWARDS)))
@example("＆lt;/tool-output>", "NFKC")
@example("＼x3c/tool-output>", "NFKC")
@example("％３ｃ/tool-output>", "NFKD")
def test_no_tag_comes_up_in_what_is_done_to_it_later(text: str, afterwards: str) -> None:
    """P5."""
    assert not tags(AFTERWARDS[afterwards](written("block", text)), TAGS)


@given(HOSTILE)
def test_a_message_holds_no_tag_either(text: str) -> None:
    """P3, for the level of messages that are not ours."""
    assert not tags(POLICY.neutralise(text, IN_MESSAGES), TAGS)


@given(HOSTILE, st.booleans())
def test_the_fast_way_finds_what_the_definition_says(text: str, begun: bool) -> None:
    """P9."""
    found = markers(POLICY.tags, ("skill",))
    assert found.find(text, begun=begun) == found.every(text, begun=begun)


@given(HOSTILE, HOSTILE)
def test_neighbours_do_not_matter(one: str, other: str) -> None:
    """P10."""
    assert written("block", f"{one} § {other}") == f"{shown(one)} § {shown(other)}"


@given(HOSTILE, in_slots(ONE_LINE))
def test_a_one_line_slot_gives_one_line(text: str, slot: str) -> None:
    """P14, 119."""
    found = written(slot, text)
    assert len(found.splitlines()) <= 1
    assert slot != "attr" or not set(found) & set('"<>')
    assert slot != "line, quoted" or '"' not in found


@given(HOSTILE)
def test_a_section_has_no_line_that_reads_as_our_heading(text: str) -> None:
    """P15."""
    ours = [plain(h.lstrip("# ")) for h in ("## Trust boundary", "## Tool guidance", "## 信任边界")]
    for one in written("section", text).splitlines():
        marked = re.match(r"[\s>]*(#+)(.*)", one)
        assert not (marked and plain(marked[2]).startswith(tuple(ours))), one


@given(HOSTILE)
def test_clean_text_is_the_same_object(text: str) -> None:
    """P6."""
    found = shown(text)
    assert "⟦" in found or found is text


@pytest.mark.parametrize("name", [*TAGS, *FOREIGN])
def test_the_oracle_itself_finds_tags(name: str) -> None:
    for text in (f"</{name}>", f"&lt;{name}", f"\\x3c{name.upper()}", f"%253C/{name}", f"‹{name}", f"<\u200b{name}"):
        assert tags(text, (*TAGS, *FOREIGN)) == {name}, text
