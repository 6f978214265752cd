"""Looks at written text: every tag in it is one that a fence of ours wrote, and no value leaves its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from promptmw.fencing.policy import Policy
from promptmw.fencing.writing import Span, Written
from promptmw.kinds import Trust

REACH = 64
"""Characters on each side of a joint that can form a marker together."""


def flaws(written: Written, policy: Policy, *, mentions: bool = False) -> Iterator[tuple[int, str]]:
    """Yields offset and kind of everything that must not stand in a written text.

    Args:
        written: With the spans of its values and the marks of its fences.
        policy: Knows what is reserved.
        mentions: The text's own words name tags, in prose.
    """
    yield from _tags(written, policy, mentions=mentions)
    yield from _headings(written, policy)
    yield from _fences(written)


def joint(before: str, after: str, gap: str, policy: Policy) -> bool:
    """Says whether two texts with a gap between them form a marker that neither of them holds alone."""
    left, right = before[-REACH:] + gap, after[:REACH]
    alone = policy.markers(left) | {at + len(left) for at in policy.markers(right)}
    return not policy.markers(left + right) <= alone


def _tags(written: Written, policy: Policy, *, mentions: bool) -> Iterator[tuple[int, str]]:
    ours = {at for at, _ in written.marks}
    starts = [s.start for s in written.spans]
    for at in sorted(policy.markers(written.text)):
        span = _span_at(written.spans, starts, at)
        if span is None and (at in ours or (mentions and _own(written, policy, starts, at))):
            continue
        if span is None or span.trust is not Trust.OPERATOR:
            yield at, "tag"


def _own(written: Written, policy: Policy, starts: list[int], at: int) -> bool:
    """Says whether a marker that our own words begin ends within them."""
    following = bisect_right(starts, at)
    end = starts[following] if following < len(starts) else len(written.text)
    return 0 in policy.markers(written.text[at:end])


def _span_at(spans: tuple[Span, ...], starts: list[int], at: int) -> Span | None:
    found = bisect_right(starts, at) - 1
    return spans[found] if found >= 0 and at < spans[found].end else None


def _headings(written: Written, policy: Policy) -> Iterator[tuple[int, str]]:
    for span in written.spans:
        if span.slot == "section":
            found = policy.headings_in(written.text[span.start : span.end])
            yield from ((span.start + at, "heading") for at in sorted(found))


def _fences(written: Written) -> Iterator[tuple[int, str]]:
    """Yields where a fence is not what its marks say, is closed in the wrong order, or stays open."""
    opened: list[tuple[int, str]] = []
    for at, tag in written.marks:
        if written.text.startswith(f"<{tag}", at):
            opened.append((at, tag))
        elif not (written.text.startswith(f"</{tag}", at) and opened and opened.pop()[1] == tag):
            yield at, "fence"
    yield from ((at, "open fence") for at, _ in opened)
