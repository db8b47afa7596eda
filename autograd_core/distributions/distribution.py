"""What all distributions have in common: shapes, checks, sampling without a graph."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from .. import errors
from ..engine.grad_mode import enable_grad, no_grad
from ..engine.state import ask_room, state
from ..namespace.type_names import check_attribute
from ..opaque import opaque
from ..ops import view
from ..ops.unary import exp
from ..tensor.dtypes import get_default_dtype, to_numpy
from ..tensor.size import Size
from ..tensor.tensor import Tensor, plain
from .constraints import Constraint

Shape = Sequence[int]
SHAPES = ("_batch_shape", "_event_shape")


class lazy_property:
    """An attribute that is computed when it is first asked for, with a graph, and kept."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute
        functools.update_wrapper(self, compute)  # type: ignore[arg-type]

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self
        with enable_grad():
            value = self.compute(owner)
        owner.__dict__[self.compute.__name__] = value
        return value


@opaque
class Distribution:
    """The base: `arg_constraints` has the parameters by name, in the order in which they are shown."""

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: ClassVar[Any] = {}
    support: Any = None
    parameters: ClassVar[frozenset[str]] = frozenset()
    """The names in `arg_constraints`, of the class of torch's."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if isinstance(own := cls.__dict__.get("arg_constraints"), dict):
            cls.parameters = frozenset(own)

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep what is set: a parameter as the number or tensor that it is, a shape if there is room for it.

        Raises:
            ValueError: a parameter is neither.
        """
        if name in SHAPES:
            value = Size(value)
            ask_room(*value)
        elif name in self.parameters and value is not None and not isinstance(value, Tensor):
            value = as_parameter(value)
        self.__dict__[name] = value

    def __init__(self, batch_shape: Shape = (), event_shape: Shape = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        for name, constraint in self.arg_constraints.items():
            value = self._parameter(name)
            if value is None:
                continue
            if not np.all(constraint.check(value).data_):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _given(self, name: str) -> Any:
        """The parameter of that name in `arg_constraints`, if it was given; programs that keep theirs elsewhere say so
        here and below."""
        return self.__dict__.get(name)

    def _parameter(self, name: str) -> Any:
        """The same, as it is to be checked; None if it is made of another, which is checked."""
        if name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property):
            return None
        return getattr(self, check_attribute(name))

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check what they are given, if they are not told.

        Raises:
            ValueError: this is neither yes nor no.
        """
        if value not in (True, False):
            raise ValueError
        state.validate_args = value

    @property
    def _validate_args(self) -> bool:
        told: bool = self.__dict__.get("_validate_args", state.validate_args)
        return told

    @_validate_args.setter
    def _validate_args(self, value: bool) -> None:
        self.__dict__["_validate_args"] = value

    @property
    def batch_shape(self) -> Size:
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        return self._event_shape

    # ---- what each distribution says for itself

    @property
    def mean(self) -> Any:
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Any:
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        """Draws in a way that can be differentiated by the parameters."""
        raise NotImplementedError

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Draws without a graph."""
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """`n` draws, as they were asked for once."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        return exp(self.entropy())

    # ---- shapes

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        """The same distribution for a larger batch.

        Raises:
            NotImplementedError: a class of somebody's own, of which it is not known how its objects are made.
        """
        kind = type(self)
        known = next(base for base in kind.__mro__ if base.__module__.startswith("torch.distributions"))
        if known is Distribution:
            raise NotImplementedError
        if _instance is None and kind.__init__ is not known.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {kind.__name__} of {known.__name__} that defines a custom __init__ method must also define "
                "a custom .expand() method."
            )
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._batch_shape = Size(batch_shape)
        for name, held in self.__dict__.items():
            if name in self.arg_constraints:
                inner = held.shape[len(self._batch_shape) :]
                made.__dict__[name] = view.expand(held, [*batch_shape, *inner])
                if self.__dict__.get("_param") is held:
                    made.__dict__["_param"] = made.__dict__[name]
        return made

    def _extended_shape(self, sample_shape: Shape = ()) -> Size:
        shape = Size((*tuple(sample_shape), *self._batch_shape, *self._event_shape))
        ask_room(*shape)
        return shape

    # ---- checks

    def _validate_sample(self, value: Any) -> None:
        """Whether `value` can come from this distribution.

        Raises:
            ValueError: it cannot.
        """
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.shape) - len(self._event_shape)
        if tuple(value.shape[start:]) != tuple(self._event_shape):
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        given, wanted = value.size(), Size((*self._batch_shape, *self._event_shape))
        for i, j in zip(reversed(given), reversed(wanted), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {given} vs {wanted}.")
        support: Constraint = self.support
        if not np.all(support.check(value).data_):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        shown = []
        for name in self.arg_constraints:
            value = self._given(name)
            if value is not None:
                shown.append(f"{name}: {value if value.data_.size == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(shown)})"


class Centred(Distribution):
    """One whose middle `loc` is its mean and where it is highest."""

    loc: Any

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.mean


# ---- what distributions are made of


NO_PARAMETER = (
    "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
)


def as_parameter(value: Any) -> Any:
    """A number as it is, an array as a tensor.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, np.ndarray | np.generic):
        return plain(np.asarray(value)[()])
    if not is_number(value):
        raise ValueError(NO_PARAMETER)
    return value


def is_number(*values: Any) -> bool:
    return all(isinstance(value, bool | int | float) for value in values)


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of one shape."""
    if not all(isinstance(value, Tensor) or is_number(value) for value in values):
        raise ValueError(NO_PARAMETER)
    kinds = [value.data_.dtype for value in values if isinstance(value, Tensor)]
    kind = kinds[0] if kinds else to_numpy(get_default_dtype())
    return broadcast_tensors(*(v if isinstance(v, Tensor) else plain(np.asarray(v, kind)[()]) for v in values))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    shapes = [tensor.data_.shape for tensor in tensors]
    if (wrong := errors.broadcast(shapes)) is not None:
        raise RuntimeError(wrong)
    shape = np.broadcast_shapes(*shapes)
    return tuple([tensor if tensor.data_.shape == shape else view.expand(tensor, list(shape)) for tensor in tensors])


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last `dims` dimensions."""
    if dims == 0:
        return value
    return value.reshape([*value.shape[:-dims], -1]).sum(-1)
