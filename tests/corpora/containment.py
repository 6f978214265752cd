"""Says whether a string stays in its place: what no fence of ours and no slot lets out."""

from __future__ import annotations

import functools

from properties.marker_oracle import tags

from promptmw import Fence, Pipeline, Untrusted, attr, block, restore
from promptmw.fencing import Policy
from promptmw.testing import parse_fences

FENCE = Fence("tool-output")
_ATTRIBUTE = 50


@functools.cache
def policies() -> dict[str, Policy]:
    """Returns the policy of the installed plugins, in its plain and in its quoted form."""
    modes = ("plain", "quoted")
    return {mode: Pipeline("chat", settings={"trust": {"fence_mode": mode}}).catalog.policy for mode in modes}


def failure(text: str) -> str:
    """Returns what a string has got through with; blank where it stays in its place."""
    value = Untrusted(text)
    written = policies()["plain"].write(block(value)).text if not value.blank else ""
    if restore(written) != ("" if value.blank else text):
        return "not reversible"
    if found := tags(written, policies()["plain"].tags):
        return f"reads as {sorted(found)[0]}"
    return next((bad for mode in policies() if (bad := _out(value, text, mode))), "")


def _out(value: Untrusted, text: str, mode: str) -> str:
    policy, name = policies()[mode], Untrusted(text[:_ATTRIBUTE])
    if value.blank:
        return ""
    whole = policy.write(FENCE(block(value), name=attr(name))).text
    found = parse_fences(whole, policy)
    names = {} if name.blank else {"name": text[:_ATTRIBUTE]}
    read = [(f.tag, f.attributes, f.body, f.inner) for f in found]
    return "" if read == [(FENCE.tag, names, text, ())] else f"out of its {mode} fence"
