"""What stands behind the model of a call: often no chat model, but one that is bound, configured or has fallbacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase

from promptmw import ToolMode
from promptmw.toolmode.capability import LEARNED, ModelFacts, Statement, resolved, supports


def chat_model_in(model: Any) -> BaseChatModel | None:
    """Returns the chat model that is asked first; None where that is only known when it is called."""
    while not isinstance(model, BaseChatModel):
        if isinstance(model, RunnableBindingBase):
            model = model.bound
        elif isinstance(model, RunnableWithFallbacks):
            model = model.runnable
        else:
            return None
    return model


def name_of(model: Any) -> str:
    """Returns a chat model's name; empty where it has none."""
    names = (getattr(model, key, None) for key in ("model_name", "model"))
    return next((n for n in names if isinstance(n, str)), "")


def key_of(model: Any) -> str:
    """Returns what names the deployment behind a chat model in this process; empty where it has no name."""
    name = name_of(model)
    urls = (getattr(model, key, None) for key in ("openai_api_base", "base_url", "anthropic_api_url"))
    url = next((str(u) for u in urls if u), "")
    return f"langchain {type(model).__qualname__} {url} {name}" if name else ""


def facts_of(model: Any, stated: ToolMode) -> ModelFacts:
    """Returns what is known of a chat model.

    Args:
        model: The chat model, or None where that is only known when it is called.
        stated: The tool mode that the application states; AUTO for what is known.
    """
    own = Statement("stated", f"tool_mode = {stated.value}", None if stated is ToolMode.AUTO else stated)
    if model is None:
        return ModelFacts(tools=resolved([own]))
    key, profile = key_of(model), model.profile or {}
    return ModelFacts(key=key, tools=resolved([own, LEARNED.tools(key), _profile(profile), _binding(model)]))


def _profile(profile: Mapping[str, Any]) -> Statement:
    said = profile.get("tool_calling")
    return supports("model profile", "tool_calling", said if said is False else None)


def _binding(model: BaseChatModel) -> Statement:
    lacks = type(model).bind_tools is BaseChatModel.bind_tools
    return Statement("model class", "it has no bind_tools", ToolMode.PROMPT if lacks else None)
