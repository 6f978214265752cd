"""What an operator says about one deployment: ``model_info.promptmw``, and what LiteLLM itself asks there."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from promptmw import ConfigError, ToolMode
from promptmw.validation import build

PATH = ("model_info", "promptmw")


@dataclass(frozen=True, slots=True)
class Settings:
    """Holds the settings of a deployment; its table ``model_info.promptmw``.

    Attributes:
        profile: The profile of its calls; it goes before that of team, key and client.
        tool_mode: How its model gets tools; where nothing is stated, ``model_info.supports_function_calling`` says it.
        enabled: Whether its calls are assembled at all.
        stop: Whether its model takes stop sequences; None for what LiteLLM knows.
        max_stops: How many.
        prefill: Whether its model goes on from the beginning of an answer.
        grammar: Whether its engine takes a grammar in the body of a request.
        response_format: Whether its model takes a JSON Schema for its answers; where nothing is stated,
            ``model_info.supports_response_schema`` says it, then what LiteLLM knows.
        reasoning: ``text`` for a model that thinks in the text of its answers, ``opened`` where its prompt already
            opens that thought.
    """

    profile: str = ""
    tool_mode: ToolMode = ToolMode.AUTO
    enabled: bool = True
    stop: bool | None = None
    max_stops: int = 4
    prefill: bool | None = None
    grammar: bool | None = None
    response_format: bool | None = None
    reasoning: Literal["", "text", "opened"] = ""


@dataclass(frozen=True, slots=True)
class Deployment(Settings):
    """Is what is said about a deployment.

    Attributes:
        id: As LiteLLM's Router names it; blank outside of one.
        function_calling: What ``model_info.supports_function_calling`` says.
        response_schema: What ``model_info.supports_response_schema`` says.
    """

    id: str = ""
    function_calling: bool | None = None
    response_schema: bool | None = None


def deployment_of(model_info: Any) -> Deployment:
    """Returns what a deployment's ``model_info`` says; the defaults without any.

    Raises:
        ConfigError: A key is unknown or a value has the wrong type.
    """
    if not isinstance(model_info, Mapping):
        return _NOTHING
    stated = _settings(model_info.get("promptmw"))
    own = {f.name: getattr(stated, f.name) for f in fields(Settings)}
    return Deployment(
        **own,
        id=str(model_info.get("id") or ""),
        function_calling=_flag(model_info.get("supports_function_calling")),
        response_schema=_flag(model_info.get("supports_response_schema")),
    )


_NOTHING = Deployment()


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _settings(stated: Any) -> Settings:
    if stated is None:
        return _NOTHING
    try:
        return _remembered(tuple(sorted(stated.items())))
    except (TypeError, AttributeError):  # what cannot be a key of the memory is no valid setting either
        return build(Settings, stated, path=PATH, error=ConfigError)


@functools.lru_cache(maxsize=256)
def _remembered(stated: tuple[tuple[str, Any], ...]) -> Settings:
    return build(Settings, dict(stated), path=PATH, error=ConfigError)
