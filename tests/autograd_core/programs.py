"""Runs stored programs on this engine, for what they print; `close` compares it with what torch printed."""

import contextlib
import io
import warnings
from typing import Any

import autograd_core
import autograd_core.nn
import autograd_core.nn.functional
from tests.printing import same_text as close


def printed(code: str) -> str:
    names: dict[str, Any] = {
        "torch": autograd_core,
        "nn": autograd_core.nn,
        "F": autograd_core.nn.functional,
        "__name__": "program",
    }
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, names)  # the programs are our own
    return out.getvalue()


__all__ = ["close", "printed"]
