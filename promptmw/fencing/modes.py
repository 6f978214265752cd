"""The forms in which a fence holds its body: quoted, datamarked, or with an id that nobody can guess."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from promptmw.fencing.settings import FenceMode
from promptmw.fencing.text import Edge, Piece
from promptmw.fencing.untrusted import Untrusted

QUOTE = "> "
MARK = "^"
_BLANKS = re.compile(r"[ \t\n]++")


def quoted(text: str) -> str:
    """Returns the text with a quotation mark in front of every line."""
    return QUOTE + text.replace("\n", "\n" + QUOTE)


def unquoted(text: str) -> str:
    """Returns what `quoted` was given."""
    return text[len(QUOTE) :].replace("\n" + QUOTE, "\n")


def datamarked(text: str) -> str:
    """Returns the text with a mark behind every run of blanks, tabs and line breaks."""
    return _BLANKS.sub(lambda m: m[0] + MARK, text)


def undatamarked(text: str) -> str:
    """Returns what `datamarked` was given."""
    return re.sub(r"([ \t\n]++)\^", r"\1", text)


def fence_id(key: bytes, tenant: str, tag: str, source: str, raw: str) -> str:
    """Returns the id of a keyed fence: 12 letters that follow from its body, so that equal text gives equal bytes.

    Args:
        key: The operator's secret.
        tenant: Whose prompt it is.
        tag: Of the fence.
        source: Of the text.
        raw: The text before anything was escaped in it.
    """
    own = _mac(key, b"promptmw fence 1\0" + tenant.encode("utf-8", "surrogatepass"))
    body = hashlib.sha256(raw.encode("utf-8", "surrogatepass")).digest()
    head = f"{tag}\0{source}\0".encode("utf-8", "surrogatepass")
    return base64.b32encode(_mac(own, head + body)).decode().lower()[:12]


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def keyed_ids(pieces: Sequence[Piece], keyed: Callable[[str], bool], key: bytes, tenant: str) -> dict[int, str]:
    """Returns the id of each keyed fence, under the indexes of the pieces that open and that close it.

    Args:
        pieces: Of a text.
        keyed: Says whether the fence of a tag is.
        key: The operator's secret.
        tenant: Whose prompt it is.
    """
    found: dict[int, str] = {}
    for start, body, end in _fences(pieces):
        tag = pieces[start].tag
        if keyed(tag):
            values = [p.text for p in pieces[body:end] if isinstance(p.text, Untrusted)]
            source = values[0].source if values else ""
            id = fence_id(key, tenant, tag, source, "\0".join(v.reveal() for v in values))
            found[start] = found[end] = id
    return found


def _fences(pieces: Sequence[Piece]) -> Iterator[tuple[int, int, int]]:
    """Yields for each fence where it is opened, where its body begins, and where it is closed."""
    opened: list[list[int]] = []
    for at, piece in enumerate(pieces):
        if piece.edge is Edge.OPEN:
            opened.append([at])
        elif piece.edge is Edge.BODY:
            opened[-1].append(at)
        elif piece.edge is Edge.CLOSE:
            start, body = opened.pop()
            yield start, body, at


def in_fences(part: str, modes: Iterable[frozenset[FenceMode]]) -> str:
    """Returns a part of a body as it stands in the fences around it, of which the innermost comes last."""
    for mode in reversed(tuple(modes)):
        if FenceMode.QUOTED in mode:
            part = part.replace("\n", "\n" + QUOTE)
        elif FenceMode.DATAMARKED in mode:
            part = datamarked(part)
    return part
