"""Ordinary documents of this installation: what is changed in them, and what that costs in tokens."""

from __future__ import annotations

import base64
import functools
import json
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from promptmw.fencing import Policy
from promptmw.fencing.text import Slot

from .attacks import PACKAGES, root

_BLOCK = Slot("block")
_LARGEST = 2_000_000
_ABOUT_TOKENS = ("langchain", "litellm", "openai", "anthropic", "transformers", "huggingface", "tiktoken", "mistral",
                 "promptmw", "agentdojo", "deepagents", "langgraph", "canitoolcall", "bfcl", "llm", "spikee", "garak",
                 "inspect_evals", "aib")  # fmt: skip
"""Packages whose files are about the very tokens and tags that are reserved."""


@dataclass
class Clean:
    """Is what happened to some documents.

    Attributes:
        documents: How many there are.
        changed: Names of those that are not as they were.
        tokens: Of all of them.
        added: Tokens that the changes cost.
    """

    documents: int = 0
    changed: list[str] = field(default_factory=list)
    tokens: int = 0
    added: int = 0


def measured(policy: Policy, *, most: int | None = None) -> Clean:
    """Returns what becomes of the documents of general software.

    Args:
        policy: Of the installed plugins.
        most: At most how many of each kind.
    """
    found = Clean()
    for name, text in documents(most):
        written = policy.neutralise(text, _BLOCK)
        before = _tokens(text)
        found.documents += 1
        found.tokens += before
        if written is not text:
            found.changed.append(name)
            found.added += _tokens(written) - before
    return found


def documents(most: int | None) -> Iterator[tuple[str, str]]:
    """Yields name and text of source files, headers, and of what packages bring along."""
    library, packages = Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))
    places = [(library, "*.py"), (Path(sysconfig.get_path("include")), "*.h")]
    places += [(packages, pattern) for pattern in ("*.md", "METADATA", "*.html", "*.json", "*.js")]
    for folder, pattern in places:
        paths = [p for p in sorted(folder.rglob(pattern)) if _general(p, folder, packages)]
        for path in paths[:most]:
            yield str(path.relative_to(folder)), path.read_text("utf-8")


def _general(path: Path, folder: Path, packages: Path) -> bool:
    inside = path.relative_to(folder).parts
    if "site-packages" in inside or not path.is_file() or path.stat().st_size > _LARGEST:
        return False
    if folder == packages and inside[0].lower().startswith((*_ABOUT_TOKENS, *PACKAGES)):
        return False
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@functools.cache
def _encoding() -> Any:
    import tiktoken

    data = json.loads((root("mistral_common") / "data" / "tekken_240911.json").read_text("utf-8"))
    size = data["config"]["default_vocab_size"] - data["config"]["default_num_special_tokens"]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in data["vocab"][:size]}
    return tiktoken.Encoding("tekken", pat_str=data["config"]["pattern"], mergeable_ranks=ranks, special_tokens={})


def _tokens(text: str) -> int:
    return len(_encoding().encode(text, disallowed_special=()))
