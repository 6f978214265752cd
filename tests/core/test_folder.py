"""Files below a folder: what is read, and what is refused and why."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from promptmw.files import FileRefused, Folder, Refusal

MOST = 64


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    root = tmp_path / "root"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "plain.md").write_bytes(b"\xef\xbb\xbfHello \xff.")
    (root / "full.md").write_text("x" * MOST)
    (root / "big.md").write_text("x" * (MOST + 1))
    (root / "link.md").symlink_to(outside)
    (root / "linked").symlink_to(tmp_path)
    os.link(outside, root / "second.md")
    os.mkfifo(root / "pipe")
    return root


def refused(root: Path, path: str, **options: Any) -> Refusal:
    with pytest.raises(FileRefused) as raised:
        Folder(root, most_bytes=MOST, **options).read(path)
    assert "secret" not in str(raised.value)
    return raised.value.reason


def test_a_file_is_read_up_to_its_limit(folder: Path) -> None:
    files = Folder(folder, most_bytes=MOST)
    assert files.read("inner/plain.md") == "Hello \ufffd."
    assert files.read("full.md") == "x" * MOST


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("absent.md", Refusal.ABSENT),
        ("absent/plain.md", Refusal.ABSENT),
        ("link.md", Refusal.LINK),
        ("linked/outside.txt", Refusal.LINK),
        ("second.md", Refusal.LINKED),
        ("pipe", Refusal.NOT_A_FILE),
        ("inner", Refusal.NOT_A_FILE),
        ("full.md/inner.md", Refusal.NOT_A_FILE),
        ("big.md", Refusal.TOO_BIG),
        ("../outside.txt", Refusal.OUTSIDE),
        ("inner/../../outside.txt", Refusal.OUTSIDE),
        ("/etc/passwd", Refusal.OUTSIDE),
        ("in\0ner", Refusal.OUTSIDE),
        ("", Refusal.OUTSIDE),
        ("inner//plain.md", Refusal.OUTSIDE),
    ],
)
def test_each_refusal_has_its_reason(folder: Path, path: str, reason: Refusal) -> None:
    """Row 168."""
    assert refused(folder, path) is reason


def test_a_second_name_is_read_where_it_may_be(folder: Path) -> None:
    assert Folder(folder, most_bytes=MOST, second_names=True).read("second.md") == "secret"


def test_a_link_that_takes_the_place_of_a_file_is_refused(folder: Path) -> None:
    """Row 169: it was listed as a file."""
    listed = [path.name for path in (folder / "inner").iterdir() if path.is_file()]
    (folder / "inner" / "plain.md").unlink()
    (folder / "inner" / "plain.md").symlink_to(folder / "full.md")
    assert listed == ["plain.md"]
    assert refused(folder, "inner/plain.md") is Refusal.LINK


def test_a_file_that_grows_while_it_is_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Folder, "_check", lambda *_: None)
    assert refused(folder, "big.md") is Refusal.TOO_BIG


def test_no_descriptor_is_left_open(folder: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for path in ("inner/plain.md", "inner", "absent/x", "pipe"):
        try:
            Folder(folder, most_bytes=MOST).read(path)
        except FileRefused:
            continue
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_folder_that_is_none_is_an_error(folder: Path) -> None:
    with pytest.raises(FileRefused, match="absent"):
        Folder(folder / "nothing", most_bytes=MOST)
