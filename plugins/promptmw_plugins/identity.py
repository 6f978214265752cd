"""Says under which name the model answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from promptmw import (
    Facts,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    Trust,
    hookimpl,
    input_type,
    line,
    text_field,
)


class Speed(Enum):
    """Says whether the user has asked for the fast model."""

    NORMAL = "normal"
    FAST = "fast"


@input_type("identity", trust=Trust.OPERATOR)
@dataclass(frozen=True)
class Identity:
    """Names the model as the administrator wants it to be called.

    Attributes:
        label: The name shown; blank for the language's own words for an AI assistant.
        speed: ``FAST`` puts the language's word for it in the place of the label.
    """

    label: TextField = text_field(cap=80, trust=Trust.UNTRUSTED, default="")
    speed: Speed = Speed.NORMAL


def render(facts: Facts) -> Text:
    """Returns the identity sentence; the turn's model name never enters it."""
    label = _label(facts)
    return facts.texts.fill("identity.text", label=label)


def _label(facts: Facts) -> Text | str:
    identity = facts.get(Identity)
    if identity is not None and identity.speed is Speed.FAST:
        return facts.texts["identity.fast"]
    if identity is None or identity.label.blank:
        return facts.texts["identity.fallback"]
    return line(identity.label.one_line())


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``identity``."""
    return (Identity,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="identity",
            render=render,
            reads=(Identity,),
            order=10,
            stability=Stability.STATIC,
            trust=Trust.OPERATOR,
            required=True,
        ),
    )
