"""The calendar day of a turn in its time zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from promptmw.prompts import Kind, Problem


def day_in(now: datetime, zones: Sequence[str]) -> tuple[date, list[Problem]]:
    """Returns the calendar day of ``now`` in the first zone that exists, else in the server's own.

    Args:
        now: Aware.
        zones: IANA names in order of preference; blank ones do not count.
    """
    from zoneinfo import ZoneInfo

    problems: list[Problem] = []
    for name in zones:
        try:
            if name:
                return now.astimezone(ZoneInfo(name)).date(), problems
        except (ValueError, OSError):  # ZoneInfoNotFoundError is a KeyError, caught below
            problems.append(_unknown(name))
        except KeyError:
            problems.append(_unknown(name))
    return now.astimezone().date(), problems


def _unknown(name: str) -> Problem:
    return Problem(Kind.TIMEZONE, name[:64], detail="no such zone; the next of turn, profile and server was taken")
