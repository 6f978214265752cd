"""What stands behind the model of a call: often no chat model, but one that is bound, configured or has fallbacks."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase


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


def lacks_tool_calling(model: Any) -> bool:
    """Says whether a chat model's profile says that it has no tool calling; what is not known is not lacking."""
    return ((model.profile if model else None) or {}).get("tool_calling") is False
