"""Runs the command line by ``python -m promptmw.cli``."""

from promptmw.cli import main

main()
