"""Names of the documents that can be searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from promptmw import (
    Body,
    Cut,
    CutReason,
    Facts,
    Item,
    Profile,
    Section,
    Stability,
    TextField,
    Trust,
    Untrusted,
    aware,
    hookimpl,
    input_type,
    list_item,
    listing,
    text_field,
)
from promptmw_plugins.ordering import MORE, by_creation


@input_type("documents", many=True, trust=Trust.USER)
@dataclass(frozen=True)
class Document:
    """Is a document that the model can ask for by search.

    Attributes:
        name: As its uploader calls it.
        id: Breaks ties of the order.
        created: When it was added: new documents come last.
    """

    name: TextField = text_field(cap=200, trust=Trust.UNTRUSTED)
    id: str = ""
    created: datetime | None = None

    def __post_init__(self) -> None:
        aware("documents.created", self.created)


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """Is the profile's table ``limits.documents``."""

    items: int = 100


def renderer(limits: DocumentLimits) -> Callable[[Facts], Body]:
    """Returns the section's function for the limits of a profile."""

    def render(facts: Facts) -> Body:
        distinct: dict[Untrusted, Document] = {}
        for document in by_creation(facts.all(Document)):
            if not document.name.blank:
                distinct.setdefault(document.name.one_line(), document)
        items = [Item("- " + list_item(name), d.id) for name, d in distinct.items()]
        kept = items[: limits.items]
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(items), len(kept), source="documents")
        cuts = (cut,) if len(kept) < len(items) else ()
        return listing(facts.texts["documents.heading"], kept, more=MORE, cuts=cuts)

    return render


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``documents``."""
    return (Document,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="documents",
            render=renderer(profile.settings("limits.documents", DocumentLimits)),
            reads=(Document,),
            order=100,
            stability=Stability.PROJECT,
            trust=Trust.USER,
            cap=1_500,
            priority=50,
        ),
    )
