"""The provider ``promptmw/<model>``: every path of LiteLLM, the sync ones and all three endpoints included."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import litellm
from litellm.utils import custom_llm_setup

from promptmw import Pipeline
from promptmw.inside import is_inside_any
from promptmw_litellm.callback import Callback
from promptmw_litellm.calls import Call
from promptmw_litellm.deployment import deployment_of
from promptmw_litellm.drafts import Draft, draft
from promptmw_litellm.marks import mark_of
from promptmw_litellm.pipelines import proxy_pipeline
from promptmw_litellm.refusals import as_bad_request
from promptmw_litellm.request import Api
from promptmw_litellm.streams import aheld, held
from promptmw_litellm.turns import PROVIDER, TurnSource, turn_of

_ONE_ATTEMPT = {"max_retries": 0, "num_retries": 0, "no-log": True}
"""The outer call retries and logs; without this the inner one would do both again."""

_SETTINGS = ("api_version", "drop_params", "ssl_verify")
"""Settings of the deployment that are the target's."""

_IF_ALLOWED = ("reasoning_effort", "thinking", "verbosity")
"""Parameters that reach a custom provider only where the deployment's ``allowed_openai_params`` lists them."""

_LOST = ("max_completion_tokens", "user")
"""Parameters that LiteLLM renames or drops on the way to a custom provider."""


class Provider(litellm.CustomLLM):  # type: ignore[misc]
    """Assembles a call and makes it again, to the model behind the prefix.

    Args:
        pipeline: Makes the prompts.
        turn: As of `Callback`.
    """

    def __init__(self, pipeline: Pipeline, *, turn: TurnSource = None) -> None:
        super().__init__()
        self.pipeline = pipeline
        self.turn = turn

    def completion(self, **given: Any) -> Any:
        """Returns a whole answer.

        Raises:
            litellm.BadRequestError: There is no prompt.
        """
        fields = _inner(given)
        with as_bad_request(given["model"]):
            found = self._draft(fields, given)
            prepared = found.assemble() if found else None
        return Call(litellm.completion, Api.CHAT, self.pipeline).make(prepared, fields)

    async def acompletion(self, **given: Any) -> Any:
        """Returns a whole answer. Otherwise as `completion`."""
        fields = _inner(given)
        with as_bad_request(given["model"]):
            found = self._draft(fields, given)
            prepared = await found.aassemble() if found else None
        return await Call(litellm.acompletion, Api.CHAT, self.pipeline).amake(prepared, fields)

    def streaming(self, **given: Any) -> Iterator[Any]:
        """Returns a stream. Otherwise as `completion`."""
        fields = _streaming(_inner(given))
        with as_bad_request(given["model"]):
            found = self._draft(fields, given)
            prepared = found.assemble() if found else None
        return held(Call(litellm.completion, Api.CHAT, self.pipeline).make(prepared, fields))

    def astreaming(self, **given: Any) -> AsyncIterator[Any]:
        """Returns a stream, which makes its request when it is first read. Otherwise as `completion`."""
        fields = _streaming(_inner(given))
        with as_bad_request(given["model"]):
            found = self._draft(fields, given)
        return self._achunks(found, fields, given["model"])

    async def _achunks(self, found: Draft | None, fields: Mapping[str, Any], model: str) -> AsyncIterator[Any]:
        with as_bad_request(model):
            prepared = await found.aassemble() if found else None
        stream = await Call(litellm.acompletion, Api.CHAT, self.pipeline).amake(prepared, fields)
        async with aclosing(aheld(stream)) as chunks:
            async for chunk in chunks:
                yield chunk

    def _draft(self, fields: Mapping[str, Any], given: Mapping[str, Any]) -> Draft | None:
        """Returns the draft of the inner request; None where somebody has assembled it, or nobody shall."""
        outer = given.get("litellm_params") or {}
        deployment = deployment_of(outer.get("model_info"))
        if is_inside_any() or not deployment.enabled:
            return None
        mark = mark_of(given.get("logging_obj"))
        turn = mark.resolved if mark else None
        turn = turn or turn_of(self.turn, {**fields, "litellm_params": outer, **_metadata(outer)}, self.pipeline)
        if turn is None:
            return None
        problems = mark.problems if mark else ()
        return draft(
            Api.CHAT, fields, pipeline=self.pipeline, turn=turn, deployment=deployment, problems=problems, reads=True
        )


def install(pipeline: Pipeline, *, turn: TurnSource = None) -> None:
    """Registers the provider and the callback with LiteLLM; a second time in place of the first.

    Args:
        pipeline: Makes the prompts.
        turn: A turn, or a function of a call's keywords that returns one, or None for calls that shall stay as they
            are. By default ``metadata.promptmw`` states it.
    """
    providers = [item for item in litellm.custom_provider_map if item["provider"] != PROVIDER]
    handler = Provider(pipeline, turn=turn)
    litellm.custom_provider_map = [*providers, {"provider": PROVIDER, "custom_handler": handler}]
    custom_llm_setup()
    others = [c for c in litellm.callbacks if type(c) is not Callback]
    litellm.callbacks = [*others, Callback(pipeline, turn=turn)]


def _inner(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keywords of the inner call."""
    outer = given.get("litellm_params") or {}
    target = {"api_base": given.get("api_base"), "api_key": given.get("api_key"), "timeout": given.get("timeout")}
    target |= {"extra_headers": given.get("headers"), **{name: outer.get(name) for name in _SETTINGS}}
    optional = given.get("optional_params") or {}
    allowed = [name for name in _IF_ALLOWED if name in optional]
    return {
        "model": given["model"],
        "messages": given["messages"],
        **{name: value for name, value in target.items() if value},
        **_recovered(given["model"], optional, given.get("logging_obj")),
        **({"allowed_openai_params": allowed} if allowed else {}),
        **_ONE_ATTEMPT,
    }


def _recovered(model: str, optional: Mapping[str, Any], logging_obj: Any) -> dict[str, Any]:
    """Returns the parameters, with those that were lost on the way as far as the target knows them."""
    stated = getattr(logging_obj, "optional_params", None) or {}
    lost = [name for name in _LOST if stated.get(name) is not None and name not in optional]
    known = _known_to(model) if lost else ()
    back = {name: stated[name] for name in lost if name in known}
    renamed = "max_tokens" if "max_completion_tokens" in back else ""
    return {**{name: value for name, value in optional.items() if name != renamed}, **back}


def _known_to(model: str) -> Sequence[str]:
    """Returns the parameters that a model's provider takes."""
    provider, slash, name = model.partition("/")
    if not slash:
        return litellm.get_supported_openai_params(model=model) or ()
    return litellm.get_supported_openai_params(model=name, custom_llm_provider=provider) or ()


def _streaming(fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields with the counts asked for: LiteLLM would guess them for a custom provider."""
    options = fields.get("stream_options") or {}
    return {**fields, "stream": True, "stream_options": {**options, "include_usage": True}}


def _metadata(outer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: outer[name] for name in ("metadata", "litellm_metadata") if name in outer}


def __getattr__(name: str) -> Any:
    """Makes ``handler``, the provider of a proxy, when the proxy first asks for it."""
    if name != "handler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["handler"] = made = Provider(proxy_pipeline())
    return made
