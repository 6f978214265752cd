"""Rules for texts of the operator, which go into a prompt as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from promptmw.fencing import Policy
from promptmw.fencing.code_points import escape, hidden
from promptmw.linting.findings import Finding
from promptmw.redacting import KEY_SHAPES

_SHOWN = 32
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]{1,64}\}\}|\$?\{[A-Za-z_][\w.]{0,63}\}|\{%[^%\n]{1,64}%\}")
_NAMED = re.compile(r"`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\(\))?`|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?=\(\)| tool\b)")


@dataclass(frozen=True, slots=True)
class OperatorText:
    """Is a text of the operator.

    Attributes:
        text: As it stands in the prompt.
        subject: The section that prints it.
        owner: Who offers the section.
    """

    text: str
    subject: str
    owner: str

    def findings(self, policy: Policy, tools: Iterable[str]) -> Iterator[Finding]:
        """Yields what is wrong with it.

        Args:
            policy: Knows what is reserved.
            tools: The names of the turn's tools.
        """
        yield from self._reserved(policy)
        for at in sorted(hidden(self.text)):
            shown = escape(self.text[at])
            yield self._at(at, "W2", f"{shown} cannot be seen", "Take it out, or write what it stands for")
        for found in KEY_SHAPES.finditer(self.text):
            what = f"{found[0][:4]}… looks like a key"
            yield self._at(found.start(), "W8", what, "A prompt is no place for secrets: take it out and replace it")
        for found in _PLACEHOLDER.finditer(self.text):
            what = f"{found[0]} is sent as it stands: nobody fills it"
            yield self._at(found.start(), "W13", what, "Fill it before you state the text, or take it out")
        yield from self._tools(frozenset(tools))

    def _reserved(self, policy: Policy) -> Iterator[Finding]:
        for at in sorted(policy.markers(self.text)):
            fix = "Write it in words, or without its bracket: the model reads it as a part of this prompt"
            yield self._at(at, "W1", f"{self._shown(at)} reads as a tag or a control token", fix)
        for at in sorted(policy.headings_in(self.text)):
            yield self._at(at, "W1", f"{self._shown(at)} reads as a heading of ours", "Give it another name")

    def _tools(self, tools: frozenset[str]) -> Iterator[Finding]:
        for found in _NAMED.finditer(self.text):
            name = found[1] or found[2]
            if name not in tools:
                what = f"the turn has no tool {name}"
                yield self._at(found.start(), "W12", what, "Offer the tool, or take its name out")

    def _shown(self, at: int) -> str:
        return repr(self.text[at : at + _SHOWN].partition("\n")[0])

    def _at(self, at: int, rule: str, detail: str, fix: str) -> Finding:
        before = self.text[:at]
        line, column = before.count("\n") + 1, at - before.rfind("\n")
        return Finding(rule, self.subject, self.owner, detail, fix, line, column)
