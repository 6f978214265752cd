"""Inputs: what a declaration says, and what may be seen of a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

import pytest

from promptmw import InputError, RowsField, TextField, TextsField, Trust, aware, input_type, rows_field, text_field
from promptmw import texts_field as texts
from promptmw.inputs import InputType, declared

SECRET = "words-of-the-user"


class Wind(Enum):
    STRONG = "strong"


@dataclass(frozen=True)
class Place:
    name: str


@input_type("weather", many=True, trust=Trust.UNTRUSTED, client=True)
@dataclass(frozen=True)
class Weather:
    report: TextField = text_field(cap=100)
    words: TextsField = texts(cap=100)
    rows: RowsField = rows_field(cap=100)
    station: str = ""
    degrees: float = 0.0
    wind: Wind | None = None
    day: date | None = None
    place: Place = Place("")
    more: Mapping[str, str] = field(default_factory=dict)


def test_a_declaration_is_found_from_the_type_and_from_a_value() -> None:
    expected = InputType("weather", Weather, many=True, trust=Trust.UNTRUSTED, client=True)
    assert declared(Weather) == declared(Weather("sunny")) == expected


@pytest.mark.parametrize("value", [str, "sunny", None, Place("x"), Place])
def test_what_was_not_declared_is_no_input(value: Any) -> None:
    with pytest.raises(InputError, match=r"is no input: declare it with @input_type\(name\) over a frozen dataclass"):
        declared(value)


def test_a_dataclass_that_can_change_is_no_input() -> None:
    with pytest.raises(InputError, match="input 'loose': Loose must be a frozen dataclass"):

        @input_type("loose")
        @dataclass
        class Loose:
            text: str = ""


def test_its_repr_shows_sizes_and_no_content() -> None:
    weather = Weather(
        report=SECRET, words=(SECRET,), rows=((SECRET,),), station=SECRET, degrees=21.5, wind=Wind.STRONG,
        day=date(2026, 8, 24), place=Place(SECRET), more={SECRET: SECRET},
    )  # fmt: skip
    assert SECRET not in repr(weather)
    assert repr(weather) == (
        "<weather report=<Untrusted 17 characters from weather>, words=1 items, rows=1 items, station=17 characters, "
        "degrees=21.5, wind=<Wind.STRONG: 'strong'>, day=datetime.date(2026, 8, 24), place=Place, more=dict>"
    )


def test_equal_inputs_are_equal_and_have_equal_hashes() -> None:
    @input_type("city")
    @dataclass(frozen=True)
    class City:
        name: TextField = text_field(cap=10)

    assert City("Rome") == City("Rome")
    assert hash(City("Rome")) == hash(City("Rome"))
    assert City("Rome") != City("Oslo")


def test_a_field_without_a_default_must_be_stated() -> None:
    @input_type("city")
    @dataclass(frozen=True)
    class City:
        name: TextField = text_field(cap=10)

    with pytest.raises(TypeError, match="name"):
        City()


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a" * 10, "a" * 10), ("é" * 5, "é" * 5), ("é" * 6, "é" * 3), ("\U0001f468" * 3, "\U0001f468")],
    ids=["fits", "fits in bytes", "two bytes each", "four bytes each"],
)
def test_a_cap_in_bytes_leaves_room_for_its_mark_and_cuts_no_character(text: str, kept: str) -> None:
    @input_type("file")
    @dataclass(frozen=True)
    class File:
        name: TextField = text_field(cap=10, utf8=True)

    held = File(text).name
    assert held.reveal() == kept
    assert held.size + held.cut == len(text)


def test_no_field_holds_more_than_the_hard_limit_whatever_its_cap() -> None:
    """138."""

    @input_type("book")
    @dataclass(frozen=True)
    class Book:
        text: TextField = text_field(cap=10_000_000, lines=True)

    held = Book("x" * 1_000_001).text
    assert held.size + len("\n…(truncated)") == 1_000_000
    assert held.size + held.cut == 1_000_001


def test_a_time_needs_its_zone() -> None:
    aware("documents.created", None)
    aware("documents.created", datetime(2026, 8, 24, tzinfo=UTC))
    for wrong in (datetime(2026, 8, 24), "2026-08-24T09:00:00Z", date(2026, 8, 24)):
        with pytest.raises(InputError, match=r"documents\.created: takes a datetime with a time zone; add tzinfo"):
            aware("documents.created", wrong)  # type: ignore[arg-type]
