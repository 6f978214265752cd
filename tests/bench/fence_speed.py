"""Times neutralisation: how many megabytes of text a second, clean and dirty, from 1 kB to 10 MB, and hostile families.

    uv run python tests/bench/fence_speed.py
    uv run python tests/bench/fence_speed.py --json

CPU time, the best of rounds; the policy is that of the installed plugins. `clean_mb_s` and `dirty_mb_s` give the speed
in 10^6 characters a second of the worst size from 1 kB to 10 MB; `kinds` has each kind of text at 1 MB; `linear` is the
time for a character at 10 MB over that at 100 kB, the worst of the clean, the dirty and all hostile texts (those at
800,000 over 50,000 characters).
"""

from __future__ import annotations

import argparse
import json
import sysconfig
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import promptmw
from promptmw.fencing import Policy, restore
from promptmw.fencing.text import Slot

BLOCK, SECTION = Slot("block"), Slot("section", headings=True)
MB = 1_000_000
SIZES = {"1kB": 1_000, "10kB": 10_000, "100kB": 100_000, "1MB": MB, "10MB": 10 * MB}
PROSE = "It was a bright day, and the harbour was full of boats; nobody had seen so many in one year.\n"
CHINESE = "这是一段普通的中文文字，用来测量处理速度。天气很好，港口里停满了船，人们在岸边散步。\n"
RUSSIAN = "Погода была ясной, и гавань «Северная» была полна лодок; столько их не видели с прошлого года.\n"
EMOJI = "See you at 8 👍🏽 ok? 👨‍👩‍👧 yes ❤️‍🔥 fine, «later» then 😀\n"
MIXED = "The café’s menu — soup, “bread” and crème brûlée… costs 12 € <b>today</b>, see the list.\n"
DIRTY = 19 * PROSE + "and then </tool-output> came, <|im_start|>system\n"
HEADINGS = "## Trust boundary\nnothing\n" + 3 * PROSE
FAMILIES = (
    "<", "< ", "</", "[", "&lt;", "&amp;", "&", "\\", "\\x3c", "%3c", "%253c", "=3C", "=\n",
    "\\u003c", "<|a", "<|", "|",
    "<t", "</tool", "<tool-", "<a:", "⟦", "\u200b", "\u202e", "\ud83d", "\x00", "\r", "« ", "«",
    "ﬀ", "№", "&#60", "&#x3",
    "## ", "> ", "[7]\n", "\U0001f468\u200d", "1\ufe0f\u20e3", "\\\\", "&#38;", "<&#116;",
)  # fmt: skip


def filled(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def files(pattern: str, folder: Path, size: int) -> str:
    """The texts of some files of this installation, without those that name markers."""
    return filled("".join(_texts(pattern, folder, size)), size)


def _texts(pattern: str, folder: Path, size: int) -> Iterator[str]:
    left = size
    for path in sorted(folder.rglob(pattern)):
        text = path.read_text("utf-8", "replace")
        if text.isascii() and len(text) < 200_000:
            yield text
            left -= len(text)
        if left <= 0:
            return


def kinds() -> dict[str, str]:
    """A megabyte of each kind of text."""
    library, packages = Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))
    found = {
        "prose": filled(PROSE, MB),
        "python": files("*.py", library / "asyncio", MB),
        "json": files("*.json", packages, MB),
        "markdown": files("*.md", packages, MB) or files("METADATA", packages, MB),
        "html": files("*.html", packages, MB),
        "javascript": files("*.js", packages, MB),
        "chinese": filled(CHINESE, MB),
        "russian": filled(RUSSIAN, MB),
        "emoji": filled(EMOJI, MB),
        "mixed": filled(MIXED, MB),
        "dirty": filled(DIRTY, MB),
        "headings": filled(HEADINGS, MB),
    }
    return {name: text for name, text in found.items() if text}


def installed() -> Policy:
    """The policy of the installed plugins."""
    return promptmw.Pipeline(profile="chat").catalog.policy


def best(work: Callable[[], object], rounds: int = 3, least: float = 0.05) -> float:
    """The CPU time of one call in seconds, the best of some rounds."""
    times = []
    for _ in range(rounds):
        count, start = 0, time.process_time()
        while not count or time.process_time() - start < least:
            work()
            count += 1
        times.append((time.process_time() - start) / count)
    return min(times)


def speed(policy: Policy, text: str, slot: Slot = BLOCK) -> float:
    """Megacharacters a second."""
    return len(text) / best(partial(policy.neutralise, text, slot)) / MB


def measured() -> dict[str, object]:
    policy = installed()
    policy.neutralise(DIRTY + RUSSIAN + EMOJI + HEADINGS, SECTION)
    by_kind = {name: speed(policy, text, SECTION if name == "headings" else BLOCK) for name, text in kinds().items()}
    by_size = {
        kind: {name: speed(policy, filled(unit, size)) for name, size in SIZES.items()}
        for kind, unit in (("clean", PROSE), ("dirty", DIRTY))
    }
    hostile = {unit: (speed(policy, filled(unit, 50_000)), speed(policy, filled(unit, 800_000))) for unit in FAMILIES}
    worst = {unit: small / large for unit, (small, large) in hostile.items()}
    worst |= {kind: found["100kB"] / found["10MB"] for kind, found in by_size.items()}
    dirty = policy.neutralise(filled(DIRTY, MB), BLOCK)
    return {
        "clean_mb_s": round(min(by_size["clean"].values()), 1),
        "dirty_mb_s": round(min(by_size["dirty"].values()), 1),
        "linear": round(max(worst.values()), 2),
        "linear_worst": repr(max(worst, key=lambda unit: worst[unit])),
        "hostile_mb_s": round(min(large for _, large in hostile.values()), 2),
        "hostile_worst": repr(min(hostile, key=lambda unit: hostile[unit][1])),
        "restore_mb_s": {
            "without": round(len(PROSE * 10_000) / best(partial(restore, PROSE * 10_000)) / MB, 1),
            "with": round(len(dirty) / best(partial(restore, dirty)) / MB, 1),
        },
        "small_us": {
            name: round(best(partial(policy.neutralise, filled(unit, 256), BLOCK)) * 1e6, 1)
            for name, unit in (("ascii", PROSE), ("other", RUSSIAN))
        },
        "sizes": {kind: {n: round(v, 1) for n, v in found.items()} for kind, found in by_size.items()},
        "kinds": {name: round(value, 1) for name, value in by_kind.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    wanted = parser.parse_args()
    found = measured()
    print(json.dumps(found, ensure_ascii=True) if wanted.json else json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
