"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("normal", max_examples=300, deadline=None)
settings.register_profile("ci", max_examples=5_000, deadline=None)
settings.register_profile("thorough", max_examples=50_000, deadline=None)
settings.load_profile("normal")
