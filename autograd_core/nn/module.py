"""Module: a tree of named parameters, buffers and submodules, and the call that runs it.

What it can do is told by idea: `attributes` (what is assigned to it, and what is below it), `state_dict` (how it is
stored); here are the call with its hooks, its types and how it prints.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

from ..api.functions.arguments import cast
from ..api.functions.creation import check_device, empty_like
from ..autograd.function import Function
from ..dispatch.schema.guard import signatures_of
from ..dispatch.schema.parser import read
from ..engine.grad_mode import no_grad
from ..engine.state import state, visit
from ..engine.warnings import warn
from ..graph.node import Handle, Node
from ..namespace.module_names import LAYERS
from ..namespace.type_names import name_methods, own_method
from ..opaque import opaque
from ..ordered_dict import OrderedDict
from ..tensor.dtypes import FLOATING, NAMES, dtype, resolve_dtype
from ..tensor.tensor import Tensor
from .attributes import Attributes, Tree
from .global_hooks import on_all_modules
from .state_dict import Stored

# ---- the call, and the hooks around it: before and after forward, and on the gradients that come back


Hook = Callable[..., Any]

AROUND = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
"""The tables of the hooks that run around a call; programs may put hooks into them by themselves."""

BOTH_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
)
NO_INPUT_GRAD = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)


def _forward_unimplemented(self: Calling, *input: Any) -> Any:
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Calling(Attributes):
    """A module as something that is called."""

    _backward_hooks: OrderedDict[int, Hook]
    _backward_pre_hooks: OrderedDict[int, Hook]
    _forward_hooks: OrderedDict[int, Hook]
    _forward_pre_hooks: OrderedDict[int, Hook]
    _forward_hooks_with_kwargs: OrderedDict[int, Hook]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, Hook]
    _forward_hooks_always_called: OrderedDict[int, Hook]

    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **options: Any) -> Any:
        try:
            alone = not any(self.__dict__[kind] for kind in AROUND)
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '_backward_hooks'") from None
        if alone and not on_all_modules().around_calls():
            return self.forward(*args, **options)
        call = HookedCall(self, args, options)
        try:
            return call.run()
        except Exception:
            call.finish()
            raise

    def register_forward_pre_hook(self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False) -> Handle:
        """`hook(module, args)`, or `hook(module, args, kwargs)`, runs before `forward` and may change what it gets."""
        return register_hook(hook, self._forward_pre_hooks, prepend, (self._forward_pre_hooks_with_kwargs, with_kwargs))

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> Handle:
        """`hook(module, args, output)`, or with kwargs, runs after `forward` and may return another output."""
        marks = ((self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call))
        return register_hook(hook, self._forward_hooks, prepend, *marks)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """`hook(module, grad_output)` runs before the gradients go into the module and may change them."""
        return register_hook(hook, self._backward_pre_hooks, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """`hook(module, grad_input, grad_output)` runs when the gradients of the inputs are there."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(BOTH_KINDS)
        self._is_full_backward_hook = True
        return register_hook(hook, self._backward_hooks, prepend)

    def register_backward_hook(self, hook: Hook) -> Handle:
        """The older kind: a hook on the last node that `forward` made."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(BOTH_KINDS)
        self._is_full_backward_hook = False
        return register_hook(hook, self._backward_hooks, False)


def register_hook(
    hook: Hook, hooks: OrderedDict[int, Hook], prepend: bool, *marks: tuple[OrderedDict[int, Hook], bool]
) -> Handle:
    """Put `hook` among the others, first if `prepend`, and mark it as of some kind."""
    handle = Handle(hooks, hook, *(marked for marked, wanted in marks if wanted))
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def hooks_in(table: OrderedDict[int, Hook]) -> dict[int, Hook]:
    """The hooks of a table, as they are called."""
    convert = state.as_callable
    if convert is None:
        return dict(table)
    return {key: hook if callable(hook) else convert(hook) for key, hook in table.items()}


class HookedCall:
    """One call of a module that has hooks, or all have some: those of all go first."""

    def __init__(self, module: Any, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.module, self.args, self.options = module, args, options
        self.all = on_all_modules()
        self.result: Any = None
        self.called: set[int] = set()

    def backward_hooks(self, full: bool) -> list[Hook]:
        """Those of one kind."""
        own = hooks_in(self.module._backward_hooks)
        kinds = ((self.all.full, self.all.backward), (self.module._is_full_backward_hook, own))
        return [hook for kind, hooks in kinds if kind is full for hook in hooks.values()]

    def run(self) -> Any:
        module = self.module
        full = self.backward_hooks(True)
        older = self.backward_hooks(False)
        first = [*self.all.backward_pre.values(), *hooks_in(module._backward_pre_hooks).values()]
        for key, hook in [*self.all.forward_pre.items(), *hooks_in(module._forward_pre_hooks).items()]:
            self.before(key, hook)
        passage = Passage(module, full, first) if full or first else None
        if passage is not None:
            self.args = passage.enter(self.args)
        self.result = module.forward(*self.args, **self.options)
        for key, hook in [*self.all.forward.items(), *hooks_in(module._forward_hooks).items()]:
            self.after(key, hook)
        if passage is not None:
            self.result = passage.leave(self.result)
        if older:
            older_hooks(module, older, self.args, self.result)
        return self.result

    def before(self, key: int, hook: Hook) -> None:
        module = self.module
        if key not in module._forward_pre_hooks_with_kwargs:
            changed = hook(module, self.args)
            if changed is not None:
                self.args = changed if isinstance(changed, tuple) else (changed,)
            return
        changed = hook(module, self.args, self.options)
        if changed is None:
            return
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
            )
        self.args, self.options = changed

    def after(self, key: int, hook: Hook) -> None:
        self.called.add(key)
        with_kwargs = key in self.module._forward_hooks_with_kwargs or key in self.all.with_kwargs
        named = (self.options,) if with_kwargs else ()
        changed = hook(self.module, self.args, *named, self.result)
        if changed is not None:
            self.result = changed

    def finish(self) -> None:
        """After an error: the hooks that are always called."""
        own = hooks_in(self.module._forward_hooks), self.module._forward_hooks_always_called, "module"
        for hooks, always, whose in ((self.all.forward, self.all.always_called, "global module"), own):
            for key, hook in list(hooks.items()):
                if key in always and key not in self.called:
                    self.silently(key, hook, whose)

    def silently(self, key: int, hook: Hook, whose: str) -> None:
        try:
            self.after(key, hook)
        except Exception as error:
            warnings.warn(
                f"{whose} forward hook with ``always_call=True`` raised an exception that was silenced as "
                f"another error was raised in forward: {error!s}",
                stacklevel=1,
            )


# ---- full backward hooks


class BackwardHookFunction(Function):
    """Hands its arguments on, as views, so that a node stands where a module begins or ends."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*(arg for arg in args if not arg.requires_grad))
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class Passage:
    """The way of gradients through one call of a module: in at the node of its outputs, out at that of its inputs."""

    def __init__(self, module: Any, hooks: Sequence[Hook], first: Sequence[Hook]) -> None:
        self.module, self.hooks, self.first = module, hooks, first
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs = self.outputs = 0
        self.input_places: list[int] | None = None
        self.output_places: list[int] | None = None

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.inputs = len(args)
        args, self.input_places = self.node_on(args, self.hook)
        return args

    def leave(self, result: Any) -> Any:
        if not isinstance(result, Tensor | tuple):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=1,
            )
        results = result if isinstance(result, tuple) else (result,)
        self.outputs = len(results)
        results, self.output_places = self.node_on(results, self.came)
        return results if isinstance(result, tuple) else results[0]

    def node_on(self, args: tuple[Any, ...], hook: Hook) -> tuple[tuple[Any, ...], list[int] | None]:
        """`args` with a node on their tensors that calls `hook`, and the places of these; none if none needs a grad."""
        places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        if not (state.grad_enabled and any(args[i].requires_grad for i in places)):
            return args, None
        passed = dict(zip(places, BackwardHookFunction.apply(*(args[i] for i in places)), strict=True))
        node: Node = next(t.grad_fn for t in passed.values() if t.grad_fn is not None)
        node.register_hook(hook)
        given = [passed.get(i, arg) for i, arg in enumerate(args)]
        return (tuple(given) if type(args) is tuple else type(args)(*given)), places

    def came(self, _: Any, grads: Sequence[Any]) -> Any:
        """The gradients of the outputs are there."""
        assert self.output_places is not None
        outputs = self.grad_outputs = spread(self.output_places, grads, self.outputs)
        for hook in self.first:
            changed = hook(self.module, outputs)
            if changed is not None:
                if len(changed) != len(outputs):
                    raise RuntimeError(
                        "Backward pre hook returned an invalid number of grad_output, "
                        f"got {len(changed)}, but expected {len(outputs)}"
                    )
                outputs = self.grad_outputs = changed
        if self.input_places is None:
            self.nothing_further(outputs)
        return tuple(outputs[i] for i in self.output_places)

    def nothing_further(self, outputs: tuple[Any, ...]) -> None:
        """No input needs a gradient: the hooks run now."""
        warn(NO_INPUT_GRAD)
        for hook in self.hooks:
            got = hook(self.module, (None,) * self.inputs, outputs)
            if got is not None and not (isinstance(got, tuple) and all(part is None for part in got)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def hook(self, grads: Sequence[Any], _: Any) -> Any:
        """The gradients of the inputs are there; errors tell of it by this name, as those of torch do."""
        if self.grad_outputs is None:  # they came past the outputs, as in a double backward
            return None
        assert self.input_places is not None
        inputs = spread(self.input_places, grads, self.inputs)
        for hook in self.hooks:
            changed = hook(self.module, inputs, self.grad_outputs)
            if changed is not None:
                if len(changed) != len(inputs):
                    raise RuntimeError(
                        "Backward hook returned an invalid number of grad_input, "
                        f"got {len(changed)}, but expected {len(inputs)}"
                    )
                inputs = changed
        self.grad_outputs = None
        return tuple(inputs[i] for i in self.input_places)


def spread(places: Iterable[int], values: Sequence[Any], count: int) -> tuple[Any, ...]:
    """`values` at their places among `count`, None elsewhere."""
    there = dict(zip(places, values, strict=True))
    return tuple(there.get(i) for i in range(count))


# ---- the older kind


def older_hooks(module: Any, hooks: Iterable[Hook], args: Any, result: Any) -> None:
    """Hooks on the node of the result, with torch's word where that is not the whole module."""
    some = result
    while not isinstance(some, Tensor):
        some = next(v for v in some.values() if isinstance(v, Tensor)) if isinstance(some, dict) else some[0]
    node = some.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(partial(hook, module))
    trouble = older_trouble(args, result, node)
    if trouble is not None:
        warnings.warn(trouble, FutureWarning, stacklevel=1)


def older_trouble(args: Any, result: Any, node: Node) -> str | None:
    results = (result,) if isinstance(result, Tensor) else result
    if not (isinstance(results, tuple) and all(isinstance(part, Tensor) for part in results)):
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors is "
            f"deprecated {MISSING_OUTPUT}"
        )
    if not (isinstance(args, tuple) and all(isinstance(part, Tensor) for part in args)):
        return (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of "
            f"Tensors is deprecated {MISSING_INPUT}"
        )
    makers = {part.grad_fn for part in results if part.grad_fn is not None}
    if not makers or (len(makers) == 1 and node not in makers):
        return (
            "Using a non-full backward hook when outputs are nested in python data structure is deprecated and will be "
            "removed in future versions. This hook will be missing some grad_output."
        )
    if len(makers) > 1:
        return (
            "Using a non-full backward hook when outputs are generated by different autograd Nodes is deprecated "
            + MISSING_OUTPUT
        )
    if {part.grad_fn for part in args if part.grad_fn is not None} != {below for below, _ in node.next_functions}:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated "
            + MISSING_INPUT.replace("some of the", "some")
        )
    return None


MISSING_OUTPUT = (
    "and will be removed in future versions. This hook will be missing some of the grad_output. Please use "
    "register_full_backward_hook to get the documented behavior."
)
MISSING_INPUT = MISSING_OUTPUT.replace("grad_output", "grad_input")


# ---- types and printing


WAYS_TO_CONVERT = signatures_of("Tensor", "to")


@opaque
class Module(Calling, Stored):
    """The base of every network: assign parameters, buffers and modules to attributes, and write `forward`."""

    dump_patches: bool = False
    call_super_init: bool = False

    _modules: dict[str, Module | None]

    # ---- element types

    def to(self, *args: Any, **options: Any) -> Self:
        """Changes the type of floating parameters and buffers, and the memory format of images and volumes among them;
        the only device is the cpu.
        """
        _, given = read(WAYS_TO_CONVERT, args, options)
        like = given.get("tensor")
        kind = resolve_dtype(given.get("dtype") if like is None else getattr(like, "dtype", type(like)))
        check_device(given.get("device"))
        if kind is not None and kind.category < FLOATING:
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={kind}")
        memory_format = given.get("memory_format")
        return self if kind is memory_format is None else self._convert(kind, memory_format)

    def _convert(self, kind: dtype | None, memory_format: str | None = None) -> Self:
        def converted(tensor: Tensor) -> Tensor:
            kept = tensor.data_.dtype.kind != "f"
            with_channels = tensor.data_.ndim in (4, 5)
            return cast(tensor, None if kept else kind, memory_format if with_channels else None)

        return self._apply(converted)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Puts `fn(t)` in the place of every parameter, gradient and buffer `t`; a parameter stays the same object."""
        if recurse:
            visit()
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with no_grad():
                changed = fn(parameter)
            grad = parameter.grad
            if changed is not parameter:
                parameter.data = changed
            if grad is not None:
                with no_grad():
                    turned = fn(grad)
                if turned is not grad:
                    grad.data = turned
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def type(self, dst_type: dtype) -> Self:
        return self._apply(lambda t: t.to(dst_type))

    def float(self) -> Self:
        return self._convert(NAMES["float32"])

    def double(self) -> Self:
        return self._convert(NAMES["float64"])

    def half(self) -> Self:
        return self._convert(NAMES["float16"])

    def bfloat16(self) -> Self:
        return self._convert(NAMES["bfloat16"])

    def cpu(self) -> Self:
        return self

    def cuda(self, device: Any = None) -> Self:
        check_device("cuda")
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        check_device(device)
        return self._apply(empty_like, recurse)

    def share_memory(self) -> Self:
        return self

    # ---- printing

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What is shown between the brackets before the submodules."""
        return ""

    def __repr__(self) -> str:
        visit()
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {indent(repr(module))}" for name, module in self._modules.items()]
        if not extra and not children:
            return f"{self._get_name()}()"
        if len(extra) == 1 and not children:
            return f"{self._get_name()}({extra[0]})"
        body = "\n  ".join(extra + children)
        return f"{self._get_name()}(\n  {body}\n)"


name_methods("Module", Attributes, Tree, Calling, Stored)


def indent(text: str) -> str:
    """`text` with all lines but the first moved in by two."""
    return text.replace("\n", "\n  ")


# ---- whose `forward`, `__init__` and `reset_parameters` a layer has: Python names the class where a call does not fit


FORWARDS = {
    "_BatchNorm": "BatchNorm1d BatchNorm2d BatchNorm3d",
    "_InstanceNorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "_CircularPadNd": "CircularPad1d CircularPad2d CircularPad3d",
    "_ConstantPadNd": "ConstantPad1d ConstantPad2d ConstantPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "_ReflectionPadNd": "ReflectionPad1d ReflectionPad2d",
    "_ReplicationPadNd": "ReplicationPad1d ReplicationPad2d",
    "Hardtanh": "ReLU6",
    "Upsample": "UpsamplingBilinear2d UpsamplingNearest2d",
}
"""The classes whose `forward` others have in torch; any other layer has its own."""

INITS = {
    "_AdaptiveAvgPoolNd": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
    "_AdaptiveMaxPoolNd": "AdaptiveMaxPool1d AdaptiveMaxPool2d",
    "_BatchNorm": "BatchNorm1d BatchNorm2d BatchNorm3d",
    "_DropoutNd": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "_InstanceNorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "_LPPoolNd": "LPPool1d LPPool2d",
    "_LazyNormBase": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
    "LazyInstanceNorm3d",
    "_Loss": "L1Loss MSELoss MultiLabelMarginLoss SoftMarginLoss",
    "_MaxPoolNd": "MaxPool1d MaxPool2d MaxPool3d",
    "_WeightedLoss": "BCELoss MultiLabelSoftMarginLoss",
}
"""The same of `__init__`."""

RESETS = {
    "RNNBase": "GRU LSTM RNN",
    "RNNCellBase": "GRUCell LSTMCell RNNCell",
    "_ConvNd": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "_LazyConvXdMixin": "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
    "_LazyNormBase": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
    "LazyInstanceNorm3d",
    "_NormBase": "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d",
}
"""The same of `reset_parameters`, where a layer has it."""


def owners(shared: dict[str, str]) -> dict[str, str]:
    """The class of each layer whose method is not its own."""
    return {layer: owner for owner, layers in shared.items() for layer in layers.split()}


INIT_OWNER = owners(INITS)


def name_methods_of_layers(classes: dict[str, Any]) -> None:
    """Name the `forward`, `__init__` and `reset_parameters` of each layer of `classes` as torch does."""
    forward_owner, reset_owner = owners(FORWARDS), owners(RESETS)
    for layer in " ".join(LAYERS.values()).split():
        if layer in classes:
            own_method(classes[layer], "forward", forward_owner.get(layer, layer))
            own_method(classes[layer], "__init__", INIT_OWNER.get(layer, layer))
            if hasattr(classes[layer], "reset_parameters"):
                own_method(classes[layer], "reset_parameters", reset_owner.get(layer, layer))
