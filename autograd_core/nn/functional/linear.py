"""Linear and bilinear maps as functions."""

from __future__ import annotations

import math

from ... import errors
from ...dispatch.schema.schema import composite
from ...ops import matmul
from ...ops._common import existing
from ...ops.binary import add
from ...ops.view import reshape
from ...tensor.tensor import Tensor
from .common import need_tensor


@composite("linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor: nn out")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias` over the last dimension."""
    need_tensor("linear", "input", 1, input)
    if isinstance(weight, Tensor) and not (input.data_.ndim and weight.data_.ndim):
        ranks = f"{input.data_.ndim}D and {weight.data_.ndim}D"
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {ranks}")
    return matmul.linear(input, weight, bias)


@composite("bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor: function nn")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """For each output the number `input1 @ weight[output] @ input2`."""
    one, two, kernel = input1.data_.shape, input2.data_.shape, weight.data_.shape
    if len(one) != len(two):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(one)} and {len(two)}")
    for dim, (n, m) in enumerate(zip(one[:-1], two[:-1], strict=True)):
        if n != m:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {n} and {m}")
    named = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {name: errors.c_name(t.data_.dtype) for name, t in named.items() if t is not None}
    if len(set(kinds.values())) > 1:
        told = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {told}")
    for dim in (1, 2):
        existing(dim, len(kernel))
    for nr, (given, wanted) in enumerate(((one[-1], kernel[1]), (two[-1], kernel[2])), 1):
        if given != wanted:
            raise RuntimeError(
                f"bilinear(): input{nr} size does not match weight size: got {given} but expected {wanted}"
            )
    if bias is not None and bias.data_.shape[0] != kernel[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.data_.shape[0]} but expected {kernel[0]}"
        )
    rows = math.prod(one[:-1])
    flat = [reshape(x, [rows, x.data_.shape[-1]]) for x in (input1, input2)]
    out = reshape(matmul.trilinear(flat[0], weight, flat[1], [1, 3], [0], [1, 2], [2, 3]), [*one[:-1], kernel[0]])
    return out if bias is None else add(out, bias)
