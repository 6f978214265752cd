"""Reads every value back out of a request, from the seed's words and tags alone, and counts tags in any spelling.

It uses nothing of what the library knows of its own text: no spans, no finder of markers, no tables of look-alikes.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from golden.seed_fragments import FRAGMENTS

TAGS = (
    "context-from-knowledge-base", "web-search-result", "tool-output", "conversation-summary", "excerpt",
    "source-message", "uploaded-data-preview", "user-selected-skills", "user-selected-skill",
)  # fmt: skip


@dataclass
class Reader:
    """Goes through a text once: what it expects must stand there, what it reads goes up to the next thing of ours."""

    text: str
    at: int = 0
    values: dict[str, str] = field(default_factory=dict)

    def expect(self, ours: str) -> Reader:
        assert self.text.startswith(ours, self.at), f"{ours!r} expected, {self.text[self.at : self.at + 80]!r} found"
        self.at += len(ours)
        return self

    def read(self, name: str, ours: str) -> Reader:
        """Reads a value up to the first time that something of ours stands there."""
        end = self.text.index(ours, self.at)
        self.values[name] = self.text[self.at : end]
        self.at = end + len(ours)
        return self

    def skip(self, ours: str) -> Reader:
        self.at = self.text.index(ours, self.at) + len(ours)
        return self

    def done(self) -> Mapping[str, str]:
        assert self.at == len(self.text), f"{self.text[self.at : self.at + 80]!r} is left over"
        return self.values


def system_values(text: str, *, python: bool) -> Mapping[str, str]:
    """Returns the values in a system text.

    Args:
        text: Of a turn in native mode with two values of each kind, in English.
        python: Whether its tools are ``python_execute`` and ``use_skill``; else another one.
    """
    r = Reader(text)
    before, between, behind = FRAGMENTS["identity.text"].split("%s")
    r.expect(before).read("label", between).read("label again", behind + "\n\n")
    r.expect(FRAGMENTS["style.default"] + "\n\n").skip("training-era year.\n\n")
    r.expect(FRAGMENTS["persona.heading"] + "\nMatch this tone: ").read("trait 1", "; ").read("trait 2", ".\n")
    r.expect('Address the user as "').read("nickname", '".\n').read("custom", "\n\n## Trust boundary\n")
    r.expect(FRAGMENTS["trust.body"] + "\n").skip("\n\n" + FRAGMENTS["tools.heading"] + "\n")
    r.expect(FRAGMENTS["tools.repeat"] + "\n\n")
    _files_and_skills(r) if python else _inline_skills(r)
    r.read("project", '")\n').read("instructions", "\n\n" + FRAGMENTS["memories.heading"] + "\n[CURRENT] ")
    r.read("memory 1", "\n[CURRENT] ").read("memory 2", "\n" + FRAGMENTS["memories.rules"] + "\n\n")
    r.expect(FRAGMENTS["documents.heading"] + "\n- ").read("document 1", "\n- ").read("document 2", "\n\n")
    r.expect(FRAGMENTS["excerpt.heading"] + "\n" + FRAGMENTS["excerpt.intro"] + "\n<excerpt>\n")
    r.read("excerpt", "\n</excerpt>\n<source-message>\n").read("source", "\n</source-message>\n")
    return r.done()


def _files_and_skills(r: Reader) -> None:
    r.expect(FRAGMENTS["sandbox.heading"] + "\n")
    for n in (1, 2):
        r.expect("- /workspace/uploads/").read(f"file {n}", ")\n" if n == 1 else ")\n" + FRAGMENTS["sandbox.body"])
        r.values[f"file {n}"], r.values[f"kind {n}"] = r.values[f"file {n}"].rsplit(" (", 1)
    r.expect("\n\n" + FRAGMENTS["skills.index_heading"] + "\n").skip("then follow them.\n")
    r.expect("- ").read("skill 1", ": ").read("when 1", "\n- ").read("skill 2", ": ")
    r.read("when 2", '\n\n## Project ("')


def _inline_skills(r: Reader) -> None:
    r.expect(FRAGMENTS["skills.inline_heading"] + "\n" + FRAGMENTS["skills.inline_rule"] + "\n\n### ")
    r.read("skill 1", "\nDo one.\n\n### ").read("skill 2", '\nDo two.\n\n## Project ("')


def user_values(text: str, *, python: bool) -> Mapping[str, str]:
    """Returns the values in the only user message, whose own text is ``Q``; sheets stand there without Python."""
    r = Reader(text)
    r.expect("<conversation-summary>\n" + FRAGMENTS["summary.intro"] + "\n- ")
    r.read("summary 1", "\n- ").read("summary 2", "\n</conversation-summary>\n\n").expect("Q\n\n")
    r.expect("<user-selected-skills>\n" + FRAGMENTS["selected_skills.intro"] + "\n\n")
    for n, end in ((1, "\n\n"), (2, "\n</user-selected-skills>\n\n")):
        r.expect('<user-selected-skill name="').read(f"own skill {n}", '">\n')
        r.expect("Description: ").read(f"description {n}", "\n\n").read(f"do {n}", "\n</user-selected-skill>" + end)
    r.expect("<context-from-knowledge-base>\n" + FRAGMENTS["rag.intro"] + "\n\n[1] ").read("title 1", "\n")
    r.read("snippet 1", "\n\n[2] ").read("title 2", "\n").read("snippet 2", "\n</context-from-knowledge-base>\n\n")
    for n in (3, 4):
        r.expect('<web-search-result query="').read(f"query {n}", f'">\n[{n}] ').read(f"page {n}", "\n")
        r.read(f"url {n}", "\n").read(f"result {n}", "\n</web-search-result>\n\n")
    for n, status in ((1, ""), (2, ' status="error"')):
        r.expect('<tool-output name="').read(f"tool {n}", f'"{status}>\n')
        r.read(f"output {n}", "\n</tool-output>" + ("\n\n" if n == 1 or not python else ""))
    if not python:
        r.expect("<uploaded-data-preview>\n")
        for n, end in ((1, "\n\n"), (2, "\n</uploaded-data-preview>")):
            r.read(f"sheet file {n}", " › ").read(f"sheet {n}", " (1×2)\n")
            r.read(f"head {n}.1", "\t").read(f"head {n}.2", "\n").read(f"cell {n}.1", "\t").read(f"cell {n}.2", end)
    return r.done()


_ESCAPED = re.compile(r"\\x([0-9a-f]{2})|\\u\{?0*([0-9a-f]{2})\}?|=([0-9a-f]{2})", re.I)
_BRACKETS = str.maketrans(dict.fromkeys("‹«≪≺〈⟨〈《❮⧼˂ᐸ≮◁⊲", "<"))
_LETTERS = str.maketrans({"о": "o", "е": "e", "а": "a", "с": "c", "0": "o", "1": "l", "i": "l", "|": "l"})
_GONE = ("Cf", "Mn", "Me", "Zs", "Zl", "Zp", "Cc", "Pd", "Pc")


def tags(text: str) -> Counter[str]:
    """Returns how often each of our tags, and two of other harnesses, reads as opened or closed in any spelling."""
    text = unquote(html.unescape(_ESCAPED.sub(lambda m: chr(int(m[1] or m[2] or m[3], 16)), text)))
    found = re.findall(rf"<[/\\!?]*({'|'.join(_NAMES)})", _plain(text))
    return Counter(_NAMES[name] for name in found)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.translate(_BRACKETS)).casefold()
    return "".join(c for c in folded if unicodedata.category(c) not in _GONE).translate(_LETTERS)


_NAMES = {_plain(tag): tag for tag in sorted((*TAGS, "im-start", "system-reminder"), key=len, reverse=True)}
