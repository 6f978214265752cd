"""Lets plugins see all blocks and return others, one plugin after the other."""

from __future__ import annotations

from typing import Any

from promptmw.errors import SectionError
from promptmw.guarding import Guard
from promptmw.loading import PluginInfo, Plugins
from promptmw.prompts import Kind, Problem
from promptmw.sections import Block
from promptmw.turn import Turn
from promptmw.weaving import Weaver

HOOK = "promptmw_revise"


def revised(
    plugins: Plugins, weaver: Weaver, guard: Guard, turn: Turn, blocks: tuple[Block, ...], problems: list[Problem]
) -> tuple[Block, ...]:
    """Returns the blocks that are left after all plugins have seen them, in the order in which they are sent.

    Args:
        plugins: Who may implement ``promptmw_revise``.
        weaver: Renders the sections that name fences again when a plugin has brought another fence.
        guard: Drops what a plugin has added outside of a fence.
        turn: With all inputs.
        blocks: As rendered.
        problems: What goes wrong is added here.

    Raises:
        SectionError: The plugins are strict, and one has left a fence unnamed that was named before.
        FenceBreach: A required block breaches its fences now; or any, when strict.
    """
    before = blocks
    for info, implementation in plugins.callables(HOOK):
        given: dict[str, object] = {"turn": turn, "blocks": blocks}
        try:
            returned = implementation.function(*(given[name] for name in implementation.argnames))
            kept = blocks if returned is None else _accepted(info, blocks, returned, problems)
        except Exception as error:
            problems.append(Problem(Kind.REVISE_FAILED, info.name, info.owner, type(error).__name__))
        else:
            blocks = guard.sound(kept, blocks, info.owner, problems)
    if blocks is before:
        return blocks
    named = _naming_fences(weaver, turn, before, blocks, problems)
    for problem in problems if plugins.strict else ():
        if problem.kind is Kind.TRUST:
            raise SectionError(f"section {problem.subject!r}, replaced by a plugin's {HOOK}: {problem.detail}")
    return named


def _accepted(info: PluginInfo, blocks: tuple[Block, ...], returned: Any, problems: list[Problem]) -> tuple[Block, ...]:
    """Returns what a plugin returned, with required blocks put back and the loss of others reported."""
    kept = tuple(returned)
    for block in kept:
        if not isinstance(block, Block):
            raise TypeError(f"{HOOK} returned {type(block).__name__}")
    if len(set(kept)) < len(kept):
        raise ValueError(f"{HOOK} returned a block twice")
    kept = tuple(b for b in kept if b.text.strip())  # what says nothing leaves nothing behind
    names = {b.section for b in kept}
    lost = [b for b in blocks if b.section not in names]
    problems += [
        Problem(Kind.DROPPED, b.section, info.owner, f"by {info.name}" + (", put back: it is required" * b.required))
        for b in lost
    ]
    return (*kept, *(b for b in lost if b.required))


def _naming_fences(
    weaver: Weaver, turn: Turn, before: tuple[Block, ...], blocks: tuple[Block, ...], problems: list[Problem]
) -> tuple[Block, ...]:
    """Renders the sections that name fences again if fences were added, unless a plugin has replaced them."""
    replaced = [b for b in blocks if weaver.is_late(b) and b not in before]
    if weaver.fences(blocks) != weaver.fences(before) and not replaced:
        return weaver.with_late(turn, blocks, problems)
    for block in replaced:
        old = next((b for b in before if b.section == block.section), None)
        problems += [
            Problem(Kind.TRUST, block.section, block.distribution, f"<{tag}> is not named any more")
            for tag in weaver.fences(blocks)
            if old is not None and f"<{tag}>" in old.text and f"<{tag}>" not in block.text
        ]
    return weaver.ordered(blocks)
