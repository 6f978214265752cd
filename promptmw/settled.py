"""Inputs that the core itself states in every turn: the day, the tools, the caller's text, the fences."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from promptmw.fencing import Untrusted
from promptmw.inputs import input_type
from promptmw.kinds import ToolMode, Trust


@input_type("today", trust=Trust.AUTHORED)
@dataclass(frozen=True, slots=True)
class Today:
    """Is the calendar day of the turn in its zone. Stated by the core in every turn."""

    day: date


@input_type("tools", trust=Trust.AUTHORED)
@dataclass(frozen=True, slots=True)
class Tools:
    """Is what the model may call, settled. Stated by the core in every turn.

    Attributes:
        mode: Never AUTO.
        local: Names of the tools that the application or a plugin runs, sorted; empty in mode NONE.
        hosted: Names of the tools that the provider runs, sorted.
    """

    mode: ToolMode
    local: tuple[str, ...] = ()
    hosted: tuple[str, ...] = ()

    def __contains__(self, name: str) -> bool:
        return name in self.local


@input_type("caller_system", trust=Trust.OPERATOR)
@dataclass(frozen=True, slots=True)
class CallerText:
    """Is the leading system text that the caller itself sends, as its profile treats it.

    Attributes:
        text: A ``str`` where it counts as the operator's.
        user: An untrusted value where it counts as a user's.
    """

    text: str = ""
    user: Untrusted | None = None


@input_type("fences_in_use", trust=Trust.AUTHORED)
@dataclass(frozen=True, slots=True)
class FencesInUse:
    """Names the UNTRUSTED fences of this turn. Sections that read it are rendered after all others.

    Attributes:
        tags: Sorted tags of the fences that enclose a block of this turn.
        registered: Sorted tags of all UNTRUSTED fences of the profile's sections, used or not.
    """

    tags: tuple[str, ...] = ()
    registered: tuple[str, ...] = ()


SETTLED = (Today, Tools, CallerText, FencesInUse)
"""All of them."""
