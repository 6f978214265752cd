"""promptmw for LiteLLM: wrapper functions, a callback, a provider, and the handler of a proxy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from promptmw_litellm.callback import Callback
    from promptmw_litellm.client import ClientRules
    from promptmw_litellm.provider import Provider, install
    from promptmw_litellm.request import Api
    from promptmw_litellm.turns import TurnSource
    from promptmw_litellm.wrappers import (
        acompletion,
        anthropic_messages,
        aprepare,
        aresponses,
        completion,
        prepare,
        responses,
    )

_WHERE = {
    "callback": "Callback",
    "client": "ClientRules",
    "provider": "Provider install",
    "request": "Api",
    "turns": "TurnSource",
    "wrappers": "acompletion anthropic_messages aprepare aresponses completion prepare responses",
}
_MODULES = {name: module for module, names in _WHERE.items() for name in names.split()}

__all__ = [
    "Api",
    "Callback",
    "ClientRules",
    "Provider",
    "TurnSource",
    "acompletion",
    "anthropic_messages",
    "aprepare",
    "aresponses",
    "completion",
    "install",
    "prepare",
    "responses",
]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first asked for: LiteLLM takes seconds, which the command line need not wait."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
