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

from ..batching import custom, innermost
from ..edges import gradient_edge
from ..opaque import opaque
from ..state import state
from ..tensor import Tensor
from ..transforms.levels import transforming, wants_gradient
from .node import FunctionNode
from .outputs import wrap_outputs
from .tangents import tangents_of, with_tangents

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
            return custom.apply(cls, args, level)
        return cls.applied(args, cls.run_forward)

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
    def applied(cls, args: tuple[Any, ...], forward: Callable[..., Any]) -> Any:
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
