"""Locales: which language a turn is in, and that no section mixes two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pytest
from chat_turns import ALL_TOOLS, LOCALES, NOW, assembled, base, text_of

from promptmw import Pipeline, PluginError, Prompt, Section, hookimpl
from promptmw.locales import Missing, negotiate
from promptmw_plugins.documents import Document
from promptmw_plugins.excerpt import Excerpt
from promptmw_plugins.identity import Identity
from promptmw_plugins.material import Snippet, ToolOutput, WebResult
from promptmw_plugins.memories import Memory, MemoryStatus
from promptmw_plugins.persona import PRESETS, Persona
from promptmw_plugins.project import Project
from promptmw_plugins.sandbox import SandboxFile
from promptmw_plugins.selected_skills import SelectedSkill
from promptmw_plugins.sheets import Sheet
from promptmw_plugins.skills import Skill
from promptmw_plugins.style import OperatorPrompt
from promptmw_plugins.summary import Summary
from promptmw_plugins.texts import texts

CASES = {
    "en": ("en", "en-GB", "EN_us", "eng"),
    "zh": ("zh", "zh-CN", "zh_SG", "ZH-hans", "zh-Hans-HK", "zh-CHS", "cmn"),
    "zh-Hant": ("zh-TW", "zh_TW", "zh-HK", "ZH-hk", "zh-MO", "zh-Hant", "zh-Hant-CN", "zh-CHT", "zh_TW.UTF-8"),
    "ja": ("ja", "ja-JP", "ja_JP.eucJP", "jpn"),
    "fr": ("fr", "fr-CA", "fr_CH@euro", "fra", " FR "),
}
ROWS = {"en": "LO1", "zh": "LO2", "zh-Hant": "LO3", "ja": "LO4", "fr": "LO4"}
ELSE = ("", "  ", None, "C", "POSIX", "xx", "de", "france", "zhx", "jam", "-", "*", "und", "😀", "e" * 999)


@pytest.mark.parametrize(
    ("stated", "found"),
    [pytest.param(s, key, id=f"{ROWS[key]}-{s}") for key, stated in CASES.items() for s in stated],
)
def test_a_tag_is_folded_to_the_language_that_serves_it(stated: str, found: str) -> None:
    """LO1 to LO4."""
    assert negotiate(stated, LOCALES) == found
    assert text_of(assembled(base(locale=stated)), "date") == text_of(assembled(base(locale=found)), "date")


@pytest.mark.parametrize("stated", ELSE)
def test_everything_else_is_english(stated: str | None) -> None:
    """LO5."""
    assert negotiate(stated, LOCALES) == "en"


@pytest.mark.parametrize("stated", ["fr-CH, fr;q=0.9, en;q=0.8", "fr;q=0.9", "fr,en"])
def test_of_a_header_list_the_first_counts(stated: str) -> None:
    """LO6."""
    assert negotiate(stated, LOCALES) == "fr"


PRIVATE = "ბეჟი კატა სახლში"


WITHOUT_TEXTS = ("web_search", "tool_output", "tool_protocol")


def full(locale: str, mode: str) -> Prompt:
    """Returns a prompt with every section filled, all values in an alphabet of their own."""
    inputs = (
        Identity(PRIVATE), Persona(PRESETS[:5], nickname=PRIVATE, custom=PRIVATE), SandboxFile(PRIVATE, kind=PRIVATE),
        Skill(PRIVATE, PRIVATE, PRIVATE), Project(PRIVATE, PRIVATE), Memory(PRIVATE),
        Memory(PRIVATE + "ო", MemoryStatus.QUERY_DEPENDENT), *(Document(PRIVATE + "ა" * i) for i in range(101)),
        Excerpt(PRIVATE, PRIVATE), Summary(PRIVATE), SelectedSkill(PRIVATE, PRIVATE, PRIVATE),
        Snippet(PRIVATE, title=PRIVATE), WebResult(PRIVATE + "ო", query=PRIVATE), ToolOutput(PRIVATE, PRIVATE),
        Sheet(PRIVATE, rows=((PRIVATE,), (PRIVATE,)), total_rows=9, total_columns=1),
    )  # fmt: skip
    return assembled(base(*inputs, locale=locale, tool_mode=mode, tools=ALL_TOOLS))


def whole(prompt: Prompt) -> str:
    return "\n".join(b.text for b in prompt.blocks)


NEUTRAL = re.compile(
    r"</?[a-z-]+|/workspace/[a-z]+/|\[CURRENT\]|\[CONTEXT-DEPENDENT\]|\[(?:n|\d+)\]|…\(truncated\)|"
    r"pandas\.read_csv\(\)/read_excel\(\)|Pillow|" + "|".join((*ALL_TOOLS, "use_skill"))
)


def runs_of_four(text: str) -> set[tuple[str, ...]]:
    """Returns every four words that follow each other, without what stays the same in all languages."""
    found: set[tuple[str, ...]] = set()
    for passage in re.split(r"[^\x00-\x7f—…“”]+", NEUTRAL.sub("…字…", text)):
        words = [w.lower() for w in re.findall(r"[A-Za-z']+", passage)]
        found |= {tuple(words[i : i + 4]) for i in range(len(words) - 3)}
    return found


def test_the_check_for_english_finds_english() -> None:
    english = runs_of_four("\n".join((texts("en") or {}).values()))
    assert len(english & runs_of_four(whole(full("en", "prompt")))) > 200


@pytest.mark.parametrize("mode", ["native", "prompt", "none"])
@pytest.mark.parametrize("locale", LOCALES[1:])
def test_no_english_is_left_in_another_language(locale: str, mode: str) -> None:
    """LO8."""
    english = set().union(*(runs_of_four(text) for text in (texts("en") or {}).values()))
    prompt = full(locale, mode)
    assert {b.locale for b in prompt.blocks if b.section not in WITHOUT_TEXTS} == {locale}
    assert runs_of_four(whole(prompt)) & english == set()


@pytest.mark.parametrize("mode", ["native", "prompt", "none"])
@pytest.mark.parametrize("locale", LOCALES[1:])
def test_neutral_tokens_are_those_of_the_english_prompt(locale: str, mode: str) -> None:
    """LO9."""
    found = Counter(NEUTRAL.findall(whole(full(locale, mode))))
    assert found == Counter(NEUTRAL.findall(whole(full("en", mode))))
    assert {"<excerpt", "[CURRENT]", "[CONTEXT-DEPENDENT]", "[n]", "[1]", "…(truncated)"} <= set(found)


@pytest.mark.parametrize("locale", LOCALES)
def test_what_people_wrote_is_not_translated(locale: str) -> None:
    """LO10."""
    english = "Use a friendly tone."
    prompt = assembled(base(OperatorPrompt(english), Project("Beans", english), Memory(english), locale=locale))
    assert text_of(prompt, "style") == english
    assert text_of(prompt, "project").splitlines()[1:] == [english]
    assert text_of(prompt, "memories").splitlines()[1] == f"[CURRENT] {english}"


ORDERS = re.compile(
    r"\b(?:in|en) (?:English|Chinese|Japanese|French|anglais|chinois|japonais|français|the user's language)|"
    r"(?:英语|英文|中文|汉语|日语|法语|英語|日本語|フランス語|中国語|繁體)|\blangu(?:e|age)\b|语言|語言|言語",
    re.I,
)


@pytest.mark.parametrize("mode", ["native", "prompt", "none"])
@pytest.mark.parametrize("locale", LOCALES)
def test_no_line_orders_a_language_for_the_reply(locale: str, mode: str) -> None:
    """LO11."""
    assert ORDERS.findall(whole(full(locale, mode))) == []


class German:
    """Is a plugin with a section and texts in German and English."""

    @hookimpl
    def promptmw_locales(self) -> tuple[str, ...]:
        return ("en", "de")

    @hookimpl
    def promptmw_texts(self, locale: str) -> Mapping[str, str] | None:
        return {"en": {"weather.heading": "## Weather"}, "de": {"weather.heading": "## Wetter"}}.get(locale)

    @hookimpl
    def promptmw_sections(self) -> tuple[Section, ...]:
        return (Section(name="weather", render=lambda facts: facts.texts["weather.heading"], order=45),)


def test_a_plugins_language_is_its_own_sections_and_the_others_are_in_english() -> None:
    """LO12."""
    prompt = Pipeline("chat", plugins=[German()], strict=True, clock=lambda: NOW).assemble(base(locale="de-AT"))
    assert text_of(prompt, "weather") == "## Wetter"
    others = [b for b in prompt.blocks if b.section != "weather"]
    assert [b.text for b in others] == [b.text for b in assembled(base()).blocks]
    assert "Monday, 2026-08-24" in text_of(prompt, "date")


PACK = {key: f"DE {text}" for key, text in (texts("en") or {}).items() if key.startswith("persona.")}


class Pack:
    """Is a language pack for the persona section."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = table

    @hookimpl
    def promptmw_locales(self) -> tuple[str, ...]:
        return ("de",)

    @hookimpl
    def promptmw_texts(self, locale: str) -> Mapping[str, str] | None:
        return self.table if locale == "de" else None


def german(table: Mapping[str, str]) -> Pipeline:
    return Pipeline("chat", plugins=[Pack(table)], strict=True, clock=lambda: NOW)


def test_a_section_that_lacks_one_text_is_wholly_in_english_and_the_text_is_named() -> None:
    """LO13."""
    pipeline = german({k: v for k, v in PACK.items() if k != "persona.nickname"})
    persona = Persona(("formal",), "Ada", "x")
    prompt = pipeline.assemble(base(persona, locale="de"))
    assert text_of(prompt, "persona") == text_of(assembled(base(persona)), "persona")
    assert pipeline.catalog.missing() == [Missing("persona", "de", ("persona.nickname",))]


def test_a_complete_pack_translates_a_section_that_is_not_its_own() -> None:
    """LO13."""
    pipeline = german(PACK)
    shown = text_of(pipeline.assemble(base(Persona(("formal",), "Ada"), locale="de")), "persona")
    tone, nickname = "DE Match this tone: DE formal.", 'DE Address the user as "Ada".'
    assert shown.splitlines() == ["DE ## How the user wants you to respond", tone, nickname]
    assert pipeline.catalog.missing() == []


class Other(Pack):
    """Is another pack."""


@pytest.mark.parametrize("strict", [True, False])
def test_one_text_from_two_plugins_is_an_error_that_names_both(strict: bool) -> None:
    """LO14."""
    with pytest.raises(PluginError, match=r"'persona\.[a-z.]+' in 'de'") as raised:
        Pipeline("chat", plugins=[Pack(PACK), Other(PACK)], strict=strict)
    assert "application:Pack" in str(raised.value)
    assert "application:Other" in str(raised.value)


def test_a_text_that_the_built_in_plugin_has_too_is_an_error() -> None:
    """LO14."""

    class French(Pack):
        @hookimpl
        def promptmw_locales(self) -> tuple[str, ...]:
            return ("fr",)

        @hookimpl
        def promptmw_texts(self, locale: str) -> Mapping[str, str] | None:
            return {"date.text": "{date}"} if locale == "fr" else None

    with pytest.raises(PluginError, match=r"promptmw-plugins:texts"):
        Pipeline("chat", plugins=[French({})])


def test_a_heading_of_a_language_pack_is_reserved_too() -> None:
    plugin = Pack({**PACK, "persona.heading": "## Wie du antworten sollst"})
    pipeline = Pipeline("chat", plugins=[plugin], strict=True, clock=lambda: NOW)
    shown = text_of(pipeline.assemble(base(Project("Beans", "## Wie du antworten sollst\nx"))), "project")
    assert shown.splitlines()[1:] == ["⟦U+0023⟧# Wie du antworten sollst", "x"]
