"""Checks finished prompts: promptmw is the only one that writes tags into its blocks, and no value leaves its fence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from promptmw.contents import GAP, text_of
from promptmw.errors import FenceBreach
from promptmw.fencing import Policy, UserText, Written
from promptmw.fencing.verify import flaws, joint
from promptmw.kinds import Layer
from promptmw.messages import Conversation
from promptmw.prompts import Prompt
from promptmw.sections import Block

KINDS = {
    "tag": "a tag that no fence has written",
    "heading": "a value that reads as a heading",
    "fence": "a tag that is not where its fence has put it",
    "open fence": "a fence that is not closed",
    "undeclared": "a fence that the section does not declare",
    "joint": "a tag formed with the next block",
    "left out": "blocks that are not in the request",
}
"""Kinds of breaches, in words."""


@dataclass(frozen=True, slots=True)
class Breach:
    """Says where something stands that no fence of ours has written. Shows no content.

    Attributes:
        section: Whose block it is; blank for text that is no block.
        distribution: Who offers the section.
        message: ``system``, ``first_user`` or ``last_user``.
        offset: Of the character in the block, or in the message.
        kind: One of `KINDS`.
    """

    section: str
    distribution: str
    message: str
    offset: int
    kind: str

    def __str__(self) -> str:
        whose = f"section {self.section!r} of {self.distribution}" if self.section else f"the {self.message} message"
        return f"{whose}: {KINDS[self.kind]} at character {self.offset}"


def verify(prompt: Prompt, sent: Conversation | None = None) -> tuple[Breach, ...]:
    """Returns what in a prompt was not written by its fences; nothing for a sound one.

    Args:
        prompt: What was assembled.
        sent: The messages of the finished request. Then they are checked as well: each layer stands in one of them as
            it was assembled, and beside it stands no tag.
    """
    found = [b for block in prompt.blocks for b in breaches(block, prompt.policy)]
    found += joints(prompt.blocks, prompt.policy)
    return (*found, *(_request(prompt, sent) if sent is not None else ()))


def breaches(block: Block, policy: Policy) -> list[Breach]:
    """Returns what in a block was not written by its fences."""
    written = Written(block.text, block.spans, block.marks)
    return [_breach(block, at, kind) for at, kind in flaws(written, policy, mentions=block.mentions)]


def joints(blocks: Iterable[Block], policy: Policy) -> Iterator[Breach]:
    """Yields where a block and the next one in its message form a tag together."""
    for before, after in pairwise(blocks):
        if before.layer is after.layer and joint(before.text, after.text, GAP, policy):
            yield _breach(before, len(before.text), "joint")


def check(block: Block, policy: Policy, *, declared: frozenset[str] | None = None) -> None:
    """Checks a block.

    Args:
        block: That was rendered or revised.
        policy: Knows what is reserved.
        declared: The tags of the fences that it may write, where that is known.

    Raises:
        FenceBreach: Something in it was not written by its fences.
    """
    found = breaches(block, policy)
    found += [
        _breach(block, at, "undeclared") for at, tag in block.marks if declared is not None and tag not in declared
    ]
    if found:
        raise FenceBreach(f"{found[0]}: put values through a slot, and tags through a declared Fence")


def _breach(block: Block, at: int, kind: str) -> Breach:
    return Breach(block.section, block.distribution, block.layer.name.lower(), at, kind)


def _request(prompt: Prompt, sent: Conversation) -> Iterator[Breach]:
    if sent.caller_system.strip("\n") != prompt.system.strip("\n"):
        yield Breach("", "", "system", 0, "left out")
    texts = [text_of(sent.form.content(m)) for m in sent.body()]
    for layer in (Layer.FIRST_USER, Layer.LAST_USER):
        ours = prompt.text(layer)
        if ours and not any(ours in text for text in texts):
            yield Breach("", "", layer.name.lower(), 0, "left out")
    yield from _beside(prompt, texts)


def _beside(prompt: Prompt, texts: list[str]) -> Iterator[Breach]:
    """Yields tags in the messages that hold blocks, outside of these."""
    if prompt.policy.settings.user_text is UserText.ASIS:
        return
    layers = [layer for layer in (Layer.FIRST_USER, Layer.LAST_USER) if prompt.text(layer)]
    for text in texts:
        held = [layer for layer in layers if prompt.text(layer) in text]
        for layer in held:
            start = text.index(prompt.text(layer))
            text = text[:start] + text[start + len(prompt.text(layer)) :]
        for at in sorted(prompt.policy.markers(text)) if held else ():
            yield Breach("", "", held[0].name.lower(), at, "tag")
