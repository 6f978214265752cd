"""An answer in prompt-tool mode: what the model writes goes in, deltas of chat completions come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from litellm.types.utils import Usage as Counts

from promptmw import Usage
from promptmw.toolmode.attempts import Ask, Attempts
from promptmw.toolmode.events import Ended, Event, FinishReason, ReasoningDelta
from promptmw.toolmode.final_answer import FinalAnswer
from promptmw_litellm.answers import usage_of
from promptmw_litellm.formats import field
from promptmw_litellm.text_deltas import as_reason, deltas

Delta = dict[str, Any]


class TextAnswer:
    """Is one choice of an answer, over as many requests to the model as it takes.

    Args:
        attempts: Read what the model writes.
        legacy: Whether the request used ``functions``.
        answers: The tool whose arguments are the text; blank for none.

    Attributes:
        over: Whether it is complete.
        reason: Why it ended, when it is complete.
    """

    def __init__(self, attempts: Attempts, *, legacy: bool, answers: str = "") -> None:
        self.over = False
        self.reason: FinishReason | None = None
        self.attempts = attempts
        self._legacy = legacy
        self._final = FinalAnswer(answers)
        self._stated: object = None

    def ask(self) -> Ask | None:
        """Returns the next request to the model; None when the answer is complete."""
        self._stated = None
        return self.attempts.next()

    def take(self, message: Any, finish_reason: object = None) -> Iterator[Delta]:
        """Yields what a message or a delta of the model's shows."""
        self._stated = finish_reason or self._stated
        thought = field(message, "reasoning_content")
        events: list[Event] = [ReasoningDelta(thought)] if isinstance(thought, str) and thought else []
        text = field(message, "content")
        events += self.attempts.feed(text if isinstance(text, str) else "")
        yield from deltas(self._final.shown(events), legacy=self._legacy)

    @property
    def enough(self) -> bool:
        """Whether the stream can be closed."""
        return self.attempts.enough

    def ended(self, counts: Any = None, *, broken: bool = False) -> Iterator[Delta]:
        """Yields what the end of the model's answer shows.

        Args:
            counts: Of this request, as the provider reports them.
            broken: Whether the stream broke off.

        Raises:
            ToolCallFailed: There is nothing to show, and nothing left to try.
        """
        reason = as_reason(self._stated)
        whole = reason is None and not broken and not self.enough
        usage = usage_of(counts) if counts else None
        events = self._final.shown(self.attempts.end(FinishReason.STOP if whole else reason, usage))
        for event in events:
            if isinstance(event, Ended):
                self.over, self.reason = True, event.reason
        yield from deltas(events, legacy=self._legacy)


class Sum:
    """Adds the counts of several requests up."""

    def __init__(self) -> None:
        self._all: list[Any] = []

    def add(self, counts: Any) -> None:
        """Adds the counts of a request; None for one that reported nothing."""
        if counts:
            self._all.append(counts)

    @property
    def counts(self) -> Any:
        """The sum, in LiteLLM's own form; None where nothing was reported."""
        if len(self._all) < 2:
            return self._all[0] if self._all else None
        read: list[Usage] = [usage_of(counts) for counts in self._all]
        prompt, completion, cached = (_sum(read, part) for part in _PARTS)
        details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
        return Counts(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion, **details)


_PARTS: tuple[Callable[[Usage], int | None], ...] = (
    lambda usage: usage.input_tokens,
    lambda usage: usage.output_tokens,
    lambda usage: usage.cached_tokens,
)


def _sum(read: list[Usage], part: Callable[[Usage], int | None]) -> int:
    return sum(part(usage) or 0 for usage in read)
