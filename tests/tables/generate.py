"""Makes the frozen tables of `promptmw.fencing`: what folds to what, and which code points are made visible.

Run by hand when a new version of Unicode is adopted; the tables change the policy id, and with it remembered prefixes:

    uv run --group tables python tests/tables/generate.py
"""

from __future__ import annotations

import hashlib
import html.entities
import importlib.util
import json
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

import unicodedata2 as ucd

DATA = Path(__file__).parents[2] / "promptmw" / "fencing" / "data"
FILLER = ""
"""Stands in the table for what folds to a filler: a blank."""

PLAIN = range(0x21, 0x7F)
ALL = [chr(point) for point in range(0x110000)]

DEFAULT_IGNORABLE = (
    "AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 FFF0-FFF8 "
    "1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)
BIDI_CONTROL = "61C 200E-200F 202A-202E 2066-2069"
OTHERS = "FFF9-FFFB FDD0-FDEF 27E6 D800-DFFF " + " ".join(f"{p:X}FFFE-{p:X}FFFF" for p in range(0x11)).replace(
    "0FFFE-0FFFF", "FFFE-FFFF", 1
)
"""Interlinear annotation, noncharacters, the introducer of our escapes, halves of surrogate pairs."""

FILLED = {"Cf", "Cc", "Mn", "Me", "Mc", "Zs", "Zl", "Zp", "Pd", "Pc", "Cs"}
ALSO_FILLED = "2800 2581 FFFC B7 30FB"
OPENS = (
    "LEFT ANGLE BRACKET", "LEFT-POINTING ANGLE", "LEFT-POINTING DOUBLE ANGLE", "LEFT DOUBLE ANGLE", "LESS-THAN",
    "PRECEDES", "LEFT ARROWHEAD", "LEFT-POINTING TRIANGLE", "LEFT-POINTING SMALL TRIANGLE", "LEFT-POINTING POINTER",
    "LEFT-POINTING CURVED ANGLE", "SINGLE LEFT-POINTING", "HEAVY LEFT-POINTING ANGLE",
)  # fmt: skip
MIRRORED = (("LEFT", "RIGHT"), ("LESS-THAN", "GREATER-THAN"), ("PRECEDES", "SUCCEEDS"))
BARS = ("VERTICAL LINE", "VERTICAL BAR", "LIGHT VERTICAL", "HEAVY VERTICAL", "DIVIDES", "DENTAL CLICK")

JOINING = (
    "ARABIC", "SYRIAC", "MANDAIC", "MONGOLIAN", "NKO", "PHAGS-PA", "ADLAM", "HANIFI ROHINGYA", "MANICHAEAN", "SOGDIAN",
    "PSALTER PAHLAVI", "CHORASMIAN", "OLD UYGHUR", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL",
    "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "KHMER", "TAGALOG", "BALINESE",
    "JAVANESE", "SUNDANESE", "CHAKMA", "MEETEI MAYEK", "GRANTHA", "TIRHUTA", "SIDDHAM", "NEWA", "BRAHMI", "KAITHI",
    "SHARADA", "TAKRI", "KHOJKI", "MODI", "AHOM", "BHAIKSUKI", "LIMBU", "LEPCHA", "SAURASHTRA", "CHAM", "BUGINESE",
)  # fmt: skip
WORD_SPACED = ("THAI", "LAO", "MYANMAR", "KHMER")


def main() -> None:
    """Writes the tables."""
    DATA.mkdir(exist_ok=True)
    for name, lines in tables().items():
        (DATA / name).write_bytes(framed(lines))


def tables() -> dict[str, list[str]]:
    """Returns the lines of each table."""
    return {"fold.tsv": fold_lines(), "code_points.tsv": code_point_lines(), "entities.tsv": entity_lines()}


def framed(lines: Iterable[str]) -> bytes:
    """Returns a table as a file: a first line with versions and the hash of all others."""
    body = "".join(f"{line}\n" for line in lines)
    sources = f"unicodedata2 {version('unicodedata2')}, confusable-homoglyphs {version('confusable-homoglyphs')}"
    digest = hashlib.sha256(body.encode()).hexdigest()
    return f"# Unicode {ucd.unidata_version}; {sources}; sha256 {digest}\n{body}".encode()


def points(spec: str) -> set[str]:
    """Returns the characters of some ranges, as ``AD 200B-200F``."""
    bounds = [part.split("-") for part in spec.split()]
    return {chr(p) for b in bounds for p in range(int(b[0], 16), int(b[-1], 16) + 1)}


def ranges(characters: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yields the first and the last code point of each run."""
    run: list[int] = []
    for point in sorted(map(ord, characters)):
        if run and point != run[-1] + 1:
            yield run[0], run[-1]
            run = []
        run = [run[0], point] if run else [point]
    if run:
        yield run[0], run[-1]


def spelled(first: int, last: int) -> str:
    """Returns a range as it stands in a table."""
    return f"{first:X}" if first == last else f"{first:X}-{last:X}"


# --- folding


def fold_lines() -> list[str]:
    """Returns ``RANGE<tab>what it folds to`` for all code points beyond ASCII that fold to something else."""
    ignorable, filled, similar = points(DEFAULT_IGNORABLE), points(ALSO_FILLED), confusables()
    by_target: dict[str, list[str]] = {}
    for character in ALL[0x80:]:
        target = folded(character, ignorable | filled, similar)
        if target != character:
            by_target.setdefault(target, []).append(character)
    rows = [(first, last, target) for target, found in by_target.items() for first, last in ranges(found)]
    return [f"{spelled(first, last)}\t{target}" for first, last, target in sorted(rows)]


def folded(character: str, filled: set[str], similar: dict[str, str]) -> str:
    """Returns what a character folds to; itself for nothing. The first rule that applies counts."""
    if character in filled or ucd.category(character) in FILLED:
        return FILLER
    return bracket(character) or letters(character) or similar.get(character) or base(character, similar) or character


def bracket(character: str) -> str:
    """Returns the bracket or bar that a character is named for."""
    name = ucd.name(character, "")
    decomposed = ucd.normalize("NFKD", character)
    if decomposed[0] in "<>" and all(ucd.combining(c) for c in decomposed[1:]):
        return decomposed[0]
    if any(part in name for part in OPENS):
        return "<"
    mirrored = name
    for left, right in MIRRORED:
        mirrored = mirrored.replace(right, f"\0{left}") if right in mirrored else mirrored.replace(left, "")
    if any(part in mirrored.replace("\0", "") for part in OPENS):
        return ">"
    return "|" if any(part in name for part in BARS) else ""


def letters(character: str) -> str:
    """Returns the one to four ASCII characters that a compatibility form stands for."""
    plain = ucd.normalize("NFKC", character).casefold()
    plain = "".join(c for c in ucd.normalize("NFKD", plain) if not ucd.combining(c))
    return plain.lower() if 1 <= len(plain) <= 4 and all(ord(c) in PLAIN for c in plain) else ""


def base(character: str, similar: dict[str, str]) -> str:
    """Returns what the base letter of an accented character is alike."""
    decomposed = ucd.normalize("NFKD", ucd.normalize("NFKC", character).casefold())
    kept = [c for c in decomposed if not ucd.combining(c)]
    return similar.get(kept[0], "") if len(kept) == 1 and kept[0] != character else ""


def confusables() -> dict[str, str]:
    """Returns the ASCII character that each confusable looks like; brackets and slashes first, then letters."""
    spec = importlib.util.find_spec("confusable_homoglyphs")
    assert spec is not None
    assert spec.origin is not None
    data = json.loads((Path(spec.origin).parent / "confusables.json").read_text(encoding="utf-8"))
    found: dict[str, set[str]] = {}
    for one, others in data.items():
        for other in (entry["c"] for entry in others):
            for character, plain in ((one, other), (other, one)):
                if len(character) == 1 and not character.isascii() and len(plain) == 1 and ord(plain) in PLAIN:
                    found.setdefault(character, set()).add(plain)
    return {character: min(plain, key=preference).lower() for character, plain in found.items()}


def preference(plain: str) -> tuple[bool, bool, str]:
    """Returns a key by which the best of several ASCII characters comes first."""
    return plain not in "<>/", not plain.isalpha(), plain.lower()


# --- code points


def code_point_lines() -> list[str]:
    """Returns ``name<tab>ranges`` for the sets that decide which characters are made visible."""
    hidden = points(DEFAULT_IGNORABLE) | points(BIDI_CONTROL) | points(OTHERS)
    hidden |= {c for c in ALL if ucd.category(c) in ("Cc", "Zl", "Zp")} - set("\t\n")
    sets = {
        "hidden": hidden,
        "virama": where(lambda c: ucd.combining(c) == 9),
        "joining": where(lambda c: ucd.category(c)[0] in "LM" and ucd.name(c, "").startswith(JOINING)),
        "word_spaced": where(lambda c: ucd.name(c, "").startswith(WORD_SPACED)),
        "right_to_left": where(lambda c: ucd.bidirectional(c) in ("R", "AL")),
        "mongolian": where(lambda c: ucd.category(c)[0] == "L" and ucd.name(c, "").startswith("MONGOLIAN")),
        "pictured": where(pictured),
        "ideograph": where(lambda c: ucd.name(c, "").startswith(("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH"))),
        "varied": where(varied),
    }
    return [f"{name}\t{' '.join(spelled(*run) for run in ranges(found))}" for name, found in sets.items()]


def where(holds: Callable[[str], bool]) -> set[str]:
    """Returns the assigned characters for which something holds."""
    return {c for c in ALL if ucd.category(c) not in ("Cn", "Cs") and holds(c)}


def pictured(character: str) -> bool:
    """Says whether a text or picture selector can follow: symbols, and what is punctuation but has a picture."""
    return not character.isascii() and (ucd.category(character) in ("So", "Sm", "Sk") or character in "‼⁉〰〽㊗㊙")


def varied(character: str) -> bool:
    """Says whether the first variation selector can follow: operators, letters of Myanmar, fullwidth marks."""
    name = ucd.name(character, "")
    letter = ucd.category(character)[0] == "L" and name.startswith("MYANMAR")
    return (
        ucd.category(character) == "Sm"
        or letter
        or name.startswith(("FULLWIDTH", "IDEOGRAPHIC COMMA", "IDEOGRAPHIC FULL"))
    )


# --- entities


def entity_lines() -> list[str]:
    """Returns ``name<tab>code points`` of the character references whose character folds to something that matters."""
    ignorable, similar = points(DEFAULT_IGNORABLE) | points(ALSO_FILLED), confusables()
    lines = []
    for name, text in sorted(html.entities.html5.items()):
        bare = name.removesuffix(";")
        if name.endswith(";") and matters(
            "".join(folded(c, ignorable, similar) if ord(c) > 0x7F else c.lower() for c in text)
        ):
            lines.append(f"{bare}\t{' '.join(f'{ord(c):X}' for c in text)}")
    return lines


def matters(plain: str) -> bool:
    """Says whether folded text can be part of a marker: fillers and ASCII."""
    return all(c.isascii() for c in plain)


if __name__ == "__main__":
    main()
