"""The date section: the calendar day where the user is, and no time of day."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from chat_turns import NOW, assembled, base, text_of, with_tables
from golden.seed_fragments import FRAGMENTS

from promptmw import InputError

LATE = datetime(2026, 8, 24, 23, 30, tzinfo=UTC)
WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def test_english_has_the_weekday() -> None:
    """DA1."""
    assert text_of(assembled(base()), "date") == FRAGMENTS["date.text"] % "Monday, 2026-08-24"


@pytest.mark.parametrize("day", range(24, 31))
def test_every_weekday_has_its_name(day: int) -> None:
    text = text_of(assembled(base(now=NOW.replace(day=day))), "date")
    assert text.startswith(f"Today is {WEEK[day - 24]}, 2026-08-{day}.")


@pytest.mark.parametrize("locale", ["zh", "zh-Hant", "ja", "fr"])
def test_other_languages_have_the_iso_day_alone(locale: str) -> None:
    """DA2."""
    text = text_of(assembled(base(locale=locale)), "date")
    assert text.count("2026-08-24") == 1
    assert not any(word in text for word in (*WEEK, "Today", "today"))


@pytest.mark.parametrize(
    ("zone", "day"), [("Asia/Tokyo", "Tuesday, 2026-08-25"), ("America/New_York", "Monday, 2026-08-24")]
)
def test_the_day_is_that_of_the_turns_zone(zone: str, day: str) -> None:
    """DA3."""
    assert f"Today is {day}." in text_of(assembled(base(now=LATE, timezone=zone)), "date")


def test_without_a_zone_in_the_turn_the_profiles_counts() -> None:
    pipeline = with_tables({"timezone": "Asia/Tokyo"})
    assert "Tuesday, 2026-08-25" in text_of(pipeline.assemble(base(now=LATE, timezone="")), "date")


def test_an_unknown_zone_falls_to_the_profiles_and_is_reported() -> None:
    """DA4."""
    prompt = with_tables({"timezone": "UTC"}).assemble(base(now=LATE, timezone="Mars/Olympus"))
    assert "Monday, 2026-08-24" in text_of(prompt, "date")
    assert [p.subject for p in prompt.problems] == ["Mars/Olympus"]


def test_a_naive_time_is_an_error() -> None:
    """DA5."""
    with pytest.raises(InputError, match=r"^now: "):
        base(now=datetime(2026, 8, 24, 9, 0))


def test_weekdays_do_not_come_from_the_locale_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """DA6."""
    monkeypatch.setattr(time, "strftime", lambda *_: "lundi")
    assert NOW.strftime("%A") == "lundi"
    assert "Monday, " in text_of(with_tables({}).assemble(base()), "date")


def test_the_hour_does_not_matter() -> None:
    """DA7."""
    assert assembled(base(now=NOW.replace(hour=0))).system == assembled(base(now=NOW.replace(hour=23))).system
