"""torch.utils.checkpoint: keep less in forward, compute it again in backward."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from .. import autograd, errors, events
from ..autograd.function import Function
from ..autograd.graph import saved_tensors_hooks
from ..engine.engine import Call
from ..engine.grad_mode import enable_grad
from ..engine.state import state
from ..errors import Unsupported
from ..graph.saved_tensor import Packed, in_place_of, pack_tensor
from ..random import generator as streams
from ..tensor.tensor import Tensor

NOT_SAID = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
    "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
NOT_SAID_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version "
    "2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are calling "
    "ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details on your "
    "use case."
)
TOO_MANY = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.\n"
)
OTHER_COUNT = (
    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
    "Number of tensors saved during forward: {}\nNumber of tensors saved during recomputation: {}.\n"
)
OTHER_FACTS = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
    "forward pass.\n{}.\n"
)
TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""
NO_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"
IN_GRAD = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter "
    "to .backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without "
    "passing the `inputs` argument."
)

ContextFn = Callable[[], tuple[Any, Any]]


class CheckpointError(RuntimeError):
    """The second forward was not like the first."""


def noop_context_fn() -> tuple[Any, Any]:
    """Nothing around the run and nothing around the second."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: ContextFn = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args)`, whose inner tensors are computed again when backward needs them.

    Raises:
        ValueError: an option that does not exist, or not together with `use_reentrant=True`.
        NotImplementedError: `debug`, which in torch lists every operator that ran.
    """
    if use_reentrant is None:
        warnings.warn(NOT_SAID, UserWarning, stacklevel=1)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        if state.grad_enabled and not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn(NO_INPUT, UserWarning, stacklevel=1)
        return CheckpointFunction.apply(function, preserve, *args)
    if debug:
        raise Unsupported("checkpoint(debug=True) is not supported")
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    around, again = context_fn()
    if not state.grad_enabled:
        return function(*args, **kwargs)
    stops = early_stop if state.early_stop is None else state.early_stop
    frame = Frame(function, args, kwargs, preserve, again, stops, determinism_check == "default")
    with frame.hooks(), around:
        result = function(*args, **kwargs)
    frame.completed = True
    return result


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints made in the block stop their second forward once all they need is there."""
    before, state.early_stop = state.early_stop, enable
    try:
        yield
    finally:
        state.early_stop = before


def detach_inputs(value: Any) -> Any:
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
        ctx.rng_state = streams.default().state_bytes() if preserve else None
        ctx.tensor_places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.inputs = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*[args[i] for i in ctx.tensor_places])
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if not state.calls[-1].everything():
            raise RuntimeError(IN_GRAD)
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.tensor_places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        fresh = [detach_inputs(a) for a in inputs]
        with replay_random(ctx.rng_state), enable_grad():
            tell_recomputed(ctx)
            outputs = ctx.run_function(*fresh)
        outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=False) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, Tensor) else None for a in fresh))


@contextlib.contextmanager
def replay_random(rng_state: Any) -> Any:
    """The random numbers of the first forward, for the second."""
    if rng_state is None:
        yield
        return
    with streams.fork():
        streams.default().set_state_bytes(rng_state)
        yield


def tell_recomputed(node: Any) -> None:
    session = state.session
    if session is not None:
        session.emit((events.Recomputed, None if node is None else session.node(node)))


class Argument:
    """A tensor argument, kept as a node keeps it: checked against later writes, handed to the hooks that are on."""

    __slots__ = ("kept", "version")

    def __init__(self, tensor: Tensor) -> None:
        hooks = state.saved_hooks[-1] if state.saved_hooks else None
        self.kept: Any = tensor if hooks is None else pack_tensor(tensor, tensor, tensor, hooks)
        self.version = tensor.shared_storage().version

    def unpack(self) -> Tensor:
        """The tensor.

        Raises:
            RuntimeError: it was changed in place since.
        """
        if isinstance(self.kept, Packed):
            return in_place_of(self.kept, self.kept.unpack(self.kept.packed))
        tensor: Tensor = self.kept
        if tensor._version != self.version:
            raise RuntimeError(
                errors.modification(tensor, tensor.grad_fn, tensor._version, self.version, state.anomaly)
            )
        return tensor


class Holder:
    """Stands for a saved tensor; its values, one for each backward call that needs it, are taken out once."""

    __slots__ = ("values", "__weakref__")

    def __init__(self) -> None:
        self.values: dict[object, Tensor | None] = {}


class Frame:
    """The other kind: saved tensors are left out, and filled in by running forward again at the first that is read.

    Each backward call does this once for itself; a slot that is read outside of one, each time. The second forward
    ends as soon as the last saved tensor is there (`stops`). What it saves must be like what was saved at first.
    """

    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, preserve: bool, again: Any, stops: bool, check: bool
    ) -> None:
        self.function, self.kwargs, self.again, self.stops, self.check = function, kwargs, again, stops, check
        self.rng_state = streams.default().state_bytes() if preserve else None
        self.args = [Argument(a) if isinstance(a, Tensor) else a for a in args]
        self.holders: list[weakref.ref[Holder]] = []
        self.facts: list[dict[str, Any]] = []
        self.done: set[object] = set()
        self.completed = False

    def hooks(self) -> saved_tensors_hooks:
        return saved_tensors_hooks(self.pack, self.unpack)

    def pack(self, tensor: Tensor) -> Holder:
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        self.facts.append(facts(tensor))
        return holder

    def unpack(self, holder: Holder) -> Tensor:
        call: object = state.calls[-1] if state.calls else object()
        key = call if not isinstance(call, Call) else call.number
        if key not in self.done:
            self.recompute(key)
            self.done.add(key)
        value = holder.values[key]
        if value is None:
            raise CheckpointError(TWICE)
        holder.values[key] = None
        return value

    def recompute(self, key: object) -> None:
        """Run forward again, and give each holder the tensor that is saved in its place now.

        Raises:
            CheckpointError: other tensors are saved than the first time.
        """
        count, checked = 0, True

        def keep(tensor: Tensor) -> Tensor:
            nonlocal count, checked
            count += 1
            kept: Tensor = tensor.detach() if tensor.requires_grad else tensor
            if count > len(self.holders):
                if self.completed:
                    raise CheckpointError(TOO_MANY + TIP)
                checked = False
                return kept
            holder = self.holders[count - 1]()
            if holder is not None:
                holder.values[key] = kept
            if self.stops and count == len(self.holders):
                raise Stop
            return kept

        args = [a.unpack() if isinstance(a, Argument) else a for a in self.args]
        tell_recomputed(None)
        watched = saved_tensors_hooks(keep, lambda tensor: tensor)
        with contextlib.suppress(Stop), replay_random(self.rng_state), self.again, enable_grad(), watched:
            self.function(*args, **self.kwargs)
        if checked:
            self.compare(key, count)

    def compare(self, key: object, count: int) -> None:
        if count != len(self.holders):
            raise CheckpointError(OTHER_COUNT.format(len(self.holders), count) + TIP)
        lines = ""
        for place, (ref, before) in enumerate(zip(self.holders, self.facts, strict=True)):
            holder = ref()
            value = None if holder is None else holder.values[key]
            if self.check and value is not None and facts(value) != before:
                lines += f"tensor at position {place}:\nsaved metadata: {before}\nrecomputed metadata: {facts(value)}\n"
        if lines:
            raise CheckpointError(OTHER_FACTS.format(lines) + TIP)


def facts(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class Stop(Exception):
    """All that was needed is there."""


def checkpoint_sequential(
    functions: Any, segments: int, input: Tensor, use_reentrant: bool | None = None, **kwargs: Any
) -> Tensor:
    """`functions` one after the other, in `segments` pieces, all but the last of them checkpointed."""
    if use_reentrant is None:
        warnings.warn(NOT_SAID_SEQUENTIAL, UserWarning, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(parts) // segments

    def piece(start: int, end: int) -> Callable[[Tensor], Tensor]:
        def run(value: Tensor) -> Tensor:
            for part in parts[start:end]:
                value = part(value)
            return value

        return run

    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(piece(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return piece(end, len(parts))(input)
