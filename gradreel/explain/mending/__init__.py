"""Mends: edits of the program's own text, proposed by cause, run by whoever can run, offered only if they help."""

from .mend import Mend, mended, mends

__all__ = ["Mend", "mended", "mends"]
