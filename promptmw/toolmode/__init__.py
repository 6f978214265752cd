"""Prompt-tool mode: tools for models that have no function calling."""
