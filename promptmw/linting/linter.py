"""The rules in order, over a pipeline and the prompt of one turn."""

from __future__ import annotations

from collections.abc import Iterator

from promptmw.assembly import Pipeline
from promptmw.fencing.settings import ToolResults
from promptmw.kinds import ToolMode, Trust
from promptmw.linting import structure, written
from promptmw.linting.findings import Finding
from promptmw.linting.operator import OperatorText
from promptmw.prompts import Prompt

_TEMPLATED = frozenset({
    "hosted_vllm", "huggingface", "llamafile", "lm_studio", "local", "ollama", "ollama_chat", "oobabooga", "petals",
    "text-completion-openai", "triton", "vllm", "xinference",
})  # fmt: skip
"""Providers whose servers make one text of all messages, so that a control token in any of them counts."""


def lint(pipeline: Pipeline, prompt: Prompt) -> tuple[Finding, ...]:
    """Returns what is likely a mistake: first in what the operator has written, then in the profile's plugins.

    Args:
        pipeline: Of the profile.
        prompt: Of the turn; for a profile alone, of a turn that states nothing.
    """
    return (*_operator(prompt), *_written(prompt), *_results(prompt), *structure.findings(pipeline.catalog))


def _operator(prompt: Prompt) -> Iterator[Finding]:
    tools = {*prompt.tools.local, *prompt.tools.hosted}
    for block in prompt.blocks:
        for span in block.spans:
            if span.trust is Trust.OPERATOR:
                text = OperatorText(block.text[span.start : span.end], block.section, block.distribution)
                yield from text.findings(prompt.policy, tools)


def _written(prompt: Prompt) -> Iterator[Finding]:
    for block in prompt.blocks:
        yield from written.findings(block)


def _results(prompt: Prompt) -> Iterator[Finding]:
    provider = prompt.turn.model.partition("/")[0].lower()
    asis = prompt.policy.settings.tool_results is ToolResults.ASIS
    native = prompt.tools.mode is ToolMode.NATIVE and bool(prompt.tools.local)
    if asis and native and provider in _TEMPLATED:
        what = f"servers of {provider} make one text of all messages, and tool_results is asis"
        yield Finding("W7", "trust.tool_results", "", what, 'Set it to "markers" or "wrap"')
