"""What our own formats are made of; a stranger's may be made of it too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from promptmw.toolmode.choice import Choice
from promptmw.toolmode.definitions import ToolTable
from promptmw.toolmode.events import PastCall
from promptmw.toolmode.options import ParserOptions
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.readers import Reader
from promptmw.toolmode.stream import Parser


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """Is a format: markers, a way to write calls, and readers.

    Attributes:
        name: As settings and reports call it.
        form: The shape of a call with placeholders in capitals.
        syntax: ``json``, ``arguments`` or ``tagged``: which rules of the preamble say how values are written.
        open: Opening tag of a block.
        close: Closing tag of a block, sent as a stop sequence; blank for a format without one.
        readers: Read blocks.
        write: Returns a call as text.
    """

    name: str
    form: str
    syntax: str
    open: str
    close: str
    readers: tuple[Reader, ...] = field(repr=False)
    write: Callable[[PastCall], str] = field(repr=False)

    def render_call(self, call: PastCall) -> str:
        """Returns an earlier call as the model should have written it."""
        return self.write(call)

    def parser(self, table: ToolTable, options: ParserOptions, accept: Sequence[ToolProtocol] = ()) -> Parser:
        """Returns a parser for one answer; it understands the formats in ``accept`` as well."""
        readers = dict.fromkeys(r for f in (self, *accept) if isinstance(f, TextFormat) for r in f.readers)
        return Parser(table, options, tuple(readers))

    def grammar(self, table: ToolTable, choice: Choice) -> str | None:
        """Returns a grammar for answers of a certain kind; None for a format without a JSON body."""
        from promptmw.toolmode.grammar import json_grammar

        return json_grammar(table, choice, open=self.open, close=self.close) if self.syntax == "json" else None
