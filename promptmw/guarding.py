"""Keeps what breaches its fence out of a prompt: the block goes, the turn goes on, and the report says so."""

from __future__ import annotations

from collections.abc import Iterable

from promptmw.contents import GAP
from promptmw.errors import FenceBreach
from promptmw.fencing import Policy, Verified
from promptmw.fencing.verify import REACH, joint
from promptmw.prompts import Kind, Problem
from promptmw.recent import Recent
from promptmw.sections import Block
from promptmw.verifying import check


class Guard:
    """Looks at the blocks of a prompt before it is sent.

    Args:
        policy: Knows what is reserved, and when blocks are checked.
        strict: Raise where a block would be dropped.
    """

    def __init__(self, policy: Policy, *, strict: bool) -> None:
        self._policy = policy
        self._strict = strict
        self._on = policy.settings.verify is not Verified.OFF
        self._always = policy.settings.verify is Verified.ALWAYS
        self._joints: Recent[tuple[str, str], bool] = Recent(1024)

    def sound(
        self, blocks: tuple[Block, ...], known: Iterable[Block], owner: str, problems: list[Problem]
    ) -> tuple[Block, ...]:
        """Returns the blocks without those that breach their fences.

        Args:
            blocks: To be sent.
            known: Blocks that were checked before.
            owner: Who has brought the others.
            problems: What is dropped is added here.

        Raises:
            FenceBreach: A required block does; or any, when strict.
        """
        seen = set() if self._always else set(known)
        lost = [b for b in blocks if self._on and b not in seen and self._breaches(b, owner, problems)]
        return tuple(b for b in blocks if b not in lost) if lost else blocks

    def apart(self, blocks: tuple[Block, ...], problems: list[Problem]) -> tuple[Block, ...]:
        """Returns the blocks without those that form a tag together with the one before or behind them.

        Raises:
            FenceBreach: Two required blocks do; or any, when strict.
        """
        kept: list[Block] = []
        for block in blocks if self._on else ():
            while kept and self._joined(kept[-1], block) and not kept[-1].required:
                self._drop(kept.pop(), "it forms a tag with the block behind it", problems)
            if kept and self._joined(kept[-1], block):
                self._drop(block, "it forms a tag with the block before it", problems)
            else:
                kept.append(block)
        return tuple(kept) if len(kept) < len(blocks) and self._on else blocks

    def _breaches(self, block: Block, owner: str, problems: list[Problem]) -> bool:
        try:
            check(block, self._policy)
        except FenceBreach as error:
            self._drop(block, str(error), problems, owner)
            return True
        return False

    def _joined(self, before: Block, after: Block) -> bool:
        if before.layer is not after.layer:
            return False
        ends = before.text[-REACH:], after.text[:REACH]
        found = self._joints.get(ends)
        if found is None:
            found = joint(*ends, GAP, self._policy)
            self._joints.put(ends, found)
        return found

    def _drop(self, block: Block, why: str, problems: list[Problem], owner: str = "") -> None:
        problem = Problem(Kind.BREACH, block.section, owner or block.distribution, why)
        if block.required or self._strict:
            raise FenceBreach(str(problem))
        problems.append(problem)
