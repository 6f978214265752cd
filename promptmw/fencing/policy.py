"""A policy: the one place where the pieces of a text become a string."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable

from promptmw.fencing import grammars
from promptmw.fencing.code_points import escape
from promptmw.fencing.headings import Headings
from promptmw.fencing.modes import fence_id, keyed_ids
from promptmw.fencing.names import ASSIGNED, EXACT, FOREIGN, SQUARE, TOKENS
from promptmw.fencing.neutral import Neutraliser
from promptmw.fencing.settings import FenceMode, ReservedHeadings, TrustSettings
from promptmw.fencing.tables import digest
from promptmw.fencing.text import Piece, Slot, Text
from promptmw.fencing.writing import Writing, Written

_PLAIN: frozenset[FenceMode] = frozenset()


class Policy:
    """Knows what is reserved, and writes texts so that no untrusted character can imitate it.

    Args:
        tags: Tags of the fences of all loaded plugins, whether a profile switches them on or not.
        headings: Headings of all locales of all loaded plugins.
        settings: The profile's table ``trust``.

    Raises:
        ConfigError: Keyed fences without a key, or a setting for a fence that does not exist.
    """

    def __init__(
        self, tags: Iterable[str], headings: Iterable[str] = (), settings: TrustSettings | None = None
    ) -> None:
        self.tags = tuple(sorted(set(tags)))
        self.headings = tuple(sorted(set(headings)))
        self.settings = settings or TrustSettings()
        self.settings.check_fences(self.tags)
        self._key = self.settings.key()
        self._modes = {tag: modes for tag in self.tags if (modes := self.settings.modes_of(tag))}
        self._neutralise = Neutraliser(self.tags, self._reserved(), self.settings)

    def _reserved(self) -> Headings:
        wanted = self.settings.reserved_headings
        reserved = self.headings if wanted is not ReservedHeadings.OFF else ()
        return Headings(reserved, distinct_only=wanted is ReservedHeadings.DISTINCT)

    @functools.cached_property
    def id(self) -> str:
        """Names what is reserved and how it is escaped: with the same id the same text gives the same bytes."""
        import json  # here, so that importing a pipeline does not load it

        known = [digest(), escape("<"), self.tags, self.headings, FOREIGN, ASSIGNED, TOKENS, EXACT, SQUARE]
        patterns = {name: g.pattern.pattern for name, g in sorted(grammars.BY_NAME.items())}
        settings = self.settings
        levels = [settings.reserved_headings.value, settings.hidden_runs.value, settings.extra_markers]
        modes = {tag: sorted(m.value for m in modes) for tag, modes in self._modes.items()}
        whole = json.dumps([*known, patterns, levels, modes])
        return "pmw1-" + hashlib.sha256(whole.encode()).hexdigest()[:12]

    @property
    def keyed(self) -> bool:
        """Whether texts differ from tenant to tenant."""
        return bool(self._key)

    def scope(self, tenant: str) -> str:
        """Names all that the bytes of a text depend on beside the text itself; with keyed fences key and tenant too."""
        return f"{self.id} {fence_id(self._key, tenant, '', '', '')}" if self._key else self.id

    def modes(self, tag: str) -> frozenset[FenceMode]:
        """Returns the modes of a fence; none for the plain form."""
        return self._modes.get(tag, _PLAIN)

    def write(self, text: Text | str, *, tenant: str = "") -> Written:
        """Returns the string of a text, every value in it neutralised for its slot.

        Args:
            text: What a section has returned.
            tenant: Whose prompt it is; the ids of keyed fences depend on it.
        """
        pieces = (Piece(text),) if isinstance(text, str) else text.pieces
        ids = keyed_ids(pieces, self._keyed, self._key, tenant) if self._key else {}
        return Writing(self._neutralise, self.modes).of(pieces, ids)

    def neutralise(self, text: str, slot: Slot) -> str:
        """Returns ``text`` with everything escaped that has a meaning in that slot; itself when nothing has."""
        return self._neutralise(text, slot)[0]

    def markers(self, text: str) -> set[int]:
        """Returns the offsets at which a tag or control token begins, in any spelling."""
        return self._neutralise.markers(()).find(text)

    def headings_in(self, text: str) -> set[int]:
        """Returns the offsets of lines that read as a heading of ours."""
        return self._neutralise.headings.find(text)

    def _keyed(self, tag: str) -> bool:
        return FenceMode.KEYED in self.modes(tag)
