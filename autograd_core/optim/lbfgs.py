"""LBFGS: steps along an estimate of Newton's direction, kept from the last changes of the gradient.

All parameters are one long vector here. What lasts from step to step lies in the state of the first parameter, as
tensors, under torch's names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..engine.grad_mode import enable_grad, no_grad
from ..tensor.dtypes import part_kind
from ..tensor.tensor import Array, Tensor, plain
from .optimizer import NEGATIVE, Message, Optimizer, at_least_zero, options, plus, write

ARMIJO, CURVATURE = 1e-4, 0.9
"""How much the value must fall along the line, and how flat it must be where the search ends."""


class Point(NamedTuple):
    """A place on the line of a search: how far along, and what the function is there."""

    step: Any
    value: Any
    grad: Array
    slope: Any


class LBFGS(Optimizer):
    """Quasi-Newton steps with a short memory; `step` needs a closure, which it calls several times."""

    def __init__(
        self,
        params: Any,
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.data_.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        at_least_zero("learning rate", lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # it can't do without
        """Up to `max_iter` moves; gives what `closure` gave first."""

        def evaluate() -> Any:
            with enable_grad():
                return closure()

        with no_grad(), np.errstate(all="ignore"):
            return Descent(self, evaluate).run()

    # ---- the parameters as one vector

    def gathered(self) -> Array:
        """All gradients in one row."""
        parts = [
            np.zeros(param.data_.size, param.data_.dtype) if param.grad is None else np.ravel(param.grad.data_)
            for param in self._params
        ]
        return np.concatenate([part.view(part_kind(part.dtype)) for part in parts])

    def move(self, step: Any, direction: Array) -> None:
        start = 0
        for param in self._params:
            kind = param.data_.dtype
            parts = np.ascontiguousarray(param.data_).reshape(-1).view(part_kind(kind))
            size = parts.size
            moved = plus(parts, direction[start : start + size], float(step))
            write(param, moved.view(kind).reshape(param.data_.shape), "add_")
            start += size

    def put_back(self, values: list[Array]) -> None:
        for param, value in zip(self._params, values, strict=True):
            write(param, value, "copy_")


USUAL = {"lr": 1, "max_iter": 20, "max_eval": 25, "tolerance_grad": 1e-7, "tolerance_change": 1e-9, "history_size": 100}
MESSAGES: dict[str, Message] = {
    "lr": "unsupported operand type(s) for *: 'Tensor' and '{}'",
    "max_iter": "'<' not supported between instances of 'int' and '{}'",
    "max_eval": "'>=' not supported between instances of 'int' and '{}'",
    "tolerance_grad": "'<=' not supported between instances of 'Tensor' and '{}'",
    "tolerance_change": NEGATIVE,
    "history_size": "can't multiply sequence by non-int of type '{}'",
}
MOST_KEPT = 10_000
"""Steps for which there is a place in the memory, however many are asked for: no run makes as many."""

KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")
"""The memory, in the order in which torch stores it."""


class Descent:
    """One call of `step`."""

    def __init__(self, optimizer: LBFGS, evaluate: Callable[[], Any]) -> None:
        self.optimizer, self.evaluate = optimizer, evaluate
        group = optimizer.param_groups[0]
        self.group = options(group, USUAL, MESSAGES)
        self.state = optimizer.state[optimizer._params[0]]
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)
        self.kept: dict[str, Any] = {name: self.state.get(name) for name in KEPT}

    def run(self) -> Any:
        """Move until something says enough; gives what the closure gave first."""
        state, group, kept, optimizer = self.state, self.group, self.kept, self.optimizer
        rate = group["lr"]
        first = self.evaluate()
        loss, grad, calls = number(first), optimizer.gathered(), 1
        state["func_evals"] += 1
        if np.abs(grad).max() <= group["tolerance_grad"]:
            return first
        for turn in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = self.direction(grad)
            kept["prev_flat_grad"] = plain(grad.copy())
            before = kept["prev_loss"] = loss
            newest = state["n_iter"] == 1
            step: Any = min(1.0, 1 / np.abs(grad).sum()) * rate if newest else rate
            kept["t"] = show(step)
            slope = np.dot(grad, direction)
            if slope > -group["tolerance_change"]:
                break
            more = 0
            last = turn == group["max_iter"]
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                search = Search(self, direction, Point(0, loss, grad, slope), group["max_eval"] - calls)
                (step, loss, grad, _), more = search.run(step), search.calls
                kept["t"] = show(step)
                optimizer.move(step, direction)
            else:
                optimizer.move(step, direction)
                if not last:
                    loss, grad, more = number(self.evaluate()), optimizer.gathered(), 1
            calls += more
            state["func_evals"] += more
            if last or calls >= group["max_eval"] or np.abs(grad).max() <= group["tolerance_grad"]:
                break
            if np.abs(direction * step).max() <= group["tolerance_change"]:
                break
            if abs(loss - before) < group["tolerance_change"]:
                break
        state.update(kept)
        return first

    def direction(self, grad: Array) -> Array:
        """Against the gradient at first, then along what the memory makes of it."""
        kept = self.kept
        if self.state["n_iter"] == 1:
            kept.update(d=plain(-grad), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -grad
        self.remember(grad - kept["prev_flat_grad"].data_, kept["d"].data_ * array(kept["t"]))
        changes, steps, ratios = ([t.data_ for t in kept[name]] for name in ("old_dirs", "old_stps", "ro"))
        weights = self.state.setdefault("al", [None] * min(self.group["history_size"], MOST_KEPT))
        rest = -grad
        for i in range(len(changes) - 1, -1, -1):
            weights[i] = plain(np.dot(steps[i], rest) * ratios[i])
            rest = plus(rest, changes[i], float(-weights[i].data_))
        rest = rest * array(kept["H_diag"])
        for i, change in enumerate(changes):
            share = np.dot(change, rest) * ratios[i]
            rest = plus(rest, steps[i], float(weights[i].data_ - share))
        kept["d"] = plain(rest)
        return rest

    def remember(self, change: Array, step: Array) -> None:
        """Keep how the gradient changed along the last step, if the function curves upward there."""
        kept = self.kept
        curve = np.dot(change, step)
        if not curve > 1e-10:
            return
        lists = [kept[name] for name in ("old_dirs", "old_stps", "ro")]
        if len(lists[0]) == self.group["history_size"]:
            for values in lists:
                values.pop(0)
        for values, value in zip(lists, (change, step, 1 / curve), strict=True):
            values.append(plain(value))
        kept["H_diag"] = plain(curve / np.dot(change, change))


def array(value: Any) -> Any:
    return value.data_ if isinstance(value, Tensor) else value


def number(loss: Any) -> float:
    """The loss that the program's closure gave: a number, or a tensor of one.

    Raises:
        ValueError: a tensor of another size.
    """
    if np.size(array(loss)) != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return float(np.reshape(array(loss), ()))


def show(value: Any) -> Any:
    """A number of the state: a tensor where torch computes with one."""
    return plain(value) if isinstance(value, np.generic) else value


# ---- along a line


class Search:
    """A search for a point that satisfies the strong Wolfe conditions: first a bracket, then narrowing it."""

    def __init__(self, descent: Descent, direction: Array, start: Point, most: int) -> None:
        self.descent, self.direction, self.start, self.most = descent, direction, start, most
        self.origin = [np.array(param.data_) for param in descent.optimizer._params]
        self.size = np.abs(direction).max()
        self.calls = 0

    def look(self, step: Any) -> Point:
        """The function at `step` along the line; the parameters are put back."""
        optimizer = self.descent.optimizer
        optimizer.move(step, self.direction)
        value, grad = number(self.descent.evaluate()), optimizer.gathered()
        optimizer.put_back(self.origin)
        self.calls += 1
        return Point(step, value, grad, np.dot(grad, self.direction))

    def too_high(self, point: Point) -> bool:
        return bool(point.value > self.start.value + ARMIJO * point.step * self.start.slope)

    def flat(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -CURVATURE * self.start.slope)

    def run(self, step: Any) -> Point:
        """The best point found."""
        bracket, turns = self.bracket(step)
        return bracket[0] if len(bracket) == 1 else self.narrowed(bracket, turns)

    def bracket(self, step: Any) -> tuple[list[Point], int]:
        """Two points with a good one between them, or a good one."""
        before, point, turns = self.start, self.look(step), 0
        while turns < self.most:
            if self.too_high(point) or (turns > 1 and point.value >= before.value):
                return [before, point], turns
            if self.flat(point):
                return [point], turns
            if point.slope >= 0:
                return [before, point], turns
            bounds = point.step + 0.01 * (point.step - before.step), point.step * 10
            before, point = point, self.look(cubic(before, point, bounds))
            turns += 1
        return [self.start, point], turns

    def narrowed(self, bracket: list[Point], turns: int) -> Point:
        low, high = (0, 1) if bracket[0].value <= bracket[1].value else (1, 0)
        stuck = False
        while turns < self.most:
            ends = [point.step for point in bracket]
            if abs(ends[1] - ends[0]) * self.size < self.descent.group["tolerance_change"]:
                break
            step, stuck = inside(cubic(bracket[0], bracket[1]), min(ends), max(ends), stuck)
            point = self.look(step)
            turns += 1
            if self.too_high(point) or point.value >= bracket[low].value:
                bracket[high] = point
                low, high = (0, 1) if bracket[0].value <= bracket[1].value else (1, 0)
                continue
            done = self.flat(point)
            if not done and point.slope * (ends[high] - ends[low]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
            if done:
                break
        return bracket[low]


def inside(step: Any, left: Any, right: Any, stuck: bool) -> tuple[Any, bool]:
    """`step`, moved away from an end that it comes too near for the second time; and whether it came near now."""
    margin = 0.1 * (right - left)
    if not min(right - step, step - left) < margin:
        return step, False
    if not (stuck or step >= right or step <= left):
        return step, True
    return (right - margin if abs(step - right) < abs(step - left) else left + margin), False


def cubic(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points with their slopes is lowest, within `bounds` or between the points."""
    low, high = bounds or (min(a.step, b.step), max(a.step, b.step))
    bend = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step)
    square = bend**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    root = np.sqrt(square)
    near, far = (a, b) if a.step <= b.step else (b, a)
    best = far.step - (far.step - near.step) * ((far.slope + root - bend) / (far.slope - near.slope + 2 * root))
    return min(max(best, low), high)
