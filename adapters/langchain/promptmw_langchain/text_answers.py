"""An answer in prompt-tool mode: text goes in as the model writes it, LangChain's chunks come out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.outputs import ChatGenerationChunk

from promptmw import Usage
from promptmw.toolmode.attempts import Ask, Attempts
from promptmw.toolmode.events import CallStart, Ended, Event, ReasoningDelta
from promptmw.toolmode.report import ToolReport
from promptmw_langchain import answers, deltas

_OWN = frozenset({"finish_reason", "stop_reason", "done_reason", "stop_sequence"})


class TextAnswer:
    """Is one answer, over as many requests to the model as it takes. The same for streams and whole answers.

    Args:
        attempts: Read what the model writes.
    """

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts
        self._id: str | None = None
        self._calls = 0
        self._usage: UsageMetadata | None = None
        self._all_usage: UsageMetadata | None = None
        self._metadata: dict[str, Any] = {}

    def ask(self) -> Ask | None:
        """Returns the next request to the model; None when the answer is complete."""
        self._usage, self._metadata = None, {}
        return self._attempts.next()

    def take(self, chunk: ChatGenerationChunk) -> list[ChatGenerationChunk]:
        """Returns what a chunk of the model's shows."""
        message: Any = chunk.message
        self._id = self._id or message.id
        self._usage = add_usage(self._usage, message.usage_metadata) if message.usage_metadata else self._usage
        self._metadata |= {**(chunk.generation_info or {}), **message.response_metadata}
        events: list[Event] = [ReasoningDelta(text) for text in _thoughts(message) if text]
        return self._shown([*events, *self._attempts.feed(str(message.text))])

    @property
    def enough(self) -> bool:
        """Whether the stream can be closed."""
        return self._attempts.enough

    def ended(self) -> list[ChatGenerationChunk]:
        """Returns what the end of the model's answer shows.

        Raises:
            ToolCallFailed: There is nothing to show, and nothing left to try.
        """
        key, stated = deltas.reason_of(self._metadata)
        self._all_usage = add_usage(self._all_usage, self._usage) if self._usage else self._all_usage
        closed = self.enough and not stated
        events = self._attempts.end(None if closed else deltas.as_reason(stated), _counted(self._usage))
        last = [event for event in events if isinstance(event, Ended)]
        shown = self._shown(events)
        return [*shown, *self._last(key, stated, last[0])] if last else shown

    def refused(self, error: Exception) -> bool:
        """Says whether the request goes again, as the model takes no stop sequence."""
        return self._attempts.failed(answers.status_of(error), str(error))

    @property
    def report(self) -> ToolReport:
        """What happened."""
        return self._attempts.report

    def _shown(self, events: list[Event]) -> list[ChatGenerationChunk]:
        self._calls += sum(isinstance(event, CallStart) for event in events)
        return [self._named(message) for message in deltas.chunks(events)]

    def _last(self, key: str, stated: str, end: Ended) -> Iterator[ChatGenerationChunk]:
        for problem, sentence in self._attempts.problems():
            yield self._named(deltas.invalid(problem, sentence, self._calls))
            self._calls += 1
        rest = {k: v for k, v in self._metadata.items() if k not in _OWN}
        metadata = {**rest, key: deltas.in_words(key, stated, end.reason)}
        message = AIMessageChunk(
            content="", response_metadata=metadata, usage_metadata=self._all_usage, chunk_position="last"
        )
        yield self._named(message)

    def _named(self, message: AIMessageChunk) -> ChatGenerationChunk:
        message.id = self._id
        return deltas.as_generation(message)


def _thoughts(message: Any) -> Iterator[str]:
    """Yields what a model that thinks beside its text has thought."""
    yield str(message.additional_kwargs.get("reasoning_content") or "")
    for block in message.content if isinstance(message.content, list) else ():
        if isinstance(block, dict) and block.get("type") in ("reasoning", "thinking"):
            yield str(block.get("thinking") or block.get("reasoning") or "")


def _counted(usage: UsageMetadata | None) -> Usage | None:
    if usage is None:
        return None
    details = usage.get("input_token_details") or {}
    return Usage(usage["input_tokens"], usage["output_tokens"], details.get("cache_read"))
