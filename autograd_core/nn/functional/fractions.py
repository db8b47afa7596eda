"""Pooling by a fraction as functions."""

from __future__ import annotations

from typing import Any

from ...functions.random import rand
from ...ops import fractional_pooling
from ...tensor import Tensor


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    found = pooled(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    found = pooled(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


OPERATORS = {2: fractional_pooling.fractional_max_pool2d, 3: fractional_pooling.fractional_max_pool3d}


def pooled(n: int, input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Any) -> Any:
    """The largest elements and their places.

    Raises:
        ValueError: neither a size nor a ratio is asked for.
        RuntimeError: not as many lengths as there are dimensions.
    """
    title = f"fractional_max_pool{n}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{title} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        if isinstance(output_ratio, tuple | list) and len(output_ratio) > n:
            raise ValueError(f"{title} requires output_ratio to either be a single Int or tuple of Ints.")
        ratios = several(n, output_ratio)
        output_size = [int(input.size(i - n) * ratios[i]) for i in range(n)]
    if samples is None:
        batch = 1 if input.dim() == n + 1 else input.size(0)
        samples = rand(batch, input.size(-n - 1), n, dtype=input.dtype)
    kernel, output = lengths(n, title, "kernel_size", kernel_size), lengths(n, title, "output_size", output_size)
    return OPERATORS[n](input, kernel, output, samples)


def several(n: int, value: Any) -> Any:
    return value if isinstance(value, tuple | list) else (value,) * n


def lengths(n: int, title: str, name: str, value: Any) -> list[int]:
    given = [value] if isinstance(value, int) else list(value)
    if not isinstance(value, int) and len(given) != n:
        many = "" if n == 2 else "three "
        raise RuntimeError(f"{title}: {name} must either be a single Int or tuple of {many}Ints")
    return given * n if len(given) == 1 else given
