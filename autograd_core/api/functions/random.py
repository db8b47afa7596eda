"""Tensors of random numbers, drawn as torch draws them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.not_implemented import call_underived
from ...dispatch.schema.schema import composite
from ...dispatch.zero_gradient import node_of
from ...engine.state import ask_room, state
from ...functorch.batching_rules.factory import at_random, like_at_random
from ...ops import random_sampling
from ...ops._common import refuse
from ...ops.random_sampling import bernoulli_each, check_bounds
from ...random import generator as streams
from ...tensor.dtypes import to_numpy
from ...tensor.strides import blank_like
from ...tensor.tensor import Array, Tensor, plain
from .creation import floating, lengths, like, make_tensor


@composite("""
    rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    """)
@like_at_random
def rand_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    refuse("check_uniform_bounds", "biu", np.zeros(0, like(input, dtype)))
    place = blank_like(input.data_, like(input, dtype), memory_format)
    drawn = streams.uniform(place.size, place.dtype)
    return make_tensor(streams.laid_out(drawn, place), "rand_like", requires_grad, device)


@composite("""
    randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    """)
@like_at_random
def randn_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    refuse("normal_kernel_cpu", "biu", np.zeros(0, like(input, dtype)))
    place = blank_like(input.data_, like(input, dtype), memory_format)
    draw = streams.normal if place.flags.c_contiguous else streams.normals
    return make_tensor(streams.laid_out(draw(place.size, place.dtype), place), "randn_like", requires_grad, device)


@composite("""
    randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? \
        dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? \
        memory_format=None) -> Tensor: function
    randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, \
        Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? \
        layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: \
        function
    randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? \
        layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: \
        function
    randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None, MemoryFormat? memory_format=None) -> Tensor: function
    """)
@like_at_random
def randint_like(
    input: Tensor, low: int | None = None, high: int | None = None, *, dtype: Any = None, device: Any = None,
    memory_format: Any = None,
) -> Tensor:  # fmt: skip
    if low is None or high is None:
        low, high = 0, high if low is None else low
    place = blank_like(input.data_, like(input, dtype), memory_format)
    return make_tensor(streams.laid_out(streams.integers(place.size, low, high), place), "randint_like", False, device)


@composite("""
    rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None) -> Tensor: function out
    rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) \
        -> Tensor: function out
    """)
@at_random
def rand(
    *size: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    shape = lengths(size, "rand")
    refuse("check_uniform_bounds", "biu", np.zeros(0, floating(dtype)))
    drawn = streams.uniform(math.prod(shape), floating(dtype), generator=generator).reshape(shape)
    return make_tensor(drawn, "rand", requires_grad, device)


@composite("""
    randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None) -> Tensor: function out
    randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) \
        -> Tensor: function out
    """)
@at_random
def randn(
    *size: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    shape = lengths(size, "randn")
    refuse("normal_kernel_cpu", "biu", np.zeros(0, floating(dtype)))
    drawn = streams.normal(math.prod(shape), floating(dtype), generator=generator).reshape(shape)
    return make_tensor(drawn, "randn", requires_grad, device)


@composite("""
    randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? \
        layout=None, Device? device=None, bool? pin_memory=None) -> Tensor: function out
    randint(SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? \
        pin_memory=None) -> Tensor: function out
    randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, \
        Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor: function out
    randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None) -> Tensor: function out
    """)
def randint(
    low: Any = None, high: Any = None, size: Any = None, *, generator: Any = None, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    if size is None:
        low, high, size = 0, low, high
    elif low is None or high is None:
        low, high = 0, high if low is None else low
    shape = lengths([list(size)])
    check_bounds(int(low), int(high), to_numpy(dtype) if dtype is not None else np.dtype(np.int64))
    drawn = streams.integers(math.prod(shape), int(low), int(high), generator).reshape(shape)
    return make_tensor(drawn if dtype is None else drawn.astype(to_numpy(dtype)), "randint", requires_grad, device)


@composite("""
    randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? \
        device=None, bool? pin_memory=None) -> Tensor: function out
    randperm(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> \
        Tensor: function out
    """)
def randperm(
    n: int, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if not isinstance(n, int):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    lengths([n], "randperm")
    order = streams.permutation(n, generator)
    return make_tensor(order if dtype is None else order.astype(to_numpy(dtype)), "randperm", requires_grad, device)


@composite("""
    normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor: function out
    normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor: function out
    normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor: function out
    normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, \
        Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor: function out
    normal(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor: method_
    """)
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    if np.any(std.data_ < 0 if isinstance(std, Tensor) else size is None and std < 0):
        found = "all elements of std >= 0.0" if isinstance(std, Tensor) else f"std >= 0.0, but found std {std:g}"
        raise RuntimeError(f"normal expects {found}")
    tensors = [v.data_ for v in (mean, std) if isinstance(v, Tensor)]
    given = [data.shape for data in tensors]
    if size is None and (refused := errors.broadcast(given)):
        raise RuntimeError(refused)
    shape = list(size) if size is not None else list(np.broadcast_shapes(*given))
    count = math.prod(shape)
    ask_room(count)
    if size is not None:
        return make_tensor(
            streams.normal(count, floating(dtype), mean, std, generator).reshape(shape), "normal", requires_grad
        )
    refuse("normal_kernel_cpu", "biu", tensors[0])
    unit = streams.normal(count, tensors[0].dtype, generator=generator).reshape(shape)
    centre, width = (v.data_ if isinstance(v, Tensor) else v for v in (mean, std))
    inputs = tuple(v for v in (mean, std) if isinstance(v, Tensor))
    drawn = make_tensor((unit * width + centre).astype(unit.dtype), "normal", inputs=inputs)
    if state.grad_enabled and any(t.requires_grad for t in inputs):
        # no gradient comes through a draw: torch's node gives zeros
        drawn.node = node_of("normal", len(inputs) + isinstance(std, Tensor), inputs, drawn)
    return drawn


@composite("""
    bernoulli(Tensor self, *, Generator? generator=None) -> Tensor: function method out
    bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor: function method
    bernoulli(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor: method_
    bernoulli(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor: method_
    """)
def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Ones by the probabilities in `input`; with `p`, by that for all, and torch has no derivative for it."""
    if p is not None:
        return call_underived("bernoulli", lambda held: plain(by_one(held.data_, p, generator)), input)
    drawn: Tensor = bernoulli_each(input, generator)
    return drawn


def by_one(like: Array, p: float, generator: Any) -> Array:
    return np.asarray(streams.bernoulli(like.size, p, like.dtype, generator).reshape(like.shape))


@composite("poisson(Tensor self, Generator? generator=None) -> Tensor: function")
def poisson(input: Tensor, generator: Any = None) -> Tensor:

    drawn: Tensor = random_sampling.poisson(input, generator)
    return drawn


@composite("binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor: function")
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """How many of `count` tries succeed, each with probability `prob`.

    Raises:
        ValueError: the counts are whole numbers.
        RuntimeError: the dtypes differ, or the sizes do not go together.
    """

    tries, chance = (np.asarray(t.data_) for t in (count, prob))
    if tries.dtype.kind != "f":
        kind = errors.type_name(tries.dtype)
        raise ValueError(f"binomial only supports floating-point dtypes for count, got: {kind}")
    if tries.dtype != chance.dtype:
        found, expected = errors.type_name(chance.dtype), errors.type_name(tries.dtype)
        raise RuntimeError(f"Found dtype {found} but expected {expected}")
    drawn: Tensor = random_sampling.binomial(count, prob, generator)
    return drawn


def check_probabilities(data: np.ndarray[Any, Any], count: int, replacement: bool) -> None:
    """Whether `count` indices can be drawn from each row of `data`.

    Raises:
        RuntimeError: they cannot, in torch's words.
    """
    if data.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if data.dtype.kind != "f":
        kind = errors.type_name(data.dtype)
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {kind}")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > data.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not (np.isfinite(data).all() and (data >= 0).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (data.sum(-1) == 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


@composite("""
    multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor: \
        function method out
    """)
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    data = np.asarray(input.data_)
    check_probabilities(data, num_samples, replacement)
    return make_tensor(streams.multinomial(data, num_samples, replacement, generator), "multinomial")
