"""torch.utils.checkpoint: keep less in forward, compute it again in backward."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from .. import autograd, events, random
from ..autograd.graph import saved_tensors_hooks
from ..function import Function
from ..modes import enable_grad
from ..state import state
from ..tensor import Tensor, plain

NOT_SAID = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
    "calling checkpoint "
    "without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to preserve "
    "the current "
    "default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between "
    "the two variants."
)
NO_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"
IN_GRAD = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter "
    "to .backward(). "
    "To resolve this error, you can either set use_reentrant=False, or call .backward() without passing the `inputs` "
    "argument."
)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args)`, whose inner tensors are computed again when backward needs them."""
    if use_reentrant is None:
        warnings.warn(NOT_SAID, UserWarning, stacklevel=2)
        use_reentrant = True
    if use_reentrant:
        if state.grad_enabled and not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn(NO_INPUT, UserWarning, stacklevel=2)
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    with Recompute(function, args, kwargs, preserve_rng_state).hooks():
        return function(*args, **kwargs)


def detached(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    copy: Tensor = value.detach()
    if value.requires_grad:
        copy.requires_grad_()
    return copy


class CheckpointFunction(Function):
    """The reentrant kind: forward outside the graph, once more inside it when backward comes."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        ctx.run_function = function
        ctx.rng_state = random.default_generator().get_state() if preserve else None
        ctx.tensor_places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.inputs = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*[args[i] for i in ctx.tensor_places])
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if state.partial:
            raise RuntimeError(IN_GRAD)
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.tensor_places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        fresh = [detached(a) for a in inputs]
        with replayed(ctx.rng_state), enable_grad():
            tell_recomputed(ctx)
            outputs = ctx.run_function(*fresh)
        outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=False) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, Tensor) else None for a in fresh))


@contextlib.contextmanager
def replayed(rng_state: Any) -> Any:
    """The random numbers of the first forward, for the second."""
    if rng_state is None:
        yield
        return
    with random.fork():
        random.default_generator().set_state(rng_state)
        yield


def tell_recomputed(node: Any) -> None:
    session = state.session
    if session is not None:
        session.emit((events.Recomputed, None if node is None else session.node(node)))


class Holder:
    """Stands for a saved tensor until it is needed."""

    __slots__ = ("__weakref__",)


class Recompute:
    """The other kind: saved tensors are left out, and filled in by running forward again at the first that is read."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any, preserve: bool) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.rng_state = random.default_generator().get_state() if preserve else None
        self.holders: list[weakref.ref[Holder]] = []
        self.values: weakref.WeakKeyDictionary[Holder, Tensor] = weakref.WeakKeyDictionary()

    def hooks(self) -> saved_tensors_hooks:
        return saved_tensors_hooks(self.pack, self.unpack)

    def pack(self, tensor: Tensor) -> Holder:
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        return holder

    def unpack(self, holder: Holder) -> Tensor:
        if holder not in self.values:
            self.recompute()
        if holder not in self.values:
            raise RuntimeError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was either never recomputed, or "
                "already "
                "unpacked once."
            )
        return self.values.pop(holder)

    def recompute(self) -> None:
        """Run forward again, and give each place the tensor that is saved there now."""
        count = iter(range(len(self.holders)))

        def keep(tensor: Tensor) -> Tensor:
            place = next(count, None)
            holder = None if place is None else self.holders[place]()
            if holder is not None:
                value = plain(tensor.data_)
                value.storage_ = tensor.shared_storage()
                self.values[holder] = value
            return value if holder is not None else tensor

        tell_recomputed(None)
        with replayed(self.rng_state), enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
            self.function(*self.args, **self.kwargs)


def checkpoint_sequential(functions: Any, segments: int, input: Tensor, use_reentrant: bool | None = None) -> Tensor:
    """`functions` one after the other, in `segments` pieces, all but the last of them checkpointed."""
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(parts) // segments

    def piece(start: int, end: int) -> Callable[[Tensor], Tensor]:
        def run(value: Tensor) -> Tensor:
            for part in parts[start:end]:
                value = part(value)
            return value

        return run

    for k in range(segments - 1):
        input = checkpoint(piece(k * size, (k + 1) * size), input, use_reentrant=use_reentrant)
    return piece((segments - 1) * size, len(parts))(input)
