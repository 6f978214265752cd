"""Where a call's turn comes from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from promptmw import InputError, Pipeline, Turn
from promptmw.turnfiles import turn_from_data

KEY = "promptmw"
"""The key of a turn in ``config["metadata"]``, and the attribute of a runtime context."""

UNSTATED = Turn()
"""Is the turn of a call for which nothing is stated."""


def given(source: Turn | Callable[..., Any], *arguments: Any) -> Any:
    """Returns what the application gives: its turn, or what its function returns, which may have to be awaited."""
    return source if isinstance(source, Turn) else source(*arguments)


def from_metadata(metadata: Mapping[str, Any] | None, pipeline: Pipeline) -> Turn:
    """Returns the turn that a config's metadata states, as an object or as plain data; else `UNSTATED`.

    Raises:
        InputError: The data does not fit the installed input types.
    """
    stated = (metadata or {}).get(KEY)
    if stated is None:
        return UNSTATED
    return stated if isinstance(stated, Turn) else turn_from_data(stated, pipeline.catalog.inputs)


def settled(found: Any) -> Turn | None:
    """Returns the turn that was found; None for a call that shall stay as it is.

    Raises:
        InputError: It is no turn; an awaitable can only be given in an async call.
    """
    if inspect.isawaitable(found):
        if inspect.iscoroutine(found):
            found.close()
        raise InputError("turn: the function is async, and this call is not: use ainvoke, astream or abatch")
    return _checked(found)


async def asettled(found: Any) -> Turn | None:
    """Returns the turn that was found, awaited. Otherwise as `settled`."""
    return _checked(await found if inspect.isawaitable(found) else found)


def _checked(turn: object) -> Turn | None:
    if turn is None or isinstance(turn, Turn):
        return turn
    raise InputError(f"turn: the function has to return a Turn or None, not {type(turn).__name__}")
