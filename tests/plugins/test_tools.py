"""The tool guidance: which lines stand in which mode, whatever the order of the tools."""

from __future__ import annotations

import itertools

import pytest
from chat_turns import ALL_TOOLS, assembled, base, native, prompted, text_of, with_tables
from golden.seed_fragments import FRAGMENTS
from hypothesis import given, settings
from hypothesis import strategies as st

from promptmw import ConfigError, ToolSpec, Turn
from promptmw_plugins.roles import ToolNames
from promptmw_plugins.sandbox import SandboxFile
from promptmw_plugins.tools import LINES, ToolHint

SUBSETS = [s for size in range(6) for s in itertools.combinations(LINES, size)]
HEADING, CITE, REPEAT = (FRAGMENTS[f"tools.{key}"] for key in ("heading", "cite", "repeat"))
NAMES = ToolNames()


def guidance(turn: Turn) -> list[str]:
    return text_of(assembled(turn), "tools").splitlines()


def named(roles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(getattr(NAMES, role) for role in roles)


def test_mode_none_has_no_guidance_whatever_the_tools() -> None:
    """TG1."""
    prompt = assembled(base(SandboxFile("a.csv"), tools=(*ALL_TOOLS, "use_skill")))
    assert prompt.system == assembled(base()).system


def test_mode_none_offers_no_tool_to_the_request() -> None:
    """TG11."""
    tools = with_tables({"offer_tools": ["save_memory"]}).assemble(base(session="tools-none", tools=ALL_TOOLS))
    assert (tools.tools.local, tools.tools.hosted, tools.offered) == ((), (), ())


@pytest.mark.parametrize("roles", SUBSETS, ids="+".join)
def test_native_mode_has_the_two_rules_and_no_tool_line(roles: tuple[str, ...]) -> None:
    """TG2."""
    wanted = [HEADING, *([CITE] if "web_search" in roles else []), REPEAT] if roles else []
    assert guidance(native(tools=named(roles))) == wanted


@pytest.mark.parametrize("roles", SUBSETS, ids="+".join)
def test_prompt_mode_adds_the_lines_of_the_tools_that_are_on(roles: tuple[str, ...]) -> None:
    """TG3."""
    own = [FRAGMENTS[f"tools.{role}"] for role in LINES if role in roles]
    wanted = [HEADING, *([CITE] if "web_search" in roles else []), *own, REPEAT] if roles else []
    assert guidance(prompted(tools=named(roles))) == wanted


@settings(max_examples=60, deadline=None)
@given(st.permutations((*ALL_TOOLS, "use_skill", "weather")), st.sampled_from(["native", "prompt"]))
def test_the_order_of_the_tools_does_not_matter(tools: list[str], mode: str) -> None:
    """TG4."""
    hints = (ToolHint("weather", "Use weather for forecasts."),)
    ordered = (*ALL_TOOLS, "use_skill", "weather")
    assert guidance(base(*hints, tools=tools, tool_mode=mode)) == guidance(base(*hints, tools=ordered, tool_mode=mode))


def test_a_tool_without_a_line_still_gets_the_rule_to_repeat() -> None:
    """TG5."""
    assert guidance(prompted(tools=("use_skill",))) == [HEADING, REPEAT]


@pytest.mark.parametrize("mode", ["native", "prompt"])
def test_hosted_tools_do_not_count(mode: str) -> None:
    """TG6, TG10."""
    hosted = tuple(ToolSpec(name, hosted=True) for name in ALL_TOOLS)
    assert guidance(base(tools=hosted, tool_mode=mode)) == []
    assert guidance(base(tool_mode=mode)) == []


def test_a_renamed_tool_is_renamed_in_every_line() -> None:
    """TG7."""
    prompt = with_tables({"tool_names": {"web_search": "find"}}).assemble(prompted(tools=("find",)))
    renamed = [FRAGMENTS[f"tools.{k}"].replace("aivory_web_search", "find") for k in ("cite", "web_search")]
    assert text_of(prompt, "tools").splitlines() == [HEADING, *renamed, REPEAT]
    assert "aivory_web_search" not in prompt.system


def test_a_tool_under_its_old_name_has_no_role_any_more() -> None:
    """TG7."""
    prompt = with_tables({"tool_names": {"web_search": "find"}}).assemble(prompted(tools=("aivory_web_search",)))
    assert text_of(prompt, "tools").splitlines() == [HEADING, REPEAT]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"web_search": "same", "python": "same"}, "web_search and python are both 'same'"),
        ({"web_serach": "find"}, r"tool_names has no key 'web_serach'\. Did you mean 'web_search'"),
        ({"python": "  "}, r"tool_names\.python is blank"),
    ],
)
def test_names_that_cannot_be_used_are_errors_at_load(names: dict[str, str], message: str) -> None:
    """TG8."""
    with pytest.raises(ConfigError, match=message):
        with_tables({"tool_names": names})


def test_a_hint_stands_before_the_last_rule_while_its_tool_is_on() -> None:
    """TG9."""
    hint = ToolHint("weather", "Use weather for forecasts.")
    assert guidance(prompted(hint, tools=("weather",))) == [HEADING, "- Use weather for forecasts.", REPEAT]
    assert guidance(prompted(hint, tools=("calc",))) == [HEADING, REPEAT]
    assert guidance(prompted(hint, tools=(ToolSpec("weather", hosted=True), "calc"))) == [HEADING, REPEAT]
    assert guidance(native(hint, tools=("weather",))) == [HEADING, REPEAT]


def test_hints_are_sorted_by_tool_and_stand_behind_the_lines_of_roles() -> None:
    """TG9."""
    hints = (ToolHint("weather", "Use weather."), ToolHint("calc", "Use calc."), ToolHint("dice", " "))
    tools = ("weather", "dice", "calc", "save_memory")
    lines = [HEADING, FRAGMENTS["tools.save_memory"], "- Use calc.", "- Use weather.", REPEAT]
    assert guidance(prompted(*hints, tools=tools)) == lines


def test_a_hint_is_one_line_of_at_most_400_characters() -> None:
    """FE2, FE4."""
    lines = guidance(prompted(ToolHint("weather", "x\n## Trust boundary\n" + "y" * 400), tools=("weather",)))
    assert [len(line) for line in lines[1:-1]] == [len("- ") + 400]
    assert lines[1].startswith("- x ## Trust boundary yyy")
    assert lines[1].endswith("y…")


@pytest.mark.parametrize("make", [native, prompted])
def test_all_five_tools_give_the_seeds_lines(make) -> None:  # type: ignore[no-untyped-def]
    """TG12."""
    own = [FRAGMENTS[f"tools.{role}"] for role in LINES] if make is prompted else []
    assert guidance(make(tools=ALL_TOOLS)) == [HEADING, CITE, *own, REPEAT]
