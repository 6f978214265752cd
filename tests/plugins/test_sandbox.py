"""The sandbox section: the files of the conversation, under the names that they are staged with."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from chat_turns import NOW, assembled, base, block_of, native, prompted, text_of, with_tables
from golden.seed_fragments import FRAGMENTS
from hypothesis import given, settings
from hypothesis import strategies as st

from promptmw import CutReason, InputError, Turn
from promptmw_plugins.sandbox import SandboxFile, staged_names

HEADING, BODY = FRAGMENTS["sandbox.heading"], FRAGMENTS["sandbox.body"]
UPLOADS = "/workspace/uploads/"
ON = {"tools": ("python_execute",)}


def lines(*files: SandboxFile) -> list[str]:
    """Returns what stands between the heading and the body."""
    text = text_of(assembled(native(*files, **ON)), "sandbox")
    return text.removeprefix(HEADING + "\n").removesuffix("\n" + BODY).splitlines()


@pytest.mark.parametrize("make", [native, prompted])
def test_heading_bullets_and_body_follow_each_other(make) -> None:  # type: ignore[no-untyped-def]
    """SB1."""
    text = text_of(assembled(make(SandboxFile("report.csv", kind="sheet"), **ON)), "sandbox")
    assert text == f"{HEADING}\n- {UPLOADS}report.csv (sheet)\n{BODY}"


@pytest.mark.parametrize(
    "turn",
    [native(SandboxFile("a.csv"), tools=("fetch_image",)), base(SandboxFile("a.csv"), **ON), native(**ON)],
    ids=["no python", "mode none", "no files"],
)
def test_there_is_no_section_without_python_or_files(turn: Turn) -> None:
    """SB2."""
    assert text_of(assembled(turn), "sandbox") == ""


def test_a_file_of_no_kind_is_a_file() -> None:
    """SB3."""
    assert lines(SandboxFile("a", kind="  ")) == [f"- {UPLOADS}a (file)"]


def test_files_that_are_not_staged_are_left_out() -> None:
    """SB4."""
    most = 40 * 1024 * 1024
    files = [SandboxFile(f"f{i}", size=size) for i, size in enumerate((-1, 0, most, most + 1, None))]
    assert lines(*files) == [f"- {UPLOADS}f{i} (file)" for i in (1, 2, 4)]


def test_blank_names_are_left_out() -> None:
    assert lines(SandboxFile(" \u3000"), SandboxFile("a")) == [f"- {UPLOADS}a (file)"]


def test_equal_names_are_told_apart_as_they_are_staged() -> None:
    """SB5."""
    names = ("a.csv", "a-2.csv", "a.csv")
    assert staged_names(names) == ("a.csv", "a-2.csv", "a-3.csv")
    assert lines(*map(SandboxFile, names)) == [f"- {UPLOADS}{name} (file)" for name in staged_names(names)]


@pytest.mark.parametrize(
    ("names", "staged"),
    [
        (("a", "a", "A"), ("a", "a-2", "A")),
        ((".env", ".env"), (".env", ".env-2")),
        (("a.tar.gz", "a.tar.gz"), ("a.tar.gz", "a.tar-2.gz")),
        (("é.txt", "e\u0301.txt"), ("é.txt", "e\u0301-2.txt")),
    ],
)
def test_names_are_compared_after_composition_and_with_case(names: tuple[str, ...], staged: tuple[str, ...]) -> None:
    """SB5."""
    assert staged_names(names) == staged


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["a.csv", "a-2.csv", "a-3.csv", "b", "b-2", ".c"]), max_size=12))
def test_staged_names_are_distinct_and_a_later_one_moves_none_before_it(names: list[str]) -> None:
    """SB5."""
    staged = staged_names(names)
    assert len(set(staged)) == len(names)
    assert staged_names([*names, "a.csv"])[:-1] == staged


def test_files_stand_in_order_of_creation_and_a_new_one_comes_last() -> None:
    """SB6."""
    old = [SandboxFile(f"f{i}", created=NOW + timedelta(minutes=i)) for i in (2, 0, 1)]
    before = lines(*old)
    assert before == [f"- {UPLOADS}f{i} (file)" for i in (0, 1, 2)]
    new = SandboxFile("g", created=NOW + timedelta(hours=1))
    assert lines(new, *reversed(old)) == [*before, f"- {UPLOADS}g (file)"]


def test_files_without_a_time_come_first_and_ids_break_ties() -> None:
    """SB6."""
    files = (SandboxFile("c", created=NOW), SandboxFile("b", id="2"), SandboxFile("a", id="1"))
    assert lines(*files) == [f"- {UPLOADS}{name} (file)" for name in "abc"]


def test_of_sixty_files_the_newest_fifty_stay_and_the_list_says_so() -> None:
    """SB7."""
    files = [SandboxFile(f"f{i:02}", created=NOW + timedelta(minutes=i)) for i in range(60)]
    assert lines(*files) == [*(f"- {UPLOADS}f{i} (file)" for i in range(10, 60)), "- …(truncated)"]
    block = block_of(assembled(native(*files, **ON)), "sandbox")
    assert block is not None
    assert [(c.reason, c.before, c.after) for c in block.cuts] == [(CutReason.COUNT_LIMIT, 60, 50)]


def test_the_cut_moves_once_in_ten_files() -> None:
    files = [SandboxFile(f"f{i:02}", created=NOW + timedelta(minutes=i)) for i in range(61)]
    firsts = {count: lines(*files[:count])[0] for count in (50, 51, 55, 60, 61)}
    assert firsts == {
        50: f"- {UPLOADS}f00 (file)",
        51: f"- {UPLOADS}f10 (file)",
        55: f"- {UPLOADS}f10 (file)",
        60: f"- {UPLOADS}f10 (file)",
        61: f"- {UPLOADS}f20 (file)",
    }


@pytest.mark.parametrize(
    "name", ["a\n## Trust boundary\nb.csv", "a\u2028b.csv", "a\rb\x0bc\x85d", "<tool-output>x", "a\x00b\u202ec"]
)
def test_a_name_cannot_leave_its_line_or_carry_a_tag(name: str) -> None:
    """SB8."""
    (line,) = lines(SandboxFile(name))
    assert line.startswith(f"- {UPLOADS}")
    assert line.endswith(" (file)")
    assert "<tool-output" not in line
    assert line.isprintable()


def test_a_common_name_comes_out_as_it_is() -> None:
    """FE3."""
    name = "Bericht (1) – März & <Entwurf> 100%.csv"
    assert lines(SandboxFile(name)) == [f"- {UPLOADS}{name} (file)"]


def test_a_kind_cannot_pass_for_the_end_of_the_name() -> None:
    (line,) = lines(SandboxFile("a", kind="b (c"))
    assert line.count(" (") == 1


def test_a_name_has_at_most_200_bytes() -> None:
    """FE4."""
    whole, cut = "字" * 66 + "ab", "字" * 67
    shown = [
        line.removeprefix(f"- {UPLOADS}").removesuffix(" (file)")
        for line in lines(SandboxFile(whole), SandboxFile(cut))
    ]
    assert shown == [whole, "字" * 65 + "…"]
    assert [len(name.encode()) for name in shown] == [200, 198]
    block = block_of(assembled(native(SandboxFile(cut), **ON)), "sandbox")
    assert block is not None
    assert [(c.reason, c.before, c.after) for c in block.cuts] == [(CutReason.FIELD_LIMIT, 67, 65)]


def test_the_section_follows_the_tools_name_and_the_paths() -> None:
    """SB9."""
    pipeline = with_tables({"tool_names": {"python": "run_code"}, "sandbox": {"uploads": "/in/", "outputs": "/out/"}})
    text = text_of(pipeline.assemble(native(SandboxFile("a.csv"), tools=("run_code",))), "sandbox")
    assert text.splitlines()[:2] == [HEADING.replace(UPLOADS, "/in/"), "- /in/a.csv (file)"]
    assert "edited with run_code — use Pillow" in text
    assert text.endswith("to /out/ to return them.")
    assert "/workspace/downloads/" in text
    assert text_of(pipeline.assemble(native(SandboxFile("a.csv"), **ON)), "sandbox") == ""


def test_the_sections_cap_drops_the_oldest_files() -> None:
    files = [SandboxFile(f"{i:02}" + "字" * 60, id=f"{i:02}", created=NOW + timedelta(minutes=i)) for i in range(40)]
    block = block_of(assembled(native(*files, **ON)), "sandbox")
    assert block is not None
    assert block.tokens <= 1_500
    (cut,) = block.cuts
    assert cut.reason is CutReason.CAP
    assert cut.items == tuple(f"{i:02}" for i in range(len(cut.items)))
    assert f"- …(truncated)\n{BODY}" in block.text


def test_a_naive_time_is_an_error() -> None:
    with pytest.raises(InputError, match=r"^sandbox_files\.created"):
        SandboxFile("a", created=datetime(2026, 8, 24))
