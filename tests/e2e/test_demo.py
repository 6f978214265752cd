"""The main job, as a user runs it: ``promptmw demo`` on the embedded local model."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec

import pytest
from command_line import process

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None and not os.environ.get("PROMPTMW_E2E"),
        reason="the group local is not installed",
    ),
]


def test_each_leg_answers_whole_and_streaming_and_the_next_turn_is_served_from_the_prefix_cache() -> None:
    done = process("demo", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [leg["leg"] for leg in found["legs"]] == ["langchain", "litellm", "litellm-tools"]
    for leg in found["legs"]:
        assert len(leg["calls"]) == 2
        assert all(call["text"].strip() and call["usage"]["input_tokens"] for call in leg["calls"])
    called, answered = (call["text"] for call in found["legs"][2]["calls"])
    assert called.startswith('get_weather({"city": "')
    assert "<" not in answered
    (call,) = found["next_turn"]["calls"]
    assert call["usage"]["cached_tokens"] > call["usage"]["input_tokens"] // 3
