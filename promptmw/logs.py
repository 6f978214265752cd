"""Logs: structlog over the standard logger ``promptmw``, silent until the application listens. Never content."""

from __future__ import annotations

import functools
import logging
from typing import Any

from promptmw.redacting import redacted

_LOGGER = logging.getLogger("promptmw")
_LOGGER.addHandler(logging.NullHandler())


def warn(event: str, **fields: object) -> None:
    """Logs a warning with fields: names, ids, counts and digests only."""
    if _LOGGER.isEnabledFor(logging.WARNING):
        _structured().warning(event, **fields)


def debug(event: str, **fields: object) -> None:
    """Logs for whoever debugs, with the same kinds of fields."""
    if _LOGGER.isEnabledFor(logging.DEBUG):
        _structured().debug(event, **fields)


@functools.cache
def _structured() -> Any:
    """Returns the structured logger; structlog takes a tenth of a second to load, so only when something is logged."""
    import structlog

    return structlog.wrap_logger(
        _LOGGER,
        wrapper_class=structlog.stdlib.BoundLogger,
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            redacted,
            structlog.stdlib.render_to_log_kwargs,
        ],
    )
