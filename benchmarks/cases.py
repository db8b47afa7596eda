"""Small programs for any module that behaves as torch does: each takes `torch` and gives a function to be timed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

Case = Callable[[Any], Callable[[], object]]


def determinant(size: int) -> Case:
    """The determinant of a matrix from its definition, a scalar operation at a time, and its gradient."""
    terms = list(permutations(range(size)))
    signs = [(-1) ** sum(a > b for i, a in enumerate(p) for b in p[i + 1 :]) for p in terms]

    def case(torch: Any) -> Callable[[], object]:
        rows = [
            [torch.tensor(float((i * 7 + j * 3) % 5 + 1), requires_grad=True) for j in range(size)] for i in range(size)
        ]

        def once() -> object:
            total = None
            for sign, columns in zip(signs, terms, strict=True):
                product = rows[0][columns[0]]
                for row, column in zip(rows[1:], columns[1:], strict=True):
                    product = product * row[column]
                if sign < 0:
                    product = -product
                total = product if total is None else total + product
            total.backward()
            return total

        return once

    return case


def mlp(torch: Any) -> Callable[[], object]:
    """One step of gradient descent of a small network."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    x, y = torch.randn(16, 8), torch.randn(16, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def once() -> object:
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return once


def rnn(torch: Any) -> Callable[[], object]:
    """Fifty steps of a recurrent cell, and back through time."""
    torch.manual_seed(0)
    w, u = torch.randn(16, 16, requires_grad=True), torch.randn(16, 8, requires_grad=True)
    inputs = [torch.randn(8) for _ in range(50)]

    def once() -> object:
        h = torch.zeros(16)
        for x in inputs:
            h = torch.tanh(w @ h + u @ x)
        loss = (h * h).sum()
        loss.backward()
        return loss

    return once


def chain(torch: Any) -> Callable[[], object]:
    """A thousand operations, one after the other."""
    x = torch.tensor(1.0, requires_grad=True)

    def once() -> object:
        y = x
        for _ in range(500):
            y = y * 1.001 + 0.001
        y.backward()
        return y

    return once


def derivatives(torch: Any) -> Callable[[], object]:
    """x**7 seven times differentiated."""
    x = torch.tensor(1.5, requires_grad=True)

    def once() -> object:
        y = x**7
        for _ in range(7):
            (y,) = torch.autograd.grad(y, x, create_graph=True)
        return y

    return once


CASES: dict[str, Case] = {
    "determinant 4x4, by scalars": determinant(4),
    "determinant 5x5, by scalars": determinant(5),
    "step of a small MLP": mlp,
    "RNN, 50 steps": rnn,
    "chain of 1,000": chain,
    "7 derivatives of x**7": derivatives,
}
