"""The fixtures of the package canitoolcall, for each format that is installed."""

from __future__ import annotations

import pytest

pytest.importorskip("canitoolcall")

from bench.tool_oracle import FORMATS, judged, protocols
from canitoolcall.fixtures import load_families

SOFT = {"llama": 1, "kimi": 5, "gemma4": 1}
"""How many fixtures of a family want a blank dropped that others keep."""


@pytest.mark.parametrize("family", FORMATS)
def test_no_fixture_fails(family: str) -> None:
    """Whole, and in chunks of one and of a few characters."""
    protocol = protocols().get(FORMATS[family])
    if protocol is None:
        pytest.skip(f"there is no format {FORMATS[family]!r}")
    counts = judged(family, protocol, load_families()[family], ["one", "char:0", "char:1"])
    assert (counts.failed, counts.soft) == (0, SOFT.get(family, 0)), counts.notes
    assert counts.passed > 30
