"""Structured output: the provider's own chain with another model in it."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import Runnable, RunnableBinding, RunnableParallel, RunnableSequence


def rebind(runnable: Any, old: Runnable[Any, Any], new: Runnable[Any, Any]) -> Any:
    """Returns a chain in which one model stands in the place of another; itself where the model does not occur.

    Args:
        runnable: What a provider's ``with_structured_output`` returns.
        old: The model in it.
        new: What takes its place.
    """
    if runnable is old:
        return new
    if isinstance(runnable, RunnableBinding):
        bound = rebind(runnable.bound, old, new)
        return runnable if bound is runnable.bound else runnable.model_copy(update={"bound": bound})
    if isinstance(runnable, RunnableSequence):
        return RunnableSequence(*[rebind(s, old, new) for s in runnable.steps], name=runnable.name)
    if isinstance(runnable, RunnableParallel):
        return RunnableParallel({k: rebind(v, old, new) for k, v in runnable.steps__.items()})
    return runnable
