"""What LiteLLM gets to see of our errors: one class that it neither retries nor holds against a deployment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import litellm

from promptmw import PromptmwError


@contextmanager
def as_bad_request(model: object) -> Iterator[None]:
    """Raises whatever fails inside as ``litellm.BadRequestError``.

    Our own errors keep their text, which never holds content; of all others only the type is told.
    """
    try:
        yield
    except litellm.BadRequestError:
        raise
    except Exception as error:
        text = str(error) if isinstance(error, PromptmwError) else f"{type(error).__name__} while assembling the prompt"
        raise litellm.BadRequestError(message=text, model=str(model or ""), llm_provider="promptmw") from error
