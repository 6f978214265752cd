"""A preview of uploaded spreadsheets, for models that have no Python tool to open them with."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, groupby

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
_REMARK = 40
"""Room for a line on how many rows are not printed, in any language."""


@input_type("sheets", many=True, trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class Sheet:
    """Is one sheet of an uploaded file, parsed once at upload.

    Attributes:
        file: The file's name.
        rows: The header and the first rows.
        total_rows: Data rows of the real sheet, where these are not all.
        total_columns: Columns of the real sheet, where these are not all.
        sheet: The sheet's name; blank where the file has only one.
        id: Breaks ties of the order.
        created: When it was uploaded.
    """

    file: TextField = text_field(cap=200)
    rows: RowsField = rows_field(cap=80)
    total_rows: int = 0
    total_columns: int = 0
    sheet: TextField = text_field(cap=100, default="")
    id: str = ""
    created: datetime | None = None

    def __post_init__(self) -> None:
        aware("sheets.created", self.created)


@dataclass(frozen=True, slots=True)
class SheetLimits:
    """Is the profile's table ``limits.sheets``.

    Attributes:
        rows: Printed of each sheet below its header.
        columns: Printed of each row.
        characters: Of all sheets together; the newest get room first.
    """

    rows: int = 30
    columns: int = 40
    characters: int = 8_000


@dataclass(frozen=True, slots=True)
class _Line:
    """Is a line of the preview: of which sheet, and how many raw characters it takes with what separates it."""

    sheet: int
    text: Text | str
    size: int


def renderer(names: ToolNames, limits: SheetLimits) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the tool names and limits of a profile."""

    def render(facts: Facts) -> Body | None:
        sheets = by_creation(s for s in facts.all(Sheet) if not s.file.blank)
        if not sheets or names.on("python", facts.get(Tools)):
            return None
        lines = _ranked([list(_preview(facts, i, s, limits)) for i, s in enumerate(sheets)])
        kept = _within(lines, limits.characters)
        cut = Cut(CutReason.COUNT_LIMIT, "characters", _size(lines), _size(kept), source="sheets")
        cuts = (cut,) if len(kept) < len(lines) else ()
        return Body(
            items=tuple(Item(x.text) for x in kept),
            build=lambda items, fewer: _text(kept[: len(items)], MARK if fewer or cuts else ""),
            cuts=cuts,
        )

    return render


def _ranked(previews: list[list[_Line]]) -> list[_Line]:
    """Returns all lines in the order in which they get room: titles before rows, and the newest sheet first."""
    newest = previews[::-1]
    return [*(lines[0] for lines in newest), *(x for lines in newest for x in lines[1:])]


def _within(lines: list[_Line], most: int) -> list[_Line]:
    """Returns the first lines that there is room for, the mark of the cut included."""
    if _size(lines) <= most:
        return lines
    room = most - len(MARK) - 1
    sizes = accumulate(x.size for x in lines)
    return [x for x, size in zip(lines, sizes, strict=True) if size <= room]


def _text(lines: list[_Line], mark: str) -> Text:
    """Returns the fence with the sheets in order of creation."""
    ordered = sorted(lines, key=lambda x: x.sheet)
    sheets = (Text.join("\n", (x.text for x in group)) for _, group in groupby(ordered, key=lambda x: x.sheet))
    return PREVIEW(Text.join("\n", (Text.join("\n\n", sheets), mark)))


def _preview(facts: Facts, index: int, sheet: Sheet, limits: SheetLimits) -> Iterator[_Line]:
    """Yields the lines of one sheet: title, header, rows, and how many rows are not printed."""
    yield _title(index, sheet)
    for cells in sheet.rows[: limits.rows + 1]:
        shown = [cell.one_line() for cell in cells[: limits.columns]]
        yield _Line(index, _row(shown), sum(cell.size + 1 + bool(cell.cut) for cell in shown))
    printed = min(max(len(sheet.rows) - 1, 0), limits.rows)
    missing = _data_rows(sheet) - printed
    if missing:
        yield _Line(index, facts.texts.fill("sheets.more_rows", n=str(missing)), _REMARK)
    elif not printed:
        yield _Line(index, facts.texts["sheets.no_rows"], _REMARK)


def _title(index: int, sheet: Sheet) -> _Line:
    columns = max(sheet.total_columns, max(map(len, sheet.rows), default=0))
    shape = f" ({_data_rows(sheet)}×{columns})"
    name = Text.join(" › ", (line(sheet.file.one_line(), reserve=" ›"), line(sheet.sheet.one_line())))
    return _Line(index, name + shape, sheet.file.size + sheet.sheet.size + 7 + len(shape))


def _data_rows(sheet: Sheet) -> int:
    return max(sheet.total_rows, len(sheet.rows) - 1, 0)


def _row(cells: Iterable[Untrusted]) -> Text:
    parts: list[Text | str] = []
    for cell in cells:
        parts += ["\t", line(cell, grammars=(TRUNCATION,))]
    return Text.of(*parts[1:])


def _size(lines: Iterable[_Line]) -> int:
    return sum(x.size for x in lines)


def sheet_from_csv(file: str, data: bytes | str) -> Sheet:
    """Returns the sheet of a CSV or TSV file; only the rows and columns that a preview can show are kept.

    Args:
        file: Its name; ``.tsv`` and ``.tab`` mean tabs, otherwise the first line decides.
        data: Its content; bytes are UTF-8, or UTF-16 with a byte order mark.
    """
    text = _decoded(data).replace("\0", "")
    rows = [row for row in _parsed(text, _delimiter(file, text)) if any(cell.strip() for cell in row)]
    limits = SheetLimits()
    shown = tuple(tuple(row[: limits.columns]) for row in rows[: limits.rows + 1])
    return Sheet(file=file, rows=shown, total_rows=max(0, len(rows) - 1), total_columns=max(map(len, rows), default=0))


def _decoded(data: bytes | str) -> str:
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _delimiter(file: str, text: str) -> str:
    if file.lower().endswith((".tsv", ".tab")):
        return "\t"
    first = text.lstrip().partition("\n")[0]
    return max(",;\t", key=re.sub(r'"[^"]*+"', "", first).count)


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
            render=renderer(tool_names(profile), profile.settings("limits.sheets", SheetLimits)),
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
