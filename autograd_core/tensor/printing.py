"""Tensors as text, to the character as torch prints them.

One `Style` per tensor decides from all the numbers that will be shown how each looks (whole, fixed point or scientific,
and the common width); rows are then joined bracket by bracket.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .dtypes import bool_, default_complex, dtype, get_default_dtype, int64

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class PrintOptions:
    """What `torch.set_printoptions` sets; `sci_mode` None lets each tensor decide."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_DEFAULT = PrintOptions()
_options: ContextVar[PrintOptions] = ContextVar("print options", default=_DEFAULT)


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Changes what is given; `sci_mode` is always set, as torch does."""
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes = PROFILES.get(profile or "", {}) | {name: value for name, value in given.items() if value is not None}
    _options.set(replace(_options.get(), **changes, sci_mode=sci_mode))


@contextmanager
def printoptions(**changes: Any) -> Iterator[None]:
    """`set_printoptions` for the length of a block."""
    before = _options.get()
    set_printoptions(**changes)
    try:
        yield
    finally:
        _options.set(before)


def letters(shape: tuple[int, ...]) -> int:
    """How many letters a tensor of this shape takes at least."""
    options = _options.get()
    size = math.prod(shape)
    shown = size if size <= options.threshold else math.prod(min(n, 2 * options.edgeitems + 1) for n in shape)
    return shown * (3 if options.precision < 16 else options.precision)


# ---- what torch.Tensor and nn.Parameter print

PREFIX = "tensor("


def tensor_repr(
    array: Array | np.generic, *, dtype: dtype, grad_fn: str | None, requires_grad: bool, tangent: str = ""
) -> str:
    """`tensor(...)` for the elements of `array`; `grad_fn` is the name of its node."""
    options = _options.get()
    array = np.asarray(array)
    default = get_default_dtype()
    suffixes = []
    if array.size == 0:
        contents = "[]"
        if array.ndim != 1:
            suffixes.append(f"size={array.shape}")
        shows_dtype = dtype is not default
    else:
        contents = _contents(array, len(PREFIX), options)
        if not options.edgeitems:
            suffixes.append(f"size={array.shape}")
        shows_dtype = dtype not in (default, default_complex(), int64, bool_)
    if shows_dtype:
        suffixes.append(f"dtype={dtype}")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent:
        suffixes.append(f"tangent={tangent}")
    return _with_suffixes(PREFIX + contents, suffixes, len(PREFIX), options.linewidth)


def parameter_repr(tensor: str) -> str:
    return f"Parameter containing:\n{tensor}"


def _with_suffixes(text: str, suffixes: list[str], indent: int, linewidth: int) -> str:
    """Appends each suffix to the last line, or on a new one where it would not fit."""
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > linewidth:
            text += f",\n{' ' * indent}{suffix}"
            column = indent + len(suffix)
        else:
            text += f", {suffix}"
            column += len(suffix) + 2
    return text + ")"


# ---- the style of numbers


@dataclass(frozen=True)
class Style:
    """How each number of one tensor is written: by `write`, right aligned to `width`."""

    write: Callable[[Any], str]
    width: int

    def __call__(self, value: Any) -> str:
        return self.write(value).rjust(self.width)


@dataclass(frozen=True)
class ComplexStyle:
    """How each complex number of one tensor is written: its real part aligned, its imaginary part behind that."""

    real: Style
    imag: Style

    @property
    def width(self) -> int:
        return self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag).lstrip()
        return f"{self.real(value.real)}{'' if imag.startswith('-') else '+'}{imag}j"


def _style(shown: Array, options: PrintOptions) -> Style | ComplexStyle:
    """The style that fits every number of `shown`."""
    if shown.dtype.kind == "c":
        return ComplexStyle(_style_of_real(shown.real, options), _style_of_real(shown.imag, options))
    return _style_of_real(shown, options)


def _style_of_real(shown: Array, options: PrintOptions) -> Style:
    if shown.dtype.kind != "f":
        return _widen(str, shown.ravel().tolist())
    exact = shown.ravel().astype(np.float64)
    counted = exact[np.isfinite(exact) & (exact != 0)]
    if not counted.size:
        return Style(_whole, 1)
    if options.sci_mode if options.sci_mode is not None else _calls_for_scientific(counted):
        return _widen(f"{{:.{options.precision}e}}".format, counted.tolist())
    if np.all(counted == np.ceil(counted)):
        return _widen(_whole, counted.tolist())
    return _widen(f"{{:.{options.precision}f}}".format, counted.tolist())


def _widen(write: Callable[[Any], str], values: list[Any]) -> Style:
    return Style(write, max((len(write(value)) for value in values), default=1))


def _calls_for_scientific(counted: Array) -> bool:
    sizes = np.abs(counted)
    low, high = sizes.min(), sizes.max()
    with np.errstate(over="ignore"):  # the ratio of a denormal and a huge number is inf, and inf > 1000
        return bool(high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4)


def _whole(value: float) -> str:
    """A float that has no fraction: its digits and a dot."""
    return f"{value:.0f}" + ("." if math.isfinite(value) else "")


# ---- brackets and lines


def _contents(array: Array, indent: int, options: PrintOptions) -> str:
    summarize = array.size > options.threshold
    style = _style(_edges(array, options.edgeitems) if summarize else array, options)
    return _block(array, indent, summarize, style, options)


def _edges(array: Array, edgeitems: int) -> Array:
    """The elements that a summary shows, in all dimensions."""
    for dim, length in enumerate(array.shape):
        if length > 2 * edgeitems:
            kept = [*range(edgeitems), *range(length - edgeitems, length)]
            array = array.take(kept, axis=dim)
    return array


def _block(array: Array, indent: int, summarize: bool, style: Style | ComplexStyle, options: PrintOptions) -> str:
    if array.ndim == 0:
        return style(array.item())
    edge = options.edgeitems
    shortened = summarize and len(array) > 2 * edge
    if array.ndim == 1:
        return _row(array, indent, summarize, style, options)
    rows = [*array[:edge], None, *array[len(array) - edge :]] if shortened else list(array)
    blocks = ["..." if row is None else _block(row, indent + 1, summarize, style, options) for row in rows]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(blocks) + "]"


def _row(array: Array, indent: int, summarize: bool, style: Style | ComplexStyle, options: PrintOptions) -> str:
    edge = options.edgeitems
    if summarize and not edge:
        cells = ["..."]
    elif summarize and len(array) > 2 * edge:
        cells = [*map(style, array[:edge].tolist()), " ...", *map(style, array[-edge:].tolist())]
    else:
        cells = [style(value) for value in array.tolist()]
    per_line = max(1, (options.linewidth - indent) // (style.width + 2))
    lines = [", ".join(cells[start : start + per_line]) for start in range(0, len(cells), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
