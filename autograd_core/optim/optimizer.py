"""Optimizer: groups of parameters with options, a state for each parameter, hooks, and what is stored of it."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np

from ..graph import Handle
from ..nn.attributes import clear_grad, typename
from ..opaque import opaque
from ..tensor import Tensor, plain
from .everywhere import on_all_optimizers, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

Group = dict[str, Any]
STORED = ("defaults", "state", "param_groups")
"""What of an optimizer is restored."""
Hook = Callable[..., Any]


def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` with the hooks of the optimizer before and after it."""

    @functools.wraps(step)
    def call(self: Optimizer, *args: Any, **options: Any) -> Any:
        self.stepped = True
        before, after = on_all_optimizers()
        if not (before or after or self.pre_hooks or self.post_hooks):
            return step(self, *args, **options)
        given: tuple[Any, ...] = (self, *args)
        for hook in [*before.values(), *self.pre_hooks.values()]:
            changed = hook(self, given, options)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
            given, options = changed
        result = step(*given, **options)
        for hook in [*self.post_hooks.values(), *after.values()]:
            hook(self, given, options)
        return result

    return call


@opaque
class Optimizer:
    """The base of all: groups of parameters, each with its options, and a state for each parameter."""

    watched = stepped = False
    """Whether a scheduler moves the rates, and whether a step was made since the first did."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in cls.__dict__:
            cls.step = hooked(cls.__dict__["step"])  # type: ignore[method-assign]

    def __init__(self, params: Any, defaults: Group) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + tensor_type(params)
            )
        self.defaults = defaults
        self.pre_hooks: OrderedDict[int, Hook] = OrderedDict()
        self.post_hooks: OrderedDict[int, Hook] = OrderedDict()
        self.state_dict_hooks: dict[str, OrderedDict[int, Hook]] = defaultdict(OrderedDict)
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group))

    def add_param_group(self, param_group: Group) -> None:
        """Takes on more parameters, with options of their own where they are given."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = [given] if isinstance(given, Tensor) else list(given)
        named = [param for param in params if isinstance(param, tuple)]
        if named:
            if len(named) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = [name for name, _ in params]
            params = [param for _, param in params]
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(param)}")
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        param_group["params"] = params
        group = {**param_group, **{name: param_group.get(name, value) for name, value in self.defaults.items()}}
        if len({id(param) for param in params}) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        self.check_names(param_group)
        held = {id(param) for other in self.param_groups for param in other["params"]}
        if any(id(param) in held for param in params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def check_names(self, param_group: Group) -> None:
        """Either all groups tell the names of their parameters, or none.

        Raises:
            ValueError: this one differs.
        """
        named = "param_names" in param_group
        if any(named != ("param_names" in other) for other in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if named else 'without'} names to the optimizer"
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; every algorithm writes its own."""
        raise NotImplementedError

    def watch_steps(self) -> None:
        """Called by schedulers: what was stepped before the first of them does not count."""
        if not self.watched:
            self.watched, self.stepped = True, False

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    # ---- state

    def state_dict(self) -> dict[str, Any]:
        """The options of the groups and the state of the parameters, which are numbered in order."""
        for hook in self.state_dict_hooks["before state_dict"].values():
            hook(self)
        numbers: dict[int, int] = {}
        for param in chain.from_iterable(group["params"] for group in self.param_groups):
            numbers.setdefault(id(param), len(numbers))
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        state: Any = {(numbers[id(p)] if isinstance(p, Tensor) else p): held for p, held in self.state.items()}
        given = {"state": state, "param_groups": groups}
        for hook in self.state_dict_hooks["after state_dict"].values():
            changed = hook(self, given)
            given = given if changed is None else changed
        return given

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        given = state_dict.copy()
        for hook in self.state_dict_hooks["before load_state_dict"].values():
            changed = hook(self, given)
            given = given if changed is None else changed
        saved = deepcopy(given["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(saved, self.param_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        ours = list(chain.from_iterable(group["params"] for group in self.param_groups))
        theirs = list(chain.from_iterable(group["params"] for group in saved))
        params = dict(zip(theirs, ours, strict=True))
        self.state = defaultdict(dict)
        for number, held in given["state"].items():
            self.state[params.get(number, number)] = fitted(held, params[number]) if number in params else held
        for group, other in zip(self.param_groups, saved, strict=True):
            names = {"param_names": group["param_names"]} if "param_names" in group else {}
            own = group["params"]
            group.clear()
            group.update({**other, "params": own, **names})
        self.__setstate__({"state": self.state, "param_groups": self.param_groups})
        for hook in self.state_dict_hooks["after load_state_dict"].values():
            hook(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what was stored; optimizers of programs may do more."""
        held = self.__dict__
        held.update({name: state[name] for name in STORED if name in state})
        self.complete()

    def complete(self) -> None:
        """Add what was loaded without, as it was stored before there was such a thing."""

    # ---- hooks

    def register_step_pre_hook(self, hook: Hook) -> Handle:
        """`hook(optimizer, args, kwargs)` runs before each step and may change what it gets."""
        return Handle(self.pre_hooks, hook)

    def register_step_post_hook(self, hook: Hook) -> Handle:
        """`hook(optimizer, args, kwargs)` runs after each step."""
        return Handle(self.post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        return self._state_dict_hook("before state_dict", hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        return self._state_dict_hook("after state_dict", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        return self._state_dict_hook("before load_state_dict", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        return self._state_dict_hook("after load_state_dict", hook, prepend)

    def _state_dict_hook(self, when: str, hook: Hook, prepend: bool) -> Handle:
        handle = Handle(self.state_dict_hooks[when], hook)
        if prepend:
            self.state_dict_hooks[when].move_to_end(handle.id, last=False)
        return handle

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {i}\n{''.join(options)}"
        return f"{text})"


def fitted(value: Any, param: Tensor, name: str = "") -> Any:
    """Loaded state in the type of its parameter; counts of steps stay as they are."""
    if isinstance(value, Tensor):
        kind = param.data_.dtype
        change = kind.kind == "f" and name != "step" and value.data_.dtype != kind
        return plain(np.asarray(value.data_).astype(kind)) if change else value
    if isinstance(value, dict):
        return {key: fitted(part, param, key) for key, part in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(fitted(part, param) for part in value)  # type: ignore[call-arg]
    return value


def tensor_type(tensor: Tensor) -> str:
    names = {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long"}
    kind: str = tensor.data_.dtype.name
    return f"torch.{names.get(kind, kind.title())}Tensor"


__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]
