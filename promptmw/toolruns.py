"""Plugins' tools: which of them a turn offers, and running one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from promptmw.catalog import Catalog
from promptmw.errors import ToolFailed
from promptmw.fencing import Untrusted, block
from promptmw.kinds import ToolMode
from promptmw.loading import Plugins
from promptmw.logs import warn
from promptmw.profiles import Profile
from promptmw.prompts import Kind, Problem, Prompt
from promptmw.settled import Tools
from promptmw.steps import Job, Steps
from promptmw.tools import Tool, ToolResult
from promptmw.turn import Turn


def settled_tools(
    plugins: Plugins, profile: Profile, turn: Turn, problems: list[Problem], *, can_run_tools: bool
) -> tuple[Tools, tuple[Tool, ...]]:
    """Returns what the model may call in a turn, and which plugins' tools are among it.

    Args:
        plugins: Who may implement ``promptmw_tools``.
        profile: Names the tools that are offered.
        turn: With all inputs; a tool that it states wins over a plugin's of the same name.
        problems: What goes wrong is added here.
        can_run_tools: Whether the caller can run plugins' tools.
    """
    mode = ToolMode.NATIVE if turn.tool_mode is ToolMode.AUTO else turn.tool_mode
    if mode is ToolMode.NONE:
        return Tools(mode), ()
    stated = {t.name for t in turn.tools}
    wanted = set(profile.offer_tools) - stated if can_run_tools else set()
    tools = _offered(plugins, profile, turn, problems) if wanted else ()
    offered = {t.name: t for t in tools if t.name in wanted}
    local = sorted({*(t.name for t in turn.tools if not t.hosted), *offered})
    hosted = sorted(t.name for t in turn.tools if t.hosted)
    return Tools(mode, tuple(local), tuple(hosted)), tuple(offered[n] for n in sorted(offered))


def run_steps(catalog: Catalog, prompt: Prompt, name: str, arguments: Mapping[str, Any]) -> Steps[ToolResult]:
    """Runs a tool that a prompt offered; what its handler raises stays in the log, and only as a type."""
    tool = next((t for t in prompt.offered if t.name == name), None)
    if tool is None:
        return ToolResult(f"There is no tool {name[:64]!r}.", error=True)
    (done,) = yield [Job(partial(tool.handler, prompt.turn, arguments), catalog.profile.tool_seconds)]
    if isinstance(done.error, ToolFailed):
        return ToolResult(catalog.policy.write(block(Untrusted(str(done.error)))).text, error=True)
    if done.error is not None:
        warn("tool failed", tool=tool.name, error=type(done.error).__name__)
        return ToolResult(f"The tool {tool.name} failed.", error=True)
    result = done.value if isinstance(done.value, ToolResult) else ToolResult(str(done.value))
    return replace(result, text=catalog.policy.write(result.text).text)


def _offered(plugins: Plugins, profile: Profile, turn: Turn, problems: list[Problem]) -> Iterator[Tool]:
    for outcome in plugins.call("promptmw_tools", turn=turn, profile=profile):
        try:
            if outcome.error:
                raise outcome.error
            tools = tuple(outcome.value or ())
        except Exception as error:
            detail = type(error).__name__
            problems.append(Problem(Kind.TOOLS_FAILED, outcome.plugin.name, outcome.plugin.owner, detail))
        else:
            yield from tools
