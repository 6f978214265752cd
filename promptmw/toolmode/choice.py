"""What a request says about calling tools: its choice, and how many calls."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from promptmw.inputs import input_type
from promptmw.kinds import Trust


class ChoiceKind(Enum):
    """Says whether the model may, must or must not call a tool."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"


@input_type("tool_choice", trust=Trust.AUTHORED)
@dataclass(frozen=True, slots=True)
class Choice:
    """Is a request's tool choice. Stated by the adapter in prompt-tool mode.

    Attributes:
        kind: Whether a call may, must or must not come.
        names: The tools that are allowed, sorted; empty for all. One name with REQUIRED is a named tool.
        many: Whether several blocks of calls are asked for; None leaves it to the profile.
        final: Set for the last, tool-free call of a loop: the sentence that says why.
    """

    kind: ChoiceKind = ChoiceKind.AUTO
    names: tuple[str, ...] = ()
    many: bool | None = None
    final: str = ""
