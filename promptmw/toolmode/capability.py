"""What is known about the model behind a deployment: whether it has function calling, and what else it takes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from promptmw.kinds import ToolMode
from promptmw.logs import warn
from promptmw.recent import Recent

_HOUR = 3600.0
_STATUSES = frozenset({400, 404, 422, 500})
_REFUSALS = re.compile(
    r"(?:does not|doesn't|not) support (?:the )?(?:tools?|functions?|function calling|tool use|tool calling)\b"
    r"|does not support parameters: [^\n]{0,80}'tools'"
    r"|unsupported param(?:eter)?s?\W{1,4}[^.\n]{0,40}\btools?\b"
    r"|requires? --(?:enable-auto-tool-choice|jinja)"
    r"|no endpoints? found that supports? tool use"
    r"|\btools? (?:param(?:eter)? )?(?:is|are) not supported\b"
    r"|\btools? param requires --jinja",
    re.IGNORECASE,
)
"""How servers say that they take no tools."""


class Fact(Enum):
    """Says whether something is known of a model."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    @staticmethod
    def of(value: object) -> Fact:
        """Returns the fact that a setting states; anything but a boolean states nothing."""
        return {True: Fact.YES, False: Fact.NO}[value] if isinstance(value, bool) else Fact.UNKNOWN


@dataclass(frozen=True, slots=True)
class Statement:
    """Is what one source says about the tool mode.

    Attributes:
        source: Where it is said.
        value: What is said there.
        mode: What it means; None if nothing.
    """

    source: str
    value: str
    mode: ToolMode | None

    def __str__(self) -> str:
        return f"{self.mode.value if self.mode else 'unknown'} ({self.source}: {self.value})"


UNSTATED = Statement("default", "nothing is known", ToolMode.NATIVE)
"""Holds where no source says anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Is what is known about a deployment.

    Attributes:
        key: Names it in this process; blank for one that is not told apart.
        tools: How tools reach it, and who says so.
        stop: Whether it takes stop sequences.
        max_stops: How many.
        prefill: Whether it goes on from the beginning of an answer.
        grammar: Whether its engine takes a grammar.
        schema: Whether it takes a JSON Schema for its answers.
        reasoning_in_text: Whether it thinks in the text of its answers.
        reasoning_opened: Whether its prompt already opens a thought.
    """

    key: str = ""
    tools: Statement = UNSTATED
    stop: Fact = Fact.UNKNOWN
    max_stops: int = 4
    prefill: Fact = Fact.UNKNOWN
    grammar: Fact = Fact.UNKNOWN
    schema: Fact = Fact.UNKNOWN
    reasoning_in_text: Fact = Fact.UNKNOWN
    reasoning_opened: bool = False


def resolved(statements: Iterable[Statement]) -> Statement:
    """Returns the first statement that says something; by default that tools go to the model natively."""
    known = (s for s in statements if s.mode is not None and s.mode is not ToolMode.AUTO)
    return next(known, UNSTATED)


def supports(source: str, name: str, value: object) -> Statement:
    """Returns what a flag of a source says that states whether there is function calling; None says nothing."""
    mode = {True: ToolMode.NATIVE, False: ToolMode.PROMPT}.get(value) if isinstance(value, bool) else None
    return Statement(source, f"{name} = {str(value).lower()}", mode)


class Learned:
    """Remembers what deployments refused. Bounded; losing an entry costs one refused request.

    Args:
        size: Deployments that are remembered.
        clock: Returns seconds.
    """

    def __init__(self, size: int = 256, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._tools: Recent[str, float] = Recent(size)
        self._stops: Recent[str, bool] = Recent(size)
        self._clock = clock

    def refuse_tools(self, key: str) -> None:
        """Remembers for an hour that a deployment takes no tools."""
        if key:
            self._tools.put(key, self._clock())

    def tools(self, key: str) -> Statement:
        """Returns what was learned about a deployment's tools."""
        since = self._tools.get(key) if key else None
        refused = since is not None and self._clock() - since < _HOUR
        return Statement("learned", "it refused a request with tools", ToolMode.PROMPT if refused else None)

    def refuse_stop(self, key: str) -> None:
        """Remembers that a deployment takes no stop sequences."""
        if key:
            self._stops.put(key, True)

    def refused_stop(self, key: str) -> bool:
        """Says whether a deployment was seen to take no stop sequences."""
        return bool(key) and self._stops.get(key) is not None


LEARNED = Learned()
"""Of this process."""


def learns_no_tools(key: str, status: int | None, text: str) -> bool:
    """Says whether a provider's error means that it takes no tools, and remembers that for its deployment."""
    if not says_no_tools(status, text):
        return False
    LEARNED.refuse_tools(key)
    warn("a model refused tools: they go into its prompt", deployment=key, remedy="state tool_mode 'prompt' for it")
    return True


def says_no_tools(status: int | None, text: str) -> bool:
    """Says whether a provider's error means that it takes no tools."""
    return status in _STATUSES and _REFUSALS.search(text) is not None
