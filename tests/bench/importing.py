"""Times ``import promptmw`` beyond a bare interpreter, in fresh processes that share one bytecode cache.

uv run python tests/bench/importing.py --json
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

STATEMENTS = {"bare": "pass", "import": "import promptmw", "pipeline": "from promptmw import Pipeline, Turn"}
LISTING = "import sys; before = set(sys.modules); import promptmw; print(*sorted(set(sys.modules) - before))"


def measure(rounds: int) -> dict[str, object]:
    """Returns the fastest times in ms, and the modules that the import loads."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
        best = dict.fromkeys(STATEMENTS, float("inf"))
        for _ in range(rounds + 1):  # the first round fills the cache
            for name, statement in STATEMENTS.items():
                best[name] = min(best[name], _milliseconds(statement, environment))
        modules = subprocess.run(
            [sys.executable, "-c", LISTING], env=environment, check=True, capture_output=True, text=True
        ).stdout.split()
    return {
        "import_ms": round(best["import"] - best["bare"], 1),
        "pipeline_ms": round(best["pipeline"] - best["bare"], 1),
        "bare_ms": round(best["bare"], 1),
        "modules": modules,
    }


def _milliseconds(statement: str, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], env=environment, check=True)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="fresh processes for each statement")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = measure(options.rounds)
    if options.json:
        print(json.dumps(figures))
        return
    print(f"import promptmw              {figures['import_ms']:>6} ms beyond the interpreter's {figures['bare_ms']} ms")
    print(f"import Pipeline and Turn     {figures['pipeline_ms']:>6} ms")
    print("modules:", ", ".join(figures["modules"]))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
