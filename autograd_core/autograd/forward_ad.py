"""torch.autograd.forward_ad: dual numbers, built out of the graph.

A dual tensor is a tensor with a node of its own at the head of all that is computed from it. The tangent of a result is
found when it is asked for: backward from the result to the duals is linear in the gradient that it starts with, so the
backward of that backward carries the tangents from the duals to the result. Its values are those of forward mode, made
by the formulas of the table differentiated once more: an operator needs a second derivative here, where torch needs a
forward formula. In torch, grad mode has no say in forward mode; here it would, so no_grad is refused inside a level.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..dispatch.inplace import in_place
from ..engine.state import state
from ..errors import Unsupported, sizes
from ..functorch.batch import is_batched
from ..functorch.forward_mode import tangent_of
from ..functorch.levels import CppFunction, Level, Source, exit_level, wrap
from ..namespace.absent import absent
from ..namespace.module_names import settle
from ..ops.unary import copy
from ..tensor.tensor import Tensor, plain, sharing
from ..tensor.views import byte_offset, laid_out, steps_of, whole


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, None where nothing dual went in."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Begin a level; `exit_dual_level` ends it.

    Raises:
        RuntimeError: there is one already.
    """
    if state.dual is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    state.dual = Level(forward=True).enter()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level.

    Raises:
        RuntimeError: there is none, or not this one.
    """
    if state.dual is None:
        raise RuntimeError("Dual level must be a positive number.")
    if level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    state.dual.leave()
    state.dual = None


class dual_level:
    """The block in which dual tensors can be made and unpacked."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """`tensor` with `tangent` beside it.

    Raises:
        RuntimeError: there is no level, one of both has a tangent, or the tangent has another shape.
        ValueError: one of them is not floating point.
    """
    if (dual := state.dual) is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if isinstance(tensor, Tensor) and tangent_of(tensor, dual) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if isinstance(tangent, Tensor) and tangent_of(tangent, dual) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    return dual_at(dual, tensor, tangent)


def dual_at(level: Level, tensor: Tensor, tangent: Tensor, kind: type[Source] = Source) -> Tensor:
    for what, given in (("primal", tensor), ("tangent", tangent)):
        if given.data_.dtype.kind not in "fc":
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {given.dtype}")
    if tensor.data_.shape != tangent.data_.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {sizes(tensor.data_.shape)} while the given forward gradient is of size "
            f"{sizes(tangent.data_.shape)}."
        )
    if tensor.data_.dtype != tangent.data_.dtype:
        raise Unsupported(f"a tangent of {tangent.dtype} for a tensor of {tensor.dtype} is not supported")
    if not (is_batched(tensor) or is_batched(tangent) or lies_as(tensor, tangent)):
        data = tensor.data_
        room = plain(laid_out(data.shape, steps_of(data), data.dtype)[()])
        tangent = in_place(copy, room, tangent)
    return wrap(tensor, level, tangent, kind)


def lies_as(tensor: Tensor, tangent: Tensor) -> bool:
    """Whether both lie alike in memory, down to its size; torch copies a tangent that does not."""
    layouts = []
    for t in (tensor, tangent):
        steps = tuple(step for size, step in zip(t.data_.shape, t.data_.strides, strict=True) if size != 1)
        layouts.append((steps, byte_offset(t), whole(t.data_).size))
    return layouts[0] == layouts[1]


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value of `tensor`, another tensor over its memory each time, and its tangent."""
    if (dual := state.dual) is None:
        return UnpackedDualTensor(tensor, None)
    tangent = tangent_of(tensor, dual)
    primal = exit_level(tensor, dual, CppFunction)
    if tangent is not None and not primal.requires_grad:
        primal = sharing(primal, primal.array(), primal.shared_storage())
    return UnpackedDualTensor(primal, None if tangent is None else exit_level(tangent, dual))


def _is_fwd_grad_enabled() -> bool:
    """Whether tangents are followed: here, always."""
    return True


def __getattr__(name: str) -> Any:
    if name == "_current_level":
        return -1 if state.dual is None else 0
    return absent("torch.autograd.forward_ad")(name)


settle(globals())
