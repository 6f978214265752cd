"""What LiteLLM's map says about a model, for ``promptmw inspect --resolve``."""

from __future__ import annotations

import os

from promptmw import ToolMode
from promptmw.toolmode.capability import Statement


def of_model(model: str) -> Statement:
    """Returns how tools reach a model, as far as LiteLLM knows; its map is the one that is installed."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # read while importing: no network is needed
    from promptmw_litellm.capabilities import facts_of
    from promptmw_litellm.deployment import Deployment

    return facts_of(ToolMode.AUTO, {"model": model}, Deployment()).tools
