"""The profile's table ``trust``: how text that is not ours is held, and what is done with text that others wrote."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from promptmw.errors import ConfigError, nearest


class FenceMode(Enum):
    """Says in what form a fence holds its body; in each of them the body is neutralised."""

    PLAIN = "plain"
    """Between its tags."""
    KEYED = "keyed"
    """The tags carry an id that depends on the body and on a key of the operator."""
    QUOTED = "quoted"
    """Every line of the body starts with ``> ``."""
    DATAMARKED = "datamarked"
    """A ``^`` stands behind every run of blanks of the body."""


class ReservedHeadings(Enum):
    """Says which headings a user's text without a fence must not imitate."""

    ALL = "all"
    DISTINCT = "distinct"
    """Those of two words or more: common words such as ``Skills`` are free."""
    OFF = "off"


class HiddenRuns(Enum):
    """Says how 16 and more hidden characters in a row are shown."""

    ESCAPE = "escape"
    """One by one, so that they can be restored."""
    DIGEST = "digest"
    """As one note with their number and digest."""


class Extra(Enum):
    """Says which fences the trust boundary names beside those of the seed's sentence."""

    USED = "used"
    """Those that stand in this turn."""
    REGISTERED = "registered"
    """Those of all enabled sections, so that the text does not move from turn to turn."""
    OFF = "off"
    """None: the seed's sentence alone."""


class UserText(Enum):
    """Says in which user messages markers are escaped in native mode."""

    SHARED = "shared"
    """Those that a block is laid into."""
    ALL = "all"
    ASIS = "asis"


class ToolResults(Enum):
    """Says what is done in native mode with the messages of tools."""

    ASIS = "asis"
    MARKERS = "markers"
    """Markers in them are escaped."""
    WRAP = "wrap"
    """Their text stands in a fence."""


class Restored(Enum):
    """Says where escapes that a model repeats become characters again."""

    ARGUMENTS_DISPLAY = "arguments+display"
    ARGUMENTS = "arguments"
    OFF = "off"


class Verified(Enum):
    """Says when finished text is looked through for tags that no fence of ours wrote."""

    BLOCKS = "blocks"
    """Each block once, when it is rendered."""
    ALWAYS = "always"
    """The blocks of every prompt as well."""
    OFF = "off"


Modes = FenceMode | tuple[FenceMode, ...]
KEY_BYTES = 16
"""The fewest bytes of a fence key."""


@dataclass(frozen=True, slots=True)
class TrustSettings:
    """Is the profile's table ``trust``.

    Attributes:
        fence_mode: Of all fences.
        fence_notes: Whether the trust boundary explains escapes and the modes in use.
        extra: Which fences it names beside the seed's; ``registered`` in layout ``cache``, otherwise ``used``.
        reserved_headings: Which headings are kept from text without a fence.
        hidden_runs: How long runs of hidden characters are shown.
        user_text: Which messages of users are escaped.
        tool_results: What is done with messages of tools.
        restore: Where escapes become characters again.
        verify: When finished text is checked.
        extra_markers: Tags and control tokens of the application or its models, such as ``<|my_turn|>``.
        fence_key_env: The environment variable that holds the key of keyed fences, 16 bytes or more.
        fences: Changes to single fences, by tag.
    """

    fence_mode: Modes = FenceMode.PLAIN
    fence_notes: bool = False
    extra: Extra | None = None
    reserved_headings: ReservedHeadings = ReservedHeadings.ALL
    hidden_runs: HiddenRuns = HiddenRuns.ESCAPE
    user_text: UserText = UserText.SHARED
    tool_results: ToolResults = ToolResults.ASIS
    restore: Restored = Restored.ARGUMENTS_DISPLAY
    verify: Verified = Verified.BLOCKS
    extra_markers: tuple[str, ...] = ()
    fence_key_env: str = "PROMPTMW_FENCE_KEY"
    fences: Mapping[str, Mapping[Literal["mode"], Modes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for marker in self.extra_markers:
            if not any(c.isascii() and c.isalnum() for c in marker):
                raise ConfigError(
                    f"trust.extra_markers: {marker!r} has no letter and no digit: write the tag or token as it stands "
                    "in a text, such as '<my_tag>' or '<|my_turn|>'",
                    path=("trust", "extra_markers"),
                )
        self.modes_of("")
        for tag in self.fences:
            self.modes_of(tag)

    def modes_of(self, tag: str) -> frozenset[FenceMode]:
        """Returns the modes of a fence, without PLAIN.

        Raises:
            ConfigError: Two of them exclude each other.
        """
        path = ("trust", "fences", tag, "mode") if tag in self.fences else ("trust", "fence_mode")
        stated = self.fences.get(tag, {}).get("mode", self.fence_mode)
        modes = frozenset(stated if isinstance(stated, tuple) else (stated,)) - {FenceMode.PLAIN}
        if {FenceMode.QUOTED, FenceMode.DATAMARKED} <= modes:
            raise ConfigError(f"{'.'.join(path)}: quoted and datamarked exclude each other", path=path)
        return modes

    @property
    def modes(self) -> tuple[FenceMode, ...]:
        """The modes of all fences, each once, without PLAIN."""
        found = frozenset[FenceMode]().union(*(self.modes_of(tag) for tag in ("", *self.fences)))
        return tuple(mode for mode in FenceMode if mode in found)

    def key(self) -> bytes:
        """Returns the key of keyed fences; empty where there are none.

        Raises:
            ConfigError: There is none in the environment, or it is too short.
        """
        if FenceMode.KEYED not in self.modes:
            return b""
        key = os.environ.get(self.fence_key_env, "").encode("utf-8", "surrogateescape")
        if len(key) < KEY_BYTES:
            raise ConfigError(
                f"trust.fence_mode: keyed fences need a secret of {KEY_BYTES} bytes or more in the environment "
                f"variable {self.fence_key_env} (trust.fence_key_env); it has {len(key)}",
                path=("trust", "fence_mode"),
            )
        return key

    def check_fences(self, tags: tuple[str, ...]) -> None:
        """Checks that every fence that is changed exists.

        Raises:
            ConfigError: One does not.
        """
        for tag in self.fences:
            if tag not in tags:
                raise ConfigError(
                    f"trust.fences: there is no fence {tag!r}.{nearest(tag, tags)}", path=("trust", "fences")
                )
