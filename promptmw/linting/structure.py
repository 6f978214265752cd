"""Rules for what plugins offer and what a profile makes of it: sections, fences, fields, languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields

from promptmw.catalog import Catalog, Planned
from promptmw.fencing.headings import skeleton
from promptmw.fencing.settings import Extra
from promptmw.fencing.untrusted import HARD_LIMIT, RowsField, TextField, TextsField
from promptmw.kinds import Trust
from promptmw.linting.findings import Finding
from promptmw.locales import is_heading
from promptmw.settled import FencesInUse

_ELEMENTS = (
    "acronym", "address", "annotation", "animate", "article", "basefont", "bgsound", "blockquote", "caption",
    "clippath", "colgroup", "datalist", "details", "ellipse", "fieldset", "figcaption", "filter", "foreignobject",
    "frameset", "isindex", "lineargradient", "listing", "marquee", "metadata", "noframes", "noscript", "optgroup",
    "pattern", "picture", "plaintext", "polygon", "polyline", "progress", "radialgradient", "section", "semantics",
    "summary", "template", "textarea", "textpath",
)  # fmt: skip
"""Elements of HTML, SVG and MathML that are long enough for a fence of that name to be reserved everywhere."""


def findings(catalog: Catalog) -> Iterator[Finding]:
    """Yields what is wrong with a profile."""
    yield from _boundary(catalog)
    yield from _fences(catalog)
    yield from _fields(catalog)
    for missing in catalog.missing():
        for key in missing.keys:
            if is_heading(key):
                what = f"{key} is not written in {missing.locale}, and so not reserved in that language"
                yield Finding("W11", missing.section, "", what, f"Give promptmw_texts a {key} for {missing.locale}")


def _boundary(catalog: Catalog) -> Iterator[Finding]:
    untrusted = [p for p in catalog.sections if p.section.trust is Trust.UNTRUSTED]
    if not untrusted:
        return
    names = [p for p in catalog.sections if FencesInUse in p.section.reads]
    if not names:
        switched = ", ".join(p.section.name for p in catalog.off if FencesInUse in p.section.reads)
        what = f"{len(untrusted)} sections print text of strangers, and none tells the model how to read it"
        fix = f"Switch {switched} on again" if switched else "Install a plugin with a trust boundary"
        yield Finding("W14", switched or "trust boundary", "", what, fix)
    elif catalog.policy.settings.extra is Extra.OFF:
        what = 'trust.extra = "off": only the fences of the fixed sentence are named'
        for tag in catalog.untrusted:
            if not any(f"<{tag}>" in text for text in catalog.texts.english.values()):
                yield Finding("W5", tag, "", what, 'Take the setting out, or set "registered"')


def _fences(catalog: Catalog) -> Iterator[Finding]:
    tags: dict[str, dict[str, Planned]] = defaultdict(dict)
    for planned in (*catalog.sections, *catalog.off):
        for fence in planned.section.fences:
            if not fence.local:
                tags[skeleton(fence.tag)].setdefault(fence.tag, planned)
    elements = {skeleton(name): name for name in _ELEMENTS}
    for found, owners in sorted(tags.items()):
        for tag, planned in sorted(owners.items()):
            others = [*(other for other in owners if other != tag), *(n for n in [elements.get(found)] if n)]
            if others:
                what = f"<{tag}> reads like <{others[0]}>"
                yield Finding("W9", planned.section.name, planned.plugin.owner, what, "Give the fence another name")


def _fields(catalog: Catalog) -> Iterator[Finding]:
    for kind in catalog.inputs.values():
        for declared in fields(kind.type):
            field = vars(kind.type).get(declared.name)
            if isinstance(field, TextField | TextsField | RowsField) and field.limit >= HARD_LIMIT:
                what = f"only the limit of {HARD_LIMIT:,} characters for any text holds"
                yield Finding("W10", f"{kind.name}.{declared.name}", "", what, "Give the field a cap")
