"""What goes to the terminal: tables, texts as they are, JSON, and errors."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from promptmw.redacting import spelled

PIPE_WIDTH = 160
"""Columns of tables that go into a file or another program."""
_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
"""Names and reasons are strangers' text: brackets and colons in them mean nothing."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def console() -> Console:
    """Returns a console for standard output."""
    return Console(**_PLAIN, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def errors() -> Console:
    """Returns a console for standard error."""
    return Console(**_PLAIN, stderr=True)


def write(text: str) -> None:
    """Writes text as it is. A terminal gets control characters spelled out: the text may be a stranger's."""
    sys.stdout.write(_CONTROL.sub(spelled, text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def write_json(data: Any) -> None:
    """Writes data as JSON with one line break at the end."""
    print(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def complain(message: object) -> None:
    """Writes an error, in one piece, to standard error."""
    errors().print(Text(str(message), style="red"), soft_wrap=True)


def note(message: object) -> None:
    """Writes something worth knowing to standard error."""
    errors().print(Text(str(message), style="yellow"), soft_wrap=True)
