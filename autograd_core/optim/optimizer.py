"""Optimizer: groups of parameters with options, a state for each parameter, hooks, and what is stored of it.

Algorithm moves each parameter for itself. Steps compute on arrays, in torch's order of operations. Each write is
counted on the parameter's version as torch counts it, so a graph that kept a parameter notices the step.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from operator import le
from typing import Any, ClassVar

import numpy as np

from .. import errors
from ..engine.grad_mode import enable_grad, no_grad
from ..engine.state import state
from ..errors import Unsupported
from ..events import session as tell
from ..graph.node import Handle
from ..namespace.type_names import binder
from ..nn.attributes import clear_grad, typename
from ..opaque import opaque
from ..ordered_dict import OrderedDict
from ..random.box_muller import multiply_add
from ..tensor.bfloat16 import is_short
from ..tensor.dtypes import kind_name, number, part_kind
from ..tensor.tensor import Array, Tensor, plain

# ---- options: what a program left in a group or on a scheduler is looked at here, before numpy meets it


Group = dict[str, Any]

PRODUCT = "unsupported operand type(s) for *: 'float' and '{}'"
QUOTIENT = "unsupported operand type(s) for /: '{}' and 'float'"
SCALED = "unsupported operand type(s) for *: '{}' and 'float'"
DIFFERENCE = "unsupported operand type(s) for -: 'int' and '{}'"
POWER = "unsupported operand type(s) for ** or pow(): 'float' and '{}'"
NEGATIVE = "bad operand type for unary -: '{}'"
ADDED = "add_(): argument 'other' (position 1) must be Tensor, not {}"
MULTIPLIED = "mul_(): argument 'other' (position 1) must be Tensor, not {}"
WEIGHTED = "add(): argument 'alpha' must be Number, not {}"
MORE = "'>' not supported between instances of '{}' and 'int'"

MESSAGES = {"lr": NEGATIVE, "weight_decay": WEIGHTED, "eps": ADDED, "rho": MULTIPLIED, "alpha": MULTIPLIED}
"""What torch says of an option that is no number, by what its steps do with it first; {} is the type."""


Message = str | tuple[str, ...]
"""What is said of an option that is no number: of one of several numbers by its place."""


def option(value: Any, usual: Any, message: Message, tensors: bool) -> Any:
    """An option as steps take it: a number, or as many as there are usually; what is usually true or false, or None, is
    asked for its truth alone, and stays."""
    if usual is None or isinstance(usual, bool | str):
        return value
    if not isinstance(usual, tuple):
        return number(value, str(message), tensors)
    if not isinstance(value, tuple | list):
        raise TypeError(f"cannot unpack non-iterable {kind_name(value)} object")
    told = message if isinstance(message, tuple) else (message,)
    return tuple(
        [
            None if part is None and None in usual else number(part, told[min(at, len(told) - 1)], tensors)
            for at, part in enumerate(value)
        ]
    )


def options(group: Group, usual: Group, messages: dict[str, Message], tensors: bool = False) -> Group:
    """A group with its options as steps take them."""
    known = {name: value for name, value in group.items() if name in usual}
    told: dict[str, Message] = {**MESSAGES, **messages}
    return group | {name: option(value, usual[name], told.get(name, PRODUCT), tensors) for name, value in known.items()}


def power(base: Any, times: Any) -> Any:
    """`base ** times`; of a whole number as often as epochs are counted, no number of a million digits is made."""
    return float(base) ** times if isinstance(base, int) and isinstance(times, int) and times > 64 else base**times


# ---- hooks on the steps of all optimizers: before those of its own, and after them; one set for each run


Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]

FIELD = "hooks_of_all_optimizers"
"""Where the state of a thread has them, if there are any."""

NOTHING: tuple[Hooks, Hooks] = (OrderedDict(), OrderedDict())


def on_all_optimizers() -> tuple[Hooks, Hooks]:
    """Those before and those after a step, to be read."""
    hooks: tuple[Hooks, Hooks] = vars(state).get(FIELD, NOTHING)
    return hooks


def own() -> tuple[Hooks, Hooks]:
    """The same, to be written."""
    hooks: tuple[Hooks, Hooks] = vars(state).setdefault(FIELD, (OrderedDict(), OrderedDict()))
    return hooks


def register_optimizer_step_pre_hook(hook: Hook) -> Handle:
    """`hook(optimizer, args, kwargs)` runs before each step of any optimizer and may change what it gets."""
    return Handle(own()[0], hook)


def register_optimizer_step_post_hook(hook: Hook) -> Handle:
    """`hook(optimizer, args, kwargs)` runs after each step of any optimizer."""
    return Handle(own()[1], hook)


# ---- one optimizer


STORED = ("defaults", "state", "param_groups")
"""What of an optimizer is restored."""


def run_with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
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
            cls.step = run_with_hooks(cls.__dict__["step"])  # type: ignore[method-assign]

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
        for index, held in given["state"].items():
            self.state[params.get(index, index)] = cast_state(held, params[index]) if index in params else held
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


def cast_state(value: Any, param: Tensor, name: str = "") -> Any:
    """Loaded state in the type of its parameter; counts of steps stay as they are."""
    if isinstance(value, Tensor):
        kind = param.data_.dtype
        change = kind.kind == "f" and name != "step" and value.data_.dtype != kind
        return plain(np.asarray(value.data_).astype(kind)) if change else value
    if isinstance(value, dict):
        return {key: cast_state(part, param, key) for key, part in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(cast_state(part, param) for part in value)  # type: ignore[call-arg]
    return value


def tensor_type(tensor: Tensor) -> str:
    names = {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long"}
    kind: str = tensor.data_.dtype.name
    return f"torch.{names.get(kind, kind.title())}Tensor"


# ---- one that moves each parameter for itself, and what its steps are made of


NOT_CAPTURED = "If capturable=True, {} must be on supported devices: {}."
ACCELERATORS = ("cuda", "xpu", "hpu", "privateuseone")


COUNTS = {"step", "mu_product", "eta", "mu"}
"""Parts of a state that are one number: a tensor today, once a number of Python's."""


def own_step(name: str) -> Callable[..., Any]:
    """`step` under the name of its algorithm."""

    def step(self: Algorithm, closure: Callable[[], Any] | None = None) -> Any:
        return self.steps(closure)

    step.__qualname__ = f"{name}.step"
    return step


def at_least_zero(words: str, value: float) -> None:
    """Whether an option is 0 or more.

    Raises:
        ValueError: it is not.
    """
    if not le(0.0, value):  # in this order Python names what is no number
        raise ValueError(f"Invalid {words}: {value}")


class Algorithm(Optimizer):
    """An optimizer whose step moves each parameter for itself, by `update`.

    `usual` has the options in the order in which torch prints them, `places` those that may be given by position, and
    `limits` those that may not be negative, or that CHECKS has a check for, with the words that name them.
    """

    usual: ClassVar[dict[str, Any]]
    bind: Callable[..., dict[str, Any]]
    places: ClassVar[tuple[str, ...]]
    limits: ClassVar[dict[str, str]]
    settled: ClassVar[tuple[str, ...]] = ()
    """Options that are shown, but cannot be given."""
    later: ClassVar[dict[str, Any]] = {
        "momentum": 0, "centered": False, "nesterov": False, "amsgrad": False, "maximize": False, "foreach": None,
        "capturable": False, "differentiable": False, "decoupled_weight_decay": False, "fused": None,
    }  # fmt: skip
    """Options that torch did not always have, as they are where a stored state lacks them."""
    on_tensors: ClassVar[Any] = None
    """The same step made of operators, for `differentiable`; None where this engine has none."""
    in_steps: ClassVar[Any] = None
    """The same step in torch's operators, for short floats, which each of them rounds; None: rounded at the end."""
    messages: ClassVar[dict[str, Message]] = {}
    """What torch says of options that are no numbers, where it is not as usual (`options.MESSAGES`)."""
    captured: ClassVar[str] = "params and state_steps"
    at_least_zero = staticmethod(at_least_zero)
    accelerators: ClassVar[tuple[str, ...]] = ("xla",)
    """What has to lie on an accelerator to be captured there, and which one is not served by all algorithms."""

    def __init_subclass__(cls, **options: Any) -> None:
        if "step" not in cls.__dict__ and Algorithm in cls.__bases__:
            cls.step = own_step(cls.__name__)  # type: ignore[method-assign]
        super().__init_subclass__(**options)
        if "usual" in cls.__dict__:
            cls.__signature__ = cls.said()  # type: ignore[attr-defined]
            cls.bind = binder(f"{cls.__name__}.__init__", cls.__signature__)  # type: ignore[attr-defined]

    @classmethod
    def said(cls) -> inspect.Signature:
        """What `inspect` says of the class: its options by name, those that have a place first."""
        by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        rest = [name for name in cls.usual if name not in cls.places and name not in cls.settled]
        placed = [inspect.Parameter(name, by_place, default=cls.usual[name]) for name in cls.places]
        named = [inspect.Parameter(name, by_name, default=cls.usual[name]) for name in rest]
        return inspect.Signature([inspect.Parameter("params", by_place), *placed, *named], return_annotation=None)

    def __init__(self, *args: Any, **options: Any) -> None:
        given = self.bind(*args, **options)
        params = given.pop("params")
        given = {**self.usual, **given}
        self.check(given)
        super().__init__(params, given)

    def check(self, given: Group) -> None:
        """Whether the options make sense.

        Raises:
            ValueError, RuntimeError: one does not, or not beside another.
        """
        if isinstance(given["lr"], Tensor) and given["lr"].data_.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        self.check_limits(given)
        if given.get("fused") and given.get("differentiable"):
            raise RuntimeError("`fused` does not support `differentiable`")
        if given.get("differentiable") and self.on_tensors is None:
            name = type(self).__name__
            raise Unsupported(f"{name} with differentiable=True is not supported: SGD, Adam and AdamW can be")
        if given.get("fused") and given.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def check_limits(self, given: Group) -> None:
        """Whether each option is within its own limits.

        Raises:
            ValueError: one is not.
        """
        for name, words in self.limits.items():
            CHECKS.get(name, self.at_least_zero)(words, given[name])

    def complete(self) -> None:
        for group in self.param_groups:
            for name, value in self.later.items():
                if name in self.usual:
                    group.setdefault(name, value)
            group.update({name: self.usual[name] for name in self.settled})
        for held in self.state.values():
            for name in COUNTS & held.keys():
                if not isinstance(held[name], Tensor):
                    held[name] = plain(np.float32(held[name]))

    def steps(self, closure: Callable[[], Any] | None) -> Any:
        """Moves every parameter that has a gradient; `closure`, if given, computes the loss first."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with enable_grad() if self.defaults.get("differentiable") else no_grad():
            for group in self.param_groups:
                settled: Group | None = None
                for param in group["params"]:
                    if not isinstance(param, Tensor):
                        raise AttributeError(f"'{kind_name(param)}' object has no attribute 'grad'")
                    if param.grad is not None:
                        if settled is None:
                            settled = options(group, self.usual, self.messages, bool(group.get("differentiable")))
                        self.move(param, param.grad, settled)
        return loss

    def move(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One parameter, whose gradient is `grad`.

        Raises:
            AssertionError: the group asks for graphs of an accelerator, and there is none.
        """
        if not self.state.get(param):
            self.begin(param, group)
        check_state(param, self.state.get(param, {}))
        if group.get("capturable"):
            raise AssertionError(NOT_CAPTURED.format(self.captured, [*ACCELERATORS, *self.accelerators]))
        if is_short(param.data_.dtype) and self.in_steps is not None:
            type(self).in_steps(param, -grad if group.get("maximize") else grad, self.state[param], group)
        elif not group.get("differentiable"):
            update = self.update_parts if param.data_.dtype.kind == "c" else self.update
            update(param, -grad.data_ if group.get("maximize") else grad.data_, group)
        else:
            state = self.state.get(param, {})
            self.on_tensors(param, -grad if group.get("maximize") else grad, state, group)
            if state:
                self.state[param] = state

    def begin(self, param: Tensor, group: Group) -> None:
        """Fill the state of a parameter that was not moved before."""

    def update(self, param: Tensor, grad: Array, group: Group) -> None:
        """Moves one parameter against `grad`, an array of its shape."""
        raise NotImplementedError

    def update_parts(self, param: Tensor, grad: Array, group: Group) -> None:
        """Moves a complex parameter as a real one of twice as many numbers, and so its state, as torch does."""
        held, pairs = self.state[param], as_pairs(param)
        self.state[pairs] = {name: as_pairs(value) for name, value in held.items()}
        session, state.session = state.session, None  # nobody knows of the pairs
        try:
            self.update(pairs, np.ascontiguousarray(grad)[..., None].view(part_kind(grad.dtype)), group)
        finally:
            state.session = session
        for name, value in self.state.pop(pairs).items():
            if name not in held:
                held[name] = plain(value.data_.view(grad.dtype)[..., 0])
        param.bump()
        tell.emit_write(param, f"{type(self).__name__.lower()}_step")


def as_pairs(tensor: Any) -> Any:
    """A tensor of real numbers over the memory of one of complex numbers; any other value as it is."""
    if not isinstance(tensor, Tensor) or tensor.data_.dtype.kind != "c":
        return tensor
    return plain(tensor.array()[..., None].view(part_kind(tensor.data_.dtype)))


def check_state(param: Tensor, held: dict[str, Any]) -> None:
    """Whether each tensor of its state fits a parameter.

    Raises:
        RuntimeError: one does not: it was put there.
    """
    shape = param.data_.shape
    for value in held.values():
        if isinstance(value, Tensor) and value.data_.shape != shape and value.data_.size != 1:
            wrong = errors.broadcast([shape, value.data_.shape])
            if wrong is None and np.broadcast_shapes(shape, value.data_.shape) != shape:
                wrong = f"output with shape {list(shape)} doesn't match the broadcast shape {list(value.data_.shape)}"
            if wrong is not None:
                raise RuntimeError(wrong)


# ---- what steps are made of


def write(param: Tensor, value: Array, op: str) -> None:
    """Write over a parameter, counted."""
    param.overwrite(value)
    param.bump()
    tell.emit_write(param, op)


def zeros_like(param: Tensor) -> Tensor:
    return plain(np.zeros(param.data_.shape, param.data_.dtype))


def counter() -> Tensor:
    return plain(np.zeros((), np.float32))


def advance(state: dict[str, Any], name: str, value: Array, writes: int = 1) -> Array:
    """Replace an array of the state, which torch does by so many writes, and give the new one."""
    state[name].overwrite(value)
    for _ in range(writes):
        state[name].bump()
    held: Array = state[name].data_
    return held


def plus(start: Array, grad: Array, factor: float) -> Array:
    """`start + factor * grad`, rounded once as torch's fused multiply-add does."""
    total: Array = multiply_add(grad, grad.dtype.type(factor), start)
    return total


def lerp(start: Array, end: Array, weight: float) -> Array:
    """From `start` toward `end`, by the formula that is exact at the nearer end, as torch does.

    Raises:
        RuntimeError: they are of two dtypes, as after a model was brought to another one.
    """
    if start.dtype != end.dtype:
        kinds = errors.c_name(start.dtype), errors.c_name(end.dtype)
        raise RuntimeError(f"expected dtype {kinds[0]} for `end` but got dtype {kinds[1]}")
    way = end - start
    return plus(start, way, weight) if weight < 0.5 else plus(end, -way, 1 - weight)


def mixed_square(square: Array, grad: Array, keep: float) -> Array:
    """The running mean of the square of the gradient."""
    total: Array = multiply_add(grad.dtype.type(1 - keep) * grad, grad, square * keep)
    return total


# ---- options that several have


RATE = {"lr": "learning rate"}
EPSILON = {"eps": "epsilon value"}
BETAS = {"betas": "beta parameter"}
DECAY = {"weight_decay": "weight_decay value"}


def decay(grad: Array, param: Tensor, group: Group) -> Array:
    """The gradient with that of `weight_decay / 2 * param ** 2` added."""
    return plus(grad, param.data_, group["weight_decay"]) if group["weight_decay"] != 0 else grad


def decayed_apart(grad: Array, param: Tensor, group: Group, lr: float) -> Array:
    """The same; or the gradient as it is, and `param` made smaller in a step of its own, if the group asks for that."""
    if group["weight_decay"] == 0 or not group["decoupled_weight_decay"]:
        return decay(grad, param, group)
    write(param, param.data_ * (1 - lr * group["weight_decay"]), "weight_decay")
    return grad


def check_betas(words: str, betas: Any) -> None:
    """Whether both are at least 0 and below 1.

    Raises:
        ValueError: one is not.
    """
    for i in range(2):  # torch, too, asks for each by its index
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid {words} at index {i}: {betas[i]}")


CHECKS = {"betas": check_betas}
"""What checks options that are no single numbers."""
