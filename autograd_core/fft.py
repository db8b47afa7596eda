"""torch.fft: Fourier transforms along one dimension, two or several, and what goes with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import errors
from .api.functions.arguments import cast, sizes_of
from .api.functions.creation import floating, lengths, make_tensor
from .dispatch.schema.guard import guard_module
from .dispatch.schema.schema import composite
from .namespace.absent import absent
from .ops._common import wrap
from .ops.complex import conj, conj_physically
from .ops.fft import fft_c2c, fft_c2r, fft_r2c
from .ops.join import clone
from .ops.join import roll as roll_by
from .ops.padding import constant_pad_nd
from .ops.view import slice_
from .tensor import dtypes
from .tensor.tensor import Tensor

NORMS = {None: (0, 2), "backward": (0, 2), "forward": (2, 0), "ortho": (1, 1)}
"""By its name torch's number of a normalization: of a transform forward, and of one back."""


def norm_of(name: str | None, forward: bool) -> int:
    """The number of a normalization.

    Raises:
        RuntimeError: there is none of this name.
    """
    if name not in NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{name}"')
    return NORMS[name][not forward]


def promoted(input: Tensor, to_complex: bool = False) -> Tensor:
    """`input` in the dtype that it is transformed in: whole numbers as floats, and real ones as complex if asked for.

    Raises:
        RuntimeError: it is of halves.
    """
    kind = input.data_.dtype
    if kind.kind in "biu":
        kind = dtypes.default_kind()
    if kind.name == "float16":
        raise RuntimeError("Unsupported dtype Half")
    return cast(input, dtypes.from_numpy(dtypes.complex_kind(kind) if to_complex else kind))


def is_complex(input: Tensor) -> bool:
    return input.data_.dtype.kind == "c"


def place(input: Tensor, dim: int) -> int:
    """`dim` counted from the front, of a tensor that has dimensions.

    Raises:
        IndexError: it has none, or not this one.
    """
    if not input.data_.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap(dim, input.data_.ndim)


def some(count: int) -> int:
    """A number of points.

    Raises:
        RuntimeError: it is less than one.
    """
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified")
    return count


def resized(input: Tensor, dims: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """`input` cut off, or with zeros behind, to so many points along each of `dims`."""
    around = [0] * (2 * input.data_.ndim)
    for dim, size in zip(dims, sizes, strict=True):
        length = input.data_.shape[dim]
        if length < size:
            around[2 * (input.data_.ndim - 1 - dim) + 1] = size - length
        elif length > size:
            input = slice_(input, dim, 0, size, 1)
    return constant_pad_nd(input, around, 0) if any(around) else input


# ---- along one dimension


def transform_complex(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    at = place(input, dim)
    length = some(input.data_.shape[at] if n is None else n)
    input = input if n is None else resized(input, [at], [length])
    result: Tensor = fft_c2c(input, [at], norm_of(norm, forward), forward)
    return result


def transform_real(
    name: str, input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, onesided: bool
) -> Tensor:
    if is_complex(input):
        raise RuntimeError(f"{name} expects a real input tensor, but got {errors.type_name(input.data_.dtype)}")
    input = promoted(input)
    at = place(input, dim)
    length = some(input.data_.shape[at] if n is None else n)
    input = input if n is None else resized(input, [at], [length])
    result: Tensor = fft_r2c(input, [at], norm_of(norm, forward), onesided)
    return result if forward else conj(result)


def transform_to_real(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    input = promoted(input, to_complex=True)
    at = place(input, dim)
    length = some(2 * (input.data_.shape[at] - 1) if n is None else n)
    input = input if n is None else resized(input, [at], [length // 2 + 1])
    result: Tensor = fft_c2r(conj(input) if forward else input, [at], norm_of(norm, forward), length)
    return result


ONE = "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor: function out"


@composite(f"fft_fft{ONE}")
def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    if is_complex(input):
        return transform_complex(input, n, dim, norm, True)
    return transform_real("fft", input, n, dim, norm, True, False)


@composite(f"fft_ifft{ONE}")
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    if is_complex(input):
        return transform_complex(input, n, dim, norm, False)
    return transform_real("ifft", input, n, dim, norm, False, False)


@composite(f"fft_rfft{ONE}")
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    return transform_real("rfft", input, n, dim, norm, True, True)


@composite(f"fft_irfft{ONE}")
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    return transform_to_real(input, n, dim, norm, False)


@composite(f"fft_hfft{ONE}")
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    return transform_to_real(input, n, dim, norm, True)


@composite(f"fft_ihfft{ONE}")
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    return transform_real("ihfft", input, n, dim, norm, False, True)


# ---- along several dimensions

Sizes = Sequence[int] | int | None


def listed(sizes: Sizes) -> list[int] | None:
    return sizes if sizes is None else [sizes] if isinstance(sizes, int) else sizes_of(sizes)


def places_and_sizes(input: Tensor, s: Sizes, dim: Sizes) -> tuple[list[int], list[int]]:
    """The dimensions to transform, and to how many points along each.

    Raises:
        IndexError, RuntimeError: there are none like these.
    """
    shape, rank, given, named = input.data_.shape, input.data_.ndim, listed(s), listed(dim)
    if named is not None:
        dims = [wrap(d, rank) for d in named]
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if given is None:
        dims = list(range(rank)) if named is None else dims
        return dims, [some(shape[d]) for d in dims]
    if named is not None and len(named) != len(given):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if len(given) > rank:
        raise RuntimeError(f"Got shape with {len(given)} values but input tensor only has {rank} dimensions.")
    dims = list(range(rank - len(given), rank)) if named is None else dims
    return dims, [some(shape[d] if n == -1 else n) for d, n in zip(dims, given, strict=True)]


def several_complex(input: Tensor, s: Sizes, dim: Sizes, norm: str | None, forward: bool) -> Tensor:
    dims, sizes = places_and_sizes(input, s, dim)
    input = resized(promoted(input, to_complex=True), dims, sizes)
    mode = norm_of(norm, forward)
    result: Tensor = fft_c2c(input, dims, mode, forward) if dims else clone(input)
    return result


def several_real(name: str, input: Tensor, s: Sizes, dim: Sizes) -> tuple[Tensor, list[int]]:
    """A real tensor as it is to be transformed, and the dimensions."""
    if is_complex(input):
        raise RuntimeError(f"{name} expects a real-valued input tensor, but got {errors.type_name(input.data_.dtype)}")
    input = promoted(input)
    dims, sizes = places_and_sizes(input, s, dim)
    at_least_one(name, dims)
    return resized(input, dims, sizes), dims


def at_least_one(name: str, dims: Sequence[int]) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")


def several_to_real(name: str, input: Tensor, s: Sizes, dim: Sizes) -> tuple[Tensor, list[int], int]:
    """The spectrum of a real tensor as it is to be transformed, the dimensions, and the points along the last."""
    given = listed(s)
    half = given if not given else [*given[:-1], -1 if given[-1] == -1 else some(given[-1]) // 2 + 1]
    input = promoted(input, to_complex=True)
    dims, sizes = places_and_sizes(input, half, dim)
    at_least_one(name, dims)
    last = 2 * (input.data_.shape[dims[-1]] - 1) if not given or given[-1] == -1 else given[-1]
    return resized(input, dims, sizes), dims, some(last)


MANY = "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor: function out"
TWO = "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor: function out"
PLANE = (-2, -1)


@composite(f"fft_fftn{MANY}")
def fftn(input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None) -> Tensor:
    return several_complex(input, s, dim, norm, True)


@composite(f"fft_ifftn{MANY}")
def ifftn(input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None) -> Tensor:
    return several_complex(input, s, dim, norm, False)


@composite(f"fft_rfftn{MANY}")
def rfftn(input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None) -> Tensor:
    ready, dims = several_real("rfftn", input, s, dim)
    result: Tensor = fft_r2c(ready, dims, norm_of(norm, True), True)
    return result


@composite(f"fft_irfftn{MANY}")
def irfftn(input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None) -> Tensor:
    ready, dims, last = several_to_real("irfftn", input, s, dim)
    result: Tensor = fft_c2r(ready, dims, norm_of(norm, False), last)
    return result


@composite(f"fft_hfftn{MANY}")
def hfftn(input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None) -> Tensor:
    ready, dims, last = several_to_real("hfftn", input, s, dim)
    mode = norm_of(norm, True)
    first = fft_c2c(ready, dims[:-1], mode, True) if dims[:-1] else ready
    result: Tensor = fft_c2r(conj(first), dims[-1:], mode, last)
    return result


@composite(f"fft_ihfftn{MANY}")
def ihfftn(input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None) -> Tensor:
    ready, dims = several_real("ihfftn", input, s, dim)
    mode = norm_of(norm, False)
    last = fft_r2c(ready, dims[-1:], mode, True)
    if not dims[:-1]:
        return conj(last)
    result: Tensor = fft_c2c(conj_physically(last), dims[:-1], mode, False)
    return result


@composite(f"fft_fft2{TWO}")
def fft2(input: Tensor, s: Sizes = None, dim: Sizes = PLANE, norm: str | None = None) -> Tensor:
    return several_complex(input, s, dim, norm, True)


@composite(f"fft_ifft2{TWO}")
def ifft2(input: Tensor, s: Sizes = None, dim: Sizes = PLANE, norm: str | None = None) -> Tensor:
    return several_complex(input, s, dim, norm, False)


@composite(f"fft_rfft2{TWO}")
def rfft2(input: Tensor, s: Sizes = None, dim: Sizes = PLANE, norm: str | None = None) -> Tensor:
    return rfftn(input, s, dim, norm)


@composite(f"fft_irfft2{TWO}")
def irfft2(input: Tensor, s: Sizes = None, dim: Sizes = PLANE, norm: str | None = None) -> Tensor:
    return irfftn(input, s, dim, norm)


@composite(f"fft_hfft2{TWO}")
def hfft2(input: Tensor, s: Sizes = None, dim: Sizes = PLANE, norm: str | None = None) -> Tensor:
    return hfftn(input, s, dim, norm)


@composite(f"fft_ihfft2{TWO}")
def ihfft2(input: Tensor, s: Sizes = None, dim: Sizes = PLANE, norm: str | None = None) -> Tensor:
    return ihfftn(input, s, dim, norm)


# ---- frequencies, and where they lie


FREQUENCIES = (
    "(SymInt n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor: function out"
)


def frequencies(name: str, n: int, d: float, made: Any, requires_grad: bool, device: Any, dtype: Any) -> Tensor:
    kind = floating(dtype)
    if kind.kind not in "fc":
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if kind.kind == "c":
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{errors.type_name(kind)}'")
    lengths([n], name)
    steps = made(n).astype(kind) * kind.type(1.0 / (n * d) if n * d else np.inf)
    return make_tensor(steps, name, requires_grad, device)


@composite(f"fft_fftfreq{FREQUENCIES}")
def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """The frequencies of what `fft` gives for `n` samples that lie `d` apart."""

    def made(n: int) -> Any:
        return (np.arange(n) + n // 2) % max(n, 1) - n // 2

    return frequencies("fftfreq", n, d, made, requires_grad, device, dtype)


@composite(f"fft_rfftfreq{FREQUENCIES}")
def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """The same of `rfft`."""
    return frequencies("rfftfreq", n, d, lambda n: np.arange(n // 2 + 1), requires_grad, device, dtype)


def shift_by(input: Tensor, dim: Sizes, half: Any) -> Tensor:
    rank = input.data_.ndim
    dims = list(range(rank)) if dim is None else [wrap(d, rank) for d in listed(dim) or ()]
    if not dims:
        return clone(input) if not rank else input
    shifted: Tensor = roll_by(input, [half(input.data_.shape[d]) for d in dims], dims)
    return shifted


@composite("fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor: function")
def fftshift(input: Tensor, dim: Sizes = None) -> Tensor:
    """The frequency zero in the middle."""
    return shift_by(input, dim, lambda n: n // 2)


@composite("fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor: function")
def ifftshift(input: Tensor, dim: Sizes = None) -> Tensor:
    """The frequency zero from the middle back to the front."""
    return shift_by(input, dim, lambda n: (n + 1) // 2)


guard_module(__name__, "torch.fft")

__getattr__ = absent("torch.fft")
