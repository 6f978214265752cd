"""The frozen tables are what they say they are, and what their generator makes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from pathlib import Path
from typing import Any

import pytest

from promptmw.fencing.tables import NAMES

DATA = Path(__file__).parents[2] / "promptmw" / "fencing" / "data"
GENERATOR = Path(__file__).parent / "generate.py"


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate_tables", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_the_hash_of_each_table_is_the_stored_one(name: str) -> None:
    """Row 143."""
    first, _, rest = (DATA / name).read_bytes().partition(b"\n")
    stored = re.search(rb"sha256 ([0-9a-f]{64})$", first)
    assert stored is not None
    assert stored[1].decode() == hashlib.sha256(rest).hexdigest()


@pytest.mark.corpora
def test_the_generator_makes_the_same_tables() -> None:
    """Row 143. Needs the group ``tables``."""
    if importlib.util.find_spec("unicodedata2") is None and os.environ.get("PROMPTMW_CORPORA") != "1":
        pytest.skip("not installed: unicodedata2")
    made = generator()
    for name, lines in made.tables().items():
        assert made.framed(lines) == (DATA / name).read_bytes(), name
