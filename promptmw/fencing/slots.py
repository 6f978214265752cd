"""The slots: the only ways in which a value that is not ours becomes part of a prompt."""

from __future__ import annotations

from promptmw.errors import TrustError
from promptmw.fencing.grammars import Grammar
from promptmw.fencing.text import Piece, Slot, Text
from promptmw.fencing.untrusted import BLOCK_MARK, LINE_MARK, Untrusted
from promptmw.kinds import Trust

_SECTION = Slot("section", headings=True)
_QUOTED = Slot("quoted", one_line=True, escapes='"\uff02')
_JSON = Slot("json", quotes=True)
_ATTR = Slot("attr", one_line=True, escapes='"<>')


def block(value: Untrusted, *, grammars: tuple[Grammar, ...] = (), item: bool = False) -> Text:
    """Puts text of several lines inside a fence.

    Args:
        value: Text of any trust below ours.
        grammars: Line patterns with a meaning inside that fence.
        item: Set when several values stand in one fence, each behind a bullet of ours.
    """
    slot = Slot("block", grammars=tuple(g.name for g in grammars), dangling=item)
    return _put(value, slot, mark="\n" + BLOCK_MARK)


def section(value: Untrusted) -> Text:
    """Puts a user's text of several lines under a heading of ours, without a fence.

    Raises:
        TrustError: The value is UNTRUSTED: that needs a fence or a single line.
    """
    if isinstance(value, Untrusted) and value.trust is Trust.UNTRUSTED:
        raise TrustError(
            f"{value!r} is UNTRUSTED: use a fence around block(), or a one-line slot, instead of section()"
        )
    return _put(value, _SECTION, mark="\n" + BLOCK_MARK)


def line(value: Untrusted, *, quoted: bool = False, reserve: str = "", grammars: tuple[Grammar, ...] = ()) -> Text:
    """Puts one line into a line of ours.

    Args:
        value: Text of any trust below ours.
        quoted: It stands between quotation marks of ours.
        reserve: A separator of ours on the same line, whose first character is escaped.
        grammars: Patterns with a meaning on that line.
    """
    if quoted:
        return _put(value, _QUOTED, mark=LINE_MARK)
    slot = Slot("line", one_line=True, escapes=reserve, grammars=tuple(g.name for g in grammars), dangling=True)
    return _put(value, slot, mark=LINE_MARK)


def list_item(value: Untrusted, *, reserve: str = "") -> Text:
    """Puts one line behind a bullet of ours."""
    return _put(value, Slot("list_item", one_line=True, escapes=reserve, dangling=True), mark=LINE_MARK)


def attr(value: Untrusted) -> Text:
    """Puts one line into an attribute of a tag of ours, between its quotation marks."""
    return _put(value, _ATTR, mark=LINE_MARK)


def json_string(value: Untrusted) -> Text:
    """Puts a string into a line of JSON, with quotation marks of ours."""
    return Text.of('"', Text((_piece(value, _JSON),)), '"')


def verbatim(text: str, *, cap: int) -> Text:
    """Puts an operator's text as it is, without white space at its ends.

    Args:
        text: Text of OPERATOR trust.
        cap: Code points kept.
    """
    if not isinstance(text, str):
        raise TrustError(f"verbatim() is for the operator's own str, not {type(text).__name__}")
    kept = text.strip()
    if len(kept) <= cap:
        return Text((Piece(kept, trust=Trust.OPERATOR),) if kept else ())
    whole = Untrusted(kept).cap(max(1, cap - len(BLOCK_MARK) - 1), at_line_end=True)
    piece = Piece(whole.reveal(), trust=Trust.OPERATOR, cut=whole.cut)
    return Text((piece, Piece("\n" + BLOCK_MARK)))


def _put(value: Untrusted, slot: Slot, *, mark: str) -> Text:
    piece = _piece(value, slot)
    if value.blank:
        return Text()
    return Text((piece, Piece(mark))) if value.cut else Text((piece,))


def _piece(value: Untrusted, slot: Slot) -> Piece:
    if not isinstance(value, Untrusted):
        raise TrustError(f"slot {slot.name} takes an Untrusted, not {type(value).__name__}")
    return Piece(value, slot=slot, trust=value.trust)
