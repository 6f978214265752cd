"""Plugins' tools as LangChain sees them."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool, ToolException

from promptmw import Tool, ToolResult


class PluginTool(BaseTool):
    """Declares a plugin's tool to the model; the middleware runs it, with the turn that offered it."""

    @classmethod
    def of(cls, tool: Tool) -> PluginTool:
        """Returns the declaration of a tool."""
        return cls(name=tool.name, description=tool.description, args_schema=dict(tool.parameters))

    def _run(self, **arguments: Any) -> str:
        raise ToolException(f"{self.name} runs inside the agent that offered it, and nowhere else")


def result_message(result: ToolResult, call: ToolCall) -> ToolMessage:
    """Returns the message that carries a result."""
    return ToolMessage(
        content=str(result.text),
        tool_call_id=call["id"] or "",
        name=call["name"],
        status="error" if result.error else "success",
    )
