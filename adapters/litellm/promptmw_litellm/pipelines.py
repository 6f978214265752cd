"""The pipelines of whoever names none: the installed chat profile in process, the operator's file on a proxy."""

from __future__ import annotations

import functools
import os

from promptmw import CallerSystem, Pipeline
from promptmw.config import Config, load_config
from promptmw_litellm.client import ClientRules, client_rules

CONFIG_VARIABLE = "PROMPTMW_CONFIG"

ON_A_PROXY = {"caller_system": CallerSystem.USER.value}
"""What profiles state where the operator's file does not: a client never sets the operator's text."""


@functools.cache
def default_pipeline() -> Pipeline:
    """Returns the pipeline of calls that name none."""
    return Pipeline()


@functools.cache
def proxy_pipeline() -> Pipeline:
    """Returns the pipeline that ``PROMPTMW_CONFIG`` describes.

    Raises:
        ConfigError: With file and line.
    """
    return Pipeline.from_config(_config(), defaults=ON_A_PROXY)


@functools.cache
def proxy_rules() -> ClientRules:
    """Returns what the clients of the proxy may say.

    Raises:
        ConfigError: With file and line.
    """
    return client_rules(_config(), proxy_pipeline())


def _config() -> Config:
    path = os.environ.get(CONFIG_VARIABLE)
    return load_config(path) if path else Config()
