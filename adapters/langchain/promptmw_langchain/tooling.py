"""What a request says about tools: their names, their order, and whether the model can call them at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool

from promptmw import Profile, ToolMode, ToolModeError, ToolSpec

KEYWORDS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")


def tool_name(tool: Any) -> str:
    """Returns a tool's name: of an object, a function's schema, or a provider's own tool."""
    if isinstance(tool, Mapping):
        function = tool.get("function")
        named = function if isinstance(function, Mapping) else tool
        return str(named.get("name") or tool.get("type") or "")
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", ""))


def specs(tools: Sequence[Any]) -> tuple[ToolSpec, ...]:
    """Returns what the core has to know of tools: names, and which of them the provider runs itself."""
    return tuple(ToolSpec(tool_name(t), hosted=_hosted(t)) for t in tools)


def ordered(tools: Sequence[Any], profile: Profile) -> list[Any]:
    """Returns tools by name, so that their order never moves a cached prefix; as given where one carries a mark."""
    if profile.tool_order != "name" or any(_marked(t) for t in tools):
        return list(tools)
    return sorted(tools, key=tool_name)


def resolved(stated: ToolMode, model: BaseChatModel, tools: Sequence[Any]) -> ToolMode:
    """Returns how the tools of a call reach the model.

    Args:
        stated: By the application; AUTO for what is known about the model.
        model: Its profile may say that it has no tool calling.
        tools: Without any, the mode does not matter and is native.

    Raises:
        ToolModeError: The tools would have to be written into the prompt.
    """
    mode = stated
    if stated is ToolMode.AUTO:
        lacks = (model.profile or {}).get("tool_calling") is False
        mode = ToolMode.PROMPT if lacks else ToolMode.NATIVE
    if mode is not ToolMode.PROMPT:
        return mode
    if tools:
        names = ", ".join(sorted(map(tool_name, tools)))
        raise ToolModeError(
            f"the tools {names} would have to be written into the prompt, and this version has no tool protocol: "
            "use a model with tool calling, or tool_mode='none'"
        )
    return ToolMode.NATIVE


def _hosted(tool: Any) -> bool:
    """Says whether a dict names a tool of the provider's: it has no function and no schema of arguments."""
    if not isinstance(tool, Mapping):
        return False
    return not ({"function", "parameters", "input_schema", "args_schema", "title", "properties"} & set(tool))


def _marked(tool: Any) -> bool:
    extras = tool if isinstance(tool, Mapping) else (tool.extras or {} if isinstance(tool, BaseTool) else {})
    return "cache_control" in extras
