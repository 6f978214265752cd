"""Makes the call that a prompt was assembled for, and tells plugins what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from promptmw import Answer, Pipeline
from promptmw.inside import inside
from promptmw.toolmode.capability import learns_no_tools
from promptmw_litellm.answers import FAILED, answer_of
from promptmw_litellm.drafts import Draft, Prepared
from promptmw_litellm.request import Api
from promptmw_litellm.restored import restored
from promptmw_litellm.streams import awatched, watched
from promptmw_litellm.text_calls import TextCall


@dataclass(frozen=True, slots=True)
class Call:
    """Is a call of one of LiteLLM's functions, made so that nothing of ours assembles it again.

    Attributes:
        function: Which one.
        api: The form of its keywords.
        pipeline: Whose call it is.
        restores: Whether escapes are taken out of the answer; otherwise it is as the model wrote it.
    """

    function: Callable[..., Any]
    api: Api
    pipeline: Pipeline
    restores: bool = True

    def make(self, prepared: Prepared | None, fields: Mapping[str, Any]) -> Any:
        """Returns what the function returns; a stream is watched.

        Args:
            prepared: The request with its prompt in it.
            fields: The request where there is no prompt.
        """
        if prepared is None:
            return self._ask(**fields)
        text = TextCall(prepared) if prepared.as_text else None
        try:
            response = self._text(text, prepared) if text else self._ask(**prepared.fields)
        except BaseException as error:
            prepared.pipeline.answered(prepared.prompt, _failed(text))
            again = _switched(prepared, error)
            if again is None:
                raise
            return self.make(again.assemble(), fields)
        if hasattr(response, "__next__"):
            return watched(response, self.api, prepared, text.told if text else None)
        response = restored(response, prepared) if self.restores else response
        prepared.pipeline.answered(prepared.prompt, _told(response, text))
        return response

    async def amake(self, prepared: Prepared | None, fields: Mapping[str, Any]) -> Any:
        """Returns what the function returns, awaited. Otherwise as `make`."""
        if prepared is None:
            return await self._aask(**fields)
        text = TextCall(prepared) if prepared.as_text else None
        try:
            response = await (self._atext(text, prepared) if text else self._aask(**prepared.fields))
        except BaseException as error:
            await prepared.pipeline.aanswered(prepared.prompt, _failed(text))
            again = _switched(prepared, error)
            if again is None:
                raise
            return await self.amake(await again.aassemble(), fields)
        if hasattr(response, "__anext__"):
            return awatched(response, self.api, prepared, text.told if text else None)
        response = restored(response, prepared) if self.restores else response
        await prepared.pipeline.aanswered(prepared.prompt, _told(response, text))
        return response

    def _ask(self, **fields: Any) -> Any:
        with inside(self.pipeline):
            return self.function(**fields)

    async def _aask(self, **fields: Any) -> Any:
        with inside(self.pipeline):
            return await self.function(**fields)

    def _text(self, text: TextCall, prepared: Prepared) -> Any:
        return text.stream(self._ask) if prepared.fields.get("stream") else text.make(self._ask)

    async def _atext(self, text: TextCall, prepared: Prepared) -> Any:
        return await (text.astream(self._aask) if prepared.fields.get("stream") else text.amake(self._aask))


def _switched(prepared: Prepared, error: BaseException) -> Draft | None:
    """Returns how a request goes again, if its model has refused its tools."""
    if prepared.again is None or not isinstance(error, Exception):
        return None
    status = getattr(error, "status_code", None)
    refused = learns_no_tools(prepared.facts.key, status if isinstance(status, int) else None, str(error))
    return prepared.again() if refused else None


def _told(response: Any, text: TextCall | None) -> Answer:
    answer = answer_of(response)
    return text.told(answer) if text else answer


def _failed(text: TextCall | None) -> Answer:
    return text.told(FAILED) if text else FAILED
