"""Differences of neighbours, and how often values fall between edges: torch.gradient, torch.histogram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes, errors
from ..ops import binary, join
from ..ops._common import wrap
from ..ops.view import slice_
from ..state import state
from ..tensor import Array, Tensor, plain
from ..unsupported import Unsupported
from .choices import cast
from .factories import symmetric_line
from .reductions import returned

HISTOGRAM = returned("histogram", "hist bin_edges")


def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """How `input` changes along dimensions, from the neighbours on both sides; at the ends from those that are there.

    Raises:
        RuntimeError: the spacing does not fit, or there are too few elements.
    """
    rank = input.data_.ndim
    over = list(range(rank)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    several = isinstance(spacing, list | tuple)
    if several and len(spacing) != len(over):
        told = "spacing to be unspecified, a scalar, "
        why = f"or a list of length equal to 'self.dim() = {rank}', since dim argument was not given, but"
        if dim is not None:
            why = "or it's spacing and dim arguments to have the same length, but"
        raise RuntimeError(f"torch.gradient expected {told}{why} got a list of length {len(spacing)}")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    wrapped = [wrap(d, rank) for d in over]
    for d in wrapped:
        if wrapped.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        if input.data_.shape[d] <= edge_order:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    if input.data_.dtype.kind != "f":
        input = cast(input, dtypes.get_default_dtype())
    steps = list(spacing) if several else [1.0 if spacing is None else spacing] * len(over)
    return tuple(
        uneven(input, d, step, edge_order) if isinstance(step, Tensor) else even(input, d, float(step), edge_order)
        for d, step in zip(wrapped, steps, strict=True)
    )


def even(input: Tensor, dim: int, step: float, order: int) -> Tensor:
    """Along a dimension whose elements lie `step` apart."""
    n = input.data_.shape[dim]

    def part(first: int, last: int) -> Tensor:
        return slice_(input, dim, first, last, 1)

    if order == 1:
        first, last = binary.sub(part(1, 2), part(0, 1)), binary.sub(part(n - 1, n), part(n - 2, n - 1))
    else:
        rising = binary.add(binary.mul_scalar(part(0, 1), -1.5), binary.mul_scalar(part(1, 2), 2.0))
        first = binary.sub(rising, binary.mul_scalar(part(2, 3), 0.5))
        falling = binary.sub(binary.mul_scalar(part(n - 3, n - 2), 0.5), binary.mul_scalar(part(n - 2, n - 1), 2.0))
        last = binary.add(falling, binary.mul_scalar(part(n - 1, n), 1.5))
    between = binary.div_scalar(binary.div_scalar(binary.sub(part(2, n), part(0, n - 2)), step), 2)
    return join.cat([binary.div_scalar(first, step), between, binary.div_scalar(last, step)], dim)


def uneven(input: Tensor, dim: int, places: Tensor, order: int) -> Tensor:
    """Along a dimension whose elements lie at `places`."""
    if places.requires_grad:
        raise Unsupported("gradient at places that require grad is not supported")
    n = input.data_.shape[dim]
    steps = np.diff(places.data_)
    if len(steps) != n - 1:
        raise Unsupported("gradient with more or fewer places than elements is not supported")
    before, behind = steps[:-1], steps[1:]

    def part(first: int, last: int) -> Tensor:
        return slice_(input, dim, first, last, 1)

    def weighed(weights: Sequence[Array], first: int, count: int) -> Tensor:
        shape = [-1 if d == dim else 1 for d in range(input.data_.ndim)]
        terms = [
            binary.mul(
                plain(np.reshape(weight, shape) if np.ndim(weight) else weight), part(first + k, first + k + count)
            )
            for k, weight in enumerate(weights)
        ]
        return binary.add(binary.add(terms[0], terms[1]), terms[2])

    both = before + behind
    middle = (-behind / (before * both), (behind - before) / (before * behind), before / (behind * both))
    between = weighed(middle, 0, n - 2)
    if order == 1:
        first = binary.div(binary.sub(part(1, 2), part(0, 1)), plain(steps[0]))
        last = binary.div(binary.sub(part(n - 1, n), part(n - 2, n - 1)), plain(steps[-1]))
    else:
        h, k = steps[0], steps[1]
        first = weighed((-(2 * h + k) / (h * (h + k)), (h + k) / (h * k), -h / (k * (h + k))), 0, 1)
        h, k = steps[-2], steps[-1]
        last = weighed((k / (h * (h + k)), -(k + h) / (h * k), (2 * k + h) / (k * (h + k))), n - 3, 1)
    return join.cat([first, between, last], dim)


# ---- counts between edges


def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How often values fall between edges, each counted by its weight; the last edge belongs to the last bin.

    Raises:
        RuntimeError: edges, range or weights make no sense.
        NotImplementedError: torch has no kernel, or a node without a derivative would be made.
    """
    data = input.data_
    if state.grad_enabled and any(isinstance(t, Tensor) and t.requires_grad for t in (input, bins, weight)):
        raise Unsupported("histogram of a tensor that requires grad is not supported: detach it")
    edges = given_edges(data, bins) if isinstance(bins, Tensor) else equal_edges(data, bins, range)
    if weight is not None and weight.data_.shape != data.shape:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {[data.size, 1]} and weight with shape "
            f"{list(weight.data_.shape)}"
        )
    if data.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{errors.type_name(data.dtype)}'")
    flat = np.ravel(data)
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    at = np.minimum(np.searchsorted(edges, flat[inside], "right") - 1, len(edges) - 2)
    counts = np.zeros(len(edges) - 1, data.dtype)
    np.add.at(counts, at, 1 if weight is None else np.ravel(weight.data_)[inside])
    if density:
        counts = counts / np.sum(counts) / np.diff(edges)
    return HISTOGRAM(plain(counts), plain(edges))


def given_edges(data: Array, bins: Tensor) -> Array:
    edges = bins.data_
    if edges.ndim != 1:
        raise RuntimeError(
            f"torch.histogramdd: bins tensor should have one dimension, but got {edges.ndim} dimensions in the bins "
            "tensor for dimension 0"
        )
    if edges.dtype != data.dtype:
        kinds = errors.C_NAMES[data.dtype.name], errors.C_NAMES[edges.dtype.name]
        raise RuntimeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
            f"{kinds[0]} and bins for dimension 0 with dtype {kinds[1]}"
        )
    return edges.copy()


def equal_edges(data: Array, bins: int, range: Any) -> Array:
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if data.dtype.kind != "f":
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{errors.type_name(data.dtype)}'")
    low, high = (float(np.min(data)), float(np.max(data))) if data.size else (0.0, 1.0)
    if range is not None:
        low, high = map(float, range)
    if not np.isfinite([low, high]).all():
        raise RuntimeError(f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension 0"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return symmetric_line(low, high, bins + 1, data.dtype)


__all__ = ["gradient", "histogram"]
