"""Says how to answer: the operator's own prompt, or a default in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from promptmw import (
    CallerText,
    Facts,
    Profile,
    Section,
    Stability,
    Text,
    Trust,
    hookimpl,
    input_type,
    verbatim,
)
from promptmw import section as under_heading

MOST = 64_000


@input_type("operator_prompt", trust=Trust.OPERATOR)
@dataclass(frozen=True)
class OperatorPrompt:
    """Is the administrator's own prompt; it takes the place of the default style, as written.

    Attributes:
        text: At most 64,000 characters; what is over is cut and reported.
    """

    text: str


def render(facts: Facts) -> Text | str:
    """Returns the operator's prompt and the caller's own system text, or else the default style."""
    stated = facts.get(OperatorPrompt)
    parts = [verbatim(stated.text, cap=MOST) if stated else Text(), _caller(facts.get(CallerText))]
    return Text.join("\n\n", parts) or facts.texts["style.default"]


def _caller(caller: CallerText | None) -> Text:
    if caller is None:
        return Text()
    if caller.user is None:
        return verbatim(caller.text, cap=MOST)
    return under_heading(caller.user.strip().cap(MOST, at_line_end=True))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``operator_prompt``."""
    return (OperatorPrompt,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="style",
            render=render,
            reads=(OperatorPrompt, CallerText),
            order=20,
            stability=Stability.STATIC,
            trust=Trust.OPERATOR,
            required=True,
        ),
    )
