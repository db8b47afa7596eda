"""What the arguments and the values of a distribution must satisfy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..namespace.absent import absent
from ..opaque import opaque
from ..tensor.tensor import Array, Tensor, plain


@opaque
class Constraint:
    """A name, its bounds (also attributes), and a test of each element (over `event_dim` dimensions: each event)."""

    def __init__(self, name: str, holds: Callable[[Array], Array], event_dim: int = 0, **bounds: Any) -> None:
        self.name, self.holds, self.event_dim, self.bounds = name, holds, event_dim, bounds
        vars(self).update({word: bound for word, bound in bounds.items() if word})

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def check(self, value: Tensor) -> Tensor:
        """Where the constraint holds."""
        with np.errstate(invalid="ignore"):
            return plain(np.asarray(self.holds(np.asarray(value.data_))))

    def having(self, **parts: Any) -> Constraint:
        """The same, with what it is made of as attributes."""
        vars(self).update(parts)
        return self

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={bound}" if name else str(bound) for name, bound in self.bounds.items())
        return f"{self.name}({shown})"


class dependent_property(property, Constraint):
    """A constraint that depends on the parameters of a distribution, as an attribute of that."""

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[[Any], Any]) -> dependent_property:
        """The decorator that was given what is known of all of them."""
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)

    def __repr__(self) -> str:
        return "DependentProperty()"


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint is known only once there is a distribution."""
    return isinstance(constraint, dependent_property)


def array(bound: Any) -> Any:
    return bound.data_ if isinstance(bound, Tensor) else bound


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    low, high = array(lower_bound), array(upper_bound)
    bounds = {"lower_bound": lower_bound, "upper_bound": upper_bound}
    return Constraint("Interval", lambda x: (low <= x) & (x <= high), **bounds)


def integer_interval(lower_bound: int, upper_bound: Any) -> Constraint:
    high = array(upper_bound)

    def holds(x: Array) -> Array:
        return (x % 1 == 0) & (lower_bound <= x) & (x <= high)

    return Constraint("IntegerInterval", holds, lower_bound=lower_bound, upper_bound=upper_bound)


def greater_than(lower_bound: Any) -> Constraint:
    low = array(lower_bound)
    return Constraint("GreaterThan", lambda x: low < x, lower_bound=lower_bound)


def less_than(upper_bound: Any) -> Constraint:
    high = array(upper_bound)
    return Constraint("LessThan", lambda x: x < high, upper_bound=upper_bound)


def independent(base: Constraint, dims: int) -> Constraint:
    """`base` for events of `dims` more dimensions, all of whose elements must satisfy it."""

    def holds(x: Array) -> Array:
        found = np.asarray(base.holds(x))
        if found.ndim < dims:
            raise ValueError(f"Expected value.dim() >= {base.event_dim + dims} but got {x.ndim}")
        return np.all(found.reshape(*found.shape[: found.ndim - dims], -1), axis=-1)

    made = Constraint("IndependentConstraint", holds, base.event_dim + dims, **{"": f"{base!r}, {dims}"})
    return made.having(base_constraint=base, reinterpreted_batch_ndims=dims)


def sums_to_one(x: Array) -> Array:
    return np.all(x >= 0, axis=-1) & (np.abs(np.sum(x, axis=-1) - 1) < 1e-6)


real = Constraint("Real", lambda x: x == x)
boolean = Constraint("Boolean", lambda x: (x == 0) | (x == 1))
positive = greater_than(0.0)
nonnegative = Constraint("GreaterThanEq", lambda x: x >= 0, lower_bound=0.0)
unit_interval = interval(0.0, 1.0)
real_vector = independent(real, 1)
simplex = Constraint("Simplex", sums_to_one, 1)


def symmetric(x: Array) -> Array:
    turned = np.swapaxes(x, -2, -1)
    return np.all(np.isclose(x, turned, rtol=1e-5, atol=1e-6), axis=(-2, -1))


def is_positive_definite(x: Array) -> Array:
    if x.shape[-1] != x.shape[-2]:
        return np.full(x.shape[:-2], False)
    same = symmetric(x)
    if not same.all():
        return same
    return np.all(np.linalg.eigvalsh(x) > 0, axis=-1)


def is_root(x: Array) -> Array:
    triangular = np.all(np.tril(x) == x, axis=(-2, -1))
    return triangular & np.all(np.diagonal(x, axis1=-2, axis2=-1) > 0, axis=-1)


positive_definite = Constraint("PositiveDefinite", is_positive_definite, 2)
lower_cholesky = Constraint("LowerCholesky", is_root, 2)


def greater_than_eq(lower_bound: Any) -> Constraint:
    low = array(lower_bound)
    return Constraint("GreaterThanEq", lambda x: low <= x, lower_bound=lower_bound)


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    low, high = array(lower_bound), array(upper_bound)
    bounds = {"lower_bound": lower_bound, "upper_bound": upper_bound}
    return Constraint("HalfOpenInterval", lambda x: (low <= x) & (x < high), **bounds)


def multinomial(upper_bound: int) -> Constraint:
    def holds(x: Array) -> Array:
        return np.all(x >= 0, axis=-1) & (np.sum(x, axis=-1) <= upper_bound)

    return Constraint("Multinomial", holds, 1)


def is_one_hot(x: Array) -> Array:
    return np.all((x == 0) | (x == 1), axis=-1) & (np.sum(x, axis=-1) == 1)


nonnegative_integer = Constraint("IntegerGreaterThan", lambda x: (x % 1 == 0) & (x >= 0), lower_bound=0)
positive_integer = Constraint("IntegerGreaterThan", lambda x: (x % 1 == 0) & (x >= 1), lower_bound=1)
one_hot = Constraint("OneHot", is_one_hot, 1)


__getattr__ = absent("torch.distributions.constraints")
