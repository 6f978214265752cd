"""Locales: which language a turn is in, and the authored texts of all plugins in it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from promptmw.errors import ConfigError, PluginError
from promptmw.fencing import Text

FALLBACK = "en"
_NAME = re.compile(r"\{([a-z_]+)\}")
_SCRIPTS = {"chs": "Hans", "cht": "Hant"}


@functools.lru_cache(maxsize=1024)
def maximised(locale: str) -> tuple[str, str, str]:
    """Returns language, script and region of a tag, likely ones filled in; blanks for what is no language.

    Takes tags with either separator, POSIX names with an encoding, three-letter codes, and header lists, of which the
    first entry counts.
    """
    from babel.core import get_global

    subtags = re.split(r"[,;.@]", locale, maxsplit=1)[0].strip().replace("_", "-").split("-")
    language = get_global("language_aliases").get(subtags[0].lower(), subtags[0].lower())
    script = next((_script(s) for s in subtags[1:] if _script(s)), "")
    region = next((s.upper() for s in subtags[1:] if re.fullmatch("[A-Za-z]{2}|[0-9]{3}", s)), "")
    return _likely(language, script, region)


def _script(subtag: str) -> str:
    known = _SCRIPTS.get(subtag.lower())
    return known or (subtag.title() if re.fullmatch("[A-Za-z]{4}", subtag) else "")


def _likely(language: str, script: str, region: str) -> tuple[str, str, str]:
    """Fills in what CLDR holds likely, as in ``zh-TW`` to ``zh-Hant-TW``."""
    from babel.core import get_global

    likely = get_global("likely_subtags")
    for key in (f"{language}_{script}_{region}", f"{language}_{region}", f"{language}_{script}", language):
        found = likely.get(key.strip("_"))
        if found:
            full = found.split("_")
            return full[0], script or full[1], region or full[2]
    return ("", "", "")


def negotiate(locale: str | None, available: Iterable[str]) -> str:
    """Returns the available locale that serves the wanted one best; English when none does.

    Args:
        locale: As stated, in any of the forms that `maximised` takes.
        available: Tags of the locales that have texts.
    """
    wanted = maximised(locale or "")
    best, score = FALLBACK, 0
    for tag in available:
        offered = maximised(tag)
        if not wanted[0] or offered[:2] != wanted[:2]:
            continue
        fit = 2 if offered[2] == wanted[2] and len(tag.split("-")) > 1 else 1
        if (fit, best) > (score, tag):
            best, score = tag, fit
    return best


class Texts:
    """Gives the authored texts of one locale by key."""

    __slots__ = ("_table", "locale")

    def __init__(self, locale: str, table: Mapping[str, str]) -> None:
        self.locale = locale
        self._table = table

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def __getitem__(self, key: str) -> str:
        try:
            return self._table[key]
        except KeyError:
            raise ConfigError(f"no text {key!r} in {self.locale!r}, and none in English either") from None

    def fill(self, key: str, **values: Text | str) -> Text:
        """Returns the text with its slots filled, in one pass; values are never scanned.

        Raises:
            ConfigError: A slot has no value, or a value no slot.
        """
        parts = _split(self[key])
        names = set(parts[1::2])
        if names != set(values):
            raise ConfigError(f"text {key!r} has the slots {sorted(names)}, and got {sorted(values)}")
        return Text.of(*(values[part] if i % 2 else part for i, part in enumerate(parts)))


@functools.lru_cache(maxsize=4096)
def _split(text: str) -> list[str]:
    return _NAME.split(text)


@dataclass(frozen=True, slots=True)
class Missing:
    """Names the keys that a locale lacks for a section, which is therefore in English there."""

    section: str
    locale: str
    keys: tuple[str, ...]


class TextTables:
    """Holds the texts of all plugins, merged by locale.

    Args:
        tables: Locale, owner (``distribution:plugin``) and table, one for each plugin and locale.

    Raises:
        PluginError: Two plugins give one key in one locale.
    """

    def __init__(self, tables: Iterable[tuple[str, str, Mapping[str, str]]]) -> None:
        self._by_locale: dict[str, dict[str, str]] = {FALLBACK: {}}
        owners: dict[tuple[str, str], str] = {}
        for locale, plugin, table in tables:
            for key, text in table.items():
                owner = owners.setdefault((locale, key), plugin)
                if owner != plugin:
                    raise PluginError(f"text {key!r} in {locale!r} comes from both {owner} and {plugin}: disable one")
                self._by_locale.setdefault(locale, {})[key] = text
        self._resolve = functools.lru_cache(maxsize=1024)(self._scope)
        self._negotiate = functools.lru_cache(maxsize=1024)(self._best)

    @property
    def locales(self) -> tuple[str, ...]:
        """The tags of all locales that have texts, English first."""
        return tuple(self._by_locale)

    @property
    def english(self) -> Mapping[str, str]:
        """All English texts, by key."""
        return self._by_locale[FALLBACK]

    def headings(self) -> tuple[str, ...]:
        """Returns every heading of every locale: what a user's text must not imitate."""
        found = {t for table in self._by_locale.values() for k, t in table.items() if is_heading(k)}
        return tuple(sorted(found))

    def best(self, locale: str | None) -> str:
        """Returns the locale that serves the wanted one."""
        return self._negotiate(locale)

    def scope(self, prefixes: tuple[str, ...], locale: str) -> Texts:
        """Returns the texts for a section: in that locale if it has all keys, else wholly in English."""
        return self._resolve(prefixes, locale)

    def missing(self, section: str, prefixes: tuple[str, ...]) -> list[Missing]:
        """Returns what keeps locales that have some of a section's keys from being used for it."""
        found = []
        for locale, table in self._by_locale.items():
            keys = self._keys(prefixes)
            lacking = tuple(sorted(k for k in keys if k not in table))
            if lacking and len(lacking) < len(keys):
                found.append(Missing(section, locale, lacking))
        return found

    def _best(self, locale: str | None) -> str:
        return negotiate(locale, self._by_locale)

    def _keys(self, prefixes: tuple[str, ...]) -> list[str]:
        return [k for k in self._by_locale[FALLBACK] if k.startswith(tuple(p + "." for p in prefixes))]

    def _scope(self, prefixes: tuple[str, ...], locale: str) -> Texts:
        table = self._by_locale.get(locale, {})
        if all(key in table for key in self._keys(prefixes)):
            return Texts(locale, table)
        return Texts(FALLBACK, self._by_locale[FALLBACK])


def is_heading(key: str) -> bool:
    """Says whether a key is that of a heading, which is reserved in every language."""
    return key.endswith(("heading", "heading_named"))
