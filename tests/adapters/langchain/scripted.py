"""Chat models that say what they are told to say, and remember what they were asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

SAID = "So it is."


class Scripted(BaseChatModel):
    """Answers whole. Its answers are messages or exceptions; behind the last it says `SAID`."""

    answers: list[Any] = Field(default_factory=list)
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    options: list[dict[str, Any]] = Field(default_factory=list)
    closed: list[str] = Field(default_factory=list)
    model_name: str = "scripted"

    def _next(self, messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
        self.asked.append(messages)
        self.options.append(options)
        answer = self.answers.pop(0) if self.answers else AIMessage(SAID)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, _with_stop(kwargs, stop)))])

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def bind_tools(self, tools: Any, *, tool_choice: Any = None, **kwargs: Any) -> Runnable[Any, AIMessage]:
        chosen = {"tool_choice": tool_choice} if tool_choice else {}
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools], **chosen, **kwargs)


class Streaming(Scripted):
    """Answers in words; a call of a tool in one chunk."""

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        try:
            yield from self._pieces(messages, stop, kwargs)
        finally:
            self.closed.append("sync")

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        try:
            for piece in self._pieces(messages, stop, kwargs):
                yield piece
        finally:
            self.closed.append("async")

    def _pieces(self, messages: Any, stop: Any, options: dict[str, Any]) -> Iterator[ChatGenerationChunk]:
        answer = self._next(messages, _with_stop(options, stop))
        for word in str(answer.text).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
        usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_calls=answer.tool_calls, usage_metadata=usage))


def calling(name: str, /, *, id: str = "call_0", **args: Any) -> AIMessage:
    """Return a message that calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": id}])


def _with_stop(options: dict[str, Any], stop: Any) -> dict[str, Any]:
    return {**options, "stop": stop} if stop else options
