"""Plugins' tools as LangChain sees them."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool, ToolException
from pydantic import Field, InstanceOf

from promptmw import Pipeline, Prompt, ToolResult


class PluginTool(BaseTool):
    """Is a plugin's tool in an agent, run with the turn of the prompt that offers it.

    Attributes:
        pipeline: Runs it.
        prompt: Offers it.
    """

    handle_tool_error: Any = True
    pipeline: InstanceOf[Pipeline] = Field(repr=False, exclude=True)
    prompt: InstanceOf[Prompt] = Field(repr=False, exclude=True)

    def _run(self, /, **arguments: Any) -> str:
        return _text(self.pipeline.run_tool(self.prompt, self.name, arguments))

    async def _arun(self, /, **arguments: Any) -> str:
        return _text(await self.pipeline.arun_tool(self.prompt, self.name, arguments))


def offered_tools(pipeline: Pipeline, prompt: Prompt) -> list[PluginTool]:
    """Returns the plugins' tools that a prompt offers."""
    return [
        PluginTool(
            name=tool.name,
            description=tool.description,
            args_schema=dict(tool.parameters),
            pipeline=pipeline,
            prompt=prompt,
        )
        for tool in prompt.offered
    ]


def _text(result: ToolResult) -> str:
    """Returns a result's text.

    Raises:
        ToolException: It says why the call could not be done; LangChain makes a message of status ``error`` of it.
    """
    if result.error:
        raise ToolException(str(result.text))
    return str(result.text)
