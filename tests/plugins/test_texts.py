"""The text tables: complete, in step with each other, and word for word the seed's in English."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from golden.seed_fragments import FRAGMENTS
from promptmw_plugins.texts import LOCALES, texts

ENGLISH = texts("en") or {}
OTHERS = [locale for locale in LOCALES if locale != "en"]
SEED_NAMES = {
    "web_search": "aivory_web_search",
    "fetch_image": "fetch_image",
    "python": "python_execute",
    "image": "image_generate",
    "save_memory": "save_memory",
    "use_skill": "use_skill",
    "uploads": "/workspace/uploads/",
    "downloads": "/workspace/downloads/",
    "outputs": "/workspace/outputs/",
}
NEUTRAL = (
    *("[n]", "[2]", "[CURRENT]", "[CONTEXT-DEPENDENT]", "$...$", "Pillow", "pandas.read_csv()/read_excel()", "(name)"),
    *re.findall(r"</?[a-z-]+>", ENGLISH["trust.body"]),
)
PADDED = ("persona.join", "trust.join")
EACH_TEXT = [(locale, key) for locale in OTHERS for key in ENGLISH]


def table(locale: str) -> dict[str, str]:
    return dict(texts(locale) or {})


@pytest.mark.parametrize("locale", OTHERS)
def test_each_language_has_every_key(locale: str) -> None:
    """LO7."""
    assert set(table(locale)) == set(ENGLISH)


@pytest.mark.parametrize(("locale", "key"), EACH_TEXT)
def test_a_translation_has_the_slots_and_the_neutral_tokens_of_the_english_text(locale: str, key: str) -> None:
    """LO7, LO9."""
    english, other = ENGLISH[key], table(locale)[key]
    assert Counter(re.findall(r"\{(\w+)\}", english)) == Counter(re.findall(r"\{(\w+)\}", other))
    assert {t: english.count(t) for t in NEUTRAL} == {t: other.count(t) for t in NEUTRAL}
    assert english.startswith("## ") == other.startswith("## ")
    assert english.startswith("- ") == other.startswith("- ")


@pytest.mark.parametrize(("locale", "key"), EACH_TEXT)
def test_no_translation_is_the_english_text(locale: str, key: str) -> None:
    assert (table(locale)[key] == ENGLISH[key]) == ((locale, key) == ("fr", "trust.join"))


@pytest.mark.parametrize("locale", LOCALES)
def test_a_text_is_one_line_without_blanks_at_its_ends(locale: str) -> None:
    for key, text in table(locale).items():
        assert "\n" not in text
        assert key in PADDED or text == text.strip(), key


@pytest.mark.parametrize("key", FRAGMENTS)
def test_the_english_text_is_the_seed_s(key: str) -> None:
    """TG12."""
    filled = re.sub(r"\{(\w+)\}", lambda m: SEED_NAMES.get(m[1], "%s"), ENGLISH[key])
    assert filled == FRAGMENTS[key]


def test_a_language_that_is_not_there_has_no_texts() -> None:
    assert texts("de") is None
