"""Strings of public attack collections, read out of installed packages, and their break-outs aimed at our own tags."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

PACKAGES = ("aib", "spikee", "garak", "agentdojo", "inspect_evals")
_TAG = re.compile(r"(</?\s*(?:end_|begin_)?)([A-Za-z_]+)")
_PAIR = re.compile(r"^([0-9A-F]{4,6}) ;\t([0-9A-F]{4,6})\t")


@dataclass(frozen=True, slots=True)
class Attack:
    """Is one string. Some of the collections hold ugly texts: it shows where it is from, never what it says."""

    package: str
    index: int
    text: str

    def __repr__(self) -> str:
        return f"{self.package}[{self.index}] {sha256(self.text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def root(package: str) -> Path:
    """Returns the folder of a package, which is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package}: install the group corpora")
    return Path(spec.origin).parent


def attacks(tags: Iterable[str]) -> list[Attack]:
    """Returns all strings, each once.

    Args:
        tags: At which break-outs are aimed.
    """
    found: dict[str, Attack] = {}
    for package, texts in (*_collections(), ("retargeted", _retargeted(tags)), ("alike", _alike(tags))):
        for index, text in enumerate(texts):
            found.setdefault(text, Attack(package, index, text))
    return list(found.values())


def _collections() -> Iterator[tuple[str, Iterable[str]]]:
    yield "aib", [json.loads(row)["injected"] for row in _lines(root("aib") / "data/attacks.jsonl")]
    yield "spikee", _break_outs()
    yield "spikee", _in_rows(root("spikee") / "data")
    yield "garak", _in_json(root("garak") / "data", "**/*.json")
    yield "agentdojo", _in_yaml(root("agentdojo") / "data" / "suites")
    evals = root("inspect_evals")
    yield "inspect_evals", _in_json(evals / "ipi_coding_agent", "**/*.json")
    yield "inspect_evals", _in_json(evals / "agent_threat_bench", "**/*.json")


def _break_outs() -> list[str]:
    from spikee.plugins.anti_spotlighting import AntiSpotlighting

    return list(AntiSpotlighting().transform("NOTE", plugin_option="variants=500"))


def _retargeted(tags: Iterable[str]) -> Iterator[str]:
    """Yields each break-out with each of our tags in the place of its own."""
    for text in _break_outs():
        for tag in tags:
            yield _TAG.sub(lambda m, tag=tag: m[1] + tag, text)


def _alike(tags: Iterable[str]) -> Iterator[str]:
    """Yields our closing tags with each letter in turn replaced by one that is meant to look the same."""
    pairs = _lines(root("garak") / "data/badchars/intentional.txt")
    alike = [(chr(int(m[1], 16)), chr(int(m[2], 16))) for line in pairs if (m := _PAIR.match(line))]
    for tag in tags:
        for letter, other in alike:
            for spelling in (f"</{tag}>", f"</{tag.upper()}>"):
                if letter in spelling:
                    yield spelling.replace(letter, other)


def _in_rows(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.jsonl")):
        for line in _lines(path):
            yield from _strings(json.loads(line))


def _in_json(folder: Path, pattern: str) -> Iterator[str]:
    for path in sorted(folder.glob(pattern)):
        yield from _strings(json.loads(path.read_text("utf-8")))


def _in_yaml(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.yaml")):
        yield from _strings(yaml.load(path.read_text("utf-8"), _Including))


class _Including(yaml.SafeLoader):
    """Reads files that include others, which are read by themselves."""


_Including.add_constructor("!include", lambda loader, node: None)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]
