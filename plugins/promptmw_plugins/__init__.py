"""The built-in sections of promptmw: one module each, found by its own entry point."""
