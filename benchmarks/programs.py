"""What is timed. A program over scalars takes any numbers that know + - * and **; one over tensors takes a torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .timing import Once

Scalars = Callable[[Sequence[Any]], Any]
Tensors = Callable[[Any], Once]


# ---- over scalars: what is to be differentiated


def cofactors(size: int) -> Scalars:
    """The determinant of a matrix, row by row, by its cofactors."""

    def determinant(rows: Sequence[Sequence[Any]], columns: tuple[int, ...]) -> Any:
        first, *below = rows
        if len(columns) == 2:
            (second,), (a, b) = below, columns
            return first[a] * second[b] - first[b] * second[a]
        total: Any = None
        for at, column in enumerate(columns):
            term = first[column] * determinant(below, columns[:at] + columns[at + 1 :])
            total = term if total is None else total - term if at % 2 else total + term
        return total

    columns = tuple(range(size))
    return lambda entries: determinant([entries[row * size : (row + 1) * size] for row in columns], columns)


def entries(size: int) -> list[float]:
    """A matrix whose determinant is neither huge nor nothing."""
    return [((row * 7 + column * 3) % 5 - 1.5) / 2 + (row == column) for row in range(size) for column in range(size)]


def products(length: int) -> Scalars:
    """One multiplication after the other, all by the same factor."""

    def chain(values: Sequence[Any]) -> Any:
        product, factor = values
        for _ in range(length):
            product = product * factor
        return product

    return chain


def square(values: Sequence[Any]) -> Any:
    """A program of one operation."""
    return values[0] * values[0]


# ---- over tensors: whole programs


def mlp(batch: int, inputs: int, hidden: int, update: bool) -> Tensors:
    """Two layers and their gradients; with `update`, a step of gradient descent by tensor operations."""

    def program(torch: Any) -> Once:
        x, y = tensor(torch, batch, inputs), tensor(torch, batch, 1)
        weights = [tensor(torch, *shape) for shape in ((inputs, hidden), (hidden,), (hidden, 1), (1,))]
        for weight in weights:
            weight.requires_grad_()

        def once() -> list[Any]:
            w1, b1, w2, b2 = weights
            off = torch.tanh(x @ w1 + b1) @ w2 + b2 - y
            loss = (off * off).mean()
            loss.backward()
            found = [weight.grad for weight in weights]
            if update:
                with torch.no_grad():
                    for weight in weights:
                        weight -= 0.01 * weight.grad
            for weight in weights:
                weight.grad = None
            return [loss, *found]

        return once

    return program


def rnn(steps: int, hidden: int, batch: int) -> Tensors:
    """A recurrent cell, step by step, and back through time."""

    def program(torch: Any) -> Once:
        inputs = [tensor(torch, batch, hidden, seed=step) for step in range(steps)]
        weights = [tensor(torch, hidden, hidden), tensor(torch, hidden, hidden, seed=3), tensor(torch, hidden)]
        for weight in weights:
            weight.requires_grad_()

        def once() -> list[Any]:
            u, w, b = weights
            h = torch.zeros(batch, hidden)
            for x in inputs:
                h = torch.tanh(x @ u + h @ w + b)
            (h * h).sum().backward()
            found = [weight.grad for weight in weights]
            for weight in weights:
                weight.grad = None
            return [h, *found]

        return once

    return program


def derivatives(order: int, shape: tuple[int, ...]) -> Tensors:
    """x**7, differentiated again and again; `shape` has one element."""

    def program(torch: Any) -> Once:
        x = torch.full(shape, 1.5, requires_grad=True)

        def once() -> list[Any]:
            y, found = x**7, []
            for _ in range(order):
                (y,) = torch.autograd.grad(y, x, create_graph=True)
                found.append(y)
            return found

        return once

    return program


def tensor(torch: Any, *shape: int, seed: int = 1) -> Any:
    """Numbers that look random and are the same for every torch: a few steps of a linear congruence."""
    count, numbers = 1, []
    for length in shape:
        count *= length
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        numbers.append((seed / 2**30 - 1) / max(1, shape[0]) ** 0.5)
    return torch.tensor(numbers).reshape(shape)
