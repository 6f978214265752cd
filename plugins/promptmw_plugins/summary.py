"""What stands for the turns that are not sent any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from promptmw import (
    Facts,
    Fence,
    Layer,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    Trust,
    block,
    hookimpl,
    input_type,
    text_field,
)

SUMMARY = Fence("conversation-summary")


@input_type("summaries", many=True, trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class Summary:
    """Is a recap of earlier turns, oldest first; whoever states it leaves out the messages that it stands for."""

    text: TextField = text_field(cap=64_000, lines=True)


def render(facts: Facts) -> Text | None:
    """Returns the fence with one bullet for each summary."""
    bullets = ["- " + block(s.text.strip().map(_indented), item=True) for s in facts.all(Summary) if not s.text.blank]
    return SUMMARY(Text.join("\n", (facts.texts["summary.intro"], *bullets))) if bullets else None


def _indented(text: str) -> str:
    """Keeps all lines under one bullet."""
    return text.replace("\n", "\n  ")


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``summaries``."""
    return (Summary,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="summary",
            render=render,
            reads=(Summary,),
            layer=Layer.FIRST_USER,
            order=10,
            stability=Stability.SESSION,
            trust=Trust.UNTRUSTED,
            fences=(SUMMARY,),
        ),
    )
