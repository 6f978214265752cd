"""Runs public attack collections, ordinary documents and AgentDojo's tasks through the fences. Needs no network.

    uv run --group corpora python tests/bench/fence_corpora.py
    uv run --group corpora python tests/bench/fence_corpora.py --json

`strings` are those of the collections, some aimed at our own tags, and `escapes` those that got out of their place, by
an oracle of their own; `clean_documents` are files of general software on this machine, `clean_changed` those in which
a character was escaped, and `token_growth` what that adds to their tokens; `agentdojo` plays pairs of tasks by their
ground truth, through fences. Exits with 1 if anything gets out, or if more than 0.5 % of the clean documents change.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora.attacks import attacks
from corpora.clean import measured
from corpora.containment import failure, policies

MOST_CHANGED = 0.005


def report(*, quick: bool, quiet: bool) -> dict[str, Any]:
    """Returns all figures."""
    found = attacks(policies()["plain"].tags)
    found = found[::50] if quick else found
    bar = track(found, "attacks", console=Console(stderr=True, quiet=quiet), transient=True)
    escapes = [(attack, why) for attack in bar if (why := failure(attack.text))]
    clean = measured(policies()["plain"], most=20 if quick else None)
    from corpora.dojo import played

    dojo = played(most=5 if quick else None)
    return {
        "strings": len(found),
        "packages": {p: sum(a.package == p for a in found) for p in dict.fromkeys(a.package for a in found)},
        "escapes": len(escapes),
        "escaped": [f"{attack!r}: {why}" for attack, why in escapes],
        "clean_documents": clean.documents,
        "clean_changed": len(clean.changed),
        "changed": clean.changed,
        "token_growth": clean.added / max(1, clean.tokens),
        "agentdojo": {
            "pairs": dojo.pairs, "outputs": dojo.outputs, "distinct": len(dojo.tool_outputs),
            "outside": dojo.outside, "utility_changed": dojo.utility_changed,
        },
    }  # fmt: skip


def holds(found: dict[str, Any]) -> bool:
    """Says whether the figures are as they must be."""
    dojo = found["agentdojo"]
    inside = found["escapes"] == dojo["outside"] == dojo["utility_changed"] == 0
    return inside and found["clean_changed"] <= MOST_CHANGED * found["clean_documents"]


def _refuse(*_: object, **__: object) -> NoReturn:
    raise OSError("no network here")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="a part of everything, to try it out")
    options = parser.parse_args()
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _refuse)
    socket.create_connection = socket.getaddrinfo = _refuse
    found = report(quick=options.quick, quiet=options.json)
    if options.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        for name, value in found.items():
            print(f"{name:16} {value}")
    sys.exit(0 if holds(found) else 1)


if __name__ == "__main__":
    main()
