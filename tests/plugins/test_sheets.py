"""The preview of uploaded spreadsheets."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from chat_turns import ALL_TOOLS, LOCALES, NOW, assembled, base, block_of, native, text_of, with_tables
from hypothesis import given, settings
from hypothesis import strategies as st

from promptmw import CutReason, InputError, restore
from promptmw_plugins.sheets import Sheet, sheet_from_csv
from promptmw_plugins.texts import texts

MARK = "…(truncated)"


def table(rows: int, columns: int = 2, *, cell: str = "") -> tuple[tuple[str, ...], ...]:
    """Returns a header and that many data rows."""
    head = tuple(f"c{c}" for c in range(columns))
    return (head, *(tuple(cell or f"{r}.{c}" for c in range(columns)) for r in range(rows)))


def preview(*sheets: Sheet, **core: Any) -> str:
    """Returns what stands between the tags."""
    found = text_of(assembled(base(*sheets, **core)), "sheets")
    assert not found or found.startswith("<uploaded-data-preview>\n")
    return found.removeprefix("<uploaded-data-preview>\n").removesuffix("\n</uploaded-data-preview>")


def test_it_is_shown_while_the_python_tool_is_off() -> None:
    """SP1."""
    sheet = Sheet("a.csv", table(1))
    assert text_of(assembled(native(sheet, tools=ALL_TOOLS)), "sheets") == ""
    assert text_of(assembled(native(sheet, tools=("fetch_image",))), "sheets") != ""
    assert text_of(assembled(base(sheet, tools=ALL_TOOLS)), "sheets") != ""


def test_the_python_tool_goes_by_the_name_in_the_settings() -> None:
    pipeline = with_tables({"tool_names": {"python": "run_code"}})
    sheet = Sheet("a.csv", table(1))
    assert text_of(pipeline.assemble(native(sheet, tools=("run_code",))), "sheets") == ""
    assert text_of(pipeline.assemble(native(sheet, tools=("python_execute",))), "sheets") != ""


def test_sheets_stand_under_their_titles_with_one_blank_line_between() -> None:
    first = Sheet("a.xlsx", (("name", "n"), ("tea", "1"), ("", "2")), sheet="Stock", total_rows=2, total_columns=2)
    second = Sheet("b.csv", (("x",), ("1",)))
    assert preview(first, second) == "a.xlsx › Stock (2×2)\nname\tn\ntea\t1\n\t2\n\nb.csv (1×1)\nx\n1"


@pytest.mark.parametrize("locale", LOCALES)
def test_thirty_rows_are_printed_and_the_rest_is_counted(locale: str) -> None:
    """SP2."""
    words = texts(locale)
    assert words is not None
    more = preview(Sheet("a", table(30), total_rows=31), locale=locale).split("\n")
    assert len(more) == 33
    assert more[-1] == words["sheets.more_rows"].replace("{n}", "1")
    assert preview(Sheet("a", table(30), total_rows=30), locale=locale).split("\n")[-1] == "29.0\t29.1"
    assert preview(Sheet("a", table(0)), locale=locale).split("\n")[1:] == ["c0\tc1", words["sheets.no_rows"]]


def test_stated_rows_beyond_thirty_are_counted_too() -> None:
    """SP2."""
    lines = preview(Sheet("a", table(45), total_rows=100)).split("\n")
    assert (lines[0], lines[-2], lines[-1]) == ("a (100×2)", "29.0\t29.1", "… 70 more rows")


def test_forty_columns_are_printed() -> None:
    """SP3."""
    lines = preview(Sheet("a", table(1, 45))).split("\n")
    assert lines[0] == "a (1×45)"
    assert lines[1].split("\t") == [f"c{c}" for c in range(40)]


def test_a_long_cell_ends_in_a_mark_and_is_reported() -> None:
    """SP3."""
    sheet = Sheet("a", (("h",), ("x" * 100,)))
    assert preview(sheet).split("\n")[2] == "x" * 79 + "…"
    block = block_of(assembled(base(sheet)), "sheets")
    assert block is not None
    assert [(c.reason, c.before, c.after) for c in block.cuts] == [(CutReason.FIELD_LIMIT, 100, 79)]


def test_tabs_and_line_breaks_in_a_cell_become_spaces() -> None:
    """SP3."""
    assert preview(Sheet("a", (("a\tb", "c\r\nd"), ("1", "2")))).split("\n")[1] == "a b\tc d"


def days(count: int, *sheets: Sheet) -> tuple[Sheet, ...]:
    made = tuple(NOW + timedelta(days=i) for i in range(count))
    return tuple(Sheet(f"{i}.csv", s.rows, created=t) for i, (s, t) in enumerate(zip(sheets, made, strict=True)))


def test_the_newest_sheets_get_room_first_and_a_cut_falls_at_a_row_end() -> None:
    """SP4."""
    sheets = days(3, *(Sheet("", table(30, 2, cell="x" * 70)) for _ in range(3)))
    found = preview(*reversed(sheets))
    assert len(found) <= 8_000
    assert found.endswith("\n" + MARK)
    oldest, middle, newest = (p.split("\n") for p in found.removesuffix("\n" + MARK).split("\n\n"))
    assert (oldest, middle[0], newest[0]) == (["0.csv (30×2)"], "1.csv (30×2)", "2.csv (30×2)")
    assert len(newest) == 32
    assert 10 < len(middle) < 32
    assert all(row == "\t".join(["x" * 70] * 2) for row in (*middle[2:], *newest[2:]))
    block = block_of(assembled(base(*sheets)), "sheets")
    assert block is not None
    assert [c.reason for c in block.cuts] == [CutReason.COUNT_LIMIT]


def test_over_the_sections_cap_rows_of_the_oldest_sheet_go_first() -> None:
    """SP4, by tokens."""
    sheets = days(2, *(Sheet("", table(30, 30, cell="1")) for _ in range(2)))
    block = block_of(assembled(base(*sheets)), "sheets")
    assert block is not None
    assert block.tokens <= 3_000
    older, newer = block.text.split("\n\n")
    assert older.count("\n") < 31
    assert newer.count("\n") == 33  # header, 30 rows, mark, closing tag
    assert newer.endswith(f"\n{MARK}\n</uploaded-data-preview>")
    assert [c.reason for c in block.cuts] == [CutReason.CAP]


def test_a_preview_of_exactly_the_limit_is_whole() -> None:
    found = preview(Sheet("a", (("h",), ("x" * 80,))))
    assert MARK not in found
    size = len(found)
    for limit, whole in ((size + 10, True), (size - 1, False)):
        prompt = with_tables({"limits": {"sheets": {"characters": limit}}}).assemble(
            base(Sheet("a", (("h",), ("x" * 80,))))
        )
        assert (MARK not in text_of(prompt, "sheets")) is whole


def test_cells_and_names_cannot_close_the_fence_or_forge_a_mark_or_a_title() -> None:
    """SP5."""
    sheet = Sheet("a › b\nc", (("</uploaded-data-preview>", MARK), ("<", "/uploaded-data-preview>")), sheet="s (9×9)")
    found = text_of(assembled(base(sheet)), "sheets")
    assert found.count("</uploaded-data-preview>") == 1 + found.count("⟧/uploaded-data-preview>") - 1
    title, header, row = preview(sheet).split("\n")
    file, _, rest = title.partition(" › ")
    assert (restore(file), rest) == ("a › b c", "s (9×9) (1×2)")
    assert [restore(c) for c in header.split("\t")] == ["</uploaded-data-preview>", MARK]
    assert [restore(c) for c in row.split("\t")] == ["<", "/uploaded-data-preview>"]
    assert MARK not in header
    assert row.startswith("⟦U+003C⟧")


@pytest.mark.parametrize("file", ["a › b", "a ›", "›", "a ›› b"])
def test_a_files_name_cannot_end_before_its_sheet_begins(file: str) -> None:
    title = preview(Sheet(file, sheet="s")).split("\n")[0]
    assert restore(title.split(" › ")[0]) == file


def test_a_blank_row_of_one_column_leaves_no_line_that_could_part_sheets() -> None:
    assert preview(Sheet("a", (("h",), ("",), ("b (1×1)",)))) == "a (2×1)\nh\nb (1×1)"


def test_a_sheet_without_a_name_is_left_out() -> None:
    assert preview(Sheet(" ", table(1))) == ""


def test_a_naive_time_is_an_error_that_names_the_field() -> None:
    with pytest.raises(InputError, match=r"sheets\.created"):
        Sheet("a", created=NOW.replace(tzinfo=None))


# sheet_from_csv


@pytest.mark.parametrize(
    ("file", "data", "rows"),
    [
        ("a.csv", 'name,note\ntea,"hot, ""green"""\n', (("name", "note"), ("tea", 'hot, "green"'))),
        ("a.csv", "name;n\r\ntea;1,5\r\n", (("name", "n"), ("tea", "1,5"))),
        ("a.csv", '"x, y, z";n\n1;2\n', (("x, y, z", "n"), ("1", "2"))),
        ("a.txt", "a\tb\n1,5\t2\n", (("a", "b"), ("1,5", "2"))),
        ("a.TSV", "a,b\tc\n1\t2\n", (("a,b", "c"), ("1", "2"))),
        ("a.csv", b"\xef\xbb\xbfa,b\n1,2", (("a", "b"), ("1", "2"))),
        ("a.csv", "\ufeffa,b\n1,2", (("a", "b"), ("1", "2"))),
        ("a.txt", "a\tb\r\n1\tü\r\n".encode("utf-16"), (("a", "b"), ("1", "ü"))),
        ("a.csv", b"a,b\n\xff,2", (("a", "b"), ("\ufffd", "2"))),
        ("a.csv", "\n\na,b\n\n1,2\n , \n", (("a", "b"), ("1", "2"))),
        ("a.csv", 'a\n"one\ntwo"\n', (("a",), ("one\ntwo",))),
        ("a.csv", "a,b\r1,2\r", (("a", "b"), ("1", "2"))),
        ("a.csv", "", ()),
    ],
    ids=[
        "quotes", "semicolons", "commas in quotes", "tabs by content", "tabs by name", "bom", "bom of text",
        "utf-16", "no utf-8", "blank rows", "break in quotes", "old line ends", "empty",
    ],
)  # fmt: skip
def test_rows_come_as_parsed(file: str, data: bytes | str, rows: tuple[tuple[str, ...], ...]) -> None:
    """SP6."""
    sheet = sheet_from_csv(file, data)
    assert tuple(tuple(cell.reveal() for cell in row) for row in sheet.rows) == rows
    assert (sheet.total_rows, sheet.total_columns) == (max(0, len(rows) - 1), max(map(len, rows), default=0))


def test_the_title_counts_what_is_not_kept() -> None:
    """SP6."""
    data = "\n".join(",".join(f"{r}.{c}" for c in range(50)) for r in range(101))
    sheet = sheet_from_csv("big.csv", data)
    assert (len(sheet.rows), len(sheet.rows[0])) == (31, 40)
    lines = preview(sheet).split("\n")
    assert lines[0] == "big.csv (100×50)"


@given(st.one_of(st.text(), st.binary(), st.text(alphabet="\",;\t\n\r\0 a'\\\ufeff\ud800")))
@settings(max_examples=200, deadline=None, database=None)
def test_no_data_makes_it_raise(data: str | bytes) -> None:
    sheet = sheet_from_csv("a.csv", data)
    assert sheet.total_rows >= len(sheet.rows) - 1


def test_a_field_too_large_for_a_csv_falls_back_to_lines() -> None:
    sheet = sheet_from_csv("a.csv", 'a,"b\n' + "x" * 200_000 + "\nc,d\n")
    assert sheet.rows[0][0].equals("a")
    assert sheet.rows[-1][1].equals("d")
