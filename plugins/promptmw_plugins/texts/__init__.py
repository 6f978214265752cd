"""The authored texts of all built-in sections, one module a language."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from promptmw import hookimpl

LOCALES: tuple[str, ...] = ("en", "zh", "zh-Hant", "ja", "fr")


@hookimpl
def promptmw_locales() -> tuple[str, ...]:
    """Names the languages."""
    return LOCALES


@hookimpl
def promptmw_texts(locale: str) -> Mapping[str, str] | None:
    """Returns the texts in one language, or nothing for others."""
    return texts(locale)


def texts(locale: str) -> Mapping[str, str] | None:
    """Returns the texts in one language, or nothing for others; a language is loaded when it is first asked for."""
    if locale not in LOCALES:
        return None
    found: Mapping[str, str] = import_module(f"{__name__}.{locale.lower().replace('-', '_')}").TEXTS
    return found
