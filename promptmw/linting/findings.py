"""What a linter says: a rule, a place, what is wrong there, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass

RULES = {
    "W1": "an operator's text holds a tag, a control token or a heading of ours",
    "W2": "an operator's text holds a hidden character",
    "W3": "a value stands where it can complete what our own words have begun",
    "W4": "a section of untrusted text has neither a fence nor a one-line slot",
    "W5": "a fence is not named in the trust boundary",
    "W6": "a section has put a value into the prompt without a slot",
    "W7": "results of tools go unescaped to a server that renders a text template",
    "W8": "an operator's text holds what looks like a key",
    "W9": "a fence can be mistaken for another tag",
    "W10": "a field has no limit of its own",
    "W11": "a heading is not translated, so that it is not reserved in that language",
    "W12": "an operator's text names a tool that the turn does not have",
    "W13": "an operator's text holds a placeholder that nobody fills",
    "W14": "the trust boundary is switched off",
}
"""What each rule warns of."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Is one warning.

    Attributes:
        rule: One of `RULES`.
        subject: The section, the input field, the fence or the setting.
        owner: The distribution that offers it, with its version; blank where nobody does.
        line: Of the subject's text, from 1; 0 where it is about no place in a text.
        column: Likewise, in characters.
        detail: What was found.
        fix: What mends it.
    """

    rule: str
    subject: str
    owner: str
    detail: str
    fix: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f":{self.line}:{self.column}" if self.line else ""
        owner = f" ({self.owner})" if self.owner else ""
        return f"{self.rule} {self.subject}{place}{owner}: {self.detail}. {self.fix}."
