"""autograd.Function: a node whose forward and backward a program writes itself.

The context that `forward` gets is the node. It has an edge for each tensor argument, and what `save_for_backward`
keeps is freed and checked like the savings of any operator; what is merely put on the context as an attribute is
neither.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from . import errors, events, tell
from .batching import custom, innermost
from .graph import Node, Wanted, gradient_edge
from .saved import Packed, SavedResult, SavedTensor, pack_slot, save_result, unpack
from .state import state
from .tensor import Tensor, plain

NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    "the setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)
NO_FORWARD = "You must implement the forward function for custom autograd.Function."
DIRTY_NOT_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
INSTANTIATED = (
    "{0} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the "
    "class itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)
LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
    "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
BACKWARD_AND_VJP = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
    "them."
)
NO_VMAP = (
    "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one "
    "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a "
    "view (using "
    ".clone() for example) or make your Function only return one Tensor (potentially splitting it into two "
    "Functions: one doing "
    "the inplace that returns a single Tensor and a second one that does the other operations). You can ask on the "
    "forum "
    "https://discuss.pytorch.org/ if you need help to do this change."
)


OFFERED = [
    "_raw_saved_tensors",
    "dirty_tensors",
    "mark_dirty",
    "mark_non_differentiable",
    "materialize_grads",
    "needs_input_grad",
    "non_differentiable",
    "save_for_backward",
    "save_for_forward",
    "saved_tensors",
    "saved_variables",
    "set_materialize_grads",
    "to_save",
]


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

    save_for_forward = save_for_backward

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
        yield from super().__dir__()
        yield from OFFERED
        yield from self.__dict__

    def __getattr__(self, name: str) -> Any:
        if name == "materialize_grads":
            raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not readable")
        return super().__getattr__(name)

    def check_kept(self) -> None:
        if self.freed:
            raise RuntimeError(errors.SECOND_BACKWARD)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
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


class Function:
    """Base of functions with a forward and a backward of their own; `apply` runs them."""

    node_class: ClassVar[type[FunctionNode] | None] = None
    _backward_cls: ClassVar[type[FunctionNode] | None] = None
    generate_vmap_rule = False
    __module__ = "torch.autograd.function"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(INSTANTIATED.format(type(self)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(LEGACY)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        facts = {"function": cls, "__slots__": (), "__module__": "torch.autograd.function"}
        cls.node_class = cls._backward_cls = type(f"{cls.__name__}Backward", (FunctionNode,), facts)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(NO_FORWARD)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise NotImplementedError(NO_BACKWARD)

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        raise NotImplementedError(NO_JVP)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """What a program may write for vmap: from whole batches and their dimensions to results and theirs."""
        raise NotImplementedError(NO_VMAP)

    @classmethod
    def run_backward(cls, node: FunctionNode, grads: Sequence[Any]) -> Any:
        if cls.vjp is not Function.vjp and cls.backward is not Function.backward:
            raise RuntimeError(BACKWARD_AND_VJP)
        own = cls.vjp if cls.vjp is not Function.vjp else cls.backward
        return own(node, *grads)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` outside the graph and give its outputs one node."""
        for name in kwargs:
            raise TypeError(f"{cls.forward.__name__}() got an unexpected keyword argument '{name}'")
        if cls.node_class is None:
            raise NotImplementedError(NO_FORWARD)
        cls.check_transforms()
        if state.mapped and (level := innermost(args)) is not None:
            return custom.apply(cls, args, level)
        return cls.applied(args, cls.run_forward)

    @classmethod
    def applied(cls, args: tuple[Any, ...], forward: Callable[..., Any]) -> Any:
        """What `forward` gives for a new node and `args`, with that node."""
        assert cls.node_class is not None
        node = cls.node_class()
        tensors = [a for a in args if isinstance(a, Tensor)]
        node.is_tensor = tuple(isinstance(a, Tensor) for a in args)
        node.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        recorded = state.grad_enabled and any(node.needs_input_grad)
        if recorded:
            edges = [gradient_edge(t) for t in tensors]
            node.next, node.nrs = tuple(n for n, _ in edges), tuple(nr for _, nr in edges)
        before, state.grad_enabled = state.grad_enabled, False
        try:
            output = forward(node, args)
        finally:
            state.grad_enabled = before
        many = isinstance(output, tuple)
        outputs = list(output) if many else [output]
        node.outs = tuple(
            (o.data_.shape, o.data_.dtype) if isinstance(o, Tensor) else None  # type: ignore[misc]
            for o in outputs
        )
        wrapped = wrap_outputs(node, outputs, tensors, recorded)
        if recorded:
            node.keep()
        node.to_save = node.dirty_tensors = node.non_differentiable = None
        session = state.session
        if session is not None:
            if recorded:
                session.node_made(node, cls.__name__, tensors)
            for out in wrapped:
                if isinstance(out, Tensor):
                    session.result(out, cls.__name__, tensors)
        return tuple(wrapped) if many else wrapped[0]

    @classmethod
    def check_transforms(cls) -> None:
        """Whether torch.func and vmap can go through this function.

        Raises:
            RuntimeError: it lacks what they need.
        """
        if cls.setup_context is Function.setup_context and any(level is not state.dual for level in state.levels):
            raise RuntimeError(NO_SETUP)
        if state.mapped and not cls.generate_vmap_rule and cls.vmap is Function.vmap:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and "
                "implement the vmap staticmethod or set generate_vmap_rule=True. For more details, please see "
                "https://pytorch.org/docs/main/notes/extending.func.html"
            )

    @classmethod
    def run_forward(cls, node: FunctionNode, args: tuple[Any, ...]) -> Any:
        if cls.setup_context is Function.setup_context:
            return cls.forward(node, *args)
        output = cls.forward(*args)
        cls.setup_context(node, args, output)
        return output


class InplaceFunction(Function):
    """The base that functions written in place once had; `inplace` says whether they are."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


def wrap_outputs(node: FunctionNode, outputs: list[Any], inputs: list[Tensor], recorded: bool) -> list[Any]:
    """Give each output its place: a result of `node`, an input written in place or a view of an untouched one."""
    dirty, constant = node.dirty_tensors or (), node.non_differentiable or ()
    if not all(isinstance(tensor, Tensor) for tensor in dirty):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if not all(isinstance(tensor, Tensor) for tensor in constant):
        raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    node.constant_outs = tuple(nr for nr, out in enumerate(outputs) if isinstance(out, Tensor) and among(out, constant))
    for tensor in dirty:
        tensor.bump()
        if not among(tensor, inputs):
            warnings.warn(DIRTY_NOT_INPUT, UserWarning, stacklevel=4)
        tell.written(tensor, node.function.__name__, ())
    wrapped: list[Any] = []
    for nr, out in enumerate(outputs):
        if isinstance(out, Tensor):
            differentiable = recorded and out.data_.dtype.kind == "f" and not among(out, constant)
            out = place(node, out, nr, among(out, inputs), among(out, dirty), differentiable, len(outputs))
        wrapped.append(out)
    if not all(among(tensor, outputs) for tensor in dirty):
        raise RuntimeError(DIRTY_NOT_RETURNED)
    return wrapped


def among(tensor: Tensor, others: Sequence[Any]) -> bool:
    return any(tensor is other for other in others)


def place(
    node: FunctionNode, out: Tensor, nr: int, is_input: bool, is_dirty: bool, differentiable: bool, outputs: int
) -> Tensor:
    """`out` as the output number `nr` of `node`."""
    from .inplace import rebase_onto, refuse_view
    from .views import alias_view

    if not differentiable:
        if not out.requires_grad:
            return alias_view(out) if is_input and not is_dirty else out
        if is_input:
            return out.detach()  # type: ignore[no-any-return]
        if not out._is_view():
            out.detach_()
        return out
    if is_dirty:
        if out.requires_grad:
            refuse_view(out)
        if out.is_leaf and out.requires_grad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if out._is_view() and outputs > 1:
            raise RuntimeError(DIRTY_VIEW)
        rebase_onto(out, node, nr)
        return out
    if is_input:
        out = alias_view(out)
    out.node, out.output_nr = node, nr
    if out.meta is not None and out.meta.view is not None:
        out.meta.view.version = out.shared_storage().version
        out.meta.view.creation = "custom"
    return out


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
        node = Error([gradient_edge(g) for g in grads if isinstance(g, Tensor)])
        for i, result in enumerate(results):
            if isinstance(result, Tensor):
                results[i] = result = result.detach()
                result.node, result.output_nr = node, i
        node.outs = tuple(
            (r.data_.shape, r.data_.dtype) if isinstance(r, Tensor) else ((), np.dtype(np.float32)) for r in results
        )
        return tuple(results) if many else results[0]

    return once


class Error(Node):
    """The node of what once_differentiable gave: it can only refuse."""

    __slots__ = ()

    def __init__(self, edges: Sequence[tuple[Node | None, int]]) -> None:
        super().__init__(edges)

    def raw(self, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    graph = raw
