"""Says which day it is where the user is."""

from __future__ import annotations

from collections.abc import Iterable

from promptmw import Facts, Profile, Section, Stability, Text, Today, hookimpl

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def render(facts: Facts) -> Text | None:
    """Returns the date sentence: with the weekday in English, the ISO day alone elsewhere; never a time of day."""
    today = facts.get(Today)
    if today is None:
        return None
    day = today.day.isoformat()
    if facts.texts.locale == "en":
        day = f"{_WEEKDAYS[today.day.weekday()]}, {day}"
    return facts.texts.fill("date.text", date=day)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (Section(name="date", render=render, reads=(Today,), order=30, stability=Stability.DAY, required=True),)
