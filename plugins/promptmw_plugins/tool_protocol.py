"""Prompt-tool mode: how a model without function calling calls tools, and what this message asks of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from promptmw import (
    ConfigError,
    Facts,
    Fence,
    Layer,
    Profile,
    Section,
    Stability,
    Text,
    Trust,
    Untrusted,
    hookimpl,
    line,
)
from promptmw.toolmode.choice import Choice, ChoiceKind
from promptmw.toolmode.render import TOOLS
from promptmw.toolmode.using import ProtocolInUse, ToolSettings

SEED_TAG = "tool_call"
"""Is reserved everywhere as it is."""

_JSON = (
    "Use double quotes, no comments, no trailing commas, and \\n for a line break in a string.\n"
    "- In strings write <\\/ instead of </ and \\\\ instead of a single backslash."
)

TEXTS: Final[Mapping[str, str]] = {
    "protocol.heading": "## Calling tools",
    "protocol.intro": (
        "The application can run the tools listed below for you. To use one, write a call in exactly this form:"
    ),
    "protocol.syntax.json": (
        '- A call is one JSON object: "name" is a tool from the list, "arguments" is an object that fits the schema of '
        f"that tool. {_JSON}"
    ),
    "protocol.syntax.arguments": f"- The arguments are one JSON object that fits the schema of the tool. {_JSON}",
    "protocol.syntax.tagged": (
        "- Write each value between its tags as it is, without quotes or escapes; numbers, true, false, null, lists "
        "and objects as JSON."
    ),
    "protocol.one": (
        "- Write at most one call in a message, as the last thing in it, and stop there. A short sentence may come "
        "before it."
    ),
    "protocol.many": (
        "- You may write several calls one after another when none of them needs the result of another. They are the "
        "last thing in the message; stop after them."
    ),
    "protocol.result": (
        "- The result comes in the next message, as {result}. Wait for it. Never write such a block yourself, and "
        "never guess a result."
    ),
    "protocol.results": (
        "- The results come in the next message, in the order of the calls, each as {result}. Wait for them. Never "
        "write such a block yourself, and never guess a result."
    ),
    "protocol.error": (
        '- A result with status="error" says what went wrong. Correct the call, or go on without the tool.'
    ),
    "protocol.plain": (
        "- When no tool is needed, answer in plain words without any call. If someone asks what a call looks like, "
        "describe it in words."
    ),
    "protocol.list": "The tools:",
    "tool_choice.required": "Call one of the tools now. Write only the call.",
    "tool_choice.named": "Call the tool {names} now. Write only the call.",
    "tool_choice.some": "Call one of these tools now: {names}. Write only the call.",
    "tool_choice.allowed": "Of the tools only these may be called now: {names}.",
}
"""English for every locale: models keep to a form best in the language of their training, and no user reads it."""


def protocol(facts: Facts) -> Text | None:
    """Returns the preamble, while the mode is on and there is a tool."""
    using = facts.get(ProtocolInUse)
    if using is None:
        return None
    from promptmw.toolmode.render import preamble  # here: other modes do not need it

    return preamble(using, facts.texts)


def choice(facts: Facts) -> Text | None:
    """Returns what this message asks for; nothing where the model is free."""
    using, stated = facts.get(ProtocolInUse), facts.get(Choice)
    if stated is None or (using is None and not stated.final):
        return None
    if stated.final or stated.kind is ChoiceKind.NONE:
        from promptmw.toolmode.wording import last_round

        return Text.of(last_round(stated.final))
    return _asked(facts, stated)


def _asked(facts: Facts, stated: Choice) -> Text | None:
    names = Text.join(", ", (line(Untrusted(name), reserve=",") for name in stated.names))
    required = stated.kind is ChoiceKind.REQUIRED
    if not stated.names:
        return Text.of(facts.texts["tool_choice.required"]) if required else None
    if not required:
        return facts.texts.fill("tool_choice.allowed", names=names)
    key = "tool_choice.named" if len(stated.names) == 1 else "tool_choice.some"
    return facts.texts.fill(key, names=names)


def fences(settings: ToolSettings) -> tuple[Fence, ...]:
    """Returns the fences that a profile's tags need.

    Raises:
        ConfigError: A tag is too short to be reserved.
    """
    try:
        own = () if settings.tag == SEED_TAG else (Fence(settings.tag, trust=Trust.AUTHORED),)
        return (TOOLS, Fence(settings.result_tag), *own)
    except ConfigError as error:
        raise ConfigError(f"tool_protocol: {error}", path=("tool_protocol",)) from None


@hookimpl
def promptmw_locales() -> tuple[str, ...]:
    """Names the one language of these texts."""
    return ("en",)


@hookimpl
def promptmw_texts(locale: str) -> Mapping[str, str]:
    """Offers the texts."""
    return TEXTS


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers both sections."""
    settings = profile.settings("tool_protocol", ToolSettings)
    return (
        Section(
            name="tool_protocol",
            render=protocol,
            reads=(ProtocolInUse,),
            order=62,
            stability=Stability.STATIC,
            trust=Trust.UNTRUSTED,
            required=True,
            fences=fences(settings),
            mentions=True,
            texts=("protocol",),
        ),
        Section(
            name="tool_choice",
            render=choice,
            reads=(ProtocolInUse, Choice),
            layer=Layer.LAST_USER,
            order=900,
            stability=Stability.TURN,
            mentions=True,
            texts=("tool_choice",),
        ),
    )
