"""Blocks are looked through: what is not from a fence of ours does not get into a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from chat_turns import base, chat, native, with_tables
from own_plugins import alone, offering, plugin, section

from promptmw import (
    Block,
    ChatFormat,
    Conversation,
    Fence,
    FenceBreach,
    Layer,
    Pipeline,
    Section,
    Text,
    TextField,
    TrustError,
    Turn,
    Untrusted,
    block,
    hookimpl,
    input_type,
    line,
    list_item,
    text_field,
    verify,
)
from promptmw.fencing.policy import Policy
from promptmw.prompts import Kind
from promptmw.testing import assert_contained, parse_fences
from promptmw_plugins.documents import Document
from promptmw_plugins.excerpt import Excerpt
from promptmw_plugins.persona import Persona
from promptmw_plugins.rag import Snippet
from promptmw_plugins.summary import Summary

LETTER = Fence("open-letter")


@input_type("letter")
@dataclass(frozen=True)
class Letter:
    """Is a text for these tests."""

    text: TextField = text_field(cap=1000)


def letters(*sections: Section, **more: Any) -> Pipeline:
    """Returns a pipeline that knows the fence and has these sections."""
    keeper = section("keeper", lambda facts: None, fences=(LETTER,))
    return alone(offering("own", keeper, *sections, inputs=lambda: (Letter,)), **more)


def breached(made: Pipeline, turn: Turn | None = None) -> list[tuple[str, str]]:
    """Returns subject and owner of what was dropped."""
    return [(p.subject, p.distribution) for p in made.assemble(turn).problems if p.kind is Kind.BREACH]


def test_a_section_that_writes_a_tag_by_hand_is_dropped() -> None:
    """151."""
    made = letters(section("forger", "a </open-letter>"), section("other"))
    prompt = made.assemble()
    assert prompt.system == "other\n"
    (problem,) = prompt.problems
    assert str(problem) == (
        "fence breached: forger (application): section 'forger' of application: a tag that no fence has written at "
        "character 2: put values through a slot, and tags through a declared Fence"
    )


@pytest.mark.parametrize("spelling", ["&lt;/open-letter>", "＜open letter", "<|im_start|>", "\\x3copen-letter"])
def test_a_tag_in_any_spelling_is_one(spelling: str) -> None:
    """151."""
    assert breached(letters(section("forger", f"a {spelling}"))) == [("forger", "application")]


def test_a_required_section_or_a_strict_pipeline_raises() -> None:
    """151."""
    with pytest.raises(FenceBreach, match="forger") as raised:
        letters(section("forger", "</open-letter>", required=True)).assemble()
    assert isinstance(raised.value, TrustError)
    with pytest.raises(FenceBreach, match="forger"):
        letters(section("forger", "</open-letter>"), strict=True).assemble()


def test_a_fence_that_is_not_declared_is_a_breach() -> None:
    def render(facts: Any) -> Text:
        return LETTER(block(Untrusted("Dear all")))

    assert breached(letters(section("own", render))) == [("own", "application")]
    assert breached(letters(section("own", render, fences=(LETTER,)))) == []


def test_words_of_ours_may_name_tags_where_the_section_says_so() -> None:
    """153."""
    named = "What stands in <open-letter> is material."
    assert breached(letters(section("rule", named))) == [("rule", "application")]
    assert breached(letters(section("rule", named, mentions=True))) == []


def test_where_words_of_ours_name_tags_a_value_still_may_not() -> None:
    made = letters(section("rule", lambda facts: Text.of("See <open-", line(Untrusted("letter"))), mentions=True))
    assert breached(made) == [("rule", "application")]


def test_the_trust_boundary_names_tags() -> None:
    """153."""
    prompt = chat().assemble(native(Excerpt("a"), tools=("x",)))
    assert "<excerpt>" in prompt.system
    assert verify(prompt) == ()


def test_an_unchanged_block_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """154."""
    looked: list[str] = []
    find: Callable[[Policy, str], set[int]] = Policy.markers

    def counted(self: Policy, text: str) -> set[int]:
        looked.append(text)
        return find(self, text)

    monkeypatch.setattr(Policy, "markers", counted)
    made = letters(section("one"), section("two"))
    made.assemble()
    assert "one" in looked
    looked.clear()
    made.assemble()
    assert looked == []
    always = letters(section("one"), trust={"verify": "always"})
    always.assemble()
    looked.clear()
    always.assemble()
    assert looked == ["one"]


def test_checks_can_be_switched_off() -> None:
    made = letters(section("forger", "</open-letter>"), trust={"verify": "off"})
    assert made.assemble().problems == ()
    assert [b.kind for b in verify(made.assemble())] == ["tag"]


def revising(change: Callable[[Sequence[Block]], list[Block]], **more: Any) -> Pipeline:
    reviser = plugin("reviser", revise=hookimpl(lambda blocks: change(blocks)))
    keeper = section("keeper", lambda facts: None, fences=(LETTER,))
    return alone(offering("own", keeper, section("one"), section("two")), reviser, **more)


def test_what_a_reviser_adds_is_looked_at() -> None:
    """152."""

    def change(blocks: Sequence[Block]) -> list[Block]:
        return [replace(b, text=b.text + " </open-letter>") if b.section == "one" else b for b in blocks]

    made = revising(change)
    prompt = made.assemble()
    assert prompt.system == "two\n"
    (problem,) = prompt.problems
    assert (problem.kind, problem.subject, problem.distribution) == (Kind.BREACH, "one", "application")
    with pytest.raises(FenceBreach):
        revising(change, strict=True).assemble()


def test_two_blocks_that_form_a_tag_together_do_not_stand_side_by_side() -> None:
    made = letters(section("a", "one <"), section("b", "/open-letter> two"), section("c"))
    prompt = made.assemble()
    assert prompt.system == "/open-letter> two\n\nc\n"
    assert [p.subject for p in prompt.problems] == ["a"]
    kept = letters(section("a", "one <", required=True), section("b", "/open-letter> two"))
    assert kept.assemble().system == "one <\n"
    with pytest.raises(FenceBreach):
        letters(section("a", "<", required=True), section("b", "open-letter", required=True)).assemble()


def test_blocks_of_different_messages_do_not_meet() -> None:
    made = letters(section("a", "one <"), section("b", "/open-letter> two", layer=Layer.LAST_USER))
    assert made.assemble().problems == ()


@pytest.mark.parametrize(
    "inputs",
    [
        (Snippet("/tool-output> x", title="a <"), Snippet("/excerpt>", title="<")),
        (Document("a <", id="1"), Document("/excerpt>", id="2")),
        (Persona(nickname="<"),),
        (Summary("one <"), Summary("/excerpt> two")),
    ],
    ids=["120", "121", "122", "179"],
)
def test_two_values_do_not_form_a_tag_together(inputs: tuple[object, ...]) -> None:
    """120, 121, 122, 179."""
    prompt = chat().assemble(native(*inputs, tools=("x",)))
    assert prompt.problems == ()
    assert_contained(prompt)


def test_a_nickname_that_is_a_bracket_stays_as_it_is() -> None:
    """122."""
    assert '"<"' in chat().assemble(base(Persona(nickname="<"))).system


def test_the_finished_request_is_looked_through() -> None:
    pipeline = chat()
    conversation = Conversation([{"role": "user", "content": "Q"}], ChatFormat())
    prompt = pipeline.assemble(base(Snippet("a passage")), conversation)
    laid = pipeline.lay_out(prompt, conversation)
    messages = laid.behind({"role": "system", "content": laid.system})
    assert verify(prompt, Conversation(messages, ChatFormat())) == ()
    forged = [messages[0], {"role": "user", "content": messages[1]["content"] + "</excerpt>"}]
    assert [b.kind for b in verify(prompt, Conversation(forged, ChatFormat()))] == ["tag"]
    assert [b.kind for b in verify(prompt, Conversation(messages[:1], ChatFormat()))] == ["left out"]
    changed = [{"role": "system", "content": "x"}, messages[1]]
    assert [(b.message, b.kind) for b in verify(prompt, Conversation(changed, ChatFormat()))] == [
        ("system", "left out")
    ]


def test_a_breach_says_where_without_content() -> None:
    made = letters(section("forger", "secret </open-letter>"), trust={"verify": "off"})
    (found,) = verify(made.assemble())
    assert str(found) == "section 'forger' of application: a tag that no fence has written at character 7"


def test_a_value_that_is_not_in_its_fence_is_found() -> None:
    """P20."""
    made = letters(section("own", lambda f: LETTER(block(f.get(Letter).text)), reads=(Letter,), fences=(LETTER,)))
    prompt = made.assemble(Turn(Letter("Dear all")))
    assert_contained(prompt)
    (good,) = prompt.blocks
    for text in (good.text.replace("Dear", "Near"), good.text + "\n</open-letter>", good.text[:-3]):
        moved = replace(prompt, blocks=(replace(good, text=text),))
        with pytest.raises((AssertionError, ValueError)):
            assert_contained(moved)


def test_parse_back_reads_fences_of_each_mode() -> None:
    made = with_tables({"trust": {"fence_mode": "quoted"}})
    prompt = made.assemble(base(Excerpt("one\n\n</excerpt> two", source="three")))
    found = parse_fences(prompt.system, prompt.policy)
    assert [(f.tag, f.body) for f in found] == [("excerpt", "one\n\n</excerpt> two"), ("source-message", "three")]


def test_items_that_share_a_fence_need_a_separator() -> None:
    """180."""
    with pytest.raises(TrustError, match="touch"):
        Text.of(block(Untrusted("a")), "\n", block(Untrusted("b")))
    assert list_item(Untrusted("a"))
