"""A chat model that assembles the prompt of each call and lets another model answer it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.language_models.model_profile import ModelProfile
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, model_validator

from promptmw import ToolMode, Turn
from promptmw_langchain import generating, structured
from promptmw_langchain.chunking import as_chunk
from promptmw_langchain.entries import AssemblingModel
from promptmw_langchain.identity import fingerprint
from promptmw_langchain.models import facts_of
from promptmw_langchain.prepared import PREPARED

INHERITED = (
    "cache",
    "rate_limiter",
    "output_version",
    "disable_streaming",
    "callbacks",
    "tags",
    "metadata",
    "verbose",
    "custom_get_token_ids",
)
"""What this model does in the place of the inner one, once."""


class PromptChatModel(AssemblingModel):
    """Wraps a chat model: whatever invokes, streams or batches it sends an assembled prompt.

    Args:
        inner: The model that answers.
        pipeline: Assembles.
        turn: A `Turn`, or a function of the messages and the config's metadata that returns one, or an awaitable of one
            for async calls, or None for a call that shall stay as it is. Without it the turn is what
            ``config={"metadata": {"promptmw": …}}`` states.
        tool_mode: Goes before what the turn states, unless it is ``auto``.
        system_format: ``blocks`` sends the system text as one block a section.
        temperature: Of calls that state none, as are ``max_tokens`` and ``stop``.
        timeout: Accepted as by every chat model, and without effect, as are ``max_retries`` and ``api_key``: the inner
            model has its own.

    A model without function calling gets its tools as text, and its calls are read out of what it writes.

    Example:
        >>> model = PromptChatModel(inner=ChatOpenAI(model="gpt-4o"), pipeline=Pipeline())
        >>> model.invoke("Hi", config={"metadata": {"promptmw": {"persona": {"nickname": "Ada"}}}})
    """

    timeout: float | None = None
    max_retries: int | None = None
    api_key: Any = Field(default=None, repr=False, exclude=True)
    streaming: bool = False

    @model_validator(mode="before")
    @classmethod
    def _inherit(cls, values: dict[str, Any]) -> dict[str, Any]:
        inner = values.get("inner")
        if isinstance(inner, BaseChatModel):
            for name in INHERITED:
                if getattr(inner, name, None) is not None:
                    values.setdefault(name, getattr(inner, name))
            if "streaming" in inner.model_fields_set and isinstance(getattr(inner, "streaming", None), bool):
                values.setdefault("streaming", inner.streaming)  # type: ignore[attr-defined]
        return values

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generating.generate(self, messages, stop, run_manager, kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await generating.agenerate(self, messages, stop, run_manager, kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        if type(self.inner)._stream is BaseChatModel._stream:
            yield as_chunk(self._generate(messages, stop, **kwargs))
            return
        yield from generating.stream(self, messages, stop, kwargs)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        inner = type(self.inner)
        if inner._stream is BaseChatModel._stream and inner._astream is BaseChatModel._astream:
            yield as_chunk(await self._agenerate(messages, stop, **kwargs))
            return
        chunks = generating.astream(self, messages, stop, kwargs)
        async with aclosing(chunks):
            async for chunk in chunks:
                yield chunk

    def bind_tools(
        self, tools: Any, *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Binds tools in the inner model's own form, or in OpenAI's where they go into the prompt."""
        if self._as_text:
            choice = {} if tool_choice is None else {"tool_choice": tool_choice}
            return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **choice, **kwargs)
        bound: Any = self.inner.bind_tools(tools, tool_choice=tool_choice, **kwargs)
        return self.bind(**bound.kwargs)

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **kwargs: Any) -> Runnable[Any, Any]:
        """Returns the inner model's own chain for a schema, with this model in it; a plain one in prompt-tool mode."""
        if self._as_text:
            return super().with_structured_output(schema, include_raw=include_raw, **kwargs)
        return structured.chain(self.inner, self, schema, {"include_raw": include_raw, **kwargs})

    def get_num_tokens(self, text: str) -> int:
        """Counts with the inner model's counter, for applications that ask."""
        try:
            return self.inner.get_num_tokens(text)
        except (ImportError, NotImplementedError):
            return count_tokens_approximately([text])

    def get_num_tokens_from_messages(self, messages: list[BaseMessage], tools: Any = None) -> int:
        """Counts with the inner model's counter, for applications that ask."""
        try:
            return self.inner.get_num_tokens_from_messages(messages, tools)
        except (ImportError, NotImplementedError):
            return count_tokens_approximately(messages)

    @property
    def _as_text(self) -> bool:
        """Whether tools go to the inner model as text, as far as that is known without a turn."""
        stated = self.turn.tool_mode if isinstance(self.turn, Turn) else ToolMode.AUTO
        mode = stated if self.tool_mode is ToolMode.AUTO else self.tool_mode
        return facts_of(self.inner, mode).tools.mode is ToolMode.PROMPT

    @property
    def _llm_type(self) -> str:
        return f"promptmw-{self.inner._llm_type}"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {**self.inner._identifying_params, **self._own_params}

    @property
    def _own_params(self) -> dict[str, Any]:
        return {
            "inner": self.inner._llm_type,
            "pipeline": fingerprint(self.pipeline),
            "tool_mode": self.tool_mode.value,
        }

    def _get_llm_string(self, stop: list[str] | None = None, **kwargs: Any) -> str:
        """Returns the part of a cache key that the messages do not make: the inner model's own, and ours."""
        call = kwargs.pop(PREPARED, None)
        inner = self.inner._get_llm_string(stop=stop, **kwargs)
        return f"{inner}---{sorted(self._own_params.items())}---{call}"

    def _combine_llm_outputs(self, outputs: list[dict[str, Any] | None], /) -> dict[str, Any]:
        return self.inner._combine_llm_outputs(outputs)

    @classmethod
    def is_lc_serializable(cls) -> bool:
        """Says no: a pipeline is not data."""
        return False

    def _resolve_model_profile(self) -> ModelProfile | None:
        return self.inner.profile

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        rest = {k: v for k, v in self._given(kwargs).items() if k != PREPARED}
        return self.inner._get_ls_params(stop=self._stop(stop), **rest)
