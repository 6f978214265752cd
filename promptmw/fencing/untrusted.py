"""Text of users and strangers: a value that is not a string, and the fields that hold it."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NoReturn, Self, SupportsIndex, TypeVar, overload

from promptmw.errors import InputError, TrustError
from promptmw.kinds import Trust

V = TypeVar("V", bool, int)

HARD_LIMIT = 1_000_000
"""Code points that any one value may have, whatever its field allows."""

LINE_MARK = "…"
BLOCK_MARK = "…(truncated)"
_BREAKS = "\t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"


class Untrusted:
    """Holds text that is not ours; it enters a prompt through a slot and in no other way.

    It is not a ``str`` and refuses to become one, so that forgetting the slot is an error and never a hole.

    Args:
        text: The raw text. A lone surrogate is allowed.
        source: Where it came from, for reports; never shown to a model.
        trust: Whose text it is.
        cut: Code points that a cap has left out before.
    """

    __slots__ = ("_hash", "_text", "cut", "source", "trust")
    _text: str
    source: str
    trust: Trust
    cut: int
    _hash: int

    def __init__(self, text: str, *, source: str = "", trust: Trust = Trust.UNTRUSTED, cut: int = 0) -> None:
        if not isinstance(text, str):
            raise TrustError(f"Untrusted takes a str, not {type(text).__name__}: nothing is neutralised twice")
        put = object.__setattr__
        put(self, "_text", text)
        put(self, "source", source)
        put(self, "trust", trust)
        put(self, "cut", cut)
        put(self, "_hash", hash((text, trust, cut)))

    @property
    def blank(self) -> bool:
        """Says whether there is nothing but white space."""
        return not self._text or self._text.isspace()

    @property
    def size(self) -> int:
        """The number of code points."""
        return len(self._text)

    def reveal(self) -> str:
        """Returns the raw text. For ``promptmw.fencing``, stores and tests only."""
        return self._text

    def strip(self) -> Self:
        """Returns the same text without white space at both ends."""
        return self._with(self._text.strip())

    def strip_lines(self) -> Self:
        """Returns the same text without line breaks at both ends; blanks inside the first line stay."""
        return self._with(self._text.strip("\r\n"))

    def one_line(self) -> Self:
        """Returns the same text with every run that holds a line break or a tab made one space, trimmed."""
        text = self._text.strip()
        if not any(c in text for c in _BREAKS):
            return self._with(text)
        parts = (part.strip(" ") for part in text.translate(_TO_LF).split("\n"))
        return self._with(" ".join(part for part in parts if part))

    def folded(self) -> str:
        """Returns a key under which texts that differ only in case and white space are equal."""
        return " ".join(unicodedata.normalize("NFC", self._text).casefold().split())

    def key(self, limit: int | None = None) -> str:
        """Returns a digest that names the text, or its beginning; equal texts have equal keys."""
        return hashlib.blake2b(self._text[:limit].encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def equals(self, text: str) -> bool:
        """Says whether this is exactly that text of ours, such as a key of a table."""
        return self._text == text

    def map(self, change: Callable[[str], str]) -> Self:
        """Returns the text that a function makes of the raw one; it is as untrusted as before."""
        return self._with(change(self._text))

    def measure(self, of: Callable[[str], V]) -> V:
        """Returns what a function finds out about the raw text: a count, a yes or no. Not for passing the text on."""
        return of(self._text)

    def cap(self, limit: int, *, at_line_end: bool = False) -> Self:
        """Returns at most ``limit`` code points, never cutting through a character and its marks.

        Args:
            limit: Code points to keep.
            at_line_end: Prefer the last line end in the last fifth of the limit.
        """
        if len(self._text) <= limit:
            return self
        end = _whole(self._text, max(0, limit))
        if at_line_end:
            line_end = self._text.rfind("\n", limit - limit // 5, end)
            end = line_end if line_end > 0 else end
        return self._with(self._text[:end], cut=self.cut + len(self._text) - end)

    def _with(self, text: str, *, cut: int | None = None) -> Self:
        if text == self._text and cut is None:
            return self
        return type(self)(text, source=self.source, trust=self.trust, cut=self.cut if cut is None else cut)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Untrusted):
            return NotImplemented
        return (self._text, self.trust, self.cut, self.source) == (other._text, other.trust, other.cut, other.source)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<Untrusted {self.size} characters from {self.source or 'unknown'}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Untrusted is frozen: {name} cannot be set")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _refuse(self, *_: object) -> NoReturn:
        raise TrustError(f"{self!r} is not a string: put it through a slot (block, section, line, attr, list_item)")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        self._refuse()

    __str__ = __format__ = __bool__ = _refuse
    if not TYPE_CHECKING:  # a type checker finds these uses itself, as there is no such operation
        __add__ = __radd__ = __mod__ = __rmod__ = _refuse
        __bytes__ = __iter__ = __contains__ = __getitem__ = __len__ = _refuse


_TO_LF = {ord(c): "\n" for c in _BREAKS}


def _whole(text: str, end: int) -> int:
    """Moves ``end`` back, at most 16 characters, so that no cluster is cut in two."""
    for _ in range(16):
        if end <= 0 or not (_joins(text[end]) or text[end - 1] == "\u200d" or text[end - 1 : end + 1] == "\r\n"):
            return end
        end -= 1
    return end


def _joins(character: str) -> bool:
    return character == "\u200d" or unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf")


class _Field:
    """Is what the fields for untrusted text share: a name, a trust, limits, and the way in."""

    def __init__(self, *, trust: Trust, cap: int, lines: bool, default: Any, utf8: bool = False) -> None:
        self.trust = trust
        self.limit = cap
        self.lines = lines
        self.utf8 = utf8
        self._default = default
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def _hold(self, value: object, owner: type) -> Untrusted:
        if isinstance(value, str):
            value = Untrusted(value, source=_source(owner), trust=self.trust)
        elif not isinstance(value, Untrusted):
            raise InputError(f"{_source(owner)}.{self.name} takes text, not {type(value).__name__}")
        elif value.trust < self.trust:
            value = Untrusted(value.reveal(), source=value.source, trust=self.trust, cut=value.cut)
        limit = min(self.limit, HARD_LIMIT)
        if self._points(value, limit) >= value.size:
            return value
        mark = "\n" + BLOCK_MARK if self.lines else LINE_MARK
        room = limit - (len(mark.encode()) if self.utf8 else len(mark))
        return value.cap(max(1, self._points(value, room)), at_line_end=self.lines)

    def _points(self, value: Untrusted, limit: int) -> int:
        """Returns how many code points the limit allows."""
        if not self.utf8:
            return limit
        sizes = accumulate(len(c.encode("utf-8", "surrogatepass")) for c in value.reveal()[: limit + 1])
        return sum(size <= limit for size in sizes)

    def _hold_row(self, value: object, owner: type) -> tuple[Untrusted, ...]:
        return tuple(self._hold(v, owner) for v in self._row(value, owner))

    def _row(self, value: object, owner: type) -> Iterable[object]:
        if isinstance(value, str | Untrusted) or not isinstance(value, Iterable):
            raise InputError(f"{_source(owner)}.{self.name} takes a list, not {type(value).__name__}")
        return value

    def _of_class(self, owner: type) -> Any:
        if self._default is None:
            raise AttributeError(f"{owner.__name__}.{self.name} has no default")
        return self._default


class TextField(_Field):
    """Is a dataclass field that takes a ``str`` or an `Untrusted` and gives an `Untrusted`, cut to its cap."""

    @overload
    def __get__(self, instance: None, owner: type) -> str: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Untrusted: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        return self._of_class(owner) if instance is None else instance.__dict__[self.name]

    def __set__(self, instance: object, value: str | Untrusted) -> None:
        instance.__dict__[self.name] = self._hold(value, type(instance))


class TextsField(_Field):
    """Is the same for a tuple of texts."""

    @overload
    def __get__(self, instance: None, owner: type) -> tuple[str, ...]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> tuple[Untrusted, ...]: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        return self._of_class(owner) if instance is None else instance.__dict__[self.name]

    def __set__(self, instance: object, value: Iterable[str | Untrusted]) -> None:
        instance.__dict__[self.name] = self._hold_row(value, type(instance))


class RowsField(_Field):
    """Is the same for a tuple of rows of texts."""

    @overload
    def __get__(self, instance: None, owner: type) -> tuple[tuple[str, ...], ...]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> tuple[tuple[Untrusted, ...], ...]: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        return self._of_class(owner) if instance is None else instance.__dict__[self.name]

    def __set__(self, instance: object, value: Iterable[Iterable[str | Untrusted]]) -> None:
        owner = type(instance)
        instance.__dict__[self.name] = tuple(self._hold_row(row, owner) for row in self._row(value, owner))


def text_field(
    *, cap: int, trust: Trust = Trust.UNTRUSTED, lines: bool = False, default: str | None = None, utf8: bool = False
) -> TextField:
    """Declares a field of an input that holds text of others.

    Args:
        cap: Code points kept; what is over is cut, and the report says so. The mark of the cut counts.
        trust: The least trust that its values get.
        lines: Whether the text may have several lines: decides how a cut is marked.
        default: The value when none is stated; without it the field must be stated.
        utf8: Whether the cap counts bytes of UTF-8 instead, as file systems do.
    """
    return TextField(trust=trust, cap=cap, lines=lines, default=default, utf8=utf8)


def texts_field(*, cap: int, trust: Trust = Trust.UNTRUSTED) -> TextsField:
    """Declares a field that holds a tuple of one-line texts of others, empty by default."""
    return TextsField(trust=trust, cap=cap, lines=False, default=())


def rows_field(*, cap: int, trust: Trust = Trust.UNTRUSTED) -> RowsField:
    """Declares a field that holds rows of one-line texts of others, empty by default."""
    return RowsField(trust=trust, cap=cap, lines=False, default=())


def _source(owner: type) -> str:
    declared = getattr(owner, "__promptmw_input__", None)
    return str(declared.name) if declared else owner.__name__
