"""Text of files below a folder, read so that neither a name nor a link leads out of it, and no file blocks or floods.

Each part of a path is opened by itself below the part before it, without following links; what was opened is looked at
before it is read, so that nothing can be put in its place between the two.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from promptmw.errors import PromptmwError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe that nobody writes to does not hold us


class Refusal(Enum):
    """Says why a file is not read."""

    ABSENT = "absent"
    LINK = "a link"
    LINKED = "a file with a second name"
    OUTSIDE = "outside of its folder"
    NOT_A_FILE = "not a file"
    TOO_BIG = "too big"
    UNREADABLE = "unreadable"


class FileRefused(PromptmwError, OSError):
    """Is raised for a file that is not read.

    Args:
        path: Below the folder.
        reason: Why.
        detail: Such as a size.
    """

    def __init__(self, path: str, reason: Refusal, detail: str = "") -> None:
        super().__init__(f"{path!r} is not read: {reason.value}{f', {detail}' if detail else ''}")
        self.reason = reason


class Folder:
    """Is a folder whose files may be read.

    Args:
        root: The folder itself; a link to it is followed, once, here.
        most_bytes: Of a single file.
        second_names: Whether files that have another name somewhere (hard links) are read.

    Raises:
        FileRefused: There is no such folder.
    """

    def __init__(self, root: str | Path, *, most_bytes: int, second_names: bool = False) -> None:
        self.root = Path(root).resolve()
        self._most = most_bytes
        self._second_names = second_names
        if not self.root.is_dir():
            raise FileRefused(str(root), Refusal.ABSENT)

    def read(self, path: str) -> str:
        """Returns a file's text: UTF-8, what is none of it replaced by U+FFFD.

        Args:
            path: Below the folder, its parts separated by ``/``.

        Raises:
            FileRefused: With the reason.
        """
        return self.read_bytes(path).decode("utf-8-sig", "replace")

    def read_bytes(self, path: str) -> bytes:
        """Returns what a file holds. Otherwise as `read`."""
        with self._opened(path) as descriptor:
            self._check(path, os.fstat(descriptor))
            with os.fdopen(os.dup(descriptor), "rb") as file:
                found = file.read(self._most + 1)
        if len(found) > self._most:  # it has grown since
            raise FileRefused(path, Refusal.TOO_BIG, f"more than {self._most:,} bytes")
        return found

    def _check(self, path: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise FileRefused(path, Refusal.NOT_A_FILE)
        if status.st_nlink > 1 and not self._second_names:
            raise FileRefused(path, Refusal.LINKED)
        if status.st_size > self._most:
            raise FileRefused(path, Refusal.TOO_BIG, f"{status.st_size:,} bytes of at most {self._most:,}")

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        *folders, name = _parts(path)
        opened = [os.open(self.root, _FOLDER)]
        try:
            for part in folders:
                opened.append(_open(path, part, _FOLDER, opened[-1]))
            opened.append(_open(path, name, _FILE, opened[-1]))
            yield opened[-1]
        finally:
            for descriptor in reversed(opened):
                os.close(descriptor)


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    if not path or "\0" in path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise FileRefused(path, Refusal.OUTSIDE)
    return parts


def _open(path: str, part: str, flags: int, folder: int) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except OSError as error:
        raise FileRefused(path, _reason(part, folder, error)) from None


def _reason(part: str, folder: int, error: OSError) -> Refusal:
    """Says why a part of a path could not be opened."""
    try:
        found = os.stat(part, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return Refusal.ABSENT if isinstance(error, FileNotFoundError) else Refusal.UNREADABLE
    if stat.S_ISLNK(found.st_mode):
        return Refusal.LINK
    return Refusal.UNREADABLE if isinstance(error, PermissionError) else Refusal.NOT_A_FILE
