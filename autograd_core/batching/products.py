"""Rules of products of matrices: most are a matmul over the batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .parts import Call, Part, ensured, front, moved, padded

Rule = Callable[[Call], Any]


def pair(call: Call) -> tuple[Part, Part]:
    a, b = list(call.parts.values())[:2]
    return a, b


def multiplied(call: Call) -> Any:
    from ..ops.matmul import matmul

    a, b = pair(call)
    return Part(matmul(front(a), front(b)), 0)


def dot(call: Call) -> Any:
    from ..ops.matmul import matmul
    from ..ops.view import squeeze_dim, t, unsqueeze

    a, b = pair(call)
    left, right = front(a), front(b)
    if a.at is not None and b.at is not None:
        return Part(squeeze_dim(squeeze_dim(matmul(unsqueeze(left, -2), unsqueeze(right, -1)), -1), -1), 0)
    return Part(matmul(left, t(right)), 0)


def matrix_vector(call: Call) -> Any:
    from ..ops.matmul import matmul
    from ..ops.view import squeeze_dim, unsqueeze

    a, b = pair(call)
    if a.at is not None and b.at is not None:
        left = moved(a.whole, a.at, 0)
        return Part(squeeze_dim(matmul(left, unsqueeze(front(b), -1)), -1), 0)
    if a.at is not None:
        return Part(matmul(front(a), b.whole), 0)
    assert b.at is not None
    return Part(matmul(a.whole, moved(b.whole, b.at, b.rank)), 1)


def added(product: str) -> Rule:
    """`beta * self + alpha * product`, step by step."""

    def rule(call: Call) -> Any:
        from ..op import GRAPH
        from .parts import logical, part_of

        level = call.level
        self, a, b = (logical(p, level) for p in call.parts.values())
        scaled = GRAPH["mul_scalar"](self, call["beta"])
        found = GRAPH["add"](scaled, GRAPH[product](a, b), call["alpha"])
        return part_of(found, level)

    return rule


def batch_of_matrices(call: Call) -> Any:
    """Operators of matrices, with any number of dimensions before these."""
    rank = max(part.rank for part in call.parts.values())
    given = {
        name: padded(Part(ensured(p, call.level.size), 0), rank) if p.rank != rank else ensured(p, call.level.size)
        for name, p in call.parts.items()
    }
    found = call.run(**given)
    return [Part(t, 0) for t in found] if isinstance(found, tuple) else Part(found, 0)


def solved(call: Call) -> Any:
    """`linalg.solve`, where the right side may be a vector."""
    from ..ops.view import squeeze_dim, unsqueeze

    a, b = (ensured(p, call.level.size) for p in call.parts.values())
    vector = call.parts["B"].rank == 1
    found = call.run(A=a, B=unsqueeze(b, -1) if vector and b.data_.shape != a.data_.shape[:-1] else b)
    if vector and found[0].data_.ndim > b.data_.ndim:
        found = (squeeze_dim(found[0], -1), *found[1:])
    return [Part(t, 0) for t in found]


def distances(call: Call) -> Any:
    return Part(call.run(**{name: front(p) for name, p in call.parts.items()}), 0)


def crossed(call: Call) -> Any:
    from .parts import wrapped

    rank = max(part.rank for part in call.parts.values())
    given = {name: padded(Part(ensured(p, call.level.size), 0), rank) for name, p in call.parts.items()}
    return Part(call.run(**given, dim=wrapped(call["dim"], rank)), 0)


OF_MATRICES = """
_linalg_det _linalg_slogdet linalg_inv_ex linalg_matrix_exp linalg_cholesky_ex linalg_qr _linalg_svd _linalg_eigh
linalg_pinv linalg_solve_triangular cholesky_inverse
"""

RULES: dict[str, Rule] = {
    "mm": multiplied, "bmm": multiplied, "dot": dot, "vdot": dot, "mv": matrix_vector, "addmm": added("mm"),
    "addmv": added("mv"), "baddbmm": added("bmm"), "linalg_cross": crossed,
    "_linalg_solve_ex": solved, "_cdist_forward": distances,
} | {
    name: batch_of_matrices
    for name in OF_MATRICES.split()
}  # fmt: skip
