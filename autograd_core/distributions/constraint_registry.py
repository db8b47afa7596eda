"""biject_to and transform_to: which transform brings any real numbers under a constraint.

`biject_to` gives one that can be undone and keeps densities; `transform_to` one that is quick to optimise through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.state import own_table
from . import constraints, transforms
from .distribution import is_number
from .transforms import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    StackTransform,
    Transform,
)

Factory = Callable[[Any], Transform]


def kind_of(constraint: Any) -> Any:
    """What a constraint is known by: the name of one of ours, the class of another.

    Raises:
        TypeError: it is no constraint.
    """
    if isinstance(constraint, constraints.Constraint):
        return constraint.name if type(constraint) is constraints.Constraint else type(constraint)
    if isinstance(constraint, type) and issubclass(constraint, constraints.Constraint):
        return constraint
    raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")


class ConstraintRegistry:
    """A table from constraints to what makes their transforms."""

    def __init__(self, factories: dict[Any, Factory]) -> None:
        self._registry = dict(factories)

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Enter what makes the transform of a kind of constraint; without it, a decorator that does."""
        if factory is None:
            return lambda given: self.register(constraint, given)
        own_table(self._registry)[kind_of(constraint)] = factory
        return factory

    def __call__(self, constraint: Any) -> Transform:
        kind, factories = kind_of(constraint), own_table(self._registry)
        if kind not in factories:
            shown = f"_{kind}" if isinstance(kind, str) else kind.__name__
            raise NotImplementedError(f"Cannot transform {shown} constraints")
        return factories[kind](constraint)


def above(constraint: Any) -> Transform:
    affine = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), affine])


def below(constraint: Any) -> Transform:
    affine = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), affine])


def between(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if is_number(low, high) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def parts(registry: Callable[[Any], Transform]) -> dict[Any, Factory]:
    """Those of constraints that are made of others."""
    return {
        "IndependentConstraint": lambda c: transforms.IndependentTransform(
            registry(c.base_constraint), c.reinterpreted_batch_ndims
        ),
        "Cat": lambda c: CatTransform([registry(part) for part in c.cseq], c.dim, c.lengths),
        "Stack": lambda c: StackTransform([registry(part) for part in c.cseq], c.dim),
    }


BOTH: dict[Any, Factory] = {
    "Real": lambda c: transforms.ComposeTransform([]),
    "GreaterThan": above,
    "GreaterThanEq": above,
    "LessThan": below,
    "Interval": between,
    "HalfOpenInterval": between,
    "CorrCholesky": lambda c: CorrCholeskyTransform(),
}

biject_to: ConstraintRegistry = ConstraintRegistry(
    BOTH | parts(lambda c: biject_to(c)) | {"Simplex": lambda c: transforms.StickBreakingTransform()}
)
transform_to: ConstraintRegistry = ConstraintRegistry(
    BOTH
    | parts(lambda c: transform_to(c))
    | {
        "Simplex": lambda c: transforms.SoftmaxTransform(),
        "LowerCholesky": lambda c: LowerCholeskyTransform(),
        "PositiveDefinite": lambda c: PositiveDefiniteTransform(),
        "PositiveSemidefinite": lambda c: PositiveDefiniteTransform(),
    }
)
