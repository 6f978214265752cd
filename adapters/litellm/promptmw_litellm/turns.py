"""Where a call's turn comes from: what the application gives, or plain data in the call's metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from promptmw import InputError, Pipeline, Turn
from promptmw.turnfiles import turn_from_data

KEY = "promptmw"
PROVIDER = "promptmw"
PREFIX = f"{PROVIDER}/"
METADATA = ("litellm_metadata", "metadata")
"""In this order: on two of the three APIs ``metadata`` is the provider's own field."""

TurnSource = Turn | Callable[[Mapping[str, Any]], Turn | None] | None
"""A turn for all calls, or a function of a call's keywords; what it returns None for stays as it is."""


def turn_of(source: TurnSource, fields: Mapping[str, Any], pipeline: Pipeline) -> Turn | None:
    """Returns the turn of a call, or None where the application wants none.

    Args:
        source: What the application gave.
        fields: The call's keywords. Their ``metadata.promptmw`` counts where the application gave nothing, unless the
            call came over a proxy: then a client wrote it, and only the proxy's handler reads it.
        pipeline: Knows the inputs.

    Raises:
        InputError: The turn is not valid, or the function returned something else.
    """
    if isinstance(source, Turn):
        return source
    if source is not None:
        return _checked(source(fields))
    stated = None if is_proxied(fields) else stated_turn(fields)
    return Turn() if stated is None else turn_from_data(stated, pipeline.catalog.inputs)


def stated_turn(fields: Mapping[str, Any]) -> Any:
    """Returns what stands in the call's metadata for us, or None."""
    tables = (fields.get(name) for name in METADATA)
    return next((t[KEY] for t in tables if isinstance(t, Mapping) and t.get(KEY) is not None), None)


def without_stated_turn(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the fields without our part of the metadata: providers refuse unknown or nested values there."""
    ours = {n: t for n in METADATA if isinstance(t := fields.get(n), Mapping) and KEY in t}
    cleaned = {n: {k: v for k, v in t.items() if k != KEY} for n, t in ours.items()}
    return {**fields, **cleaned} if ours else fields


def is_for_provider(fields: Mapping[str, Any]) -> bool:
    """Says whether our own provider would get the call."""
    return str(fields.get("model") or "").startswith(PREFIX) or fields.get("custom_llm_provider") == PROVIDER


def without_prefix(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the fields of a call that needs no provider of ours, as it is assembled already."""
    if not is_for_provider(fields):
        return fields
    rest = {k: v for k, v in fields.items() if (k, v) != ("custom_llm_provider", PROVIDER)}
    return {**rest, "model": str(fields["model"]).removeprefix(PREFIX)}


def is_proxied(fields: Mapping[str, Any]) -> bool:
    """Says whether a request to a LiteLLM proxy led to this call."""
    inner = fields.get("litellm_params")
    return bool(fields.get("proxy_server_request")) or (isinstance(inner, Mapping) and is_proxied(inner))


def _checked(turn: Any) -> Turn | None:
    if turn is not None and not isinstance(turn, Turn):
        raise InputError(f"turn: the function has to return a Turn or None, not {type(turn).__name__}")
    return turn
