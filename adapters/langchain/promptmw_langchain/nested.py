"""Finds a `PromptChatModel` wherever it stands in the model of an agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase

from promptmw import Turn
from promptmw_langchain.chat_model import PromptChatModel


def assembles_itself(model: Any) -> bool:
    """Says whether a model is a `PromptChatModel`, or all models in it are.

    Where only some are, the request has to be assembled for the others; ours of the same pipeline see that it is.
    """
    if isinstance(model, PromptChatModel):
        return True
    if isinstance(model, RunnableBindingBase):
        return assembles_itself(model.bound)
    return isinstance(model, RunnableWithFallbacks) and all(map(assembles_itself, model.runnables))


def with_turn(model: Any, turn: Turn) -> Any:
    """Returns a model in which each `PromptChatModel` has a turn, instead of what it would find itself."""
    if isinstance(model, PromptChatModel):
        return model.model_copy(update={"turn": turn})
    if isinstance(model, RunnableBindingBase):
        return model.model_copy(update={"bound": with_turn(model.bound, turn)})
    if isinstance(model, RunnableWithFallbacks):
        fallbacks = [with_turn(m, turn) for m in model.fallbacks]
        return model.model_copy(update={"runnable": with_turn(model.runnable, turn), "fallbacks": fallbacks})
    return model


def wrapped(model: Any, wrap: Callable[[BaseChatModel], PromptChatModel]) -> Any:
    """Returns a model in which each chat model is replaced by one that assembles its prompt itself."""
    if isinstance(model, BaseChatModel):
        return model if isinstance(model, PromptChatModel) else wrap(model)
    if isinstance(model, RunnableBindingBase):
        return model.model_copy(update={"bound": wrapped(model.bound, wrap)})
    if isinstance(model, RunnableWithFallbacks):
        fallbacks = [wrapped(m, wrap) for m in model.fallbacks]
        return model.model_copy(update={"runnable": wrapped(model.runnable, wrap), "fallbacks": fallbacks})
    return model
