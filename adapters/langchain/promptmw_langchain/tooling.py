"""What a request says about tools: their names, their order, and whether the model can call them at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from promptmw import Profile, ToolSpec
from promptmw.toolmode.choice import Choice, stated_choice

KEYWORDS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")

_SCHEMAS = ("parameters", "input_schema", "args_schema", "properties")
_DEFINED = ("function", "custom", "toolSpec")
_RUN_BY_APPLICATION = ("bash", "text_editor", "computer", "memory", "local_shell", "shell", "apply_patch")


def specs(tools: Sequence[Any]) -> tuple[ToolSpec, ...]:
    """Returns what the core has to know of tools: names, and which of them the provider runs itself."""
    return tuple(spec for tool in tools for spec in _specs(tool))


def ordered(tools: Sequence[Any], profile: Profile) -> list[Any]:
    """Returns tools by name, so that their order never moves a cached prefix; as given where one carries a mark."""
    if profile.tool_order != "name" or any(_marked(t) for t in tools):
        return list(tools)
    return sorted(tools, key=_name)


def choice_in(keywords: Mapping[str, Any]) -> tuple[Choice, ...]:
    """Returns what a call's keywords say about calling tools; nothing if they do not."""
    choice = keywords.get("tool_choice", keywords.get("function_call"))
    found = stated_choice(choice, keywords.get("parallel_tool_calls"))
    return () if found is None else (found,)


def written(tool: Any) -> ToolSpec:
    """Returns a tool with its definition, for a model that gets it as text."""
    spec = next(iter(_specs(tool)))
    if spec.hosted:
        return spec
    function = convert_to_openai_tool(tool).get("function", {})
    source = str((getattr(tool, "metadata", None) or {}).get("source") or "") if isinstance(tool, BaseTool) else ""
    return ToolSpec(
        str(function.get("name") or spec.name),
        str(function.get("description") or ""),
        parameters=json.dumps(function.get("parameters") or {}, ensure_ascii=False),
        source=source,
    )


def _name(tool: Any) -> str:
    return next((spec.name for spec in _specs(tool)), "")


def _specs(tool: Any) -> Iterator[ToolSpec]:
    """Yields what a definition defines: an object, or a dict in the form of any provider."""
    if not isinstance(tool, Mapping):
        yield ToolSpec(str(getattr(tool, "name", None) or getattr(tool, "__name__", "")))
    elif "function_declarations" in tool:
        yield from (ToolSpec(str(f["name"])) for f in tool["function_declarations"])
    else:
        yield _spec(tool)


def _spec(tool: Mapping[str, Any]) -> ToolSpec:
    kind = str(tool.get("type") or next((k for k in _DEFINED if k in tool), ""))
    inner = tool.get(kind)
    body = inner if isinstance(inner, Mapping) else tool
    name = str(body.get("name") or body.get("title") or kind or next(iter(tool), ""))
    ours = kind.startswith((*_DEFINED, *_RUN_BY_APPLICATION)) or any(k in body for k in _SCHEMAS)
    return ToolSpec(name, hosted=not ours)


def _marked(tool: Any) -> bool:
    if isinstance(tool, BaseTool):
        return "cache_control" in (tool.extras or {})
    return isinstance(tool, Mapping) and ("cache_control" in tool or "cachePoint" in tool)
