"""autograd.Function: a node whose forward and backward a program writes itself.

The context that `forward` gets is the node. It has an edge for each tensor argument, and what `save_for_backward`
keeps is freed and checked like the savings of any operator; what is merely put on the context as an attribute is
neither.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .. import errors
from ..dispatch.inplace import refuse_view
from ..engine.state import state, watch
from ..events import session as tell
from ..functorch.batched_tensor import innermost
from ..functorch.batching_rules import function
from ..functorch.forward_mode import tangent_of
from ..functorch.levels import Level, Source, exit_level, transforming, wants_gradient
from ..graph.copy_slices import rebase_onto
from ..graph.edges import gradient_edge
from ..opaque import opaque
from ..tensor.tensor import Tensor, show_as
from ..tensor.views import alias_view
from .forward_ad import dual_at
from .function_node import FunctionCtx as FunctionCtx
from .function_node import FunctionNode
from .function_node import once_differentiable as once_differentiable

# ---- what outputs become: results, inputs written in place, views


DIRTY_NOT_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
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
            warnings.warn(DIRTY_NOT_INPUT, UserWarning, stacklevel=1)
        tell.emit_write(tensor, node.function.__name__, ())
    wrapped: list[Any] = []
    differentiable = [
        recorded and isinstance(out, Tensor) and out.data_.dtype.kind in "fc" and not among(out, constant)
        for out in outputs
    ]
    for nr, out in enumerate(outputs):
        if isinstance(out, Tensor):
            is_input, is_dirty = among(out, inputs), among(out, dirty)
            out = place(node, out, nr, is_input, is_dirty, differentiable[nr], len(outputs))
            if not (is_input and is_dirty):
                say_made(out, "custom")
        wrapped.append(out)
    if sum(differentiable) > 1:
        for out in wrapped:
            say_made(out, "multi_output")
    if not all(among(tensor, outputs) for tensor in dirty):
        raise RuntimeError(DIRTY_NOT_RETURNED)
    return wrapped


def say_made(out: Any, creation: str) -> None:
    """If `out` is a view, it came to be in this way."""
    if isinstance(out, Tensor) and out.meta is not None and out.meta.view is not None:
        out.meta.view.creation = creation


def among(tensor: Tensor, others: Sequence[Any]) -> bool:
    return any(tensor is other for other in others)


def place(
    node: FunctionNode, out: Tensor, nr: int, is_input: bool, is_dirty: bool, differentiable: bool, outputs: int
) -> Tensor:
    """`out` as the output number `nr` of `node`."""
    if not differentiable:
        if not (wants_gradient(out) if state.levels else out.requires_grad):
            return alias_view(out) if is_input and not is_dirty else out
        if is_input:
            return out.detach()
        if not out._is_view():
            out.detach_()
        return out
    if is_dirty:
        if out.requires_grad:
            refuse_view(out)
        if out.node is None and out.requires_grad:  # a view's grad_fn is not made anew here: `node` is the last of it
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if out.requires_grad and out._base is not None and out._base.is_leaf:
            raise RuntimeError(errors.VIEW_OF_LEAF_IN_PLACE)
        if out._is_view() and outputs > 1:
            raise RuntimeError(DIRTY_VIEW)
        rebase_onto(out, node, nr)
        return out
    if is_input:
        out = alias_view(out)
    watch(out.node)
    out.node, out.output_nr = node, nr
    if out.meta is not None and out.meta.view is not None:
        out.meta.view.version = out.shared_storage().version
    return out


# ---- forward mode: `jvp` runs as soon as `forward` has
#
# What comes out leaves the graph of the level and enters it again with the tangent that `jvp` gave: for that level,
# nothing lies behind it.


REPLACED = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
NO_VIEW = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
OTHER_VIEW = "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
OTHER_BASE = (
    "A custom Function is returning a view but the jvp is not returning a view of the same base as the given grad "
    "input."
)
NEEDLESS = (
    "Function's jvp returned a gradient at position {}, but  the corresponding forward output is not a differentiable "
    "Tensor.You should return None at that position instead."
)
Tangents = Sequence[tuple[Level, list[Tensor | None]]]
"""The forward levels at which an argument is dual, with the tangents of all of them."""


def tangents_of(args: Sequence[Any], levels: Sequence[Level]) -> Tangents:
    """The tangents of `args`, to be asked for before what is written in place gets its new history."""
    found = [(level, [tangent_of(a, level) if isinstance(a, Tensor) else None for a in args]) for level in levels]
    return [(level, along) for level, along in found if any(tangent is not None for tangent in along)]


def with_tangents(node: FunctionNode, args: Sequence[Any], outputs: list[Any], found: Tangents) -> list[Any]:
    """The outputs of `node`, dual at each of the forward levels at which one of `args` is."""
    for level, tangents_in in found:
        along = [None if t is None else exit_level(t, level) for t in tangents_in]
        if node.materialize:
            along = [zeros(a) if t is None and floating(a) else t for a, t in zip(args, along, strict=True)]
        kept = node.saved_for_forward or ()
        node.saved_for_forward = tuple(t if t is None else exit_level(t, level) for t in kept) if kept else None
        given = node.function.jvp(node, *along)
        tangents = given if isinstance(given, tuple) else (given,)
        if len(tangents) != len(outputs):
            raise RuntimeError(
                f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} but got "
                f"{len(tangents)})"
            )
        refuse_needless(node, outputs, tangents)
        pairs = enumerate(zip(outputs, tangents, strict=True))
        refuse_replaced(outputs, tangents, args, along)
        outputs = [dual(out, t, nr, args, along, level) if gets(out, t) else out for nr, (out, t) in pairs]
    return outputs


def gets(out: Any, tangent: Any) -> bool:
    """Whether `out` becomes dual: what is no tensor does not, whatever `jvp` gives for it."""
    return tangent is not None and isinstance(out, Tensor)


def refuse_needless(node: FunctionNode, outputs: Sequence[Any], tangents: Sequence[Any]) -> None:
    """Refuse a tangent for an output of `node` that has no derivative.

    Raises:
        RuntimeError: there is one.
    """
    for nr, (out, tangent) in enumerate(zip(outputs, tangents, strict=True)):
        if gets(out, tangent) and (nr in node.constant_outs or not floating(out)):
            raise RuntimeError(NEEDLESS.format(nr))


def floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.data_.dtype.kind in "fc"


def refuse_replaced(outputs: Sequence[Any], tangents: Sequence[Any], args: Sequence[Any], along: Sequence[Any]) -> None:
    """Refuse another tangent for an argument that comes out again than the one it went in with.

    Raises:
        RuntimeError: there is one.
    """
    for out, tangent in zip(outputs, tangents, strict=True):
        for given, own in zip(args, along, strict=True):
            if out is given and own is not None and isinstance(tangent, Tensor) and tangent is not own:
                raise RuntimeError(REPLACED)


def zeros(like: Tensor) -> Tensor:
    return like.detach() * 0


def dual(out: Tensor, tangent: Any, nr: int, args: Sequence[Any], along: Sequence[Any], level: Level) -> Tensor:
    """The output number `nr` with its tangent at `level`.

    Raises:
        RuntimeError: `tangent` is none for it.
    """
    if not isinstance(tangent, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {nr}.")
    memory = out.shared_storage()
    shown = [(a, t) for a, t in zip(args, along, strict=True) if isinstance(a, Tensor) and a.shared_storage() is memory]
    written = any(out is a for a, _ in shown)
    if not written:
        refuse_other_views(tangent, shown)
    made = dual_at(level, exit_level(out, level) if out.node is not None else bare(out), tangent, Result)
    if not written:
        return made
    out.node, out.output_nr = made.node, made.output_nr
    return out


def refuse_other_views(tangent: Tensor, shown: Sequence[tuple[Tensor, Tensor | None]]) -> None:
    """Refuse the tangent of a view of the arguments `shown` that is not such a view of their tangents.

    Raises:
        RuntimeError: it is not.
    """
    if shown and not tangent._is_view():
        raise RuntimeError(NO_VIEW)
    for given, own in shown:
        if own is not None and tangent.shared_storage() is not own.shared_storage():
            raise RuntimeError(OTHER_BASE if given._is_view() else OTHER_VIEW)


def bare(out: Tensor) -> Tensor:
    """`out` without what it is a view of: no graph leads to it."""
    made = show_as(out, out.array())
    made.storage_ = out.shared_storage()
    return made


class Result(Source):
    """Where the graph of a level begins again behind a Function."""

    __slots__ = ()

    def type_name(self) -> str:
        return "Identity" if self.next[0] is None else self.next[0].type_name()


# ---- the function


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
NO_RULE = (
    "You tried to vmap over {0}, but it does not have vmap support. Please override and implement the vmap "
    "staticmethod or set generate_vmap_rule=True. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)
TWO_RULES = (
    "You tried to vmap over {0}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. Please "
    "set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. For more details, "
    "please see https://pytorch.org/docs/main/notes/extending.func.html"
)
NO_VMAP = (
    "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."


@opaque
class Function:
    """Base of functions with a forward and a backward of their own; `apply` runs them."""

    node_class: ClassVar[type[FunctionNode] | None] = None
    node_class_transformed: ClassVar[type[FunctionNode]]
    """The same, where the function is called by one that torch.func transforms: torch makes another class for that."""

    _backward_cls: ClassVar[type[FunctionNode] | None] = None
    generate_vmap_rule = False
    __module__ = "torch.autograd.function"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(INSTANTIATED.format(type(self)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(LEGACY)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.node_class = cls._backward_cls = cls.node_named(f"{cls.__name__}Backward")
        cls.node_class_transformed = cls.node_named(f"{cls.__name__}GeneratedBackward")

    @classmethod
    def node_named(cls, name: str) -> type[FunctionNode]:
        return type(name, (FunctionNode,), {"function": cls, "__slots__": (), "__module__": "torch.autograd.function"})

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
        if cls.setup_context is not Function.setup_context:
            args = with_defaults(cls.forward, args, kwargs)
        elif kwargs:
            args = cls.in_order(args, kwargs)
        if cls.node_class is None:
            raise NotImplementedError(NO_FORWARD)
        cls.check_transforms()
        if state.mapped and (level := innermost(args)) is not None:
            return function.apply(cls, Function, args, level)
        return cls.apply_forward(args, cls.run_forward)

    @classmethod
    def in_order(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments of a call with names, as a `forward` that gets the context takes them one after the other.

        Raises:
            TypeError: they do not fit it.
        """
        known = [p for p in inspect.signature(cls.forward).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        names = [p.name for p in known][1:]
        title = f"{cls.forward.__name__}() "
        for name in kwargs:
            if name not in names:
                raise TypeError(f"{title}got an unexpected keyword argument '{name}'")
            if names.index(name) < len(args):
                raise TypeError(f"{title}got multiple values for argument '{name}'")
        given = list(args)
        defaults = {p.name: p.default for p in known if p.default is not p.empty} | kwargs
        for place, name in enumerate(names[len(args) :], len(args)):
            if name not in defaults:
                raise TypeError(f"{title}missing required argument: '{name}' (position {place})")
            given.append(defaults[name])
        return tuple(given)

    @classmethod
    def apply_forward(cls, args: tuple[Any, ...], forward: Callable[..., Any]) -> Any:
        """What `forward` gives for a new node and `args`, with that node."""
        assert cls.node_class is not None
        node = cls.node_class_transformed() if transforming() else cls.node_class()
        tensors = [a for a in args if isinstance(a, Tensor)]
        node.is_tensor = tuple(isinstance(a, Tensor) for a in args)
        forward_mode = [level for level in state.levels if level.forward]
        node.needs_input_grad = tuple(
            isinstance(a, Tensor) and (wants_gradient(a) if forward_mode else a.requires_grad) for a in args
        )
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
        along = tangents_of(args, forward_mode) if forward_mode else ()
        wrapped = wrap_outputs(node, outputs, tensors, recorded)
        if along:
            wrapped = with_tangents(node, args, wrapped, along)
        if recorded:
            node.keep()
        node.to_save = node.saved_for_forward = node.dirty_tensors = node.non_differentiable = None
        session = state.session
        if session is not None:
            if recorded and any(node.outs):
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
        if cls.setup_context is Function.setup_context and (state.mapped or transforming()):
            raise RuntimeError(NO_SETUP)
        own = cls.vmap is not Function.vmap
        if state.mapped and bool(cls.generate_vmap_rule) is own:
            raise RuntimeError((TWO_RULES if own else NO_RULE).format(cls.__name__))

    @classmethod
    def run_forward(cls, node: FunctionNode, args: tuple[Any, ...]) -> Any:
        if cls.setup_context is Function.setup_context:
            return cls.forward(node, *args)
        output = cls.forward(*args)
        cls.setup_context(node, args, output)
        return output


def with_defaults(forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call, as a `forward` without the context takes them one after the other, to the last default.

    Raises:
        TypeError: they do not fit it.
    """
    call = inspect.signature(forward).bind(*args, **kwargs)
    call.apply_defaults()
    return call.args


class InplaceFunction(Function):
    """The base that functions written in place once had; `inplace` says whether they are."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


BackwardCFunction = FunctionNode
FunctionMeta = type(Function)
