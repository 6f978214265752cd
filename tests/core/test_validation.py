"""Plain data becomes the dataclass that it is meant for, or an error that says where and why not."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Literal

import pytest

from promptmw import ConfigError, InputError, RowsField, TextField, TextsField, rows_field, text_field, texts_field
from promptmw.validation import build, dotted


class Kind(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True)
class Inner:
    size: int = 0
    text: TextField = text_field(cap=5, default="")


@dataclass(frozen=True)
class Outer:
    name: str
    count: int = 1
    share: float = 0.5
    on: bool = False
    kind: Kind = Kind.SMALL
    order: Literal["name", "given"] = "name"
    text: TextField = text_field(cap=10, default="")
    words: TextsField = texts_field(cap=10)
    rows: RowsField = rows_field(cap=10)
    at: datetime | None = None
    inner: Inner = Inner()
    tags: tuple[str, ...] = ()
    more: dict[str, int] = field(default_factory=dict)


def made(data: Any) -> Outer:
    return build(Outer, data, path=("outer", 2), error=InputError)


def test_only_what_is_stated_is_set() -> None:
    assert made({"name": "x"}) == Outer("x")


def test_every_kind_of_field_is_made_of_plain_data() -> None:
    data = {
        "name": "x", "count": 2, "share": 1, "on": True, "kind": "large", "order": "given", "text": "t",
        "words": ["a", "b"], "rows": [["c"], []], "at": "2026-08-24T09:00:00Z", "inner": {"size": 3, "text": "i"},
        "tags": ["y"], "more": {"z": 1},
    }  # fmt: skip
    assert made(data) == Outer(
        "x", 2, 1.0, on=True, kind=Kind.LARGE, order="given", text="t", words=("a", "b"), rows=(("c",), ()),
        at=datetime(2026, 8, 24, 9, tzinfo=UTC), inner=Inner(3, "i"), tags=("y",), more={"z": 1},
    )  # fmt: skip


def test_a_dataclass_inside_is_one_with_its_own_conversions() -> None:
    inner = made({"name": "x", "inner": {"text": "longer"}}).inner
    assert type(inner) is Inner
    assert (inner.text.reveal(), inner.text.cut) == ("long", 2)


@pytest.mark.parametrize(
    ("stated", "path", "said"),
    [
        ({"count": "many"}, ("count",), "count: takes a whole number, not text"),
        ({"count": 1.5}, ("count",), "count: takes a valid integer"),
        ({"count": None}, ("count",), "count: takes a whole number, not nothing"),
        ({"share": []}, ("share",), "share: takes a number, not a list"),
        ({"on": "perhaps"}, ("on",), "on: takes true or false, not text"),
        ({"kind": "huge"}, ("kind",), "kind: takes 'small' or 'large', not 'huge'"),
        ({"order": "age"}, ("order",), "order: takes 'name' or 'given', not 'age'"),
        ({"text": 5}, ("text",), "text: takes text, not a whole number"),
        ({"words": "abc"}, ("words",), "words: takes a list, not text"),
        ({"words": ["a", 5]}, ("words", 1), "words[1]: takes text, not a whole number"),
        ({"rows": [["a"], "b"]}, ("rows", 1), "rows[1]: takes a list, not text"),
        ({"at": "2026-08-24T09:00:00"}, ("at",), "at: takes a date and time with a time zone, such as 2026-08-24T"),
        ({"at": "soon"}, ("at",), "at: takes a date and time with a time zone"),
        ({"inner": 5}, ("inner",), "inner: takes a table, not a whole number"),
        ({"inner": {"size": "x"}}, ("inner", "size"), "inner.size: takes a whole number, not text"),
        ({"inner": {"sise": 1}}, ("inner", "sise"), "inner.sise: there is no such key"),
        ({"more": {"z": "x"}}, ("more", "z"), "more.z: takes a whole number, not text"),
    ],
)
def test_a_wrong_value_is_named_with_its_path_and_what_it_should_be(stated: Any, path: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        made({"name": "x", **stated})
    assert raised.value.path == ("outer", 2, *path)
    assert str(raised.value).startswith(f"outer[2].{said}")


@pytest.mark.parametrize("secret", ["the-words-of-a-user", ["the-words-of-a-user"], {"a": "the-words-of-a-user"}])
@pytest.mark.parametrize("name", ["count", "share", "on", "at", "inner", "rows", "words", "more"])
def test_an_error_never_shows_the_value(name: str, secret: Any) -> None:
    try:
        made({"name": "x", name: secret})
    except InputError as error:
        assert "the-words" not in str(error)  # noqa: PT017


def test_a_key_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as raised:
        build(Outer, {"name": "x", "cuont": 1}, path=(), error=ConfigError)
    assert str(raised.value) == "the whole has no key 'cuont'. Did you mean 'count'?"
    assert raised.value.path == ("cuont",)


@pytest.mark.parametrize(("data", "found"), [([], "a list"), ("x", "text"), (None, "nothing"), (5, "a whole number")])
def test_what_is_no_table_is_named(data: Any, found: str) -> None:
    with pytest.raises(InputError, match=rf"outer\[2\]: takes a table of name, count, .*, not {found}"):
        made(data)


def test_paths_are_written_as_people_write_them() -> None:
    assert dotted(("memories", 2, "status")) == "memories[2].status"
    assert dotted(()) == "the whole"
