"""Structured output: the provider's own chain with another model in it."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableParallel, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase

TRACED = "ls_structured_output_format"
"""The keyword by which tracers learn of the schema; not every model's own chain sets it."""


def rebind(runnable: Any, old: Runnable[Any, Any], new: Runnable[Any, Any], **keywords: Any) -> Any:
    """Returns a chain in which one model stands in the place of another; itself where the model does not occur.

    Args:
        runnable: What a provider's ``with_structured_output`` returns.
        old: The model in it.
        new: What takes its place.
        **keywords: That the new model is bound to where the old one was not.
    """
    if runnable is old:
        return new
    if isinstance(runnable, RunnableBindingBase):
        bound = rebind(runnable.bound, old, new, **keywords)
        stated = {**keywords, **runnable.kwargs}
        return runnable if bound is runnable.bound else runnable.model_copy(update={"bound": bound, "kwargs": stated})
    if isinstance(runnable, RunnableSequence):
        steps = [rebind(s, old, new, **keywords) for s in runnable.steps]
        same = all(a is b for a, b in zip(steps, runnable.steps, strict=True))
        return runnable if same else RunnableSequence(*steps, name=runnable.name)
    if isinstance(runnable, RunnableParallel):
        named = {k: rebind(v, old, new, **keywords) for k, v in runnable.steps__.items()}
        same = all(v is runnable.steps__[k] for k, v in named.items())
        return runnable if same else RunnableParallel(named)
    return runnable


def chain(inner: BaseChatModel, outer: BaseChatModel, schema: Any, keywords: dict[str, Any]) -> Runnable[Any, Any]:
    """Returns the provider's chain for a schema with the outer model in it.

    Args:
        inner: Makes the chain.
        outer: Takes its place. Where the inner model does not stand in its own chain, LangChain's plain chain of one
            forced tool is made, so that no call goes around the outer model.
        schema: What ``with_structured_output`` takes.
        keywords: Of ``with_structured_output``.
    """
    made: Any = inner.with_structured_output(schema, **keywords)
    traced = {"kwargs": {"method": keywords.get("method", "function_calling")}, "schema": schema}
    bound = rebind(made, inner, outer, **{TRACED: traced})
    return bound if bound is not made else BaseChatModel.with_structured_output(outer, schema, **keywords)
