"""The closed sets of the design: layers, stabilities, trusts, tool modes, layouts."""

from __future__ import annotations

from enum import Enum, IntEnum


class Layer(IntEnum):
    """Says where a section lands in the request."""

    SYSTEM = 0
    """The leading system text."""
    FIRST_USER = 1
    """In front of the first user message that is sent."""
    LAST_USER = 2
    """Behind the last real user message."""


class Stability(IntEnum):
    """Says how long a section's text stays the same; the order is that of layout ``cache``."""

    STATIC = 0
    PROJECT = 1
    USER = 2
    SESSION = 3
    DAY = 4
    TURN = 5


class Trust(IntEnum):
    """Says whose a text is, from the most to the least trusted."""

    AUTHORED = 0
    OPERATOR = 1
    USER = 2
    UNTRUSTED = 3


class ToolMode(Enum):
    """Says how tools reach the model."""

    AUTO = "auto"
    """Whatever the adapter knows about the model; native when nothing is known."""
    NATIVE = "native"
    """By the provider's own tools field."""
    PROMPT = "prompt"
    """As text in the prompt, for models without function calling."""
    NONE = "none"
    """Not at all."""


class Layout(Enum):
    """Says by what the system blocks are ordered."""

    DOCUMENTED = "documented"
    """By section order alone."""
    CACHE = "cache"
    """By stability first, so that the part that a provider can cache is as long as possible."""


class CallerSystem(Enum):
    """Says what becomes of a leading system message that the caller itself sends."""

    OPERATOR = "operator"
    """It takes the place of the default style, as written."""
    USER = "user"
    """The same place, with reserved tags and headings escaped."""
    DROP = "drop"
    """It is left out, and the report says so."""


class CutReason(Enum):
    """Says why something was left out of a block."""

    FIELD_LIMIT = "field limit"
    COUNT_LIMIT = "count limit"
    CAP = "section cap"
