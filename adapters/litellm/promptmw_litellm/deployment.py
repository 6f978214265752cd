"""What an operator says about one deployment: ``model_info.promptmw``, and what LiteLLM itself asks there."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from promptmw import ConfigError, ToolMode
from promptmw.validation import build

PATH = ("model_info", "promptmw")


@dataclass(frozen=True, slots=True)
class Deployment:
    """Holds the settings of a deployment.

    Attributes:
        profile: The profile of its calls; it goes before that of team, key and client.
        tool_mode: How its model gets tools; where nothing is stated, ``model_info.supports_function_calling`` says it.
        enabled: Whether its calls are assembled at all.
    """

    profile: str = ""
    tool_mode: ToolMode = ToolMode.AUTO
    enabled: bool = True


def deployment_of(model_info: Any) -> Deployment:
    """Returns the settings that stand in a deployment's ``model_info``; the defaults without any.

    Raises:
        ConfigError: A key is unknown or a value has the wrong type.
    """
    if not isinstance(model_info, Mapping):
        return _NOTHING
    found = _settings(model_info.get("promptmw"))
    calls = model_info.get("supports_function_calling")
    if found.tool_mode is not ToolMode.AUTO or not isinstance(calls, bool):
        return found
    return replace(found, tool_mode=ToolMode.NATIVE if calls else ToolMode.PROMPT)


_NOTHING = Deployment()


def _settings(stated: Any) -> Deployment:
    if stated is None:
        return _NOTHING
    try:
        return _remembered(tuple(sorted(stated.items())))
    except (TypeError, AttributeError):  # what cannot be a key of the memory is no valid setting either
        return build(Deployment, stated, path=PATH, error=ConfigError)


@functools.lru_cache(maxsize=256)
def _remembered(stated: tuple[tuple[str, Any], ...]) -> Deployment:
    return build(Deployment, dict(stated), path=PATH, error=ConfigError)
