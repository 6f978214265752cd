"""The public names are typed as they are meant to be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_public_names_have_the_types_that_they_are_meant_to_have() -> None:
    """117: what must not pass is marked in the file, and an unneeded mark is an error too."""
    file = Path(__file__).with_name("api.py")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)]
    checked = subprocess.run(command, cwd=file.parents[2], capture_output=True, text=True, check=False)
    assert (checked.stdout, checked.stderr, checked.returncode) == ("", "", 0)
