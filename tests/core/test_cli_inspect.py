"""``promptmw inspect``."""

from __future__ import annotations

from pathlib import Path

from command_line import TURNS, data, run

FULL, TYPICAL = TURNS / "full.toml", TURNS / "typical.toml"


def changed(tmp_path: Path, old: str, new: str) -> Path:
    file = tmp_path / "changed.toml"
    text = TYPICAL.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return file


def test_the_table_has_a_line_for_each_block_and_no_text_of_it() -> None:
    text = run("inspect", FULL).stdout
    found = data("inspect", FULL)
    for block in found["blocks"]:
        assert f"│ {block['section']} " in text
        assert block["digest"][:8] in text
    assert "Riverside" not in text


def test_layout_and_order_key_are_said_above() -> None:
    assert "layout documented: blocks by layer, order, name" in run("inspect", FULL).stdout
    assert "layout cache: blocks by layer, stability, order, name" in run("inspect", FULL, "--layout", "cache").stdout


def test_json_counts_what_the_table_counts() -> None:
    found = data("inspect", FULL)
    assert found["tokens"] == sum(b["tokens"] for b in found["blocks"])
    assert abs(sum(b["share"] for b in found["blocks"]) - 1) < 1e-9
    excerpt = next(b for b in found["blocks"] if b["section"] == "excerpt")
    assert (excerpt["trust"], excerpt["reads"]) == ("untrusted", ["excerpt"])
    assert 0 < excerpt["untrusted"] < excerpt["characters"]


def test_the_bar_is_as_long_as_its_shares() -> None:
    lines = run("inspect", FULL).stdout.splitlines()
    bar, legend = lines[-2:]
    assert 60 <= len(bar) <= 90
    assert legend.split()[:3] == ["█", "static", legend.split()[2]]


def test_cuts_are_in_the_table_and_in_json(tmp_path: Path) -> None:
    file = changed(tmp_path, '"Ada"', f'"{"A" * 500}"')
    persona = next(b for b in data("inspect", file)["blocks"] if b["section"] == "persona")
    assert persona["cuts"] == ["persona: 79 of 500 characters (field limit)"]
    assert "79 of 500" in run("inspect", file).stdout


def test_problems_are_listed_below(tmp_path: Path) -> None:
    file = changed(tmp_path, '"UTC"', '"Nowhere/Town"')
    assert "unknown time zone: Nowhere/Town" in run("inspect", file).stdout


def test_diff_names_section_input_and_what_is_lost(tmp_path: Path) -> None:
    file = changed(tmp_path, '"Ada"', '"Bea"')
    moved = data("inspect", TYPICAL, "--diff", file)["diff"]
    assert (moved["section"], moved["inputs"], moved["change"]) == ("persona", ["persona"], "changed")
    blocks = data("inspect", TYPICAL)["blocks"]
    before = [b for b in blocks if b["section"] in ("identity", "style", "date")]
    assert moved["offset"] == sum(b["characters"] + 2 for b in before)
    words = run("inspect", TYPICAL, "--diff", file).stdout.splitlines()[-1]
    assert "persona moved by persona. " in words
    assert f"{moved['offset']:,} characters before it stay cached; {moved['tokens']:,} tokens" in words


def test_diff_of_a_turn_with_itself_moves_nothing() -> None:
    assert data("inspect", FULL, "--diff", FULL)["diff"] is None
    result = run("inspect", FULL, "--diff", FULL)
    assert (result.exit_code, "moves nothing" in result.stdout) == (0, True)


def test_diff_names_a_section_that_is_new_or_gone() -> None:
    assert "persona is new" in run("inspect", TURNS / "minimal.toml", "--diff", TYPICAL).stdout
    assert "persona is gone" in run("inspect", TYPICAL, "--diff", TURNS / "minimal.toml").stdout


def test_a_bad_file_to_compare_with_prints_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("x = 1")
    result = run("inspect", FULL, "--diff", tmp_path / "bad.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "bad.toml:1: a turn has no key 'x'" in result.stderr


def with_tools(tmp_path: Path, model: str, mode: str = "auto") -> Path:
    file = tmp_path / "tools.toml"
    file.write_text(
        f'model = "{model}"\ntool_mode = "{mode}"\n'
        '[[tools]]\nname = "now"\ndescription = "The time."\n'
        'parameters = { type = "object", properties = { zone = { type = "string" } } }\n',
        encoding="utf-8",
    )
    return file


def test_it_says_how_tools_reach_the_model_and_who_says_so(tmp_path: Path) -> None:
    stated = data("inspect", with_tools(tmp_path, "qwen3-coder", "prompt"))["tools"]
    assert stated == {
        "mode": "prompt",
        "source": "stated",
        "value": "tool_mode = prompt",
        "local": ["now"],
        "hosted": [],
        "format": "qwen3-coder",
        "why": stated["why"],
        "accepts": [],
        "calls": "one",
    }
    assert data("inspect", with_tools(tmp_path, "qwen3-coder"))["tools"]["mode"] == "native"


def test_adapters_are_asked_where_the_turn_leaves_it_open(tmp_path: Path) -> None:
    file = with_tools(tmp_path, "deepseek/deepseek-reasoner")
    found = data("inspect", file, "--resolve")
    assert found["tools"]["mode"] == "prompt"
    assert found["tools"]["source"] == "LiteLLM's map"
    assert "tool_protocol" in {b["section"] for b in found["blocks"]}
    line = run("inspect", file, "--resolve").stdout.splitlines()[0]
    assert line.startswith("tools prompt (LiteLLM's map: supports_function_calling = false); 1 local, 0 hosted; format")


def test_what_the_turn_says_is_not_asked_again(tmp_path: Path) -> None:
    file = with_tools(tmp_path, "deepseek/deepseek-reasoner", "native")
    assert data("inspect", file, "--resolve")["tools"]["mode"] == "native"
