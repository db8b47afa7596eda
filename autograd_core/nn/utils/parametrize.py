"""Parameters that are computed: what a module shows as `weight` is a function of the parameters that are trained.

A module that has one gets a class of its own, which computes it each time it is asked for. What is trained is in
`module.parametrizations.weight`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from ...engine.grad_mode import no_grad
from ...namespace.absent import absent
from ...namespace.module_names import settle
from ...tensor.tensor import Tensor
from ..attributes import delete_part, part_of
from ..container import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter

UNSERIALIZED = (
    "Serialization of parametrized modules is only supported through state_dict(). See:\n"
    "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
    "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
)


class Cache:
    """What was computed since the outermost `cached()` began, by module and name."""

    def __init__(self) -> None:
        self.depth = 0
        self.known: dict[tuple[int, str], Tensor] = {}


CACHE = Cache()


@contextmanager
def cached() -> Iterator[None]:
    """Within it, each parametrized tensor is computed once."""
    CACHE.depth += 1
    try:
        yield
    finally:
        CACHE.depth -= 1
        if not CACHE.depth:
            CACHE.known.clear()


class ParametrizationList(ModuleList):
    """The functions that make one tensor, applied in order, and what they make it from: `original`, or `original0`...

    Raises:
        ValueError: there are no modules; what `right_inverse` gives does not fit; or, unless `unsafe`, the result has
            another dtype or shape than the tensor that it replaces.
    """

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(list(self)):
                new = inverse(module, new)
        self.is_tensor = isinstance(new, Tensor)
        if self.is_tensor:
            self.keep(original, new)
        elif isinstance(new, Sequence):
            self.keep_all(original, new)
        else:
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        if not self.unsafe:
            self.check(shape, dtype)

    def keep(self, original: Any, new: Tensor) -> None:
        """Train the tensor that was there, with other numbers: optimizers that have it need not be told."""
        self.ntensors = 1
        if original.dtype != new.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
            )
        with no_grad():
            original.set_(new)
        enter(self, "original", original)

    def keep_all(self, original: Any, new: Sequence[Any]) -> None:
        self.ntensors = len(new)
        for at, part in enumerate(new):
            if not isinstance(part, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {at} of the sequence with type {type(part).__name__}."
                )
            trained = Parameter(part, original.requires_grad) if isinstance(original, Parameter) else part
            trained.requires_grad_(original.requires_grad)
            enter(self, f"original{at}", trained)

    def check(self, shape: Any, dtype: Any) -> None:
        made = self()
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for what, before, after in (("dtype", dtype, made.dtype), ("shape", shape, made.shape)):
            if before != after:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized {what}: {before}\nparametrized {what}: {after}"
                )

    def originals(self) -> list[Any]:
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{at}") for at in range(self.ntensors)]

    def forward(self) -> Any:
        first, *rest = self
        made = first(*self.originals())
        for module in rest:
            made = module(made)
        return made

    def right_inverse(self, value: Any) -> None:
        """Let the tensor be `value`, by what it is made from.

        Raises:
            RuntimeError: one of the functions has no `right_inverse`.
            ValueError: what it gives does not fit.
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {module._get_name()} does not implement right_inverse.")
                value = module.right_inverse(value)
            parts = [value] if self.is_tensor else value
            self.check_parts(value)
            for held, part in zip(self.originals(), parts, strict=True):
                held.set_(part)

    def check_parts(self, value: Any) -> None:
        """Whether what `right_inverse` gave can take the place of what is trained."""
        if self.is_tensor:
            if not isinstance(value, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
            if value.dtype != self.original.dtype:
                raise ValueError(
                    f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                    f"{self.original.dtype}"
                )
            return
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                f"length {len(value)}."
            )
        for at, (part, held) in enumerate(zip(value, self.originals(), strict=True)):
            if not isinstance(part, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. "
                    f"Got element {at} of type {type(part).__name__}."
                )
            if part.dtype != held.dtype:
                raise ValueError(
                    f"Tensor {at} returned by `right_inverse` has dtype {part.dtype} while `original{at}` has dtype "
                    f"{held.dtype}"
                )


def inverse(module: Any, value: Any) -> Any:
    """What `module` makes `value` from; `value` itself if it cannot say."""
    if not hasattr(module, "right_inverse"):
        return value
    try:
        return module.right_inverse(value)
    except NotImplementedError:
        return value


def enter(module: Module, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


# ---- modules that have some


def give_class(module: Module) -> None:
    """A class of its own for `module`, for properties to stand on."""
    kind: Any = type(module)
    title = f"Parametrized{module._get_name()}"

    def copy_module(self: Any, memo: dict[int, Any]) -> Any:
        made = memo[id(self)] = object.__new__(type(self))
        made.__dict__.update(deepcopy(self.__dict__, memo))
        return made

    def refuse(self: Any) -> Any:
        raise RuntimeError(UNSERIALIZED)

    def read(self: Any, name: str) -> Any:
        found = self._computed(name)
        return kind.__getattr__(self, name) if found is None else found

    def write(self: Any, name: str, value: Any) -> None:
        made = compute(self, name)
        if made is None:
            kind.__setattr__(self, name, value)
        else:
            made.right_inverse(value)

    def now(self: Any, name: str) -> Any:
        made = compute(self, name)
        return None if made is None else current(self, name, made)

    own = {"__getstate__": refuse, "__deepcopy__": copy_module, "_get_name": lambda self: title, "_computed": now}
    own |= {"__getattr__": read, "__setattr__": write}
    module.__class__ = type(title, (kind,), {**own, "__module__": "torch.nn.utils.parametrize"})


def current(module: Module, name: str, made: ParametrizationList) -> Any:
    """What `made` gives for `module.name`: while it is cached, always the same."""
    if not CACHE.depth:
        return made()
    key = (id(module), name)
    if key not in CACHE.known:
        CACHE.known[key] = made()
    return CACHE.known[key]


def compute(module: Any, name: str) -> ParametrizationList | None:
    """What makes the tensor `module.name`, if it is computed."""
    within = module.__dict__["_modules"].get("parametrizations")
    made = within.__dict__["_modules"].get(name) if isinstance(within, ModuleDict) else None
    return made if isinstance(made, ParametrizationList) else None


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Lets `module.tensor_name` be what `parametrization` makes, of what it was or of what is made already.

    Raises:
        ValueError: the module has no such tensor, or what is made does not fit.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            check_next(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], part_of(module, tensor_name), unsafe=unsafe)
        delete_part(module, tensor_name)
        if not is_parametrized(module):
            give_class(module)
            module.parametrizations = ModuleDict()
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def check_next(module: Any, name: str, parametrization: Any) -> None:
    """Whether one more function keeps the dtype and the shape of the tensor, there and back."""
    before = part_of(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    check_kept(name, before, after, AFTER)
    back = inverse(parametrization, after)
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    check_kept(name, before, back, BACK)


AFTER = (
    "Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
    "module.{name}.{what}: {before}\nparametrization(module.{name}).{what}: {after}"
)
BACK = (
    "The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless the "
    "`unsafe` flag is enabled.\nmodule.{name}.{what}: {before}\nreturned {what}: {after}"
)


def check_kept(name: str, before: Tensor, after: Tensor, text: str) -> None:
    """Raises a ValueError of `text` if the dtype or the shape is another."""
    for what in ("dtype", "shape"):
        was, now = getattr(before, what), getattr(after, what)
        if was != now:
            raise ValueError(text.format(name=name, what=what, before=was, after=now))


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a tensor of `module`, or the one of that name, is computed."""
    held = getattr(module, "parametrizations", None)
    if not isinstance(held, ModuleDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Lets `module.tensor_name` be a parameter or buffer again: as it is now, or (if not) as what it was made from.

    Raises:
        ValueError: it is not computed, or is made from several tensors and shall not stay as it is.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if held.is_tensor:
        left = held.original
        if leave_parametrized:
            with no_grad():
                left.set_(part_of(module, tensor_name))
    elif leave_parametrized:
        made = part_of(module, tensor_name)
        left = Parameter(made) if made.requires_grad else made
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    del module.parametrizations[tensor_name]
    enter(module, tensor_name, left)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class that `module` had."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


settle(globals())

__getattr__ = absent("torch.nn.utils.parametrize")
