"""A server that speaks the provider's API, for code that expects one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers import NativeServer


@pytest.fixture(scope="session")
def provider() -> Iterator[NativeServer]:
    with NativeServer() as server:
        yield server


@pytest.fixture
def environment(provider: NativeServer, monkeypatch: pytest.MonkeyPatch) -> NativeServer:
    """Makes clients that read the environment talk to the server; returns it, its log empty."""
    provider.clear()
    for name, value in {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": provider.base_url,
        "OPENAI_API_BASE": provider.base_url,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOG": "ERROR",
    }.items():
        monkeypatch.setenv(name, value)
    return provider
