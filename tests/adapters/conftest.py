"""What the adapters' tests share: the model servers, and a LiteLLM that is offline, quiet and closed at the end."""

import os
import sys
from collections.abc import AsyncIterator, Iterator

import pytest

from .servers import NativeServer, TextServer

# LiteLLM reads both while it is imported; without the first it downloads its price list.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOG"] = "ERROR"


def pytest_configure(config: pytest.Config) -> None:
    """Let LiteLLM build its types, which it does late, at the first call."""
    config.addinivalue_line("filterwarnings", "ignore:Items? .* using the `ReadOnly` qualifier")


@pytest.fixture(scope="session")
def native_server() -> Iterator[NativeServer]:
    """A server whose model calls functions."""
    with NativeServer() as server:
        yield server


@pytest.fixture(scope="session")
def text_server() -> Iterator[TextServer]:
    """A server that refuses all that is not text."""
    with TextServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _cleared_servers(native_server: NativeServer, text_server: TextServer) -> None:
    """Start each test with empty logs and no failures due."""
    native_server.clear()
    text_server.clear()


@pytest.fixture(scope="session", autouse=True)
async def _closed_litellm_clients() -> AsyncIterator[None]:
    """Close LiteLLM's cached clients, on the loop that they belong to; tests without LiteLLM do not import it."""
    yield
    if "litellm" in sys.modules:
        await sys.modules["litellm"].close_litellm_async_clients()
