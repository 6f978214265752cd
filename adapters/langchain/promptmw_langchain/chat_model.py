"""A chat model that assembles the prompt of each call and lets another model answer it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.language_models.model_profile import ModelProfile
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGenerationChunk, ChatResult, LLMResult
from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from pydantic import ConfigDict, model_validator

from promptmw import Pipeline
from promptmw_langchain import calls, structured
from promptmw_langchain.prepared import PREPARED, PreparedCall
from promptmw_langchain.system import SystemFormat

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


class PromptChatModel(BaseChatModel):
    """Wraps a chat model: whatever invokes, streams or batches it sends an assembled prompt.

    It assembles where a call enters, so that caches and traces see what is really sent.

    Args:
        inner: The model that answers.
        pipeline: Assembles.
        turn: A function of the messages and the config's metadata that returns the `Turn`, or an awaitable of one for
            async calls. Without it the turn is what ``config={"metadata": {"promptmw": …}}`` states.
        tool_mode: ``auto``, ``native`` or ``none``.
        system_format: ``blocks`` sends the system text as one block a section.

    Raises:
        ToolModeError: Tools are bound and the model has no tool calling; when called.

    Example:
        >>> model = PromptChatModel(inner=ChatOpenAI(model="gpt-4o"), pipeline=Pipeline())
        >>> model.invoke("Hi", config={"metadata": {"promptmw": {"persona": {"nickname": "Ada"}}}})
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    inner: BaseChatModel
    pipeline: Pipeline
    turn: Callable[[Sequence[BaseMessage], Mapping[str, Any]], Any] | None = None
    tool_mode: str = "auto"
    system_format: SystemFormat = "auto"
    temperature: float | None = None
    max_tokens: int | None = None
    stop: list[str] | None = None
    timeout: float | None = None
    max_retries: int | None = None
    api_key: Any = None
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

    def generate(
        self,
        messages: list[list[BaseMessage]],
        stop: list[str] | None = None,
        callbacks: Any = None,
        *,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> LLMResult:
        """Assembles each list of messages and lets the inner model answer it."""
        messages, kwargs = calls.entered(self, messages, metadata, kwargs)
        return super().generate(messages, stop, callbacks, metadata=metadata, **kwargs)

    async def agenerate(
        self,
        messages: list[list[BaseMessage]],
        stop: list[str] | None = None,
        callbacks: Any = None,
        *,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> LLMResult:
        """Assembles each list of messages and lets the inner model answer it."""
        messages, kwargs = await calls.aentered(self, messages, metadata, kwargs)
        return await super().agenerate(messages, stop, callbacks, metadata=metadata, **kwargs)

    def stream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[AIMessageChunk]:
        """Assembles the messages and streams the inner model's answer."""
        (sent,), kwargs = calls.entered(self, [self._messages(input)], ensure_config(config).get("metadata"), kwargs)
        yield from super().stream(sent, config, **kwargs)

    async def astream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessageChunk]:
        """Assembles the messages and streams the inner model's answer."""
        metadata = ensure_config(config).get("metadata")
        (sent,), kwargs = await calls.aentered(self, [self._messages(input)], metadata, kwargs)
        async for chunk in super().astream(sent, config, **kwargs):
            yield chunk

    def stream_events(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, *, version: Any = "v2", **kwargs: Any
    ) -> Any:
        """Assembles for version ``v3``; the earlier ones arrive through `stream`."""
        if version == "v3":
            (sent,), kwargs = calls.entered(
                self, [self._messages(input)], ensure_config(config).get("metadata"), kwargs
            )
            input = sent
        return super().stream_events(input, config, version=version, **kwargs)

    def astream_events(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, *, version: Any = "v2", **kwargs: Any
    ) -> Any:
        """Assembles for version ``v3``; the earlier ones arrive through `astream`."""
        events = super().astream_events
        if version != "v3":
            return events(input, config, version=version, **kwargs)
        return self._astream_v3(events, input, config, kwargs)

    async def _astream_v3(self, events: Any, input: Any, config: RunnableConfig | None, kwargs: dict[str, Any]) -> Any:
        metadata = ensure_config(config).get("metadata")
        (sent,), kwargs = await calls.aentered(self, [self._messages(input)], metadata, kwargs)
        return await events(sent, config, version="v3", **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        call: PreparedCall | None = kwargs.pop(PREPARED, None)
        return calls.answer(call, messages, lambda: self._inner_generate(messages, stop, run_manager, kwargs))

    def _inner_generate(
        self, messages: list[BaseMessage], stop: Any, manager: Any, kwargs: dict[str, Any]
    ) -> ChatResult:
        return self.inner._generate(messages, stop=self._stop(stop), run_manager=manager, **self._defaults(kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        call: PreparedCall | None = kwargs.pop(PREPARED, None)
        sent = self._defaults(kwargs)
        return await calls.aanswer(
            call, messages, lambda: self.inner._agenerate(messages, self._stop(stop), run_manager, **sent)
        )

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        if type(self.inner)._stream is BaseChatModel._stream:
            yield from calls.as_chunks(self._generate(messages, stop=stop, run_manager=run_manager, **kwargs))
            return
        call: PreparedCall | None = kwargs.pop(PREPARED, None)
        sent = self._defaults(kwargs)
        yield from calls.chunks(call, messages, lambda: self.inner._stream(messages, stop=self._stop(stop), **sent))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        inner = type(self.inner)
        if inner._stream is BaseChatModel._stream and inner._astream is BaseChatModel._astream:
            for chunk in calls.as_chunks(await self._agenerate(messages, stop, run_manager, **kwargs)):
                yield chunk
            return
        call: PreparedCall | None = kwargs.pop(PREPARED, None)
        sent = self._defaults(kwargs)
        async for chunk in calls.achunks(
            call, messages, lambda: self.inner._astream(messages, stop=self._stop(stop), **sent)
        ):
            yield chunk

    def bind_tools(
        self, tools: Any, *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Binds tools in the inner model's own form."""
        bound = self.inner.bind_tools(tools, tool_choice=tool_choice, **kwargs)
        return cast("Runnable[LanguageModelInput, AIMessage]", self.bind(**bound.kwargs))  # type: ignore[attr-defined]

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **kwargs: Any) -> Runnable[Any, Any]:
        """Returns the inner model's own chain for a schema, with this model in it."""
        chain = self.inner.with_structured_output(schema, include_raw=include_raw, **kwargs)
        return cast("Runnable[Any, Any]", structured.rebind(chain, self.inner, self))

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
    def model_name(self) -> str:
        """The inner model's name."""
        return next((str(n) for k in ("model_name", "model") if (n := getattr(self.inner, k, None))), "")

    @property
    def _llm_type(self) -> str:
        return f"promptmw-{self.inner._llm_type}"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {
            "inner": self.inner._llm_type,
            **self.inner._identifying_params,
            "promptmw": [self.pipeline.profile.name, self.pipeline.catalog.policy.id, self.tool_mode],
        }

    @classmethod
    def is_lc_serializable(cls) -> bool:
        """Says no: a pipeline is not data."""
        return False

    def _resolve_model_profile(self) -> ModelProfile | None:
        return self.inner.profile

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        return self.inner._get_ls_params(stop=self._stop(stop), **self._defaults(kwargs))

    def _messages(self, input: LanguageModelInput) -> list[BaseMessage]:
        return self._convert_input(input).to_messages()

    def _stop(self, stop: list[str] | None) -> list[str] | None:
        return self.stop if stop is None else stop

    def _defaults(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Returns keywords for the inner model: a call's own, then what this model was given."""
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {
            **{k: v for k, v in given.items() if v is not None},
            **{k: v for k, v in kwargs.items() if k != PREPARED},
        }
