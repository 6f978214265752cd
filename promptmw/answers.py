"""What came back from a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from promptmw.toolmode.report import ToolReport


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts tokens as the provider reports them; None for what it does not say.

    Attributes:
        input_tokens: Of the whole request.
        output_tokens: Of the answer.
        cached_tokens: Of the request's tokens, those that the provider's prefix cache served.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Is a call that the model asks for.

    Attributes:
        id: As the provider names it.
        name: The tool.
        arguments: As the model wrote them, JSON text.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Is one answer of a model.

    Attributes:
        text: Its text, without tool calls.
        tool_calls: In order.
        usage: As reported.
        complete: False when the call failed, was cancelled, or its stream was not read to the end.
        inner: Whether it was a call between others of one answer, as in a tool loop of ours.
        tools: What prompt-tool mode did for it; None in other modes.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    complete: bool = True
    inner: bool = False
    tools: ToolReport | None = None
