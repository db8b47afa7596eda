"""The methods of Tensor that write over it or change its shape: `add_`, `a += b`, `clamp_`, `t_`, `resize_`.

Which there are follows from the schemas of operators. One that is not in `OF_THEIR_OWN` writes what its operator makes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ... import errors
from ...dispatch import not_implemented, zero_gradient
from ...dispatch.inplace import at_once, check_writable, in_place
from ...dispatch.registry import GRAPH
from ...dispatch.schema.schema import composite
from ...engine.state import ask_room, singular, special, state
from ...errors import Unsupported, sizes
from ...events import session as tell
from ...functorch.batch import is_hidden
from ...graph.allow_mutation import before_write
from ...graph.copy_slices import rebase
from ...graph.node import FLOAT, Node
from ...ops import binary as binary_ops
from ...ops import random_sampling, unary, view
from ...ops.complex import conj_physical_in_place, is_complex
from ...ops.indexing import index_fill, index_fill_tensor, index_put
from ...ops.scatter_gather import scatter, scatter_reduce, scatter_value
from ...ops.unary import clamp, clamp_max, clamp_max_tensor, clamp_min, clamp_min_tensor, clamp_tensor
from ...tensor import dtypes
from ...tensor.storage import Storage
from ...tensor.strides import PRESERVED, lies_in, steps_in, suggest_format
from ...tensor.tensor import Tensor, plain
from ...tensor.views import strided_window, whole
from ..functions.arguments import sizes_of
from ..functions.indexing import scatter_operands, to_write_by
from ..functions.pointwise import UNSAID, any_floating, check_alpha, check_fill, known_mode
from .memory import OF_A_VIEW, find_window

# ---- clamping: of whole numbers, torch refuses fractions in words of its own


Clamp = Callable[..., Tensor]


def check_bounds(self: Tensor, *bounds: float | None) -> None:
    """Whether what is made with the numbers `bounds` can be written into `self`.

    Raises:
        RuntimeError: it is of a higher kind.
    """
    found = dtypes.to_numpy(dtypes.result_type(self.data_, *(bound for bound in bounds if bound is not None)))
    if errors.RANK[found.kind] > errors.RANK[self.data_.dtype.kind]:
        kinds = errors.type_name(found), errors.c_name(self.data_.dtype)
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*kinds))


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return in_place(clamp_tensor, self, min, max)
    check_bounds(self, min, max)
    return in_place(clamp, self, min, max)


def on_one_side(with_tensor: Clamp, with_number: Clamp) -> Clamp:
    """The in-place variant of `clamp_min` or `clamp_max`."""

    def method(self: Tensor, bound: Any) -> Tensor:
        if isinstance(bound, Tensor):
            return in_place(with_tensor, self, bound)
        check_bounds(self, bound)
        return in_place(with_number, self, bound)

    return method


# ---- the shape changed in place: the memory stays, the tensor looks at it otherwise


MOST = (1 << 63) - 1
"""How much torch counts to, in elements and in bytes."""


def reshaped_in_place(function: Any, target: Tensor, *args: Any) -> Tensor:
    """`target.t_()` and the like: the memory stays, the tensor looks at it through another shape."""
    check_writable(target)
    if is_hidden(target):
        check_writable(target.data_.whole)
    if state.saved_hooks:
        before_write(target)  # what is saved of it keeps its shape
    before = plain(target.array())
    before.node, before.output_nr = target.grad_fn if state.grad_enabled else target.node, target.output_nr
    target.data_ = reshape_memory(function.op, before, args)
    target.bump()
    if before.node is not None:
        rebase(target, lambda holder: link_history(function.op, before, args, holder), seen_otherwise=True)
    tell.emit_write(target, function.op.name, ())
    return target


def reshape_memory(op: Any, before: Tensor, args: tuple[Any, ...]) -> Any:
    """What `before` holds in another shape, over the same memory."""
    if not is_hidden(before):
        return op.forward(before.data_, *args)
    return VIEWS[op.name](plain(before.data_), *args).data_


VIEWS = {
    "t_": view.t, "transpose_": view.transpose, "unsqueeze_": view.unsqueeze, "squeeze_": view.squeeze,
    "squeeze_.dim": view.squeeze_dim, "squeeze_.dims": view.squeeze_dims,
}  # fmt: skip
"""The view that each shows, of a tensor whose memory vmap hides."""


def link_history(op: Any, before: Tensor, args: tuple[Any, ...], holder: Tensor) -> Node | None:
    if state.session is not None:
        state.session.same(holder, before)
    return op.link(before, *args, (holder,), holder)


def t_(self: Tensor) -> Tensor:
    return reshaped_in_place(view.t_, self)


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    return reshaped_in_place(view.transpose_, self, dim0, dim1)


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    return reshaped_in_place(view.unsqueeze_, self, dim)


def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        return reshaped_in_place(view.squeeze_, self)
    if isinstance(dim, int):
        return reshaped_in_place(view.squeeze_result, self, dim)
    return reshaped_in_place(view.squeeze_dims_, self, list(dim))


def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {sizes(stride)}"
        )
    if storage_offset is not None and storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if min(size, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if is_hidden(self):
        raise Unsupported("as_strided_ in vmap is not supported")
    whole, start = find_window(self, size, stride, storage_offset)
    if whole is not self:
        raise Unsupported(OF_A_VIEW)
    return reshaped_in_place(view.as_strided_in_place, self, list(size), list(stride), start)


def memory_from(tensor: Tensor) -> Any:
    """The memory of `tensor` from its first element to the end, in a row."""
    data = tensor.array()
    owner = whole(data)
    if not owner.flags.c_contiguous or owner.dtype != data.dtype:
        return np.ascontiguousarray(data).reshape(-1)
    start = data.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return owner.reshape(-1)[start // data.itemsize :]


@composite("resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!): method")
def resize_(self: Tensor, *size: Any, memory_format: str | None = None) -> Tensor:
    """Another shape over the same memory, of which more is taken if needed; in rows, or as the format says.

    Raises:
        RuntimeError: the tensor requires grad, or its new shape cannot have this format.
    """
    if self.requires_grad and not state.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if memory_format == PRESERVED:
        raise RuntimeError("Unsupported memory formatPreserve")
    return resize(self, tuple(sizes_of(size)), memory_format)


def resize(self: Tensor, shape: tuple[int, ...], memory_format: str | None = None) -> Tensor:
    same = shape == self.data_.shape
    if same and (memory_format is None or lies_in(self.array(), memory_format)):
        return self
    count, memory = prod(shape), memory_from(self)
    if min(shape, default=0) < 0 or count > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    if count * memory.itemsize > MOST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={sizes(shape)}")
    if count > memory.size:
        ask_room(count)
        memory = np.concatenate([memory, np.zeros(count - memory.size, memory.dtype)])
        if self.storage_ is not None:
            self.storage_.boxed = None
    data = memory[:count].reshape(shape)
    self.data_ = data if memory_format is None else strided_window(data, shape, steps_in(data, memory_format), 0)
    if not same:  # else nothing but its strides is another, and torch counts no write
        self.bump()
    tell.emit_write(self, "resize_", (), counted=not same)
    return self


@composite("""
    resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!): function \
        method
    """)
def resize_as_(self: Tensor, other: Tensor, *, memory_format: str | None = None) -> Tensor:
    """The shape of `other`, and its layout too if the format is the one to preserve."""
    if memory_format == PRESERVED:
        memory_format = suggest_format(other.array())
    return resize_(self, list(other.data_.shape), memory_format=memory_format)


def write_part(take: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Any], None]:
    """What `z.real = value` does: it writes the parts that `take` shows."""

    def write(self: Tensor, value: Any) -> None:
        part = take(self)
        if isinstance(value, Tensor):
            copy_(part, value)
        elif isinstance(value, bool | int | float | complex | np.generic):
            fill_(part, value)
        else:
            kind = errors.legacy_type(part.data_.dtype)
            raise TypeError(f"can't assign a {dtypes.kind_name(value)} to a {kind}")

    return write


# ---- writes


Method = Callable[..., Any]


def in_place_variant(function: Method) -> Method:
    """The in-place variant of an operator."""

    @functools.wraps(function)
    def method(self: Tensor, *args: Any, **options: Any) -> Tensor:
        return in_place(function, self, *args, **options)

    return method


def cast_first(function: Method) -> Method:
    """The in-place variant of an operator on whole numbers: torch first asks whether the result may be written."""

    @functools.wraps(function)
    def method(self: Tensor, other: Any) -> Tensor:
        kind = dtypes.result_type(self, other).numpy
        if kind is not None:
            errors.check_cast(kind, self.data_.dtype)
        return in_place(function, self, other)

    return method


def arithmetic(function: Any, ufunc: Any) -> Method:
    """The in-place variant of an operator that numpy has as `ufunc`."""

    @functools.wraps(function)
    def method(self: Tensor, other: Any, *args: Any, **options: Any) -> Tensor:
        if not args and not options and at_once(function.op, ufunc, self, other):
            return self
        if options:
            check_alpha(options.get("alpha", 1), self, other)
        return in_place(function, self, other, *args, **options)

    return method


def by_operand(with_tensor: Method, with_number: Method) -> Method:
    """The in-place variant of two operators, one for a tensor as the other operand, one for a number."""

    def method(self: Tensor, other: Any) -> Tensor:
        return in_place(with_tensor if isinstance(other, Tensor) else with_number, self, other)

    return method


def pow_(self: Tensor, exponent: Any) -> Tensor:
    return in_place(binary_ops.pow if isinstance(exponent, Tensor) else binary_ops.pow_scalar, self, exponent)


def div_(self: Tensor, other: Any, *, rounding_mode: str | None = UNSAID) -> Tensor:
    if rounding_mode is UNSAID and at_once(binary_ops.div.op, np.true_divide, self, other):
        return self
    if rounding_mode is UNSAID or (rounding_mode is None and not any_floating(self, other)):
        return in_place(binary_ops.div, self, other)
    return in_place(binary_ops.div_mode, self, other, known_mode(rounding_mode))


def conj_physical_(self: Tensor) -> Tensor:
    return in_place(conj_physical_in_place, self)


def abs_(self: Tensor) -> Tensor:
    if is_complex(self):
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return in_place(unary.abs, self)


def floor_divide_(self: Tensor, other: Any) -> Tensor:
    return not_implemented.floor_divide_(self, other)


def round_(self: Tensor, *, decimals: int | None = None) -> Tensor:
    return in_place(unary.round, self) if decimals is None else in_place(unary.round_to, self, decimals)


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write `fill_value` onto the diagonal; with `wrap`, of a tall matrix again below it, and again.

    Raises:
        RuntimeError: fewer than two dimensions, or more of different lengths.
    """
    shape, rank = self.data_.shape, self.data_.ndim
    if rank < 2:
        raise RuntimeError("dimensions must larger than 1")
    if rank > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    step, size = self.stride(), min(shape[:2])
    below = wrap and rank == 2 and shape[0] > shape[1] + 1
    if not self.data_.flags.c_contiguous:
        if below:
            raise Unsupported("fill_diagonal_ with wrap=True is supported for contiguous matrices only")
        part = self
        while part.data_.ndim > 1:
            part = part.diagonal(0, 0, -1)
        part.fill_(fill_value)
        return self
    view.as_strided(self, (size,), (sum(step),), 0).fill_(fill_value)
    if below:
        rest = -(-self.data_.size // (shape[1] + 1)) - size
        view.as_strided(self, (rest,), (sum(step),), step[0] * (shape[1] + 1)).fill_(fill_value)
    return self


@composite("""
    fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!): function method
    fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!): function method
    """)
def fill_(self: Tensor, value: Any) -> Tensor:
    return in_place(unary.fill_tensor if isinstance(value, Tensor) else unary.fill, self, value)


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write `src`, broadcast, over this tensor."""
    if isinstance(src, Tensor):
        check_writable(self, "copy")
        check_copy(self.data_.shape, src.data_.shape)
        if self.data_.dtype.kind not in "fc" and src.requires_grad:
            src = src.detach()  # no gradient can come back from whole numbers
    return in_place(unary.copy, self, src)


def check_copy(shape: tuple[int, ...], other: tuple[int, ...]) -> None:
    """Whether a tensor of the `other` shape can be written over one of `shape`.

    Raises:
        RuntimeError: it cannot.
    """
    if shape == other:
        return
    refused = errors.broadcast((shape, other))
    if refused:
        raise RuntimeError(refused)
    errors.check_fits(shape, np.broadcast_shapes(shape, other))


def lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    return in_place(binary_ops.lerp_tensor if isinstance(weight, Tensor) else binary_ops.lerp, self, end, weight)


def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    check_fill(value)
    return in_place(unary.masked_fill_tensor if isinstance(value, Tensor) else unary.masked_fill, self, mask, value)


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    return in_place(index_put, self, to_write_by(self, indices, values, accumulate), values, accumulate)


def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return in_place(index_fill_tensor if isinstance(value, Tensor) else index_fill, self, dim, index, value)


def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    given = value if src is None else src
    if reduce is not None:
        operands = scatter_operands(self, dim, index, given, reduce)
        return not_implemented.call_underived_("scatter_", scatter_reduce, *operands)
    return in_place(scatter if isinstance(given, Tensor) else scatter_value, self, dim, index, given)


def square_(self: Tensor) -> Tensor:
    return in_place(binary_ops.pow_scalar, self, 2)


def underived_variant(name: str, function: Method) -> Method:
    """The in-place variant of an operator, of which torch has no derivative."""

    def method(self: Tensor) -> Tensor:
        return not_implemented.write_underived(name, function, self)

    return method


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    if self.data_.dtype != np.float64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {errors.type_name(self.data_.dtype)} but the operation's result "
            "requires dtype Double"
        )
    return pow_(self, exponent)


def augment(method: Method, op: Any = None, ufunc: Any = None) -> Method:
    """`a += b` by the method `add_`, or at once by `ufunc`, which computes what `op` does.

    The commonest case, a step of training, is seen to first.
    """

    def operator(self: Tensor, other: Any) -> Any:
        if other.__class__ is Tensor or isinstance(other, Tensor | bool | int | float | complex | np.generic):
            return method(self, other)
        return NotImplemented

    def training(self: Tensor, other: Any) -> Any:
        if other.__class__ is Tensor:
            if not singular and self.node is None and ((storage := self.storage_) is None or other.storage_ is None):
                mine, theirs = self.data_, other.data_
                if (
                    mine.__class__ is ndarray
                    and mine.dtype is FLOAT is theirs.dtype
                    and mine.flags.c_contiguous
                    and (not state.grad_enabled if special else self.meta is other.meta is None and other.node is None)
                ):
                    try:
                        ufunc(mine, theirs, mine)
                    except ValueError:  # shapes that do not fit: nothing was written
                        return operator(self, other)
                    if storage.__class__ is Storage:
                        storage.version += 1
                    else:
                        self.bump()
                    return self
            if at_once(op, ufunc, self, other):
                return self
        return operator(self, other)

    return operator if ufunc is None else training


OF_WHOLE_NUMBERS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift"

OF_THEIR_OWN: dict[str, Method] = {
    **{name: cast_first(GRAPH[name]) for name in OF_WHOLE_NUMBERS.split()},
    **{name: zero_gradient.in_place_method(name, GRAPH[name]) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{name: underived_variant(name, GRAPH[name]) for name in ("acosh", "asinh", "atanh")},
    "add": arithmetic(binary_ops.add, np.add),
    "sub": arithmetic(binary_ops.sub, np.subtract),
    "mul": arithmetic(binary_ops.mul, np.multiply),
    "remainder": by_operand(binary_ops.remainder, binary_ops.remainder_scalar),
    "fmod": by_operand(binary_ops.fmod, binary_ops.fmod_scalar),
    "xlogy": by_operand(binary_ops.xlogy, binary_ops.xlogy_by_number),
    "absolute": abs_,
    "clamp": clamp_,
    "clamp_min": on_one_side(clamp_min_tensor, clamp_min),
    "clamp_max": on_one_side(clamp_max_tensor, clamp_max),
    **{
        method.__name__.removesuffix("_"): method
        for method in (
            *(t_, transpose_, unsqueeze_, squeeze_, as_strided_, pow_, div_, floor_divide_, lerp_, round_, square_),
            *(masked_fill_, index_put_, index_fill_, scatter_, conj_physical_, abs_),
        )
    },
}
"""How functions and operators write in place that do not simply write what they make, by their own names."""


def in_place_of(name: str, function: Method) -> Method:
    """The method `name_` of a declared function, which writes over its tensor."""
    if function.__name__ in OF_THEIR_OWN:
        return OF_THEIR_OWN[function.__name__]
    if hasattr(function, "op"):
        return in_place_variant(function)
    return in_place_variant(GRAPH.get(function.__name__) or GRAPH[name.removesuffix("_")])


WITHOUT_FUNCTION: dict[str, Method] = random_sampling.METHODS | {
    method.__name__: method for method in (resize_, resize_as_, fill_, copy_, fill_diagonal_, float_power_)
}
"""Methods that write and have no variant that does not, or none with a schema."""

AUGMENTED: dict[str, Method] = {
    "__iadd__": augment(OF_THEIR_OWN["add"], binary_ops.add.op, np.add),
    "__isub__": augment(OF_THEIR_OWN["sub"], binary_ops.sub.op, np.subtract),
    "__imul__": augment(OF_THEIR_OWN["mul"], binary_ops.mul.op, np.multiply),
    "__itruediv__": augment(div_),
    "__ifloordiv__": augment(floor_divide_),
    "__imod__": augment(OF_THEIR_OWN["remainder"]),
    "__ipow__": augment(pow_),
    "__iand__": augment(OF_THEIR_OWN["bitwise_and"]),
    "__ior__": augment(OF_THEIR_OWN["bitwise_or"]),
    "__ixor__": augment(OF_THEIR_OWN["bitwise_xor"]),
    "__ilshift__": augment(OF_THEIR_OWN["bitwise_left_shift"]),
    "__irshift__": augment(OF_THEIR_OWN["bitwise_right_shift"]),
}
"""`a += b` and the like."""
