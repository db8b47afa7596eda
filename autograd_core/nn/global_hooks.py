"""Hooks on all modules: what `torch.nn.modules.module` registers, to debug and to measure.

They run before a module's own. There is one set of them for each run, made when the first is registered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.state import state
from ..graph.node import Handle
from ..ordered_dict import OrderedDict

Hook = Callable[..., Any]

FIELD = "hooks_of_all_modules"
"""Where the state of a thread has them, if there are any."""

BOTH_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of "
    "them."
)


class Everywhere:
    """The hooks that all modules have."""

    def __init__(self) -> None:
        self.forward_pre: OrderedDict[int, Hook] = OrderedDict()
        self.forward: OrderedDict[int, Hook] = OrderedDict()
        self.with_kwargs: OrderedDict[int, Hook] = OrderedDict()
        self.always_called: OrderedDict[int, Hook] = OrderedDict()
        self.backward_pre: OrderedDict[int, Hook] = OrderedDict()
        self.backward: OrderedDict[int, Hook] = OrderedDict()
        self.full: bool | None = None
        self.registration: dict[str, OrderedDict[int, Hook]] = {
            kind: OrderedDict() for kind in ("_parameters", "_buffers", "_modules")
        }

    def around_calls(self) -> bool:
        return bool(self.forward_pre or self.forward or self.backward_pre or self.backward)


NOTHING = Everywhere()


def on_all_modules() -> Everywhere:
    """The hooks that all modules of this run have, to be read."""
    hooks: Everywhere = vars(state).get(FIELD, NOTHING)
    return hooks


def own() -> Everywhere:
    """The same, to be written."""
    hooks: Everywhere = vars(state).setdefault(FIELD, Everywhere())
    return hooks


def register_module_forward_pre_hook(hook: Hook) -> Handle:
    """`hook(module, args)` runs before each module's forward and may change what it gets."""
    return Handle(own().forward_pre, hook)


def register_module_forward_hook(hook: Hook, *, with_kwargs: bool = False, always_call: bool = False) -> Handle:
    """`hook(module, args, output)`, or with kwargs, runs after each module's forward and may return another output."""
    hooks = own()
    marks = [
        marked for marked, wanted in ((hooks.with_kwargs, with_kwargs), (hooks.always_called, always_call)) if wanted
    ]
    return Handle(hooks.forward, hook, *marks)


def register_module_full_backward_pre_hook(hook: Hook) -> Handle:
    """`hook(module, grad_output)` runs before gradients go into each module and may change them."""
    return Handle(own().backward_pre, hook)


def register_module_full_backward_hook(hook: Hook) -> Handle:
    """`hook(module, grad_input, grad_output)` runs when the gradients of each module's inputs are there."""
    return _backward_hook(hook, True)


def register_module_backward_hook(hook: Hook) -> Handle:
    """The older kind: a hook on the last node that each module's forward made."""
    return _backward_hook(hook, False)


def _backward_hook(hook: Hook, full: bool) -> Handle:
    hooks = own()
    if hooks.full is not None and hooks.full is not full:
        raise RuntimeError(BOTH_KINDS)
    hooks.full = full
    return Handle(hooks.backward, hook)


def register_module_parameter_registration_hook(hook: Hook) -> Handle:
    """`hook(module, name, parameter)` runs when one is registered, and may return another."""
    return Handle(own().registration["_parameters"], hook)


def register_module_buffer_registration_hook(hook: Hook) -> Handle:
    """`hook(module, name, buffer)` runs when one is registered, and may return another."""
    return Handle(own().registration["_buffers"], hook)


def register_module_module_registration_hook(hook: Hook) -> Handle:
    """`hook(module, name, submodule)` runs when one is registered, and may return another."""
    return Handle(own().registration["_modules"], hook)


def run_registration_hooks(kind: str, module: Any, name: str, value: Any) -> Any:
    """What `module` is to hold under `name`, after the hooks on what is registered."""
    for hook in on_all_modules().registration[kind].values():
        changed = hook(module, name, value)
        if changed is not None:
            value = changed
    return value
