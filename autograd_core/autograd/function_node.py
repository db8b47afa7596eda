"""The node of a function that a program writes itself, which is the context that `forward` and `backward` get."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import errors, events
from ..engine.state import state
from ..events import session as tell
from ..graph.edges import NOWHERE, gradient_edge
from ..graph.introspection import SHOWN, SPECIAL
from ..graph.node import Node, Wanted
from ..graph.saved_tensor import Packed, SavedResult, SavedTensor, pack_slot, save_result, unpack
from ..tensor.tensor import Tensor, plain

if TYPE_CHECKING:
    from .function import Function


OFFERED = """
    __dict__ __module__ __weakref__ _autograd_function_id _compiled_autograd_backward_state _compiled_autograd_key
    _forward_cls _get_compiled_autograd_symints _get_user_fn _is_pure_view _raw_saved_tensors _register_hook apply
    apply_boxed apply_jvp dirty_tensors mark_dirty mark_non_differentiable mark_shared_storage materialize_grads
    maybe_clear_saved_tensors needs_input_grad non_differentiable save_for_backward save_for_forward saved_for_forward
    saved_tensors saved_variables set_materialize_grads to_save
""".split()
KEPT = frozenset(("op_name", "saved_list", "versions", "materialize", "constant_outs", "is_tensor"))
"""What the node keeps for itself beside what the program puts on its context."""


class FunctionCtx:
    """What `forward` and `backward` get as `ctx`: the node itself. The name is for isinstance."""

    __slots__ = ()
    __module__ = "torch.autograd.function"


class FunctionNode(FunctionCtx, Node):
    """The node of one `apply`, and the context handed to `forward` and `backward`."""

    __slots__ = ("__dict__",)
    function: ClassVar[type[Function]]
    runs_on_nothing = True

    saved_list: list[Any]
    versions: list[int | None]

    def __init__(self) -> None:
        super().__init__()
        self.op_name = self.function.__name__
        self.saved_list, self.versions = [], []
        self.to_save: tuple[Any, ...] | None = None
        self.saved_for_forward: tuple[Any, ...] | None = None
        self.dirty_tensors: tuple[Any, ...] | None = None
        self.non_differentiable: tuple[Any, ...] | None = None
        self.materialize = True
        self._materialize_non_diff_grads = True
        self.constant_outs: tuple[int, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = ()
        self.is_tensor: tuple[bool, ...] = ()

    # ---- what a program calls

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep `tensors` (or None) for backward, as an operator keeps its inputs."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep `tensors` (or None) for jvp, which runs right after `forward`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say that `forward` wrote these inputs in place."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that these outputs get no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros, rather than None, for outputs that got no gradient."""
        self.materialize = value

    def __dir__(self) -> Iterator[str]:
        yield from {*SPECIAL, *SHOWN, *OFFERED, *self.__dict__} - KEPT

    def __getattr__(self, name: str) -> Any:
        if name == "materialize_grads":
            raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not readable")
        raise AttributeError(f"'{self.type_name()}' object has no attribute '{name}'")

    def check_kept(self) -> None:
        if self.freed:
            raise RuntimeError(errors.SECOND_BACKWARD)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        if self.saved_for_forward is not None:
            return self.saved_for_forward
        self.check_kept()
        named = zip(self.saved_list, self.versions, strict=True)
        return tuple(unpack(self, f"saved_tensors[{i}]", kept, v) for i, (kept, v) in enumerate(named))

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        self.check_kept()
        return tuple(SavedTensor(self, f"saved_tensors[{i}]") for i in range(len(self.saved_list)))

    def kept_in(self, slot: str) -> Any:
        return self.saved_list[place_of(slot)]

    def version_in(self, slot: str) -> Any:
        return self.versions[place_of(slot)]

    def keep_in(self, slot: str, index: int | None, kept: Any) -> None:
        self.saved_list[place_of(slot)] = kept

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    # ---- what the engine asks

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        given = tuple(None if g is None else plain(g) for g in grads)
        results = self.graph(given, wanted)
        self.versions_given = {id(g.data_): g._version for g in results if g is not None and g._version}
        return [None if g is None else g.data_ for g in results]

    def handed_on(self) -> dict[int, int]:
        given: dict[int, int] = self.__dict__.pop("versions_given", {})
        return given

    def graph(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        if self.materialize:
            left_out = self.constant_outs if not self._materialize_non_diff_grads else ()
            pairs = enumerate(zip(grads, self.outs, strict=True))
            grads = [zeros(*out) if g is None and out and nr not in left_out else g for nr, (g, out) in pairs]
        got = self.function.run_backward(self, grads)
        returned = list(got) if isinstance(got, tuple) else [got]
        expected = len(self.is_tensor)
        while len(returned) > expected and returned[-1] is None:
            returned.pop()
        if len(returned) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(returned)})"
            )
        chosen = []
        for i, (grad, is_tensor) in enumerate(zip(returned, self.is_tensor, strict=True)):
            if not is_tensor:
                if grad is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {i + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
                continue
            if grad is not None and not isinstance(grad, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
            chosen.append(grad)
        return chosen

    def release(self) -> None:
        self.freed = True
        self.saved_list = []

    def keeps(self) -> list[str]:
        return [f"saved_tensors[{i}]" for i, kept in enumerate(self.saved_list) if kept is not None]

    def saved_nbytes(self, slot: str) -> int:
        kept = self.saved_list[place_of(slot)]
        return 0 if isinstance(kept, Packed) else tell.nbytes(kept.data_)

    def saved_flights(self, session: tell.Session, number: int | None = None) -> Any:
        number = session.node(self) if number is None else number
        for i, kept in enumerate(self.saved_list):
            slot = f"saved_tensors[{i}]"
            if isinstance(kept, Packed):
                yield (events.SavedPacked, number, slot)
            elif kept is not None:
                tensor = None if isinstance(kept, SavedResult) else session.tensor(kept)
                storage = kept.shared_storage()
                shown = events.snapshot(kept.data_)
                at = session.storage(storage)
                nbytes = tell.nbytes(kept.data_)
                yield (events.TensorSaved, number, slot, tensor, at, storage.version, nbytes, shown)

    # ---- after forward

    def keep(self) -> None:
        """Save what `save_for_backward` named; an output of this very node by its parts."""
        for i, tensor in enumerate(self.to_save or ()):
            kept: Any = None
            if tensor is None:
                pass
            elif isinstance(tensor, Tensor):
                kept = save_result(tensor) if tensor.node is self else tensor
            else:
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type {type(tensor).__name__}"
                )
            version = None if kept is None else tensor.shared_storage().version
            if kept is not None and state.saved_hooks:
                kept = pack_slot(self, kept, state.saved_hooks[-1])
            self.saved_list.append(kept)
            self.versions.append(version)
        self.to_save = None


def place_of(slot: str) -> int:
    """The i of `saved_tensors[i]`."""
    return int(slot[len("saved_tensors[") : -1])


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
    return plain(np.zeros(shape, dtype)[()])


for _name in "save_for_backward save_for_forward mark_dirty mark_non_differentiable set_materialize_grads".split():
    getattr(FunctionNode, _name).__qualname__ = f"FunctionCtx.{_name}"


# ---- a backward that is marked as not to be differentiated, and the node that says so


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """A backward that is not to be differentiated: it runs outside the graph, and differentiating its result raises."""

    @functools.wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        before, state.grad_enabled = state.grad_enabled, False
        try:
            got = backward(ctx, *grads)
        finally:
            state.grad_enabled = before
        if not before or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return got
        many = isinstance(got, tuple | list)
        results = list(got) if many else [got]
        leaves = [r.detach().requires_grad_() if isinstance(r, Tensor) else None for r in results]
        node = Error([NOWHERE if leaf is None else gradient_edge(leaf) for leaf in leaves])
        for i, result in enumerate(results):
            if isinstance(result, Tensor):
                results[i] = result = result.detach()
                result.node, result.output_nr = node, i
        node.outs = tuple(
            (r.data_.shape, r.data_.dtype) if isinstance(r, Tensor) else ((), np.dtype(np.float32)) for r in results
        )
        return tuple(results) if many else results[0]

    return once


def refusing(tensors: Sequence[Tensor], text: str) -> list[Tensor]:
    """`tensors` over the same memory, below one node that says `text` when it is differentiated."""
    held: list[Tensor] = [tensor.detach() for tensor in tensors]
    if any(tensor.requires_grad for tensor in tensors):
        node = Error([gradient_edge(tensor) for tensor in tensors], text)
        node.outs = tuple((tensor.data_.shape, tensor.data_.dtype) for tensor in tensors)
        for i, tensor in enumerate(held):
            tensor.node, tensor.output_nr = node, i
    return held


MARKED = "trying to differentiate twice a function that was marked with @once_differentiable"


class Error(Node):
    """The node of what can be computed, but not be differentiated: it can only refuse."""

    __slots__ = ("text",)
    text: str

    def __init__(self, edges: Sequence[tuple[Node | None, int]], text: str = MARKED) -> None:
        super().__init__(edges)
        self.text = text

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        raise RuntimeError(self.text)

    graph = raw
