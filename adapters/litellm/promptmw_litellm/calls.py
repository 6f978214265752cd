"""Makes the call that a prompt was assembled for, and tells plugins what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from promptmw import Pipeline
from promptmw.inside import inside
from promptmw_litellm.answers import FAILED, answer_of
from promptmw_litellm.drafts import Prepared
from promptmw_litellm.request import Api
from promptmw_litellm.streams import awatched, watched


@dataclass(frozen=True, slots=True)
class Call:
    """Is a call of one of LiteLLM's functions, made so that nothing of ours assembles it again.

    Attributes:
        function: Which one.
        api: The form of its keywords.
        pipeline: Whose call it is.
    """

    function: Callable[..., Any]
    api: Api
    pipeline: Pipeline

    def make(self, prepared: Prepared | None, fields: Mapping[str, Any]) -> Any:
        """Returns what the function returns; a stream is watched.

        Args:
            prepared: The request with its prompt in it.
            fields: The request where there is no prompt.
        """
        try:
            with inside(self.pipeline):
                response = self.function(**(prepared.fields if prepared else fields))
        except BaseException:
            if prepared:
                prepared.pipeline.answered(prepared.prompt, FAILED)
            raise
        if prepared is None:
            return response
        if hasattr(response, "__next__"):
            return watched(response, self.api, prepared)
        prepared.pipeline.answered(prepared.prompt, answer_of(response))
        return response

    async def amake(self, prepared: Prepared | None, fields: Mapping[str, Any]) -> Any:
        """Returns what the function returns, awaited. Otherwise as `make`."""
        try:
            with inside(self.pipeline):
                response = await self.function(**(prepared.fields if prepared else fields))
        except BaseException:
            if prepared:
                await prepared.pipeline.aanswered(prepared.prompt, FAILED)
            raise
        if prepared is None:
            return response
        if hasattr(response, "__anext__"):
            return awatched(response, self.api, prepared)
        await prepared.pipeline.aanswered(prepared.prompt, answer_of(response))
        return response
