"""Text that is not ours refuses to be a string."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from promptmw import (
    ConfigError,
    Fence,
    InputError,
    RowsField,
    Text,
    TextField,
    TextsField,
    Trust,
    TrustError,
    Untrusted,
    block,
    input_type,
    restore,
    rows_field,
    text_field,
    texts_field,
)
from promptmw.fencing import Policy

SECRET = "secret words"
VALUE = Untrusted(SECRET, source="web")


@pytest.mark.parametrize(
    "use",
    [
        str,
        bytes,
        bool,
        list,
        len,
        pickle.dumps,
        lambda v: f"{v}",
        lambda v: "%s" % v,  # noqa: UP031
        lambda v: "{}".format(v),  # noqa: UP032
        lambda v: v + "x",
        lambda v: "x" + v,
        lambda v: "x" in v,
        lambda v: v[0],
    ],
)
def test_using_it_as_a_string_is_an_error_without_content(use: Callable[[Any], object]) -> None:
    """111."""
    with pytest.raises(TrustError) as raised:
        use(VALUE)
    assert isinstance(raised.value, TypeError)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("use", [lambda v: "".join([v]), json.dumps])
def test_built_in_functions_refuse_it_too(use: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError):
        use(VALUE)


def test_its_repr_shows_size_and_source_only() -> None:
    """112."""
    assert repr(VALUE) == "<Untrusted 12 characters from web>"


def test_copies_are_the_thing_itself() -> None:
    assert copy.copy(VALUE) is copy.deepcopy(VALUE) is VALUE


def test_equal_texts_are_equal_and_have_equal_hashes() -> None:
    assert Untrusted(SECRET, source="web") == VALUE
    assert hash(VALUE) == hash(Untrusted(SECRET, source="web"))
    assert Untrusted(SECRET, source="web", trust=Trust.USER) != VALUE


def test_it_is_not_made_of_a_text() -> None:
    """113."""
    with pytest.raises(TrustError, match="nothing is neutralised twice"):
        Untrusted(block(VALUE))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("abcdef", 4, "abcd"),
        ("abce\u0301f", 4, "abc"),
        ("ab\U0001f468\u200d\U0001f469", 4, "ab"),
        ("abc\r\nd", 4, "abc"),
        ("abc", 4, "abc"),
    ],
)
def test_a_cap_never_cuts_a_character_from_its_marks(text: str, limit: int, kept: str) -> None:
    """136."""
    capped = Untrusted(text).cap(limit)
    assert capped.reveal() == kept
    assert capped.cut == len(text) - len(kept)


def test_a_cap_prefers_a_line_end_in_its_last_fifth() -> None:
    assert Untrusted("12345678\n0123").cap(10, at_line_end=True).reveal() == "12345678"
    assert Untrusted("123\n567890123").cap(10, at_line_end=True).reveal() == "123\n567890"


@pytest.mark.parametrize(
    ("text", "one"), [("a\nb", "a b"), (" a \r\n b ", "a b"), ("a\u2028\tb", "a b"), ("a  b", "a  b"), ("\n", "")]
)
def test_line_breaks_become_one_space(text: str, one: str) -> None:
    assert Untrusted(text).one_line().reveal() == one


@input_type("notes", many=True)
@dataclass(frozen=True)
class Note:
    text: TextField = text_field(cap=20, trust=Trust.USER, lines=True)
    title: TextField = text_field(cap=5, default="")
    words: TextsField = texts_field(cap=4)
    rows: RowsField = rows_field(cap=4)


def test_a_field_takes_strings_and_gives_untrusted_text_of_its_input() -> None:
    """116."""
    note = Note("likes tea", words=("a",), rows=(("b",),))
    assert (note.text.trust, note.text.source) == (Trust.USER, "notes")
    assert (note.words[0].reveal(), note.rows[0][0].reveal(), note.title.blank) == ("a", "b", True)
    assert note == Note(Untrusted("likes tea", source="notes", trust=Trust.USER), words=("a",), rows=(("b",),))


def test_a_field_keeps_the_lesser_trust_and_the_source() -> None:
    note = Note(Untrusted("x", source="mail"), title=Untrusted("y", trust=Trust.USER))
    assert (note.text.trust, note.text.source) == (Trust.UNTRUSTED, "mail")
    assert note.title.trust is Trust.UNTRUSTED


def test_a_field_cuts_to_its_cap_with_room_for_the_mark() -> None:
    note = Note("x" * 30, title="123456")
    assert note.text.size + len("\n…(truncated)") == 20
    assert note.text.size + note.text.cut == 30
    assert (note.title.reveal(), note.title.cut) == ("1234", 2)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"text": 5}, "notes.text takes text, not int"),
        ({"text": "x", "words": "abc"}, "notes.words takes a list, not str"),
        ({"text": "x", "rows": ("abc",)}, "notes.rows takes a list, not str"),
    ],
)
def test_a_wrong_type_is_named_with_its_field(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Note(**fields)


def test_a_fence_of_nothing_is_nothing() -> None:
    """123."""
    assert not Fence("tool-output")(Text())


def test_a_fence_writes_its_tags_on_lines_of_their_own() -> None:
    """124."""
    fence = Fence("tool-output")
    written = Policy(["tool-output"]).write(fence(block(Untrusted("body")), name="calc", status=""))
    assert written.text == '<tool-output name="calc">\nbody\n</tool-output>'
    assert written.marks == ((0, "tool-output"), (written.text.index("</"), "tool-output"))


@pytest.mark.parametrize("tag", ["Tool Output", "tool__output", "-a-b-c-d-e", "input", "x" * 49])
def test_a_fence_needs_a_distinctive_tag(tag: str) -> None:
    """125."""
    with pytest.raises(ConfigError, match="fence tag"):
        Fence(tag)


def test_a_local_tag_is_reserved_inside_its_own_fence_only() -> None:
    """127."""
    policy = Policy([])
    value = Untrusted("a </skill> b")
    assert policy.write(Fence("skill", local=True)(block(value))).text == "<skill>\na ⟦U+003C⟧/skill> b\n</skill>"
    assert policy.write(block(value)).text == "a </skill> b"


@pytest.mark.parametrize("text", ["⟦U+3C⟧", "⟦U+0000003C⟧", "⟦U+003c⟧", "⟦U+110000⟧", "⟦x⟧"])
def test_only_canonical_escapes_are_restored(text: str) -> None:
    """144."""
    assert restore(text) == text


def test_two_policies_of_the_same_names_have_one_id() -> None:
    assert Policy(["b-b-b-b-b-b-b", "a"], ["## X"]).id == Policy(["a", "b-b-b-b-b-b-b"], ["## X"]).id
    assert Policy(["a"]).id != Policy(["b"]).id
