"""The methods of Tensor that are about its graph: backward, `.grad`, requires_grad, detach, `.data`, hooks."""

from __future__ import annotations

import copy as copying
import weakref
from collections.abc import Callable
from typing import Any

from ... import autograd, errors, events
from ...dispatch.registry import callbacks
from ...dispatch.schema.schema import composite
from ...engine import fast_engine
from ...engine.roots import yes_or_no
from ...engine.state import DETACHED, RESHAPED, singular, special, state, unusual, watch
from ...engine.warnings import warn
from ...events import recorded_engine as recording
from ...events import session as tell
from ...functorch.batch import Batch, is_hidden
from ...graph.accumulate_grad import hide_from_collector
from ...graph.node import ONE, Handle, first_grad
from ...ordered_dict import OrderedDict
from ...tensor.storage import InferenceStorage, OutsideStorage, Storage, new_storage
from ...tensor.strides import copy_in_format as copied_alike
from ...tensor.tensor import Meta, Tensor, bare, plain, sharing

Method = Callable[..., Any]


def backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Add the gradients of this tensor to the `.grad` of the leaves below it."""
    if gradient is None and inputs is None and not create_graph:
        node = self.node
        if node is not None and self.meta is None and (start := first_grad(node)) is not None:
            retain = retain_graph is not None and yes_or_no(retain_graph)
            if not special:
                if fast_engine.run(node, 0, start, retain):
                    return
            elif start is ONE and (tape := state.tape) is not None and recording.backward(tape, self, retain):
                return
    autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def get_grad(self: Tensor) -> Tensor | None:
    meta = self.meta
    found = None if meta is None else meta.grad
    if found is None and self.node is not None and not self.retains_grad:
        warn(errors.NON_LEAF_GRAD)
    return found


def forget_grad(self: Tensor) -> bool:
    """Whether `.grad` was set to None; False if there is more to it."""
    if singular or self.meta is None:
        return False
    self.meta.grad = None
    return True


def set_grad(self: Tensor, grad: Any) -> None:
    if grad is None and forget_grad(self):
        return
    if grad is not None:
        check_grad(self, grad)
        hide_from_collector(grad)
    meta = self.meta or self.own_meta()
    before, meta.grad = meta.grad, grad
    session = state.session if special else None
    if session is not None:
        session.assigned(self, grad, before)


def check_grad(self: Tensor, grad: Any) -> None:
    if not isinstance(grad, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}")
    if grad is self:
        raise RuntimeError("can't assign Variable as its own grad")
    mine, theirs = self.data_, grad.data_
    if mine.dtype != theirs.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{errors.c_name(theirs.dtype)}' to a tensor with "
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
    watch(self.node)
    self.node, self.output_nr = None, 0
    self.own_meta().requires_grad = False


def get_backward_hooks(self: Tensor) -> Any:
    """The hooks on this tensor, by number; None if there are none."""
    own = None if self.meta is None else self.meta.hooks
    if own is not None or (node := self.grad_fn) is None or node.hooks is None:
        return own
    return node.hooks.tensor.get(self.output_nr)


def set_backward_hooks(self: Tensor, hooks: Any) -> None:
    """Let `hooks`, a dictionary, take the hooks on this tensor from now on.

    A leaf loses those that it had; those of others stay with their node, which knows nothing of the new ones.
    """
    self.own_meta().hooks = hooks
    if hooks is not None:
        unusual("hooks")


def set_requires_grad(self: Tensor, value: bool) -> None:
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if self.node is not None:
        raise RuntimeError(
            errors.NON_LEAF_FLAG if not value else "you can only change requires_grad flags of leaf variables."
        )
    if value and self.data_.dtype.kind not in "fc":
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    flag(self, bool(value))


callbacks.set_requires_grad = set_requires_grad


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Say whether gradients are wanted for this leaf."""
    if state.mapped or any(level is not state.dual for level in state.levels):
        raise RuntimeError(errors.FLAG_IN_TRANSFORM)
    if self.node is not None and not requires_grad:
        raise RuntimeError(errors.NON_LEAF_FLAG)
    if requires_grad and self.data_.dtype.kind not in "fc":
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
    if not value:
        let_go(self)
    if changed and session is not None:
        session.emit((events.FlagChanged, session.tensor(self), value))


def let_go(leaf: Tensor) -> None:
    """A leaf that wants no gradients any more has no AccumulateGrad; that of an older graph finds nothing to do."""
    meta = leaf.own_meta()
    if meta.accumulator is not None:
        meta.accumulator = None
        unusual("leaves that want no gradients any more")


@composite("detach(Tensor(a) self) -> Tensor(a): function method function_ method_")
def detach(self: Tensor) -> Tensor:
    """The same memory outside the graph."""
    array, storage = self.array(), self.shared_storage()
    if storage.inference and not state.inference:
        storage = hiding_writes(storage)
    alias = sharing(self, array, storage)
    if is_hidden(alias):
        data = alias.data_
        alias.data_ = Batch(detach(data.whole), data.at, data.level)
    if state.session is not None:
        state.session.made(alias, "detach", (self,))
    return alias


def detach_(self: Tensor) -> Tensor:
    """Take this tensor out of its graph, of which inference mode sees nothing."""
    if state.inference:
        return self
    if self._is_view():
        raise RuntimeError(errors.DETACH_VIEW)
    needed = self.requires_grad
    meta = self.own_meta()
    if self.node is not None:
        watch(self.node)
        meta.detached_from = weakref.ref(self.node)
        unusual(DETACHED)
    self.node, self.output_nr = None, 0
    meta.requires_grad, meta.retains_grad, meta.out_of_sight = False, False, None
    let_go(self)
    if needed and state.session is not None:
        state.session.emit((events.FlagChanged, state.session.tensor(self), False))
    return self


def hiding_writes(owner: Storage) -> Storage:
    """A storage for the memory of `owner` with a version counter of its own."""
    kind = InferenceStorage if state.inference else OutsideStorage
    storage = kind() if owner.inference else new_storage()
    storage.address, storage.boxed, storage.counts = owner.address, owner.boxed, False
    return storage


def get_data(self: Tensor) -> Tensor:
    """The same memory outside the graph, with a version counter of its own: writes through it go unnoticed."""
    array = self.array()
    owner = self.shared_storage()
    storage = hiding_writes(owner)
    alias = sharing(self, array, storage)
    session = state.session
    if session is not None:
        session.tensor(self)
        session.watch(storage, session.storages, session.storage(owner), None)
        session.made(alias, "data", (self,))
    return alias


def set_data(self: Tensor, new: Tensor) -> None:
    """`a.data = t`: other values, maybe another shape, unnoticed by version counters."""
    if not isinstance(new, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
    if self.requires_grad and new.data_.dtype.kind not in "fc":
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    array, other = new.array(), new.shared_storage()
    if array.dtype.kind not in "fc" and self.requires_grad:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    storage = self.shared_storage()
    if (array.shape, array.dtype) != (self.data_.shape, self.data_.dtype):
        unusual(RESHAPED)
    if array.dtype != self.data_.dtype and self.meta is not None:
        self.meta.accumulator = None  # the next graph gets one that takes gradients of the new dtype
    self.data_ = array
    storage.address, storage.boxed = other.address, other.boxed
    tell.emit_write(self, "data", (new,), counted=False)


def register_hook(self: Tensor, hook: Method) -> Handle:
    """Call `hook` with each gradient of this tensor; what it returns, if anything, takes the gradient's place."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node, meta = self.grad_fn, self.meta
    if node is not None and (meta is None or meta.hooks is None):
        return Handle(node.own_hooks().tensor.setdefault(self.output_nr, OrderedDict()), hook)
    meta = self.own_meta()
    if meta.hooks is None:
        meta.hooks = OrderedDict()
    return Handle(meta.hooks, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Method) -> Handle:
    """Call `hook` with this leaf each time its `.grad` has been added to."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    meta = self.own_meta()
    if meta.post_hooks is None:
        meta.post_hooks = OrderedDict()
    return Handle(meta.post_hooks, hook)


def retain_grad(self: Tensor) -> None:
    """Fill `.grad` of this tensor in backward though it is no leaf."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if state.mapped or any(level is not state.dual for level in state.levels):
        raise RuntimeError(errors.RETAIN_IN_TRANSFORM)
    node = self.grad_fn
    if node is None or self.retains_grad:
        return
    self.own_meta().retains_grad = True
    node.own_hooks().retain[self.output_nr] = weakref.ref(self)


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if self.node is not None:
        raise RuntimeError(errors.DEEPCOPY)
    if id(self) in memo:
        return memo[id(self)]
    new = object.__new__(type(self))
    new.data_ = copied_alike(self.data_)
    new.storage_ = new.node = new.meta = None
    new.bump()  # torch sets the memory of an empty one
    memo[id(self)] = new
    if self.meta is not None:
        new.meta = Meta()
        new.meta.requires_grad = self.meta.requires_grad
        new.meta.grad = copying.deepcopy(self.meta.grad, memo)
    new.__dict__.update(copying.deepcopy(self.__dict__, memo))
    return new


def pickle(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    """What `pickle` writes of a tensor: its values and whether it requires grad. It is read again as a leaf."""
    return unpickle, (type(self), self.array(), self.requires_grad)


def unpickle(kind: Any, data: Any, requires_grad: bool) -> Tensor:
    """The tensor, or parameter, that `pickled` wrote."""
    tensor = plain(bare(data))
    read: Tensor = requires_grad_(tensor, requires_grad) if kind is Tensor else kind(tensor, requires_grad)
    return read


def copy(self: Tensor) -> Tensor:
    """`copy.copy`: another leaf over the same memory."""
    new = detach(self)
    new.__class__ = type(self)
    return new.requires_grad_(self.requires_grad)
