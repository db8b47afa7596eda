"""Runs stored programs on this engine and compares what they print with what torch printed.

A difference in the last digits of a number is none: sums are added up in another order by another library.
"""

import contextlib
import io
import re
import warnings
from typing import Any

import autograd_core
import autograd_core.nn
import autograd_core.nn.functional

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")


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


def words(text: str) -> str:
    """The text without its numbers and blanks."""
    return re.sub(r"\s+", "", NUMBER.sub("#", text))


def close(expected: str, got: str) -> bool:
    """Whether two prints agree: the same words, and numbers that differ by no more than their last shown digit."""
    if words(expected) != words(got):
        return False
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(got), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= 1e-4 * abs(float(a)) + last_digit(a) for a, b in pairs)


def last_digit(number: str) -> float:
    """What one more in the last digit of a number is worth; nothing for whole numbers."""
    digits, _, exponent = number.lower().partition("e")
    _, dot, fraction = digits.partition(".")
    return 1.01 * 10.0 ** (int(exponent or 0) - len(fraction)) if dot and fraction else 0.0
