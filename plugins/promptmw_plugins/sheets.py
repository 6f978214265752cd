"""A preview of uploaded spreadsheets, for models that have no Python tool to open them with."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from promptmw import (
    TRUNCATION,
    Body,
    Cut,
    CutReason,
    Facts,
    Fence,
    Item,
    Layer,
    Profile,
    RowsField,
    Section,
    Stability,
    Text,
    TextField,
    Tools,
    Trust,
    Untrusted,
    aware,
    hookimpl,
    input_type,
    line,
    rows_field,
    text_field,
)
from promptmw_plugins.ordering import by_creation
from promptmw_plugins.roles import ToolNames, tool_names

PREVIEW = Fence("uploaded-data-preview")
MARK = "…(truncated)"
MOST_ROWS = 30
MOST_COLUMNS = 40
MOST_CELL = 80
MOST_CHARACTERS = 8_000


@input_type("sheets", many=True, trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class Sheet:
    """Is one sheet of an uploaded file, parsed once at upload.

    Attributes:
        file: The file's name.
        rows: The header and the first rows.
        total_rows: Data rows of the real sheet.
        total_columns: Columns of the real sheet.
        sheet: The sheet's name; blank where the file has only one.
        id: Breaks ties of the order.
        created: When it was uploaded.
    """

    file: TextField = text_field(cap=200)
    rows: RowsField = rows_field(cap=MOST_CELL)
    total_rows: int = 0
    total_columns: int = 0
    sheet: TextField = text_field(cap=100, default="")
    id: str = ""
    created: datetime | None = None

    def __post_init__(self) -> None:
        aware("sheets.created", self.created)


@dataclass(frozen=True, slots=True)
class _Line:
    """Is a line of the preview with its size in raw characters."""

    text: Text | str
    size: int


def renderer(names: ToolNames) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the tool names of a profile."""

    def render(facts: Facts) -> Body | None:
        sheets = by_creation(s for s in facts.all(Sheet) if not s.file.blank)
        if not sheets or names.on("python", facts.get(Tools)):
            return None
        previews = _previews(facts, sheets)
        cut = Cut(CutReason.COUNT_LIMIT, "characters", sum(map(_size, previews)), MOST_CHARACTERS, source="sheets")
        kept = _within(previews)
        return Body(
            items=tuple(Item(Text.join("\n", (x.text for x in lines)), str(i)) for i, lines in enumerate(kept)),
            build=lambda items, _cut: PREVIEW(Text.join("\n\n", (i.text for i in items))),
            cuts=(cut,) if kept != previews else (),
        )

    return render


def _previews(facts: Facts, sheets: Iterable[Sheet]) -> list[list[_Line]]:
    return [[_title(s), *_rows(s), *_remark(facts, s)] for s in sheets]


def _title(sheet: Sheet) -> _Line:
    shape = f" ({sheet.total_rows}×{sheet.total_columns})"
    name = Text.join(" › ", (line(sheet.file.one_line(), reserve=" › "), line(sheet.sheet.one_line(), reserve=" (")))
    return _Line(name + shape, sheet.file.size + sheet.sheet.size + 3 + len(shape))


def _rows(sheet: Sheet) -> list[_Line]:
    return [_row(cells[:MOST_COLUMNS]) for cells in sheet.rows[: MOST_ROWS + 1]]


def _row(cells: tuple[Untrusted, ...]) -> _Line:
    parts: list[Text | str] = []
    for cell in cells:
        parts += ["\t", line(cell.one_line(), grammars=(TRUNCATION,))]
    return _Line(Text.of(*parts[1:]), sum(c.size + 1 for c in cells))


def _remark(facts: Facts, sheet: Sheet) -> list[_Line]:
    """Returns the line that says how many rows are not shown, or that there are none."""
    printed = max(0, min(len(sheet.rows) - 1, MOST_ROWS))
    if sheet.total_rows > printed:
        text = facts.texts["sheets.more_rows"].replace("{n}", str(sheet.total_rows - printed))
    elif printed == 0:
        text = facts.texts["sheets.no_rows"]
    else:
        return []
    return [_Line(text, len(text))]


def _within(previews: list[list[_Line]]) -> list[list[_Line]]:
    """Returns the previews cut at row ends to the characters of all; titles stay, the newest get room first."""
    if sum(map(_size, previews)) <= MOST_CHARACTERS:
        return previews
    room = MOST_CHARACTERS - sum(lines[0].size + len(MARK) + 3 for lines in previews)
    kept: list[list[_Line]] = []
    for lines in reversed(previews):
        fitting = _fitting(lines[1:], room)
        room -= sum(x.size + 1 for x in fitting)
        mark = [] if len(fitting) == len(lines) - 1 else [_Line(MARK, len(MARK))]
        kept.append([lines[0], *fitting, *mark])
    return kept[::-1]


def _fitting(lines: list[_Line], room: int) -> list[_Line]:
    for i, found in enumerate(lines):
        room -= found.size + 1
        if room < 0:
            return lines[:i]
    return lines


def _size(lines: list[_Line]) -> int:
    return sum(x.size + 1 for x in lines) + 1


def sheet_from_csv(file: str, data: bytes | str) -> Sheet:
    """Returns the sheet of a CSV or TSV file.

    Args:
        file: Its name; ``.tsv`` and ``.tab`` mean tabs, otherwise the first line decides.
        data: Its content; bytes are read as UTF-8, with or without a byte order mark.
    """
    text = data.decode("utf-8-sig", errors="replace") if isinstance(data, bytes) else data.removeprefix("\ufeff")
    rows = [r for r in _parsed(text.replace("\0", ""), _delimiter(file, text)) if any(r)]
    width = max(map(len, rows), default=0)
    shown = tuple(tuple(r[:MOST_COLUMNS]) for r in rows[: MOST_ROWS + 1])
    return Sheet(file=file, rows=shown, total_rows=max(0, len(rows) - 1), total_columns=width)


def _delimiter(file: str, text: str) -> str:
    if file.lower().endswith((".tsv", ".tab")):
        return "\t"
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _parsed(text: str, delimiter: str) -> list[list[str]]:
    """Returns the rows; text that is no CSV comes back by lines."""
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return [row.split(delimiter) for row in text.splitlines()]


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``sheets``."""
    return (Sheet,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="sheets",
            render=renderer(tool_names(profile)),
            reads=(Tools, Sheet),
            layer=Layer.LAST_USER,
            order=50,
            stability=Stability.TURN,
            trust=Trust.UNTRUSTED,
            fences=(PREVIEW,),
            cap=3_000,
            priority=60,
        ),
    )
