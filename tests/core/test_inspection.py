"""Looking into prompts: what is in one, and what has moved between two."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from own_plugins import alone, offering, section

from promptmw import (
    Facts,
    Fence,
    Item,
    Layer,
    Pipeline,
    Prompt,
    Stability,
    Text,
    TextField,
    Turn,
    Untrusted,
    block,
    input_type,
    line,
    listing,
    moved,
    rows,
    text_field,
    verbatim,
)

SECRET = "words-of-the-user"


@input_type("notes", many=True)
@dataclass(frozen=True)
class Note:
    text: TextField = text_field(cap=30)


@input_type("mood")
@dataclass(frozen=True)
class Mood:
    text: str = ""


@input_type("unread")
@dataclass(frozen=True)
class Unread:
    text: str = ""


NOTES = Fence("private-notes")


def notes(facts: Facts) -> Text | None:
    found = facts.all(Note)
    return NOTES(Text.join("\n- ", [block(n.text, item=True) for n in found])) if found else None


def mood(facts: Facts) -> str | None:
    found = facts.get(Mood)
    return f"Mood: {found.text}" if found else None


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return alone(
        offering(
            "own",
            section("rule", "Be brief.", order=1, stability=Stability.STATIC),
            section("mood", mood, reads=(Mood,), order=2),
            section("notes", notes, reads=(Note, Unread), order=3, fences=(NOTES,)),
            section("question", "And now:", layer=Layer.LAST_USER),
        )
    )


def made(pipeline: Pipeline, *inputs: object) -> Prompt:
    return pipeline.assemble(Turn(*inputs))


def test_there_is_a_row_for_each_block_in_the_order_in_which_they_are_sent(pipeline: Pipeline) -> None:
    found = rows(made(pipeline, Mood("fine"), Note("x")))
    assert [(r.section, r.layer, r.order, r.stability) for r in found] == [
        ("rule", "system", 1, "static"),
        ("mood", "system", 2, "turn"),
        ("notes", "system", 3, "turn"),
        ("question", "last_user", 500, "turn"),
    ]
    assert [r.reads for r in found] == [(), ("mood",), ("notes",), ()]
    assert {r.distribution for r in found} == {"application"}
    assert sum(r.share for r in found) == pytest.approx(1)


def test_a_row_counts_what_is_not_ours_and_says_what_was_cut(pipeline: Pipeline) -> None:
    row = rows(made(pipeline, Note(SECRET + "x" * 50)))[1]
    assert row.untrusted == 29
    assert row.characters == len("<private-notes>\n\n</private-notes>") + 29 + len("\n…(truncated)")
    assert row.cuts == ("notes: 29 of 67 characters (field limit)",)


def test_rows_show_no_content(pipeline: Pipeline) -> None:
    assert SECRET not in str(rows(made(pipeline, Mood(SECRET), Note(SECRET))))


def test_an_operator_s_text_is_no_user_s() -> None:
    text = verbatim("Ours.", cap=99) + " " + line(Untrusted("theirs"))
    (row,) = rows(alone(offering("own", section("a", text))).assemble())
    assert (row.characters, row.untrusted) == (12, 6)


def test_items_that_a_cap_has_dropped_are_in_the_row() -> None:
    body = listing("head", [Item("word " * 20, str(i)) for i in range(5)])
    (row,) = rows(alone(offering("own", section("a", lambda facts: body, cap=50))).assemble())
    assert row.cuts == ("a: 2 of 5 items (section cap)",)


def test_an_empty_prompt_has_no_rows() -> None:
    assert rows(alone().assemble()) == []


def test_nothing_has_moved_between_equal_prompts(pipeline: Pipeline) -> None:
    """CA2."""
    assert moved(made(pipeline, Mood("fine")), made(pipeline, Mood("fine"))) is None
    assert moved(made(pipeline), made(pipeline)) is None


def test_a_changed_input_is_named_with_its_section_and_place(pipeline: Pipeline) -> None:
    """CA2."""
    before, after = made(pipeline, Mood("fine"), Note("x")), made(pipeline, Mood("fine"), Note("x"), Note("y"))
    found = moved(before, after)
    assert found
    assert (found.section, found.inputs, found.change) == ("notes", ("notes",), "changed")
    assert before.system[: found.offset] == after.system[: found.offset] == "Be brief.\n\nMood: fine\n\n"
    assert found.tokens == sum(b.tokens for b in after.blocks[2:])


def test_the_first_of_several_changes_is_named(pipeline: Pipeline) -> None:
    found = moved(made(pipeline, Mood("fine"), Note("x")), made(pipeline, Mood("low"), Note("y")))
    assert found
    assert (found.section, found.inputs) == ("mood", ("mood",))


def test_an_input_that_changes_no_byte_moves_nothing(pipeline: Pipeline) -> None:
    before, after = made(pipeline, Note("x"), Unread("a")), made(pipeline, Note("x"), Unread("b"))
    assert moved(before, after) is None


@pytest.mark.parametrize("change", ["added", "removed"])
def test_a_block_that_comes_or_goes_is_named(pipeline: Pipeline, change: str) -> None:
    pair = [made(pipeline, Note("x")), made(pipeline, Mood("fine"), Note("x"))]
    found = moved(*(pair if change == "added" else pair[::-1]))
    assert found
    assert (found.section, found.inputs, found.change, found.offset) == ("mood", (), change, len("Be brief.\n\n"))


def test_a_block_that_goes_from_the_end_is_named() -> None:
    pipeline = alone(offering("own", section("rule", "Be brief.", order=1), section("mood", mood, reads=(Mood,))))
    found = moved(made(pipeline, Mood("fine")), made(pipeline))
    assert found
    assert (found.section, found.change, found.tokens) == ("mood", "removed", 0)
