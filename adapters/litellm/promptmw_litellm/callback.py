"""The callback: assembles async calls of LiteLLM and its Router, just before they go to their deployment."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from litellm.integrations.custom_logger import CustomLogger

from promptmw import Answer, Pipeline, Turn
from promptmw.inside import is_inside_any
from promptmw.logs import warn
from promptmw_litellm.answers import FAILED, answer_of
from promptmw_litellm.deployment import Deployment, deployment_of
from promptmw_litellm.drafts import Draft, Prepared, draft
from promptmw_litellm.marks import CallMark, logged_mark, mark_of, put_mark
from promptmw_litellm.refusals import as_bad_request
from promptmw_litellm.request import Api, api_of
from promptmw_litellm.restored import restored
from promptmw_litellm.turns import TurnSource, is_for_provider, turn_of


class Callback(CustomLogger):  # type: ignore[misc]
    """Puts prompts into the calls of LiteLLM that have a deployment hook: the async ones, and ``responses``.

    Args:
        pipeline: Makes the prompts.
        turn: A turn, or a function of a call's keywords that returns one, or None for calls that shall stay as they
            are. By default ``metadata.promptmw`` states it.

    Example::

        litellm.callbacks.append(Callback(Pipeline("chat")))
    """

    def __init__(self, pipeline: Pipeline, *, turn: TurnSource = None) -> None:
        super().__init__()
        self.pipeline = pipeline
        self.turn = turn

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any] | None:
        """Returns the request with its prompt in it, or None to leave it as it is.

        Raises:
            litellm.BadRequestError: There is no prompt. It is not retried, and no deployment is cooled down for it.
        """
        api = api_of(call_type)
        if api is None or is_inside_any() or is_for_provider(kwargs):
            return None
        if kwargs.get("input" if api is Api.RESPONSES else "messages") is None:
            _warn_of_positional()
            return None
        logging_obj = kwargs.get("litellm_logging_obj")
        mark = mark_of(logging_obj) or self._new_mark(call_type.value)
        if mark is None or mark.entry != call_type.value:
            return None
        put_mark(logging_obj, mark)
        with as_bad_request(kwargs.get("model")):
            found = self._draft(api, kwargs, mark)
            mark.prepared = await found.aassemble() if found else None
        return mark.prepared.fields if mark.prepared else None

    def _new_mark(self, entry: str) -> CallMark | None:
        """Returns the mark of a call that has none yet; None if such calls are not ours."""
        return CallMark(entry)

    def _draft(self, api: Api, fields: Mapping[str, Any], mark: CallMark) -> Draft | None:
        deployment = deployment_of(fields.get("model_info"))
        turn = self._turn(fields, mark, deployment)
        if turn is None:
            return None
        return draft(api, fields, pipeline=self.pipeline, turn=turn, deployment=deployment, problems=mark.problems)

    def _turn(self, fields: Mapping[str, Any], mark: CallMark, deployment: Deployment) -> Turn | None:
        if not deployment.enabled:
            return None
        return mark.resolved or turn_of(self.turn, fields, self.pipeline)

    async def async_post_call_success_deployment_hook(self, request_data: Any, response: Any, call_type: Any) -> Any:
        """Returns a whole answer with its texts and arguments restored, and tells plugins of it."""
        mark = mark_of(request_data.get("litellm_logging_obj"))
        prepared = mark.taken() if mark and mark.entry == getattr(call_type, "value", call_type) else None
        if prepared is None:
            return None
        response = restored(response, prepared)
        await _tell(prepared, response)
        return response

    async def async_post_call_failure_deployment_hook(
        self, request_data: Mapping[str, Any], exception: Exception, call_type: Any, fallback_depth: int | None = None
    ) -> None:
        """Tells plugins of an attempt that failed."""
        mark = mark_of(request_data.get("litellm_logging_obj"))
        if mark and mark.entry == getattr(call_type, "value", call_type):
            await _tell(mark.taken(), None)

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Tells plugins the answer of a stream that has ended."""
        mark = logged_mark(kwargs)
        if mark:
            await _tell(mark.taken(), response_obj)

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Tells plugins of a stream that broke."""
        mark = logged_mark(kwargs)
        if mark:
            await _tell(mark.taken(), None)

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Tells plugins the answer of a sync call of ``responses``, the one sync call with a hook."""
        _tell_sync(logged_mark(kwargs), response_obj)

    def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Tells plugins of a sync call of ``responses`` that failed."""
        _tell_sync(logged_mark(kwargs), None)


async def _tell(prepared: Prepared | None, response: Any) -> None:
    if prepared:
        await prepared.pipeline.aanswered(prepared.prompt, _answer(response))


def _tell_sync(mark: CallMark | None, response: Any) -> None:
    prepared = mark.taken() if mark and mark.entry == "responses" else None
    if prepared:
        prepared.pipeline.answered(prepared.prompt, _answer(response))


def _answer(response: Any) -> Answer:
    return FAILED if response is None else answer_of(response)


@functools.cache
def _warn_of_positional() -> None:
    warn(
        "a call with positional arguments was not assembled: LiteLLM shows callbacks only keywords",
        remedy="use promptmw_litellm's wrappers or provider, or pass messages= and model= by name",
    )
