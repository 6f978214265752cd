"""What tells one pipeline from another, in every process the same."""

from __future__ import annotations

import hashlib
from weakref import WeakKeyDictionary

from promptmw import Pipeline
from promptmw.loading import Status

_KNOWN: WeakKeyDictionary[Pipeline, str] = WeakKeyDictionary()


def fingerprint(pipeline: Pipeline) -> str:
    """Returns a digest of what decides, beside the turn, what a pipeline makes: its profile, its plugins, versions."""
    known = _KNOWN.get(pipeline)
    if known is None:
        plugins = [(p.distribution, p.name, p.version) for p in pipeline.plugins.found if p.status is Status.LOADED]
        known = hashlib.sha256(repr((pipeline.profile, plugins)).encode()).hexdigest()[:16]
        _KNOWN[pipeline] = known
    return known
