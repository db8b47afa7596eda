"""What torch's kernels refuse by the type of their first tensor: functions of floats given bools or whole numbers.

kernel_dtypes.txt has the kinds that are refused, the exception (`{}` stands for the type), and below it the functions.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ... import errors

Function = Callable[..., Any]

KINDS = {"bool": "b", "whole": "iu", "both": "biu", "complex": "c"}
"""The kinds of numpy's dtypes by the words of the table."""


def table() -> dict[str, dict[str, tuple[type[Exception], str]]]:
    """By function and kind that it refuses: the exception, and its text."""
    found: dict[str, dict[str, tuple[type[Exception], str]]] = {}
    refusal: dict[str, tuple[type[Exception], str]] | None = None
    for line in Path(__file__).with_name("kernel_dtypes.txt").read_text().splitlines():
        if line.startswith(" "):
            assert refusal is not None
            for name in line.split():
                found.setdefault(name, {}).update(refusal)
        else:
            kinds, _, rest = line.partition(" ")
            error, _, text = rest.strip().partition(": ")
            refusal = dict.fromkeys(KINDS[kinds], (getattr(builtins, error), text))
    return found


TABLE = table()


def refuse_dtypes(name: str, function: Function) -> Function:
    """`function`, which refuses what torch's `name` does; itself if that takes all."""
    if name not in TABLE or getattr(function, "refuses_dtypes", False):
        return function
    refusals = TABLE[name]

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        data = getattr(args[0] if args else options.get("input"), "data_", None)
        if data is not None and data.dtype.kind in refusals:
            error, text = refusals[data.dtype.kind]
            raise error(text.format(errors.type_name(data.dtype)))
        return function(*args, **options)

    call.refuses_dtypes = True  # type: ignore[attr-defined]
    return call
