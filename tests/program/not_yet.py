"""Recorded programs that do not run as in PyTorch yet, each with what is missing."""

NOT_YET: dict[str, str] = {}

NOT_YET_ALIVE: dict[str, str] = {}
