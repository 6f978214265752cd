"""The tools of a request: what they are called, and whether this call may have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import litellm

from promptmw import ToolMode, ToolModeError, ToolSpec
from promptmw_litellm.deployment import Deployment
from promptmw_litellm.formats import field

TOOL_FIELDS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")

_DEFINED = ("function", "custom")
_RUN_BY_APPLICATION = ("bash", "text_editor", "computer", "memory", "local_shell", "shell", "apply_patch")


def tool_specs(fields: Mapping[str, Any]) -> tuple[ToolSpec, ...]:
    """Returns the tools that a request offers, in the form of any of the three APIs."""
    return tuple(_spec(t) for t in (*(fields.get("tools") or ()), *(fields.get("functions") or ())))


def sorted_tools(tools: Sequence[Any]) -> list[Any]:
    """Returns tools by name, so that the order in which an application lists them moves no cached prefix.

    Tools of which one carries a mark stay: the mark says where in this very order the prefix ends.
    """
    if any(field(t, "cache_control") for t in tools):
        return list(tools)
    return sorted(tools, key=_name)


def resolved_mode(stated: ToolMode, fields: Mapping[str, Any], deployment: Deployment) -> ToolMode:
    """Returns the mode of a call: as stated, else as the deployment or LiteLLM's map of models says, else native.

    Only an explicit "no function calling" means prompt mode; unknown models are taken to have it.

    Args:
        stated: By the application; AUTO for nothing.
        fields: The request. Without tools nothing is looked up.
        deployment: What the operator says about it.

    Raises:
        ToolModeError: The tools would have to be written into the prompt.
    """
    mode = stated if stated is not ToolMode.AUTO else deployment.tool_mode
    if mode is ToolMode.NONE:
        return mode
    if not any(fields.get(name) for name in ("tools", "functions")):
        return ToolMode.NATIVE
    mapped = _mapped(str(fields.get("model") or ""), str(fields.get("custom_llm_provider") or ""))
    if mode is ToolMode.PROMPT or (mode is ToolMode.AUTO and mapped is False):
        raise ToolModeError(
            f"model {fields.get('model')!r}: its tools would have to be written into the prompt, and this version has "
            "no tool protocol yet; state tool_mode 'native' or 'none'"
        )
    return ToolMode.NATIVE


def _mapped(model: str, provider: str) -> bool | None:
    """Returns what LiteLLM's map says of a model.

    The map is read itself: ``get_model_info`` asks some servers over the network and prints for unknown providers.
    """
    names = (f"{provider}/{model}" if provider else model, model, model.partition("/")[2])
    known: dict[str, dict[str, Any]] = litellm.model_cost
    found = next((known[name] for name in names if name in known), {})
    stated = found.get("supports_function_calling")
    return stated if isinstance(stated, bool) else None


def _spec(tool: Any) -> ToolSpec:
    kind, body = _definition(tool)
    hosted = kind not in _DEFINED and not kind.startswith(_RUN_BY_APPLICATION)
    return ToolSpec(str(field(body, "name") or kind), str(field(body, "description") or ""), hosted)


def _name(tool: Any) -> str:
    kind, body = _definition(tool)
    return str(field(body, "name") or kind)


def _definition(tool: Any) -> tuple[str, Any]:
    """Returns a tool's type, and where its name stands: in it, or in the field that its type names."""
    kind = field(tool, "type") or "custom"
    inner = field(tool, kind)
    return kind, inner if isinstance(inner, Mapping) else tool
