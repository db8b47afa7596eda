"""What a Tensor offers to programs: its operators, properties and methods, hung onto the class from tables.

A method without a line of its own here is an operator of the table or a function of functions.py under the same name;
`name_` is the in-place variant of `name`.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import copy as copying
import functools
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import (
    autograd,
    dtypes,
    errors,
    events,
    factories,
    functions,
    indexing,
    legacy,
    levels,
    memory,
    not_implemented,
    tell,
)
from .device import CPU, device, strided
from .graph import Handle
from .inplace import check_writable, in_place
from .introspection import read_only
from .ops import elementwise as e
from .ops import index as i
from .ops import matmul as m
from .ops import reduce as r
from .ops import sampling
from .ops import shape as s
from .printing import tensor_repr
from .size import Size
from .state import state
from .tensor import Meta, Tensor, plain, sharing
from .vmapping import CONTROL_FLOW, ITEM, MEMORY

SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)

Method = Callable[..., Any]


# ---- operators


def binary(function: Method, swapped: bool = False) -> Method:
    """The dunder method that calls `function`; other kinds of operands are left to Python, which refuses them."""

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor | bool | int | float | np.generic):
            return function(other, self) if swapped else function(self, other)
        return NotImplemented

    return operator


def reversed_division(self: Tensor, other: Any) -> Any:
    """`2 / a`, which torch does as reciprocal times number."""
    return e.mul(e.reciprocal(self), other)


OPERATORS: dict[str, Method] = {
    "__add__": binary(e.add),
    "__radd__": binary(e.add),
    "__sub__": binary(e.sub),
    "__rsub__": binary(functions.rsub),
    "__mul__": binary(e.mul),
    "__rmul__": binary(e.mul),
    "__truediv__": binary(e.div),
    "__rtruediv__": binary(reversed_division),
    "__floordiv__": binary(not_implemented.floor_divide),
    "__rfloordiv__": binary(not_implemented.floor_divide, swapped=True),
    "__mod__": binary(functions.remainder),
    "__rmod__": binary(functions.remainder, swapped=True),
    "__pow__": binary(functions.pow),
    "__rpow__": binary(functions.pow, swapped=True),
    "__matmul__": binary(m.matmul),
    "__rmatmul__": binary(m.matmul, swapped=True),
    "__eq__": binary(e.eq),
    "__ne__": binary(e.ne),
    "__lt__": binary(e.lt),
    "__le__": binary(e.le),
    "__gt__": binary(e.gt),
    "__ge__": binary(e.ge),
    "__and__": binary(e.bitwise_and),
    "__rand__": binary(e.bitwise_and),
    "__or__": binary(e.bitwise_or),
    "__ror__": binary(e.bitwise_or),
    "__xor__": binary(e.bitwise_xor),
    "__rxor__": binary(e.bitwise_xor),
    "__neg__": e.neg,
    "__pos__": functions.positive,
    "__abs__": e.abs,
    "__invert__": e.bitwise_not,
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
}


# ---- in place


def written(function: Method) -> Method:
    """The in-place variant of an operator."""

    @functools.wraps(function)
    def method(self: Tensor, *args: Any, **options: Any) -> Tensor:
        return in_place(function, self, *args, **options)

    return method


def pow_(self: Tensor, exponent: Any) -> Tensor:
    return in_place(e.pow if isinstance(exponent, Tensor) else e.pow_scalar, self, exponent)


def div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    return in_place(e.div, self, other) if rounding_mode is None else in_place(e.div_mode, self, other, rounding_mode)


def remainder_(self: Tensor, other: Any) -> Tensor:
    return in_place(e.remainder if isinstance(other, Tensor) else e.remainder_scalar, self, other)


def floor_divide_(self: Tensor, other: Any) -> Tensor:
    return not_implemented.floor_divide_(self, other)


def fill_(self: Tensor, value: Any) -> Tensor:
    return in_place(e.fill_tensor if isinstance(value, Tensor) else e.fill, self, value)


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write `src`, broadcast, over this tensor."""
    return in_place(e.copy, self, src)


def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    return in_place(e.masked_fill_tensor if isinstance(value, Tensor) else e.masked_fill, self, mask, value)


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    by_tensor = isinstance(min, Tensor) or isinstance(max, Tensor)
    return in_place(e.clamp_tensor if by_tensor else e.clamp, self, min, max)


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    return in_place(i.index_put, self, list(indices), values, accumulate)


def scatter_(self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    given = value if src is None else src
    return in_place(i.scatter if isinstance(given, Tensor) else i.scatter_value, self, dim, index, given)


def square_(self: Tensor) -> Tensor:
    return in_place(e.pow_scalar, self, 2)


def augmented(method: Method) -> Method:
    """`a += b` by the method `add_`."""

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor | bool | int | float | np.generic):
            return method(self, other)
        return NotImplemented

    return operator


IN_PLACE_OF = {
    "add": e.add, "sub": e.sub, "mul": e.mul, "neg": e.neg, "exp": e.exp, "log": e.log, "sqrt": e.sqrt,
    "rsqrt": e.rsqrt,
    "sin": e.sin, "cos": e.cos, "tan": e.tan, "tanh": e.tanh, "sigmoid": e.sigmoid, "relu": e.relu, "abs": e.abs,
    "floor": e.floor,
    "ceil": e.ceil, "round": e.round, "trunc": e.trunc, "reciprocal": e.reciprocal, "zero": e.zero, "sign": e.sign,
    "tril": s.tril,
    "triu": s.triu, "cumsum": r.cumsum, "expm1": e.expm1, "log1p": e.log1p, "log2": e.log2, "log10": e.log10,
    "sinh": e.sinh,
    "cosh": e.cosh, "atan": e.atan, "asin": e.asin, "acos": e.acos, "exp2": e.exp2, "frac": e.frac,
    "scatter_add": i.scatter_add,
    "addcmul": e.addcmul, "addcdiv": e.addcdiv, "lerp": e.lerp, "index_fill": i.index_fill,
    "index_add": i.index_add, "index_copy": i.index_copy, "sgn": e.sgn, "logical_not": e.logical_not,
    "clamp_min": e.clamp_min,
    "clamp_max": e.clamp_max,
}  # fmt: skip

IN_PLACE: dict[str, Method] = {f"{name}_": written(function) for name, function in IN_PLACE_OF.items()}
IN_PLACE |= sampling.METHODS
IN_PLACE |= {
    "pow_": pow_, "div_": div_, "fill_": fill_, "copy_": copy_, "masked_fill_": masked_fill_, "clamp_": clamp_,
    "clip_": clamp_,
    "index_put_": index_put_, "scatter_": scatter_, "square_": square_, "remainder_": remainder_,
    "subtract_": IN_PLACE["sub_"],
    "multiply_": IN_PLACE["mul_"], "divide_": div_, "floor_divide_": floor_divide_, "true_divide_": div_,
}  # fmt: skip
IN_PLACE |= {
    "__iadd__": augmented(IN_PLACE["add_"]),
    "__isub__": augmented(IN_PLACE["sub_"]),
    "__imul__": augmented(IN_PLACE["mul_"]),
    "__itruediv__": augmented(div_),
    "__ifloordiv__": augmented(floor_divide_),
    "__imod__": augmented(remainder_),
    "__ipow__": augmented(pow_),
    "__iand__": augmented(written(e.bitwise_and)),
    "__ior__": augmented(written(e.bitwise_or)),
    "__ixor__": augmented(written(e.bitwise_xor)),
}


# ---- the graph


def backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Add the gradients of this tensor to the `.grad` of the leaves below it."""
    autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def get_grad(self: Tensor) -> Tensor | None:
    meta = self.meta
    found = None if meta is None else meta.grad
    if found is None and self.node is not None and not self.retains_grad:
        warnings.warn(errors.NON_LEAF_GRAD, UserWarning, stacklevel=2)
    return found


def set_grad(self: Tensor, grad: Any) -> None:
    if grad is not None:
        check_grad(self, grad)
    meta = self.own_meta()
    before, meta.grad = meta.grad, grad
    session = state.session
    if session is not None:
        number = session.tensor(self)
        now = None if grad is None else session.tensor(grad)
        shown = tell.value(grad)
        session.emit((events.GradStored, None, number, "assigned", now, tell.value(before), shown, shown))


def check_grad(self: Tensor, grad: Any) -> None:
    if not isinstance(grad, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}")
    if grad is self:
        raise RuntimeError("can't assign Variable as its own grad")
    mine, theirs = self.data_, grad.data_
    if mine.dtype != theirs.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{errors.C_NAMES[theirs.dtype.name]}' to a tensor with "
            "grad_dtype "
            f"'{errors.type_name(mine.dtype)}'. The gradient must match the tensor's grad_dtype (defaults to the "
            "tensor's dtype). "
            "You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
            "grad_dtype "
            "with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that "
            "assume they match."
        )
    if mine.shape != theirs.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{errors.sizes(theirs.shape)}' to a tensor of size "
            f"'{errors.sizes(mine.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


def refuse_deletion(message: str) -> Method:
    """The deleter of an attribute that stays."""

    def delete(self: Tensor) -> None:
        raise RuntimeError(message)

    return delete


def set_grad_fn(self: Tensor, value: Any) -> None:
    if value is not None:
        raise RuntimeError("_grad_fn can be only set to None")
    self.node, self.output_nr = None, 0
    self.own_meta().requires_grad = False


def get_backward_hooks(self: Tensor) -> Any:
    """The hooks on this tensor, by number; None if there are none."""
    node = self.grad_fn
    if node is not None:
        return None if node.hooks is None else node.hooks.tensor.get(self.output_nr)
    return None if self.meta is None else self.meta.hooks


def set_backward_hooks(self: Tensor, hooks: Any) -> None:
    if hooks is not None:
        raise NotImplementedError("setting _backward_hooks to anything but None is not supported")
    node = self.grad_fn
    if node is None:
        self.own_meta().hooks = None
    elif node.hooks is not None:
        node.hooks.tensor.pop(self.output_nr, None)


def set_requires_grad(self: Tensor, value: bool) -> None:
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if self.node is not None:
        raise RuntimeError(
            errors.NON_LEAF_FLAG if not value else "you can only change requires_grad flags of leaf variables."
        )
    if value and self.data_.dtype.kind != "f":
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    flag(self, bool(value))


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Say whether gradients are wanted for this leaf."""
    if state.mapped or any(level is not state.dual for level in state.levels):
        raise RuntimeError(errors.FLAG_IN_TRANSFORM)
    if self.node is not None and not requires_grad:
        raise RuntimeError(errors.NON_LEAF_FLAG)
    if requires_grad and self.data_.dtype.kind != "f":
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if self.node is None:
        flag(self, bool(requires_grad))
    return self


def flag(self: Tensor, value: bool) -> None:
    if value and self.storage_ is not None and self.storage_.inference and not state.inference:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    meta = self.own_meta()
    changed = meta.requires_grad != value
    session = state.session
    if changed and session is not None:
        session.tensor(self)
    meta.requires_grad = value
    if changed and session is not None:
        session.emit((events.FlagChanged, session.tensor(self), value))


def detach(self: Tensor) -> Tensor:
    """The same memory outside the graph."""
    alias = sharing(self, self.array(), self.shared_storage())
    if state.session is not None:
        state.session.made(alias, "detach", (self,))
    return alias


def detach_(self: Tensor) -> Tensor:
    """Take this tensor out of its graph."""
    if self._is_view():
        raise RuntimeError(errors.DETACH_VIEW)
    needed = self.requires_grad
    self.node, self.output_nr = None, 0
    meta = self.own_meta()
    meta.requires_grad, meta.retains_grad = False, False
    if needed and state.session is not None:
        state.session.emit((events.FlagChanged, state.session.tensor(self), False))
    return self


def get_data(self: Tensor) -> Tensor:
    """The same memory outside the graph, with a version counter of its own: writes through it go unnoticed."""
    array = self.array()
    owner = self.shared_storage()
    storage = type(owner)()
    storage.address, storage.boxed, storage.counts = owner.address, owner.boxed, False
    alias = sharing(self, array, storage)
    session = state.session
    if session is not None:
        session.watch(storage, session.storages, session.storage(owner), None)
        session.made(alias, "data", (self,))
    return alias


def set_data(self: Tensor, new: Tensor) -> None:
    """`a.data = t`: other values, maybe another shape, unnoticed by version counters."""
    if not isinstance(new, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
    array, other = new.array(), new.shared_storage()
    storage = self.shared_storage()
    self.data_ = array
    storage.address, storage.boxed = other.address, other.boxed
    tell.written(self, "data", (new,), counted=False)


def register_hook(self: Tensor, hook: Method) -> Handle:
    """Call `hook` with each gradient of this tensor; what it returns, if anything, takes the gradient's place."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node = self.grad_fn
    if node is not None:
        return Handle(node.own_hooks().tensor.setdefault(self.output_nr, {}), hook)
    meta = self.own_meta()
    if meta.hooks is None:
        meta.hooks = {}
    return Handle(meta.hooks, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Method) -> Handle:
    """Call `hook` with this leaf each time its `.grad` has been added to."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    meta = self.own_meta()
    if meta.post_hooks is None:
        meta.post_hooks = {}
    return Handle(meta.post_hooks, hook)


def retain_grad(self: Tensor) -> None:
    """Fill `.grad` of this tensor in backward though it is no leaf."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = self.grad_fn
    if node is None or self.retains_grad:
        return
    self.own_meta().retains_grad = True
    node.own_hooks().retain[self.output_nr] = weakref.ref(self)


def deepcopied(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if self.node is not None:
        raise RuntimeError(errors.DEEPCOPY)
    if id(self) in memo:
        return memo[id(self)]
    new = object.__new__(type(self))
    new.data_ = self.data_.copy()
    new.storage_, new.node, new.output_nr, new.meta = None, None, 0, None
    memo[id(self)] = new
    if self.meta is not None:
        new.meta = Meta()
        new.meta.requires_grad = self.meta.requires_grad
        new.meta.grad = copying.deepcopy(self.meta.grad, memo)
    new.__dict__.update(copying.deepcopy(self.__dict__, memo))
    return new


def copied(self: Tensor) -> Tensor:
    """`copy.copy`: another leaf over the same memory."""
    if self.node is not None:
        return detach(self).requires_grad_()
    return detach(self).requires_grad_(self.requires_grad)


# ---- as Python values


def warn_scalar() -> None:
    if "scalar" not in state.warned or state.warn_always:
        state.warned.add("scalar")
        warnings.warn(SCALAR, UserWarning, stacklevel=4)


def item(self: Tensor) -> Any:
    """The one number in it."""
    if self.data_.size != 1:
        raise RuntimeError(f"a Tensor with {self.data_.size} elements cannot be converted to Scalar")
    return looked_at(self.data_.item())


def looked_at(value: Any, message: str = ITEM) -> Any:
    """`value`, which leaves the tensors for Python: under vmap it must be the same for all examples."""
    for loop in state.mapped:
        loop.read(value, message)
    return value


def converted(kind: type) -> Method:
    """`float(t)`, `int(t)`."""

    def convert(self: Tensor) -> Any:
        if kind is float and self.requires_grad:
            warn_scalar()
        if self.data_.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return kind(looked_at(self.data_.item()))

    return convert


def truth(self: Tensor) -> bool:
    if self.data_.size != 1:
        what = "no values" if self.data_.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(looked_at(self.data_.item(), CONTROL_FLOW))


def as_index(self: Tensor) -> int:
    if self.data_.size != 1 or self.data_.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(looked_at(self.data_.item()))


def length(self: Tensor) -> int:
    if self.data_.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return int(self.data_.shape[0])


def iterate(self: Tensor) -> Iterator[Tensor]:
    if self.data_.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(s.unbind(self, 0))


def contains(self: Tensor, element: Any) -> bool:
    if isinstance(element, Tensor | bool | int | float):
        return bool(np.any(e.eq(self, element).data_))
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def formatted(self: Tensor, spec: str) -> str:
    if self.data_.ndim == 0 and type(self) is Tensor:
        return format(self.data_.item(), spec)
    return object.__format__(self, spec)


def shown(self: Tensor) -> str:
    if state.levels and self.node is not None:
        return levels.shown(self)
    name, needed = None, False
    try:
        node = self.grad_fn
        name = None if node is None else node.type_name()
        needed = self.requires_grad
    except RuntimeError:
        name = "Invalid"
    return tensor_repr(self.data_, dtype=get_dtype(self), grad_fn=name, requires_grad=needed)


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray[Any, Any]:
    """The memory as an array."""
    if self.requires_grad and state.grad_enabled and not force:
        raise RuntimeError(errors.NUMPY_ON_GRAD)
    looked_at(state.mapped and self.data_.tolist(), MEMORY)
    return self.array()


def as_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    array = numpy(self)
    return array if dtype is None else array.astype(dtype, copy=False)


def tolist(self: Tensor) -> Any:
    return looked_at(self.data_.tolist(), MEMORY)


# ---- type and place


def get_dtype(self: Tensor) -> dtypes.dtype:
    return dtypes.from_numpy(self.data_.dtype)


def to(
    self: Tensor, *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False, copy: bool = False
) -> Tensor:
    """This tensor in another dtype, or itself if nothing changes."""
    for arg in args:
        if isinstance(arg, Tensor):
            dtype = get_dtype(arg)
        elif isinstance(arg, dtypes.dtype):
            dtype = arg
        elif not isinstance(arg, bool):
            device = arg
    factories.check_device(device)
    moved = functions.cast(self, dtype)
    return s.clone(self) if copy and moved is self else moved


def cast_to(kind: dtypes.dtype) -> Method:
    return lambda self: functions.cast(self, kind)


def type_(self: Tensor, dtype: Any = None) -> Any:
    if dtype is None:
        return f"torch.{errors.type_name(self.data_.dtype)}Tensor"
    return functions.cast(self, dtype if isinstance(dtype, dtypes.dtype) else LEGACY[str(dtype).rpartition(".")[2]])


LEGACY = {
    "FloatTensor": dtypes.float32, "DoubleTensor": dtypes.float64, "LongTensor": dtypes.int64,
    "IntTensor": dtypes.int32,
    "BoolTensor": dtypes.bool_, "HalfTensor": dtypes.float16, "ByteTensor": dtypes.uint8,
}  # fmt: skip


def type_as(self: Tensor, other: Tensor) -> Tensor:
    return functions.cast(self, get_dtype(other))


def cuda(self: Tensor, *args: Any, **options: Any) -> Tensor:
    raise AssertionError("Torch not compiled with CUDA enabled")


def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or one length of it."""
    shape = self.data_.shape
    return Size(shape) if dim is None else int(shape[s.wrap(dim, len(shape))])


def stride(self: Tensor, dim: int | None = None) -> Any:
    steps = tuple(step // self.data_.itemsize for step in getattr(self.data_, "strides", ()))
    return steps if dim is None else steps[s.wrap(dim, len(steps))]


def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    return not isinstance(self.data_, np.ndarray) or bool(self.data_.flags.c_contiguous)


def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy, still in the graph."""
    return s.clone(self)


def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    return e.where(condition, self, other)


def transposed(self: Tensor) -> Tensor:
    return s.permute(self, list(range(self.data_.ndim))[::-1])


def share_memory_(self: Tensor) -> Tensor:
    return self


def is_inference(self: Tensor) -> bool:
    return self.storage_ is not None and self.storage_.inference


# ---- tables


PROPERTIES: dict[str, property] = {
    "grad": property(get_grad, set_grad, lambda self: set_grad(self, None)),
    "_grad": property(get_grad, set_grad, lambda self: set_grad(self, None)),
    "data": property(
        get_data, set_data, refuse_deletion("Deleting tensor data is not allowed. Delete tensor instead!")
    ),
    "requires_grad": vars(Tensor)["requires_grad"].deleter(refuse_deletion("requires_grad must be a bool")),
    "_grad_fn": property(
        lambda self: self.grad_fn,
        set_grad_fn,
        refuse_deletion("Deletion of _grad_fn not allowed. Detach tensor instead!"),
    ),
    "_backward_hooks": property(
        get_backward_hooks, set_backward_hooks, refuse_deletion("Deletion of _backwards_hooks not allowed!")
    ),
    "dtype": property(get_dtype),
    "shape": property(lambda self: Size(self.data_.shape)),
    "ndim": property(lambda self: int(self.data_.ndim)),
    "T": property(transposed),
    "mT": property(lambda self: s.transpose(self, -2, -1)),
    "H": property(transposed),
    "real": property(lambda self: self),
    "device": property(lambda self: CPU),
    "layout": property(lambda self: strided),
    "itemsize": property(lambda self: int(self.data_.itemsize)),
    "nbytes": property(lambda self: int(self.data_.nbytes)),
}
PROPERTIES |= {
    name: property(lambda self: False) for name in ("is_cuda", "is_sparse", "is_quantized", "is_meta", "is_mps")
}

FROM_TABLE = {
    e: "exp expm1 exp2 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh asin acos atan atanh tanh sigmoid relu "
    "abs sgn sign "
    "floor ceil round trunc frac neg reciprocal maximum minimum eq ne lt le gt ge logical_and logical_or logical_not "
    "bitwise_and "
    "bitwise_or bitwise_xor bitwise_not isnan isinf isfinite clamp_min clamp_max floor_divide addcmul addcdiv lerp "
    "erf atan2 hypot "
    "logit nan_to_num logical_xor",
    s: "t transpose unsqueeze select diagonal as_strided tril triu clone alias trace diag_embed",
    r: "cumprod argmax argmin count_nonzero",
    m: "mm mv dot bmm matmul",
    i: "index_select scatter_add masked_select index_add index_fill index_copy",
}

FROM_FUNCTIONS = (
    "add sub mul div remainder pow square positive clamp masked_fill sum mean prod cumsum max min amax amin sort "
    "argsort topk var std "
    "logsumexp norm softmax log_softmax all any nonzero reshape view view_as flatten unflatten ravel permute movedim "
    "expand "
    "expand_as squeeze repeat tile flip roll split chunk unbind narrow diag fmod float_power contiguous addmm addmv "
    "baddbmm outer gather scatter "
    "index_put equal isclose allclose is_floating_point numel rsub"
)

ALIASES = {
    "absolute": "abs", "negative": "neg", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "clip": "clamp", "greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "not_equal": "ne",
    "arctan": "atan", "arcsin": "asin", "arccos": "acos", "swapaxes": "transpose", "swapdims": "transpose",
    "nelement": "numel", "ger": "outer", "fix": "trunc", "concat": "cat", "row_stack": "vstack", "moveaxis": "movedim",
    "arctanh": "atanh",
}  # fmt: skip

METHODS: dict[str, Method] = {
    name: getattr(module, name)
    for module, names in FROM_TABLE.items()
    for name in names.split()
    if hasattr(module, name)
}
METHODS["floor_divide"] = not_implemented.floor_divide
METHODS |= {name: getattr(functions, name) for name in FROM_FUNCTIONS.split()}

OWN: dict[str, Method] = {
    f.__name__: f
    for f in (
        backward, requires_grad_, detach, detach_, register_hook, register_post_accumulate_grad_hook, retain_grad,
        item, numpy, tolist, to, type_as, cuda, size, stride, is_contiguous, clone, where, share_memory_,
    )
}  # fmt: skip
OWN |= {
    "__deepcopy__": deepcopied, "__float__": converted(float), "__int__": converted(int), "__bool__": truth,
    "__index__": as_index,
    "__len__": length, "__iter__": iterate, "__contains__": contains, "__format__": formatted, "__repr__": shown,
    "__array__": as_array, "type": type_, "cpu": lambda self: self, "float": cast_to(dtypes.float32),
    "double": cast_to(dtypes.float64), "half": cast_to(dtypes.float16), "long": cast_to(dtypes.int64),
    "int": cast_to(dtypes.int32),
    "short": cast_to(dtypes.int16), "bool": cast_to(dtypes.bool_), "byte": cast_to(dtypes.uint8),
    "char": cast_to(dtypes.int8),
    "dim": lambda self: int(self.data_.ndim), "ndimension": lambda self: int(self.data_.ndim),
    "element_size": lambda self: int(self.data_.itemsize), "data_ptr": memory.data_ptr, "is_inference": is_inference,
    "storage_offset": memory.storage_offset, "untyped_storage": memory.untyped_storage,
    "is_complex": lambda self: False,
    "get_device": lambda self: -1, "reshape_as": lambda self, other: s.reshape(self, list(other.data_.shape)),
    "_is_zerotensor": lambda self: False, "is_neg": lambda self: False, "is_conj": lambda self: False,
    "is_same_size": lambda self, other: self.data_.shape == other.data_.shape, "conj": lambda self: self,
}  # fmt: skip
OWN |= {"resize": legacy.resize, "new": legacy.new, "set_": legacy.set_, "__copy__": copied}
OWN |= {name: getattr(factories, name) for name in ("new_tensor", "new_zeros", "new_ones", "new_empty", "new_full")}


def install() -> None:
    """Hang everything onto the class."""
    for table in (OPERATORS, IN_PLACE, METHODS, OWN, PROPERTIES):
        for name, value in table.items():
            setattr(Tensor, name, value)
    for name, value in dict(vars(Tensor)).items():
        if isinstance(value, property) and value.fset is None and value.fget is not None:
            setattr(Tensor, name, read_only(value.fget, name, "torch._C.TensorBase"))
    for alias, name in ALIASES.items():
        if hasattr(Tensor, name):
            setattr(Tensor, alias, getattr(Tensor, name))
    Tensor.__array_priority__ = 1000
    Tensor.__module__ = "torch"


install()

__all__ = ["METHODS", "check_writable", "device", "plain"]
