"""Classes of the program that the engine must know as its own: modules, optimizers, distributions, Functions.

Their objects are of subclasses of the engine's types: it handles them as its own, and calls back what the program
defines.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from autograd_core.namespace.type_names import names_of

from ..machine import Machine
from ..runtime.type_names import kind_name
from ..runtime.type_tables import of_program
from ..runtime.values import MISSING, Bound, Class, Function, Own, Property, StaticMethod, Value
from .bridge import Callback, from_engine, machine_of, name_of, to_engine
from .engine import torch


class ProgramModule(Own):
    """Mixed into a class of the engine: a module whose class the program wrote.

    The object itself is what the program handles; its own attributes are in `attributes`, its class in `kind`.
    """

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        machine, function = machine_of(self.kind), self.kind.find("forward")
        if not isinstance(function, Function):
            return super().forward(*args, **kwargs)  # type: ignore[misc]
        given = [self, *(from_engine(arg) for arg in args)]
        del args
        named = {name: from_engine(arg) for name, arg in kwargs.items()}
        return to_engine(machine, function.invoke(given, named))

    @property
    def right_inverse(self) -> Callable[..., Any]:
        """What torch.nn.utils.parametrize asks for, if the class has it."""
        machine, function = machine_of(self.kind), self.kind.find("right_inverse")
        if not isinstance(function, Function):
            raise AttributeError(f"'{self.kind.name}' object has no attribute 'right_inverse'")
        return plain_function(machine, Bound(function, self))

    def _get_name(self) -> str:
        return self.kind.name

    def _has(self, name: str) -> bool:
        if name in self.attributes or self.kind.find(name) is not MISSING:
            return True
        return name not in OURS and bool(super()._has(name))  # type: ignore[misc]

    def extra_repr(self) -> str:
        function = self.kind.find("extra_repr")
        if isinstance(function, Function):
            answer = function.invoke([self], {})
            if not isinstance(answer, str):  # torch splits what it gets into lines
                raise AttributeError(f"'{kind_name(answer)}' object has no attribute 'split'")
            return str.__str__(answer)
        return str(super().extra_repr())  # type: ignore[misc]


PARAMETERS = frozenset(
    (
        "loc scale probs logits low high rate base_dist reinterpreted_batch_ndims param_shape "
        "covariance_matrix precision_matrix scale_tril concentration concentration0 concentration1 df "
        "df1 df2 cov_factor cov_diag dim "
        "temperature total_count transforms alpha mixture_distribution component_distribution"
    ).split()
)
"""What distributions are given, each some of them."""

OURS = names_of(ProgramModule) - names_of(torch.nn.Module)
"""What these have and no module of torch: parts of a program's module may be called so."""


class ProgramScheduler(Own):
    """Mixed into a scheduler whose class the program wrote."""

    def __repr__(self) -> str:
        return f"<{self.kind.title} object at 0x...>"


class ProgramDistribution(Own):
    """Mixed into a distribution whose class the program wrote."""

    def _given(self, name: str) -> Any:
        found = self.attributes.get(name)
        if found is None and name in PARAMETERS:
            found = super()._given(name)  # type: ignore[misc]
        return to_engine(machine_of(self.kind), found)

    def _parameter(self, name: str) -> Any:
        found = self._given(name)
        if found is None and name in self.kind.host.hosts[0].arg_constraints:  # type: ignore[union-attr]
            return super()._parameter(name)  # type: ignore[misc]
        if found is None:
            raise AttributeError(f"type object '{self.kind.name}' has no attribute '{name}'")
        return found


class ProgramTransform(Own):
    """Mixed into a transform of a distribution whose class the program wrote."""


MIXED_IN: dict[type, type] = {
    torch.nn.Module: ProgramModule,
    torch.optim.Optimizer: Own,
    torch.optim.lr_scheduler.LRScheduler: ProgramScheduler,
    torch.distributions.Distribution: ProgramDistribution,
    torch.distributions.Transform: ProgramTransform,
}
CALLED_BACK: dict[type, tuple[str, ...]] = {
    ProgramModule: (
        *("__repr__", "_load_from_state_dict", "_save_to_state_dict", "get_extra_state", "set_extra_state"),
        *("train", "_apply", "state_dict"),
    ),
    Own: ("__setstate__",),
    ProgramScheduler: ("get_lr", "step"),
    ProgramDistribution: (
        *("__init__", "__repr__", "sample", "rsample", "log_prob", "cdf", "icdf", "entropy", "perplexity", "expand"),
        *("enumerate_support", "_validate_sample"),
    ),
    ProgramTransform: (
        "_call",
        "_inverse",
        "log_abs_det_jacobian",
        "forward_shape",
        "inverse_shape",
        "__eq__",
        "__repr__",
    ),
}
"""What the engine asks of objects that classes of programs may answer."""
READ_BACK: dict[type, tuple[str, ...]] = {
    ProgramModule: ("_version",),
    ProgramDistribution: (
        *("arg_constraints", "support", "has_rsample", "has_enumerate_support", "mean", "mode", "variance", "stddev"),
        *("batch_shape", "event_shape"),
    ),
    ProgramTransform: ("domain", "codomain", "bijective", "sign", "event_dim"),
}
"""What it reads of them that classes of programs may say, as a property or plainly."""


def mixin_for(host: type) -> type:
    return next((mixed for base, mixed in MIXED_IN.items() if issubclass(host, base)), Own)


@cache
def own_type(host: type) -> type:
    """The type of those objects of the program's classes that are a `host` too."""
    return type(f"Own{host.__name__}", (mixin_for(host), host), {})


@lru_cache(256)
def engine_subclass(host: type, name: str, ways: tuple[str, ...], reads: tuple[str, ...]) -> type:
    """The same for one of the program's classes: `name` is what messages call it; `ways` are the methods of the class
    that the engine calls, `reads` what it reads."""
    methods: dict[str, Any] = {way: make_callback_method(way) for way in ways}
    methods |= {name: property(make_callback_property(name)) for name in reads}
    return of_program(type(name, (own_type(host),), {"__module__": "__main__", **methods}))


def subclass_of(kind: Class, host: type) -> type:
    """The subclass of `host` for the program's class `kind`, which extends it."""
    mixed = mixin_for(host)
    ways = tuple(way for way in CALLED_BACK[mixed] if isinstance(kind.find(way), Function))
    reads = tuple(name for name in READ_BACK.get(mixed, ()) if kind.find(name) is not MISSING)
    return engine_subclass(host, kind.name, ways, reads)


def make_callback_method(way: str) -> Callable[..., Any]:
    """A method for the engine: what the program's method `way` gives."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        given, named = [from_engine(arg) for arg in args], {name: from_engine(arg) for name, arg in kwargs.items()}
        return to_engine(machine_of(self.kind), self.kind.find(way).invoke([self, *given], named))

    return method


def make_callback_property(name: str) -> Callable[[Any], Any]:
    """For the engine: what the program's class says of `name`."""

    def get(self: Any) -> Any:
        machine, found = machine_of(self.kind), self.kind.find(name)
        return to_engine(machine, machine.call(machine, found.getter, [self], {}) if type(found) is Property else found)

    return get


def inherited_ways(host: type) -> tuple[str, ...]:
    """What `super()` in a class that extends `host` takes from the engine as it is."""
    return ("forward", *(way for way in CALLED_BACK[mixin_for(host)] if hasattr(host, way)))


def is_ready(module: Any) -> bool:
    """Whether super().__init__() was called."""
    return "_parameters" in module.__dict__


# ---- autograd.Function


def function_class(kind: Class) -> type:
    """The engine's Function class for the program's `kind`: its static methods, called back."""
    machine = machine_of(kind)
    methods: dict[str, Any] = {}
    for name in ("forward", "backward", "setup_context", "vjp", "jvp", "vmap"):
        found = kind.find(name)
        if isinstance(found, StaticMethod | Function):
            function = found.function if isinstance(found, StaticMethod) else found
            methods[name] = staticmethod(plain_function(machine, function))
    for name in ("once_differentiable", "generate_vmap_rule"):
        found = kind.find(name)
        if isinstance(found, bool):
            methods[name] = found
    module = kind.title.removesuffix(f".{kind.qualname}")
    told = {"__module__": module, "__qualname__": kind.qualname}
    made: Any = type(kind.name, (torch.autograd.Function,), methods | told)
    for node in (made.node_class, made.node_class_transformed):
        of_program(node)
    return of_program(made)


def plain_function(machine: Machine, function: Value) -> Callable[..., Any]:
    """`function` as a real function: the engine may look at its arguments or put decorators on it."""
    callback = Callback(machine, function)

    def run(*args: Any, **kwargs: Any) -> Any:
        return callback(*args, **kwargs)

    run.__name__ = name_of(callback)
    if isinstance(function, Function) and function.places is not None:
        run.__signature__ = signature(machine, function, function.places)  # type: ignore[attr-defined]
    return run


def signature(machine: Machine, function: Function, places: tuple[str, ...]) -> inspect.Signature:
    """What `function` takes, with its defaults, as the engine may ask it."""
    defaults = [to_engine(machine, value) for value in function.defaults or ()]
    values = [inspect.Parameter.empty] * (len(places) - len(defaults)) + defaults
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(p, kind, default=v) for p, v in zip(places, values, strict=True)])
