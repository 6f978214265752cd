"""The passage that the user has highlighted to ask about, with the message that it was taken from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from promptmw import (
    CutRule,
    Facts,
    Fence,
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

EXCERPT = Fence("excerpt")
SOURCE = Fence("source-message")


@input_type("excerpt", trust=Trust.UNTRUSTED, client=True)
@dataclass(frozen=True)
class Excerpt:
    """Is a highlighted passage.

    Attributes:
        text: The passage; blank for none, and then there is no section.
        source: The whole message, if it is at hand.
    """

    text: TextField = text_field(cap=8_000, lines=True)
    source: TextField = text_field(cap=8_000, lines=True, default="")


def render(facts: Facts) -> Text | None:
    """Returns heading, introduction and the two fences; the second only with a source."""
    excerpt = facts.get(Excerpt)
    if excerpt is None or excerpt.text.blank:
        return None
    fences = (EXCERPT(block(excerpt.text.strip_lines())), SOURCE(block(excerpt.source.strip_lines())))
    return Text.join("\n", (facts.texts["excerpt.heading"], facts.texts["excerpt.intro"], *fences))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``excerpt``."""
    return (Excerpt,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section; a profile that moves it behind the user's text gets it before the snippets."""
    override = profile.sections.get("excerpt")
    moved = override is not None and override.layer == "last_user"
    return (
        Section(
            name="excerpt",
            render=render,
            reads=(Excerpt,),
            order=15 if moved else 110,
            stability=Stability.SESSION,
            trust=Trust.UNTRUSTED,
            fences=(EXCERPT, SOURCE),
            cap=5_000,
            cut=CutRule.CLIP_END,
            priority=75,
        ),
    )
