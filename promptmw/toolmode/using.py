"""The tool protocol of a turn: its settings, and what the core states to sections and adapters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from promptmw.errors import ConfigError
from promptmw.inputs import input_type
from promptmw.kinds import Trust
from promptmw.toolmode.options import Arguments, Where

if TYPE_CHECKING:
    from promptmw.toolmode.definitions import ToolTable
    from promptmw.toolmode.protocol import ToolProtocol

_TAG = re.compile(r"[a-z][a-z0-9_]{2,31}")


@dataclass(frozen=True, slots=True)
class FormatRow:
    """Says which format models of a name get; a row of ``[[tool_protocol.formats]]``.

    Attributes:
        match: A pattern that is searched in the lower-cased name of the model.
        format: The name of a format.
        accept: Names of formats that are understood besides.
    """

    match: str
    format: str
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            re.compile(self.match)
        except re.error as error:
            raise ConfigError(f"tool_protocol.formats: {self.match!r} is no pattern: {error}") from None


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Holds a profile's settings of prompt-tool mode; its table ``tool_protocol``.

    Attributes:
        format: The name of a format, or ``auto`` to choose by the model's name.
        formats: Rows that go before the built-in ones.
        tag: The tag of calls in the formats that use ``<tool_call>``.
        result_tag: The tag of results.
        calls: Whether one block of calls an answer is asked for, or many.
        stop: Whether stop sequences are sent.
        stream_arguments: Whether arguments come out while the model writes them, before they are validated.
        constrain: Whether answers of a certain kind are held to a grammar by the engine.
        prefill: Whether a required call is begun for the model.
        on_rejected_tools: What becomes of a native request that its provider refuses because of its tools.
        retries: How often a model is asked again for one answer.
        retries_in_round: The same for all answers of one round.
        calls_in_fences: Whether a call counts that a code fence encloses.
        calls_in_reasoning: Whether a call counts that ends a thought that was never closed.
    """

    format: str = "auto"
    formats: tuple[FormatRow, ...] = ()
    tag: str = "tool_call"
    result_tag: str = "tool-output"
    calls: Literal["one", "many"] = "one"
    stop: bool = True
    stream_arguments: bool = False
    constrain: Literal["off", "llguidance"] = "off"
    prefill: bool = False
    on_rejected_tools: Literal["retry", "error"] = "retry"
    retries: int = 2
    retries_in_round: int = 6
    calls_in_fences: Literal["last", "never"] = "last"
    calls_in_reasoning: Literal["last", "never"] = "last"

    def __post_init__(self) -> None:
        if not _TAG.fullmatch(self.tag):
            raise ConfigError(
                f"tool_protocol.tag: {self.tag!r} is not a letter with 2 to 31 of a-z, 0-9 and _ behind it",
                path=("tool_protocol", "tag"),
            )
        for name in ("retries", "retries_in_round"):
            if getattr(self, name) < 0:
                raise ConfigError(f"tool_protocol.{name}: takes 0 or more", path=("tool_protocol", name))

    @property
    def arguments(self) -> Arguments:
        """When arguments come out."""
        return Arguments.EAGER if self.stream_arguments else Arguments.VALIDATED

    @property
    def in_fences(self) -> Where:
        """Whether a fenced call counts."""
        return Where(self.calls_in_fences)

    @property
    def in_reasoning(self) -> Where:
        """Whether a call in a thought counts."""
        return Where(self.calls_in_reasoning)


@input_type("protocol_in_use", trust=Trust.AUTHORED)
@dataclass(frozen=True)
class ProtocolInUse:
    """Is the tool protocol of a turn. Stated by the core in prompt-tool mode with local tools.

    Attributes:
        protocol: Asks for calls, shows earlier ones, and reads answers.
        table: What may be called.
        accept: Formats that are understood besides.
        settings: Of the profile.
        many: Whether several blocks of calls an answer are asked for.
        why: How the format was chosen.
    """

    protocol: ToolProtocol
    table: ToolTable
    accept: tuple[ToolProtocol, ...] = ()
    settings: ToolSettings = ToolSettings()
    many: bool = False
    why: str = ""

    def __hash__(self) -> int:
        """Returns the hash of what tells two apart; it is asked for in each turn, and the settings are many."""
        return hash((self.protocol.name, self.table, self.many))
