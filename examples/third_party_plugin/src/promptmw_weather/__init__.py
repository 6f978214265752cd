"""A plugin for promptmw: tells the model the weather where the user is.

It shows everything that a plugin of one section needs: an input, texts in two languages, a section that reads the
input, and a setting of its own. Installing the distribution adds the section to every prompt whose turn states the
weather; removing it takes the section away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from promptmw import Facts, Profile, Section, Stability, Text, TextField, Trust, hookimpl, input_type, line, text_field

_TEXTS = {
    "en": {"weather.heading": "## Weather", "weather.line": "Where the user is, it is {report}."},
    "fr": {"weather.heading": "## Météo", "weather.line": "Chez l'utilisateur, le temps est : {report}."},
}


@input_type("weather", trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class Weather:
    """States the weather, as a weather service words it."""

    report: TextField = text_field(cap=200)


@dataclass(frozen=True, slots=True)
class WeatherSettings:
    """Is the profile's table ``weather``."""

    order: int = 35


def render(facts: Facts) -> Text | None:
    """Returns the heading and one line, or nothing when no weather is stated."""
    weather = facts.get(Weather)
    if weather is None or weather.report.blank:
        return None
    said = facts.texts.fill("weather.line", report=line(weather.report.one_line()))
    return Text.join("\n", (facts.texts["weather.heading"], said))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers the input, which turn files call ``weather``."""
    return (Weather,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section; it stands behind the date unless the profile says otherwise."""
    settings = profile.settings("weather", WeatherSettings)
    return (
        Section(
            name="weather",
            render=render,
            reads=(Weather,),
            order=settings.order,
            stability=Stability.TURN,
            trust=Trust.UNTRUSTED,
        ),
    )


@hookimpl
def promptmw_locales() -> Iterable[str]:
    """Names the languages that the texts are in."""
    return tuple(_TEXTS)


@hookimpl
def promptmw_texts(locale: str) -> Mapping[str, str] | None:
    """Returns the texts in one of them."""
    return _TEXTS.get(locale)
