"""A text format of tool calls: what it asks the model for, how it shows earlier calls, how it reads an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from promptmw.toolmode.events import Event, FinishReason, PastCall

if TYPE_CHECKING:
    from promptmw.toolmode.choice import Choice
    from promptmw.toolmode.definitions import ToolTable
    from promptmw.toolmode.options import ParserOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """Says what the model is asked for.

    Attributes:
        many: Whether several blocks of calls are asked for in one answer.
        result_tag: The tag of results.
    """

    many: bool = False
    result_tag: str = "tool-output"


class CallParser(Protocol):
    """Reads one answer as it comes."""

    @property
    def done(self) -> bool:
        """Whether text is being dropped, and all that may follow in this answer will be."""
        ...

    def feed(self, text: str) -> Sequence[Event]:
        """Returns what more text gives. Never raises for what a model writes.

        Raises:
            ProtocolStateError: The answer has ended already.
        """
        ...

    def finish(self, reason: FinishReason | None) -> Sequence[Event]:
        """Returns what the end of the answer gives; `Ended` is the last of it.

        Raises:
            ProtocolStateError: As `feed`.
        """
        ...


class ToolProtocol(Protocol):
    """Is one text format of tool calls."""

    @property
    def name(self) -> str:
        """What settings and reports call it."""
        ...

    @property
    def form(self) -> str:
        """The shape of a call with placeholders in capitals, as the preamble shows it, without a blank line.

        Blank for a format that is understood and never asked for.
        """
        ...

    @property
    def syntax(self) -> str:
        """Which lines of the preamble say how values are written: texts ``protocol.syntax.<syntax>``."""
        ...

    @property
    def close(self) -> str:
        """The closing tag, which is sent as a stop sequence; blank for a format without one."""
        ...

    @property
    def open(self) -> str:
        """The opening tag, which is sent as a stop sequence where calls are refused; blank for none."""
        ...

    def render_call(self, call: PastCall) -> str:
        """Returns an earlier call as the model should have written it."""
        ...

    def parser(self, table: ToolTable, options: ParserOptions, accept: Sequence[ToolProtocol] = ()) -> CallParser:
        """Returns a parser for one answer.

        Args:
            table: What may be called.
            options: How to read.
            accept: Formats that are understood besides this one.
        """
        ...

    def grammar(self, table: ToolTable, choice: Choice) -> str | None:
        """Returns a grammar in llguidance's form for answers of a certain kind; None where there is none."""
        ...


def parse(
    protocol: ToolProtocol, text: str, table: ToolTable, options: ParserOptions, *, reason: FinishReason | None
) -> list[Event]:
    """Returns the events of a whole answer."""
    parser = protocol.parser(table, options)
    return [*parser.feed(text), *parser.finish(reason)]
