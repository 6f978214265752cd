"""Looks for what is likely a mistake in a profile or a turn: nothing here is escaped or refused, only said."""

from promptmw.linting.findings import RULES, Finding
from promptmw.linting.linter import lint

__all__ = ["RULES", "Finding", "lint"]
