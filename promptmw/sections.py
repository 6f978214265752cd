"""Sections: what plugins offer; and blocks: what a section became in one turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from promptmw.citations import Citation
from promptmw.errors import ConfigError, SectionError
from promptmw.fencing import Fence, Span, Text
from promptmw.kinds import CutReason, Layer, Stability, Trust

if TYPE_CHECKING:
    from promptmw.locales import Texts

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cut:
    """Says what was left out of a block, and why.

    Attributes:
        reason: Why.
        unit: ``characters`` or ``items``.
        before: How many there were.
        after: How many are left.
        items: Ids of the items that were dropped, where they have one.
        source: The field or input that was cut.
    """

    reason: CutReason
    unit: str
    before: int
    after: int
    items: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """Is one entry of a section: the unit by which a budget cuts.

    Attributes:
        text: What is printed for it.
        id: Names it in the report of a cut; not printed.
        citations: Numbers that it prints, with what they stand for.
    """

    text: Text | str
    id: str = ""
    citations: tuple[Citation, ...] = ()


class CutRule(Enum):
    """Says which items of a section go first when there is no room."""

    DROP_FIRST = "drop_first"
    """Items go from the front."""
    DROP_LAST = "drop_last"
    """Items go from the end."""
    CLIP_END = "clip_end"
    """The last value of several lines is cut at a line end, from its raw text; then the one before it."""
    DROP = "drop"
    """All or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Is what a section of several items returns.

    Attributes:
        items: In the order in which they are printed.
        build: Makes the section's text of the items that are kept; the flag says whether some are not.
        cuts: What the section itself has left out: counts and sizes.
        notes: Remarks for the report, without content.
        cap: Most tokens of this body, beside the section's own cap.
    """

    items: tuple[Item, ...]
    build: Callable[[tuple[Item, ...], bool], Text | str]
    cuts: tuple[Cut, ...] = ()
    notes: tuple[str, ...] = ()
    cap: int | None = None


Rendered = Text | str | Body | None


class Facts:
    """Gives a section the inputs that it declares to read, and its texts in the turn's language."""

    __slots__ = ("_section", "_values", "texts")

    def __init__(self, section: Section, values: dict[type, tuple[Any, ...]], texts: Texts) -> None:
        self._section = section
        self._values = values
        self.texts = texts

    def get(self, kind: type[T]) -> T | None:
        """Returns the input of that type, or None.

        Raises:
            SectionError: The section does not declare to read it.
        """
        found = self.all(kind)
        return found[0] if found else None

    def all(self, kind: type[T]) -> tuple[T, ...]:
        """Returns all inputs of that type in stated order."""
        try:
            return self._values[kind]
        except KeyError:
            raise SectionError(
                f"section {self._section.name!r} reads {kind.__name__} without declaring it: add it to reads=(…)"
            ) from None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Section:
    """Is a named piece of prompt that a plugin offers: a pure function of the inputs that it declares to read.

    Attributes:
        name: Unique among all installed plugins; profiles other than ``chat`` use a prefix and a dot.
        render: Gets `Facts` and returns text or None; called again only when one of ``reads`` has changed.
        reads: Input types, the core's own (`Today`, `Tools`, `CallerText`, `FencesInUse`) included.
        layer: Where it lands.
        order: Within its layer, ascending; equal ones by name.
        stability: How long its text stays the same.
        trust: Whose text its values are.
        required: The call fails without it.
        fences: The fences that it may write.
        mentions: Its own words name tags in prose. Those of a section that reads `FencesInUse` may anyway.
        texts: Prefixes of its text keys; by default its name. All in one language or all in English.
        cap: Most tokens, or None.
        cut: What goes when the cap is reached.
        priority: Who gives way first when there is no room for all; higher ones stay.
    """

    name: str
    render: Callable[[Facts], Rendered]
    reads: tuple[type, ...] = ()
    layer: Layer = Layer.SYSTEM
    order: int = 500
    stability: Stability = Stability.TURN
    trust: Trust = Trust.AUTHORED
    required: bool = False
    fences: tuple[Fence, ...] = ()
    mentions: bool = False
    texts: tuple[str, ...] = ()
    cap: int | None = None
    cut: CutRule = CutRule.DROP_LAST
    priority: int = 50

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.replace(".", "").replace("_", "").replace("-", "").isalnum():
            raise ConfigError(f"section name {self.name!r}: use letters, digits, '_', '-' and a dot after a prefix")
        if not callable(self.render):
            raise ConfigError(f"section {self.name!r}: render must be a function of Facts")
        if not isinstance(self.layer, Layer) or not isinstance(self.stability, Stability):
            raise ConfigError(f"section {self.name!r}: layer and stability take Layer.… and Stability.…")
        if self.cap is not None and (not isinstance(self.cap, int) or self.cap < 0):
            raise ConfigError(f"section {self.name!r}: cap takes a number of tokens, 0 or more, or None")

    @property
    def text_prefixes(self) -> tuple[str, ...]:
        """The prefixes of the text keys that it uses."""
        return self.texts or (self.name,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """Is a section rendered for one turn. Two blocks are the same only if they are one object.

    Attributes:
        section: The section's name.
        text: What is sent, without a line break at either end.
        digest: 16 hex digits of BLAKE2b over the text.
        distribution: Who offers the section, with its version.
        layer: Where it lands.
        order: Its order within the layer.
        stability: How long its text stays the same.
        trust: Whose text its values are.
        required: Whether the call fails without it.
        tokens: By the pipeline's counter.
        locale: The language of its texts.
        spans: What in the text is not ours.
        marks: Where fences of ours wrote their tags.
        tags: The fences in it, sorted.
        mentions: Whether its own words name tags in prose.
        tokens_added: Tokens that escapes and the modes of its fences cost.
        cuts: What was left out.
        citations: Numbers printed in it.
        notes: Remarks for the report.
        reads: Name and value of each input that it was made of.
    """

    section: str
    text: str
    digest: str
    distribution: str
    layer: Layer
    order: int
    stability: Stability
    trust: Trust
    required: bool
    tokens: int
    locale: str = "en"
    spans: tuple[Span, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()
    tags: tuple[str, ...] = ()
    mentions: bool = False
    tokens_added: int = 0
    cuts: tuple[Cut, ...] = ()
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    reads: tuple[tuple[str, object], ...] = ()

    def __repr__(self) -> str:
        return f"<Block {self.section} {len(self.text)} characters {self.digest}>"


def listing(
    head: Text | str, items: Iterable[Item], tail: Text | str = "", *, more: str = "", cuts: tuple[Cut, ...] = ()
) -> Body:
    """Returns a body of a head line, one line for each item, and a tail line.

    Args:
        head: The heading.
        items: One line each.
        tail: Printed after the items; blank for none.
        more: Printed after the items when some were cut.
        cuts: What the section has left out before.
    """

    def build(kept: tuple[Item, ...], cut: bool) -> Text:
        return Text.join("\n", (head, *(i.text for i in kept), more if cut or cuts else "", tail)) if kept else Text()

    return Body(items=tuple(items), build=build, cuts=cuts)
