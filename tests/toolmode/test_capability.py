"""What is known about a model, and who says so."""

from __future__ import annotations

import itertools

import pytest

from promptmw import ToolMode
from promptmw.toolmode.capability import Fact, Learned, Statement, resolved, says_no_tools, supports

SOURCES = ["stated", "model_info", "learned", "LiteLLM's map", "model profile"]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("value", "mode"), [(True, ToolMode.NATIVE), (False, ToolMode.PROMPT)])
def test_each_source_alone(source: str, value: bool, mode: ToolMode) -> None:
    """CP1"""
    found = resolved([supports(source, "supports_function_calling", value)])
    assert found.mode is mode
    assert str(found) == f"{mode.value} ({source}: supports_function_calling = {str(value).lower()})"


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(SOURCES, 2)))
def test_of_two_the_earlier_wins(first: str, second: str) -> None:
    """CP1"""
    assert resolved([supports(first, "x", False), supports(second, "x", True)]).source == first
    assert resolved([supports(first, "x", None), supports(second, "x", True)]).source == second


def test_where_nobody_knows_tools_go_natively() -> None:
    """CP2"""
    assert resolved([supports("map", "x", None), Statement("stated", "auto", ToolMode.AUTO)]).mode is ToolMode.NATIVE
    assert str(resolved([])) == "native (default: nothing is known)"


def test_what_was_learned_holds_for_an_hour() -> None:
    """CP4"""
    now = [0.0]
    learned = Learned(clock=lambda: now[0])
    learned.refuse_tools("small")
    assert learned.tools("small").mode is ToolMode.PROMPT
    assert learned.tools("other").mode is None
    now[0] = 3599
    assert learned.tools("small").mode is ToolMode.PROMPT
    now[0] = 3600
    assert learned.tools("small").mode is None


def test_a_deployment_without_a_name_is_not_told_apart() -> None:
    learned = Learned()
    learned.refuse_tools("")
    learned.refuse_stop("")
    assert learned.tools("").mode is None
    assert not learned.refused_stop("")


def test_memory_is_bounded() -> None:
    learned = Learned(size=4)
    for at in range(1000):
        learned.refuse_stop(str(at))
    assert learned.refused_stop("999")
    assert not learned.refused_stop("0")


@pytest.mark.parametrize(
    "text",
    [
        "registry.ollama.ai/library/gemma:2b does not support tools",
        "Unsupported param: tools",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "tools param requires --jinja flag",
        "No endpoints found that support tool use",
        "openai does not support parameters: ['tools'], for model=small",
        "tools is not supported by this model",
    ],
)
@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_refusals_of_tools(text: str, status: int) -> None:
    assert says_no_tools(status, text)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, "does not support tools"),
        (None, "does not support tools"),
        (429, "Unsupported param: tools"),
        (400, "Unsupported parameter: 'stop'"),
        (400, "the tool 'x' has no parameters"),
        (500, "internal error"),
    ],
)
def test_other_errors_are_no_refusals(status: int | None, text: str) -> None:
    assert not says_no_tools(status, text)


def test_only_booleans_state_a_fact() -> None:
    assert [Fact.of(v) for v in (True, False, None, "yes", 1)] == [Fact.YES, Fact.NO, *[Fact.UNKNOWN] * 3]
