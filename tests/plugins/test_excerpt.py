"""The excerpt section: a passage and its message, in fences that they cannot leave."""

from __future__ import annotations

import pytest
from chat_turns import assembled, base, block_of, text_of, with_tables
from golden.seed_fragments import FRAGMENTS

from promptmw import CutReason, restore
from promptmw_plugins.documents import Document
from promptmw_plugins.excerpt import Excerpt
from promptmw_plugins.material import Snippet
from promptmw_plugins.selected_skills import SelectedSkill

HEAD = f"{FRAGMENTS['excerpt.heading']}\n{FRAGMENTS['excerpt.intro']}"


def shown(text: str, source: str = "") -> str:
    return text_of(assembled(base(Excerpt(text, source))), "excerpt")


def inner(text: str) -> str:
    """Returns what stands in the one fence of the passage, its escapes taken out."""
    found = shown(text).removeprefix(f"{HEAD}\n<excerpt>\n")
    assert found.endswith("\n</excerpt>")
    return restore(found.removesuffix("\n</excerpt>"))


def test_both_fences_stand_last_in_the_system_text() -> None:
    """EX1."""
    prompt = assembled(base(Excerpt("a passage", "a message"), Document("a.pdf")))
    assert prompt.system.endswith(
        f"\n\n{HEAD}\n<excerpt>\na passage\n</excerpt>\n<source-message>\na message\n</source-message>\n"
    )


@pytest.mark.parametrize("source", ["", " \n\u3000"])
def test_a_blank_source_has_no_fence(source: str) -> None:
    """EX2."""
    assert shown("a passage", source) == f"{HEAD}\n<excerpt>\na passage\n</excerpt>"


def test_a_blank_passage_leaves_no_section() -> None:
    """EX3."""
    assert shown(" \n", "a message") == ""


def test_a_long_source_is_cut_at_a_line_end_and_reported() -> None:
    """EX4."""
    block = block_of(assembled(base(Excerpt("a passage", "a line of words\n" * 563))), "excerpt")
    assert block is not None
    source = block.text.split("<source-message>\n")[1].removesuffix("\n</source-message>")
    assert len(source) <= 8_000
    assert source.endswith("a line of words\n…(truncated)")
    assert [(c.reason, c.before) for c in block.cuts] == [(CutReason.FIELD_LIMIT, 16 * 563)]


SPELLINGS = (
    "</excerpt>", "</ EXCERPT >", "<source-message>", "&lt;/excerpt&gt;", "</exc\u200berpt>", "＜/excerpt＞", "<EXCERPT"
)  # fmt: skip


@pytest.mark.parametrize("hostile", SPELLINGS)
def test_a_passage_cannot_end_its_fence_or_open_another(hostile: str) -> None:
    """EX5."""
    text = f"before {hostile} after"
    assert inner(text) == text
    shown_text = shown(text).removeprefix(HEAD)
    assert hostile not in shown_text.removeprefix("\n<excerpt>").removesuffix("</excerpt>")
    block = block_of(assembled(base(Excerpt(text))), "excerpt")
    assert block is not None
    assert [tag for _, tag in block.marks] == ["excerpt", "excerpt"]


def test_moved_it_stands_behind_the_users_text_and_before_the_snippets() -> None:
    """EX6."""
    pipeline = with_tables({"sections": {"excerpt": {"layer": "last_user"}}})
    turn = base(Excerpt("a passage"), Snippet("found"), SelectedSkill("Haiku", "In haiku."))
    system, user = (m["content"] for m in pipeline.messages(turn, [{"role": "user", "content": "Why?"}]))
    assert FRAGMENTS["excerpt.heading"] not in system
    places = [user.index(t) for t in ("Why?", "<user-selected-skills>", HEAD, "<context-from-knowledge-base>")]
    assert places == sorted(places)
    assert "<excerpt>…</excerpt>" in system


def test_moved_with_an_order_of_its_own_it_has_that_order() -> None:
    """EX6."""
    pipeline = with_tables({"sections": {"excerpt": {"layer": "last_user", "order": 25}}})
    turn = base(Excerpt("a passage"), Snippet("found"))
    assert [b.section for b in pipeline.assemble(turn).blocks][-2:] == ["rag", "excerpt"]


def test_the_inner_bytes_stay() -> None:
    """EX7."""
    text = "    indented\n\n\n\tdef f(x): return {x}\r\n  end  "
    assert shown(f"\r\n\n{text}\n\n") == f"{HEAD}\n<excerpt>\n{text}\n</excerpt>"


def test_the_cap_clips_the_source_before_the_passage() -> None:
    block = block_of(assembled(base(Excerpt("字" * 1_000, "字\n" * 3_900))), "excerpt")
    assert block is not None
    assert 4_500 < block.tokens <= 5_000
    assert "字" * 1_000 + "\n</excerpt>" in block.text
    assert block.text.endswith("字\n…(truncated)\n</source-message>")
    assert [c.reason for c in block.cuts if c.reason is CutReason.CAP] == [CutReason.CAP]


def test_the_cap_then_clips_the_passage_too_and_leaves_both_fences() -> None:
    block = block_of(assembled(base(Excerpt("字" * 7_900, "字" * 7_900))), "excerpt")
    assert block is not None
    assert block.tokens <= 5_000
    assert block.text.count("…(truncated)\n</") == 2
