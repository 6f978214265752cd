"""Where calls enter a chat model, and get their prompts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any
from uuid import UUID

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import LLMResult
from langchain_core.runnables import RunnableConfig, ensure_config
from pydantic import ConfigDict, Field

from promptmw import Pipeline, ToolMode, Turn
from promptmw_langchain import calls
from promptmw_langchain.system import SystemFormat


class AssemblingModel(BaseChatModel):
    """Assembles the prompt of a call where it enters, so that caches and traces see what is really sent.

    All ways to call a chat model lead through these methods. Behind them the call carries its prompt in a keyword.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    inner: BaseChatModel
    pipeline: Pipeline
    turn: Turn | Callable[[list[BaseMessage], Mapping[str, Any]], Any] | None = None
    tool_mode: ToolMode = ToolMode.AUTO
    system_format: SystemFormat = "auto"
    runs_tools: bool = Field(default=False, exclude=True, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    stop: list[str] | None = None

    def generate(
        self,
        messages: list[list[BaseMessage]],
        stop: list[str] | None = None,
        callbacks: Any = None,
        *,
        metadata: dict[str, Any] | None = None,
        run_id: UUID | None = None,
        **kwargs: Any,
    ) -> LLMResult:
        """Assembles each list of messages, and lets the inner model answer it."""
        results = []
        for i, one in enumerate(messages):
            call = calls.entered(self, one, metadata, self._given(kwargs))
            options: dict[str, Any] = {"metadata": metadata, "run_id": None if i else run_id, **call.keywords}
            results.append(super().generate([call.messages], self._stop(stop), callbacks, **options))
        return self._joined(results)

    async def agenerate(
        self,
        messages: list[list[BaseMessage]],
        stop: list[str] | None = None,
        callbacks: Any = None,
        *,
        metadata: dict[str, Any] | None = None,
        run_id: UUID | None = None,
        **kwargs: Any,
    ) -> LLMResult:
        """Assembles each list of messages, and lets the inner model answer it."""
        entered = [await calls.aentered(self, one, metadata, self._given(kwargs)) for one in messages]
        answer = super().agenerate
        waiting = []
        for i, call in enumerate(entered):
            options: dict[str, Any] = {"metadata": metadata, "run_id": None if i else run_id, **call.keywords}
            waiting.append(answer([call.messages], self._stop(stop), callbacks, **options))
        if len(waiting) > 1:  # a single call needs no task of its own
            return self._joined(await asyncio.gather(*waiting))
        return self._joined([await w for w in waiting])

    def _joined(self, results: list[LLMResult]) -> LLMResult:
        if len(results) == 1:
            return results[0]
        return LLMResult(
            generations=[g for r in results for g in r.generations],
            llm_output=self._combine_llm_outputs([r.llm_output for r in results]),
            run=[run for r in results for run in r.run or ()],
        )

    def stream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[AIMessageChunk]:
        """Assembles the messages, and streams the inner model's answer."""
        call = self._entered(input, config, kwargs)
        yield from super().stream(call.messages, config, **call.keywords)

    async def astream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessageChunk]:
        """Assembles the messages, and streams the inner model's answer."""
        call = await self._aentered(input, config, kwargs)
        chunks: Any = super().astream(call.messages, config, **call.keywords)
        async with aclosing(chunks):
            async for chunk in chunks:
                yield chunk

    def stream_events(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, *, version: Any = "v2", **kwargs: Any
    ) -> Any:
        """Assembles for version ``v3``; the earlier ones arrive through `stream`."""
        if version != "v3":
            return super().stream_events(input, config, version=version, **kwargs)
        call = self._entered(input, config, kwargs)
        return super().stream_events(call.messages, config, version=version, **call.keywords)

    def astream_events(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, *, version: Any = "v2", **kwargs: Any
    ) -> Any:
        """Assembles for version ``v3``; the earlier ones arrive through `astream`."""
        if version != "v3":
            return super().astream_events(input, config, version=version, **kwargs)
        return self._astream_v3(input, config, kwargs)

    async def _astream_v3(self, input: Any, config: RunnableConfig | None, kwargs: dict[str, Any]) -> Any:
        call = await self._aentered(input, config, kwargs)
        return await super().astream_events(call.messages, config, version="v3", **call.keywords)

    def _entered(self, input: LanguageModelInput, config: RunnableConfig | None, kwargs: dict[str, Any]) -> calls.Call:
        """Returns a streaming call with its prompt in it, the stop sequences among the keywords."""
        messages = self._convert_input(input).to_messages()
        return calls.entered(self, messages, ensure_config(config).get("metadata"), self._streaming(kwargs))

    async def _aentered(
        self, input: LanguageModelInput, config: RunnableConfig | None, kwargs: dict[str, Any]
    ) -> calls.Call:
        messages = self._convert_input(input).to_messages()
        return await calls.aentered(self, messages, ensure_config(config).get("metadata"), self._streaming(kwargs))

    def _stop(self, stop: list[str] | None) -> list[str] | None:
        return self.stop if stop is None else stop

    def _given(self, keywords: dict[str, Any]) -> dict[str, Any]:
        """Returns a call's keywords, behind those that this model was given for all calls."""
        if self.temperature is None and self.max_tokens is None:
            return keywords
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {**{k: v for k, v in given.items() if v is not None}, **keywords}

    def _streaming(self, keywords: dict[str, Any]) -> dict[str, Any]:
        return {**self._given(keywords), "stop": self._stop(keywords.get("stop"))}
