"""Where a call's turn comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from promptmw import InputError, Pipeline, Turn
from promptmw.turnfiles import turn_from_data

KEY = "promptmw"
"""The key of a turn in ``config["metadata"]``, and the attribute of a runtime context."""


def from_metadata(metadata: Mapping[str, Any] | None, pipeline: Pipeline) -> Turn:
    """Returns the turn that a config's metadata states, as an object or as plain data; an empty one otherwise.

    Raises:
        InputError: The data does not fit the installed input types.
    """
    stated = (metadata or {}).get(KEY)
    if stated is None:
        return Turn()
    return stated if isinstance(stated, Turn) else turn_from_data(stated, pipeline.catalog.inputs)


def checked(turn: object) -> Turn:
    """Returns what an application's function has given.

    Raises:
        InputError: It is no turn; an awaitable can only be given in an async call.
    """
    if isinstance(turn, Turn):
        return turn
    if hasattr(turn, "close"):
        turn.close()
    raise InputError(f"turn: the function returned {type(turn).__name__}, not Turn; an async one needs an async call")


def pipeline_of(pipeline: Pipeline, turn: Turn) -> Pipeline:
    """Returns the pipeline of the profile that the turn names."""
    return pipeline.for_profile(turn.profile) if turn.profile else pipeline
