"""Says whether the running code is inside a call that an adapter has assembled already. A help, not the rule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from promptmw.assembly import Pipeline

_PIPELINES: ContextVar[tuple[Pipeline, ...]] = ContextVar("promptmw_inside", default=())


@contextmanager
def inside(pipeline: Pipeline) -> Iterator[None]:
    """Marks everything that is called within as assembled by this pipeline."""
    token = _PIPELINES.set((*_PIPELINES.get(), pipeline))
    try:
        yield
    finally:
        _PIPELINES.reset(token)


def is_inside_any() -> bool:
    """Says whether any pipeline has assembled the call that is being made."""
    return bool(_PIPELINES.get())


def is_inside(pipeline: Pipeline) -> bool:
    """Says whether this pipeline, in whatever profile, has assembled the call that is being made."""
    return any(p.family is pipeline.family for p in _PIPELINES.get())
