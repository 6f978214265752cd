"""Text of files and of standard input, bounded and UTF-8."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

from promptmw.errors import InputError

MOST_BYTES = 8 * 1024 * 1024
STDIN = "-"


def source_name(file: str) -> str:
    """Returns how errors call a file."""
    return "<stdin>" if file == STDIN else file


def read_text(file: str) -> str:
    """Returns the text of a file, or of standard input for ``-``.

    Raises:
        InputError: It cannot be read, is larger than 8 MiB, or is not UTF-8. A regular file's size is known before it
            is read; of anything else no more than the limit is read.
    """
    source = source_name(file)
    try:
        raw = _bounded(sys.stdin.buffer, source) if file == STDIN else _of_file(Path(file))
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror or error}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}:{line}: not UTF-8 at byte {error.start}") from None


def _of_file(file: Path) -> bytes:
    if file.stat().st_size > MOST_BYTES:
        raise _too_large(str(file))
    with file.open("rb") as stream:
        return _bounded(stream, str(file))


def _bounded(stream: BinaryIO, source: str) -> bytes:
    raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise _too_large(source)
    return raw


def _too_large(source: str) -> InputError:
    return InputError(f"{source}: larger than {MOST_BYTES // 1024 // 1024} MiB; this is no turn file")
