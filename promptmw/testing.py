"""For tests of plugins and applications: takes the texts in fences out of a prompt again, from its characters alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from promptmw.fencing import FenceMode, Policy, restore
from promptmw.fencing.modes import undatamarked, unquoted
from promptmw.fencing.values import values_in
from promptmw.prompts import Prompt
from promptmw.verifying import verify

_ATTRIBUTE = r' ([a-z][a-z0-9_-]*)="([^"\n]*)"'


@dataclass(frozen=True, slots=True)
class Fenced:
    """Is a fence as it was read.

    Attributes:
        tag: Its tag.
        attributes: As they were before they were escaped; the ``id`` of a keyed fence is none of them.
        body: As it was before it was escaped; with the fences in it as they stand.
        inner: The fences in its body.
    """

    tag: str
    attributes: Mapping[str, str]
    body: str
    inner: tuple[Fenced, ...] = ()


def parse_fences(text: str, policy: Policy) -> tuple[Fenced, ...]:
    """Returns the fences in a text, read from their form alone.

    Args:
        text: Of a prompt.
        policy: Says which tags there are, and in which mode each of them is.

    Raises:
        ValueError: A fence is not closed.
    """
    return tuple(_fences(text, policy))


def assert_contained(prompt: Prompt) -> None:
    """Checks that nothing has left its fence: no tag but those that fences wrote, and every body reads back.

    Raises:
        AssertionError: Something has; it names the section, without content.
    """
    found = verify(prompt)
    assert not found, "; ".join(map(str, found))
    for block in prompt.blocks:
        bodies = [_bare(body) for body in _bodies(parse_fences(block.text, prompt.policy))]
        stated = [_bare(value.reveal()) for _, read in block.reads for _, value in values_in(read)]
        for span in block.spans if block.marks else ():
            value = _bare(restore(block.text[span.start : span.end])) if span.slot == "block" else ""
            held = any(value in body for body in bodies) and any(value in text for text in stated)
            assert held or not value, f"section {block.section!r}: a value from {span.source} does not read back"


def _fences(text: str, policy: Policy) -> Iterator[Fenced]:
    opening = re.compile(rf"^<({'|'.join(map(re.escape, policy.tags))})((?:{_ATTRIBUTE})*)>\n", re.M)
    at = 0
    while found := opening.search(text, at):
        tag, attributes = found[1], dict(re.findall(_ATTRIBUTE, found[2]))
        modes = policy.modes(tag)
        id = attributes.pop("id", "") if FenceMode.KEYED in modes else ""
        closing = f'\n</{tag} id="{id}">' if id else f"\n</{tag}>"
        end = text.index(closing, found.end() - 1)
        body = _plain(text[found.end() : end], modes)
        inner = tuple(_fences(body, policy))
        whole = body if inner else restore(body)
        yield Fenced(tag, {name: restore(value) for name, value in attributes.items()}, whole, inner)
        at = end + len(closing)


def _plain(body: str, modes: frozenset[FenceMode]) -> str:
    if FenceMode.QUOTED in modes:
        return unquoted(body)
    return undatamarked(body) if FenceMode.DATAMARKED in modes else body


def _bodies(found: tuple[Fenced, ...]) -> Iterator[str]:
    for fence in found:
        yield from _bodies(fence.inner) if fence.inner else (fence.body,)


def _bare(text: str) -> str:
    """Returns the text without blanks, which sections may trim, and without what the modes of fences add."""
    return re.sub(r"[\s>^]", "", text)
