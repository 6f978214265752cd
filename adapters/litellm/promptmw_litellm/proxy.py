"""The handler of a LiteLLM proxy: chat completions, messages and responses, whole and streaming.

In the proxy's config: ``callbacks: ["promptmw_litellm.proxy.handler"]``.
"""

from __future__ import annotations

from typing import Any

try:
    from fastapi import HTTPException
except ImportError as error:
    raise ImportError(
        "the handler runs in a LiteLLM proxy, which is not installed: pip install 'promptmw-litellm[proxy]'"
    ) from error

from promptmw import Pipeline, Problem
from promptmw.logs import warn
from promptmw.prompts import Kind
from promptmw_litellm.callback import Callback
from promptmw_litellm.client import ClientRules, strip
from promptmw_litellm.clientturns import client_turn, tenant_of
from promptmw_litellm.drafts import OWNER
from promptmw_litellm.marks import CallMark, put_mark
from promptmw_litellm.pipelines import proxy_pipeline, proxy_rules
from promptmw_litellm.request import api_of


class Handler(Callback):
    """Learns once a request who calls, and what that one may say; assembles once an attempt.

    Args:
        pipeline: Makes the prompts.
        rules: What clients may say.
    """

    def __init__(self, pipeline: Pipeline, rules: ClientRules) -> None:
        super().__init__(pipeline)
        self.rules = rules

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any
    ) -> dict[str, Any]:
        """Returns the request without what a client may not say, and marks it with its turn.

        Raises:
            HTTPException: 400, where the operator's rules are strict and something was not allowed.
        """
        entry = str(getattr(call_type, "value", call_type))
        api = api_of(entry)
        if api is None:
            return data
        found = client_turn(data, user_api_key_dict, rules=self.rules, pipeline=self.pipeline)
        ignored = [*strip(data, api, self.rules), *found.ignored]
        for name in ignored:
            warn("client_ignored", subject=name)
        if ignored and self.rules.strict:
            raise HTTPException(400, detail={"error": f"not allowed in a request: {', '.join(ignored)}"})
        turn = found.turn(self.pipeline, tenant=tenant_of(user_api_key_dict))
        problems = tuple(Problem(Kind.CLIENT_IGNORED, name, OWNER) for name in ignored)
        put_mark(data.get("litellm_logging_obj"), CallMark(entry, resolved=turn, problems=problems))
        return data

    def _new_mark(self, entry: str) -> None:
        """Returns None: calls that no client made, such as health checks, stay as they are."""
        return


def __getattr__(name: str) -> Any:
    """Makes ``handler`` when the proxy first asks for it, so that a bad file stops the proxy at its start."""
    if name != "handler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["handler"] = made = Handler(proxy_pipeline(), proxy_rules())
    return made
