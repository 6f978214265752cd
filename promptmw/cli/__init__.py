"""The command line. It needs the extra ``cli``; nothing outside this package imports it."""

from __future__ import annotations

import sys
from importlib.util import find_spec

NEEDS = ("typer", "rich", "yaml")


def main() -> None:
    """Runs ``promptmw``; exits with 2 and one line when the packages of the extra are not installed."""
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        needs = " and ".join(", ".join(missing).rsplit(", ", 1))
        print(f'promptmw: the command line needs {needs}: pip install "promptmw[cli]"', file=sys.stderr)
        raise SystemExit(2)
    from promptmw.cli.app import run

    run()
