"""Says how the user wants to be answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from promptmw import (
    Body,
    Cut,
    CutReason,
    CutRule,
    Facts,
    Item,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    TextsField,
    Trust,
    Untrusted,
    hookimpl,
    input_type,
    line,
    listing,
    text_field,
    texts_field,
)
from promptmw import section as under_heading

PRESETS = (
    "concise",
    "detailed",
    "friendly",
    "professional",
    "encouraging",
    "direct",
    "witty",
    "socratic",
    "genz",
    "formal",
)
"""Keys that stand for a phrase in the reader's language; any other trait is inserted as written."""


@input_type("persona", trust=Trust.USER, client=True)
@dataclass(frozen=True)
class Persona:
    """States a user's own wishes.

    Attributes:
        traits: Keys of `PRESETS` or free words, at most 12.
        nickname: How to address the user.
        custom: Instructions of the user's own.
    """

    traits: TextsField = texts_field(cap=64, trust=Trust.USER)
    nickname: TextField = text_field(cap=80, trust=Trust.USER, default="")
    custom: TextField = text_field(cap=4_000, trust=Trust.USER, lines=True, default="")


@dataclass(frozen=True, slots=True)
class PersonaLimits:
    """Is the profile's table ``limits.persona``."""

    traits: int = 12


def renderer(limits: PersonaLimits) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the limits of a profile."""

    def render(facts: Facts) -> Body | None:
        persona = facts.get(Persona)
        if persona is None:
            return None
        traits = list({t.strip(): None for t in persona.traits if not t.blank})
        kept = traits[: limits.traits]
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(traits), len(kept), source="persona")
        lines = [_tone(facts, kept), _nickname(facts, persona), under_heading(persona.custom.strip())]
        items = [Item(text) for text in lines if text]
        return listing(facts.texts["persona.heading"], items, cuts=(cut,) if len(kept) < len(traits) else ())

    return render


def _tone(facts: Facts, traits: list[Untrusted]) -> Text:
    join = facts.texts["persona.join"]
    phrases = [_phrase(facts, trait, join) for trait in traits]
    return facts.texts.fill("persona.tone", traits=Text.join(join, phrases)) if phrases else Text()


def _phrase(facts: Facts, trait: Untrusted, join: str) -> Text | str:
    for key in PRESETS:
        if trait.equals(key):
            return facts.texts[f"persona.trait.{key}"]
    return line(trait.one_line(), reserve=join)


def _nickname(facts: Facts, persona: Persona) -> Text:
    if persona.nickname.blank:
        return Text()
    return facts.texts.fill("persona.nickname", nickname=line(persona.nickname.one_line(), quoted=True))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``persona``."""
    return (Persona,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="persona",
            render=renderer(profile.settings("limits.persona", PersonaLimits)),
            reads=(Persona,),
            order=40,
            stability=Stability.USER,
            trust=Trust.USER,
            cap=1_500,
            cut=CutRule.CLIP_END,
            priority=80,
        ),
    )
