"""numpy.fft for programs: as many points as are asked for are charged before they are made."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..limits import extent
from ..machine import Machine
from ..runtime.values import Value
from .functions import as_numbers, make_reshaping, operand
from .result_sizes import sizes_in

COST = 8
"""What a point costs beside a number that is multiplied, for each doubling of their count."""


def points(name: str, shape: tuple[int, ...], named: dict[str, Any]) -> int:
    """How many points a transform works on and gives; numpy itself refuses axes that are not there."""
    lengths = list(shape)
    for axis, count in axes_and_lengths(name, lengths, named):
        if -len(shape) <= axis < len(shape):
            lengths[axis] = max(lengths[axis], count)
    return extent(lengths)


def axes_and_lengths(name: str, shape: list[int], named: dict[str, Any]) -> list[tuple[int, int]]:
    """The axes of a transform, and to how many points it goes along each."""
    if "n" in inspect.signature(getattr(np.fft, name)).parameters:
        axes, wanted = [int(named.get("axis", -1))], [named.get("n")]
    else:
        given = named.get("s")
        count = len(shape) if given is None else len(given)
        plane = [-2, -1] if name.endswith("2") else list(range(-count, 0))
        axes = [int(axis) for axis in np.ravel(named.get("axes", plane))]
        wanted = [None] * len(axes) if given is None else list(given)
    back = name.startswith(("irfft", "hfft"))
    found = []
    for place, (axis, length) in enumerate(zip(axes, wanted, strict=False)):
        if length is None and -len(shape) <= axis < len(shape):
            last = back and place == len(axes) - 1
            length = max(2 * (shape[axis] - 1), 1) if last else max(shape[axis], 1)
        found.append((axis, int(length or 0)))
    return found


def make_transform(way: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(way)

    def run(machine: Machine, /, *given: Value, **named: Value) -> Any:
        try:
            bound = signature.bind(*given, **named).arguments
        except TypeError as error:
            raise TypeError(f"{way.__name__}() {error}") from None
        bound.pop("out", None)
        found = operand(machine, bound.pop("a"))
        more = as_numbers(machine, bound)
        count = points(way.__name__, sizes_in(found), more)
        machine.meter.elements(count)
        machine.meter.work(COST * count * max(count.bit_length(), 1))
        return way(np.asarray(found), **more)

    return run


def make_frequencies(way: Callable[..., Any]) -> Callable[..., Any]:
    def run(machine: Machine, n: Value, d: Value = 1.0) -> Any:
        more = as_numbers(machine, {"n": n, "d": d})
        machine.meter.elements(abs(int(more["n"])) + 1)
        return way(int(more["n"]), float(more["d"]))

    return run


TRANSFORMS = "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn"
FOURIER: dict[str, Callable[..., Any]] = {
    **{name: make_transform(getattr(np.fft, name)) for name in TRANSFORMS.split()},
    **{name: make_frequencies(getattr(np.fft, name)) for name in ("fftfreq", "rfftfreq")},
    **{name: make_reshaping(getattr(np.fft, name)) for name in ("fftshift", "ifftshift")},
}
"""numpy.fft, as programs import it."""
