"""The files that lie in the Python sandbox of this conversation."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from promptmw import (
    Body,
    Cut,
    CutReason,
    CutRule,
    Facts,
    Item,
    Profile,
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
    list_item,
    listing,
    text_field,
)
from promptmw_plugins.ordering import MORE, by_creation, dropped_in_steps
from promptmw_plugins.roles import ToolNames, tool_names


@input_type("sandbox_files", many=True, trust=Trust.USER)
@dataclass(frozen=True)
class SandboxFile:
    """Is a file of the active branch that is staged in the sandbox.

    Attributes:
        name: As uploaded, at most 200 bytes.
        kind: Such as ``sheet`` or ``image``; blank reads as ``file``.
        size: In bytes, when known. Files that are too large are not staged, and so not listed.
        id: Breaks ties of the order.
        created: When it was uploaded; files without a time come first.
    """

    name: TextField = text_field(cap=200, trust=Trust.UNTRUSTED, utf8=True)
    kind: TextField = text_field(cap=40, trust=Trust.UNTRUSTED, default="")
    size: int | None = None
    id: str = ""
    created: datetime | None = None

    def __post_init__(self) -> None:
        aware("sandbox_files.created", self.created)


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """Is the profile's table ``sandbox``.

    Attributes:
        uploads: Folder of the user's files.
        downloads: Folder of fetched images.
        outputs: Folder of results.
        max_file_bytes: Files above it are not staged.
        max_files: The newest that are listed.
        step: By how many the oldest go when there are more, so that the cut moves seldom.
    """

    uploads: str = "/workspace/uploads/"
    downloads: str = "/workspace/downloads/"
    outputs: str = "/workspace/outputs/"
    max_file_bytes: int = 40 * 1024 * 1024
    max_files: int = 50
    step: int = 10


class _Stage:
    """Gives out names, none of them twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def __call__(self, name: str) -> str:
        stem, dot, ending = name.rpartition(".")
        if not stem:
            stem, dot, ending = name, "", ""
        staged, number = name, 1
        while unicodedata.normalize("NFC", staged) in self._taken:
            number += 1
            staged = f"{stem}-{number}{dot}{ending}"
        self._taken.add(unicodedata.normalize("NFC", staged))
        return staged


def staged_names(names: Iterable[str]) -> tuple[str, ...]:
    """Returns distinct names for files, in order: ``a.csv``, ``a-2.csv``, ``a-3.csv``, skipping what is taken.

    The application that stages the files uses the same function, so that the list names what is there. Names are
    compared after NFC; case counts.
    """
    return tuple(map(_Stage(), names))


def renderer(settings: SandboxSettings, names: ToolNames) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the paths and tool names of a profile."""

    def render(facts: Facts) -> Body | None:
        files = [f for f in by_creation(facts.all(SandboxFile)) if _staged(f, settings)]
        if not files or not names.on("python", facts.get(Tools)):
            return None
        stage = _Stage()
        items = [_item(settings.uploads, f.name.map(stage), f) for f in files]
        gone = dropped_in_steps(len(items), most=settings.max_files, step=settings.step)
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(items), len(items) - gone, source="sandbox_files")
        heading = facts.texts.fill("sandbox.heading", uploads=settings.uploads)
        return listing(heading, items[gone:], _body(facts, settings, names), more=MORE, cuts=(cut,) if gone else ())

    return render


def _staged(file: SandboxFile, settings: SandboxSettings) -> bool:
    return not file.name.blank and (file.size is None or 0 <= file.size <= settings.max_file_bytes)


def _item(uploads: str, name: Untrusted, file: SandboxFile) -> Item:
    kind = "file" if file.kind.blank else list_item(file.kind.one_line(), reserve=" (")
    return Item(Text.of(f"- {uploads}", list_item(name.one_line()), " (", kind, ")"), file.id)


def _body(facts: Facts, settings: SandboxSettings, names: ToolNames) -> Text:
    return facts.texts.fill(
        "sandbox.body",
        python=names.python,
        fetch_image=names.fetch_image,
        downloads=settings.downloads,
        outputs=settings.outputs,
    )


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``sandbox_files``."""
    return (SandboxFile,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="sandbox",
            render=renderer(profile.settings("sandbox", SandboxSettings), tool_names(profile)),
            reads=(Tools, SandboxFile),
            order=65,
            stability=Stability.SESSION,
            trust=Trust.USER,
            cap=1_500,
            cut=CutRule.DROP_FIRST,
            priority=60,
        ),
    )
