"""Looks into prompts: what is in one, and what moved between two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from promptmw.fencing import Policy
from promptmw.prompts import Prompt
from promptmw.sections import Block


@dataclass(frozen=True, slots=True)
class Row:
    """Describes one block for people and programs, without its content.

    Attributes:
        section: Its name.
        distribution: Who offers it.
        layer: Where it lands.
        order: Within the layer.
        stability: How long it stays the same.
        trust: Whose text its values are.
        locale: The language of its texts.
        characters: Of its text.
        untrusted: Characters in it that are a user's or a stranger's.
        tokens: Of its text.
        share: Of all tokens, 0 to 1.
        digest: Names its text.
        modes: The modes of its fences, without plain ones.
        escapes: How many characters of values were escaped, by kind.
        tokens_added: Tokens that escapes and modes cost.
        cuts: What was left out, in words.
        reads: Names of the inputs that it was made of.
    """

    section: str
    distribution: str
    layer: str
    order: int
    stability: str
    trust: str
    locale: str
    characters: int
    untrusted: int
    tokens: int
    share: float
    digest: str
    modes: tuple[str, ...]
    escapes: Mapping[str, int]
    tokens_added: int
    cuts: tuple[str, ...]
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """Says where two prompts part.

    Attributes:
        section: The first block that differs.
        inputs: Names of its inputs that differ; empty when the block is new or gone.
        offset: Characters of the blocks before it, which both prompts share.
        tokens: Tokens of the later prompt's blocks from there on.
        change: ``changed``, ``added`` or ``removed``.
    """

    section: str
    inputs: tuple[str, ...]
    offset: int
    tokens: int
    change: str


def rows(prompt: Prompt) -> list[Row]:
    """Returns a row for each block, in the order in which they are sent."""
    whole = max(1, prompt.tokens)
    return [_row(b, whole, prompt.policy) for b in prompt.blocks]


def moved(before: Prompt, after: Prompt) -> Moved | None:
    """Returns the first block that differs between two prompts, and why; None when all are the same.

    It is the place from which a provider's prefix cache does not serve the later prompt any more.
    """
    offset = 0
    for i in range(max(len(before.blocks), len(after.blocks))):
        old, new = _at(before, i), _at(after, i)
        if old and new and (old.section, old.digest) == (new.section, new.digest):
            offset += len(new.text) + 2
            continue
        block, change = _changed(before, after, old, new)
        tokens = sum(b.tokens for b in after.blocks[i:])
        inputs = _differing(old, new) if change == "changed" and old and new else ()
        return Moved(block.section, inputs, offset, tokens, change)
    return None


def _row(block: Block, whole: int, policy: Policy) -> Row:
    return Row(
        section=block.section,
        distribution=block.distribution,
        layer=block.layer.name.lower(),
        order=block.order,
        stability=block.stability.name.lower(),
        trust=block.trust.name.lower(),
        locale=block.locale,
        characters=len(block.text),
        untrusted=sum(s.end - s.start for s in block.spans if s.slot),
        tokens=block.tokens,
        share=block.tokens / whole,
        digest=block.digest,
        modes=tuple(sorted({mode.value for tag in block.tags for mode in policy.modes(tag)})),
        escapes=_escapes(block),
        tokens_added=block.tokens_added,
        cuts=tuple(f"{c.source}: {c.after} of {c.before} {c.unit} ({c.reason.value})" for c in block.cuts),
        reads=tuple(name for name, value in block.reads if value),
    )


def _escapes(block: Block) -> dict[str, int]:
    found: Counter[str] = Counter()
    for span in block.spans:
        found.update(dict(span.escapes))
    return dict(found)


def _at(prompt: Prompt, index: int) -> Block | None:
    return prompt.blocks[index] if index < len(prompt.blocks) else None


def _changed(before: Prompt, after: Prompt, old: Block | None, new: Block | None) -> tuple[Block, str]:
    if new is not None and new.section not in {b.section for b in before.blocks}:
        return new, "added"
    if old is not None and old.section not in {b.section for b in after.blocks}:
        return old, "removed"
    block = new or old
    assert block is not None  # one of the two prompts has a block here
    return block, "changed"


def _differing(old: Block, new: Block) -> tuple[str, ...]:
    values = dict(old.reads)
    return tuple(name for name, value in new.reads if values.get(name) != value)
