"""Rules of operators on each element, over some dimensions, and of products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...api.functions.arguments import cast
from ...dispatch.registry import GRAPH, TABLE
from ...ops.matmul import matmul
from ...ops.unary import where
from ...ops.view import reshape, squeeze_dim, t, unsqueeze
from ...tensor import dtypes
from ...tensor.tensor import Tensor
from ...tensor.type_promotion import rank_operand
from ..batched_tensor import Part, hide, innermost, part_of
from .operands import (
    Call,
    below_front,
    each_wrapped,
    ensure_batch,
    front,
    logical,
    move_dim,
    pad_dims,
    stretch_dims,
    wrap_dim,
)

# ---- each element alone
#
# Broadcasting goes by the shapes of examples, so the batch dimension comes first and shorter examples get dimensions of
# length 1 after it.


def unary(call: Call) -> Any:
    part = call.first
    return Part(call.run(self=part.whole), part.at)


def several(call: Call) -> Any:
    rank = max(part.rank for part in call.parts.values())
    line_up = stretch_dims if call.level.older else pad_dims
    lined_up = {name: alike(call, part, line_up(part, rank)) for name, part in call.parts.items()}
    found = call.run(**lined_up)
    return [Part(t, 0) for t in found] if isinstance(found, tuple) else Part(found, 0)


def alike(call: Call, part: Part, whole: Any) -> Any:
    """`whole` in the dtype that numbers of one example yield to: with the batch it is a number no more."""
    promoted = call.op.traits.get("promote") or ()
    operands = [call.parts[name] for name in promoted if name in call.parts]
    if part not in operands or part.at is None or part.rank or all(not p.rank for p in operands):
        return whole
    ranks = []
    for p in operands:
        rank, kind = rank_operand(p.whole)
        ranks.append((rank if p.at is None else 1 if not p.rank else 0, kind))
    return cast(whole, dtypes.of_ranked(ranks)) if whole.data_.dtype.kind in "biuf" else whole


def each_alike(function: Callable[..., Any], *operands: Any) -> Any:
    """`function`, which treats each element alone but is no operator of the table, on hidden `operands`."""
    level = innermost(operands)
    assert level is not None
    parts = [part_of(t, level) if isinstance(t, Tensor) else t for t in operands]
    rank = max(p.rank for p in parts if isinstance(p, Part))
    wholes = [pad_dims(p, rank) if isinstance(p, Part) else p for p in parts]
    return hide(Part(function(*wholes), 0), level)


def masked_fill_rule(call: Call) -> Any:
    """`masked_fill` with a value, which may be another for each example."""
    if call.parts["value"].at is None or call.writes:
        return several(call)
    self, mask, value = (logical(call.parts[name], call.level) for name in ("self", "mask", "value"))
    return part_of(where(mask, value, self), call.level)


def each_element(op: Any) -> Callable[[Call], Any]:
    """The rule of a pointwise operator: of one tensor, the batch dimension stays where it is."""
    return unary if op.tensors == ["self"] and len(op.outputs) == 1 else several


OTHER_POINTWISE: dict[str, Callable[[Call], Any]] = {"masked_fill.Tensor": masked_fill_rule}


# ---- over some dimensions: these count from the one after the batch dimension, which comes first


OVER_SOME = """
sum.dim_IntList mean.dim logsumexp var.correction std.correction linalg_vector_norm norm.ScalarOpt_dim all any
count_nonzero amax amin var_mean.correction std_mean.correction nansum
"""
"""Over a list of dimensions, or all of them."""

OVER_ONE = """
cumsum cumprod prod.dim_int max.dim min.dim median.dim nanmedian.dim mode cummax cummin sort sort.stable topk _softmax
_log_softmax _softmax_backward_data _log_softmax_backward_data _safe_softmax argmax argmin aminmax glu glu_backward
"""


def all_of(rank: int) -> list[int]:
    return list(range(1, rank + 1))


def over_some(call: Call) -> Any:
    part = call.first
    dim = call["dim"]
    if dim is None or (not isinstance(dim, int) and not len(dim)):
        dims = all_of(part.rank)
    else:
        dims = each_wrapped([dim] if isinstance(dim, int) else dim, part.rank)
    if not part.rank:
        return scalar(call, part, [1])
    return below_front(call.run(**{name_of(call): front(part)}, dim=dims))


def name_of(call: Call) -> str:
    return next(iter(call.parts))


def scalar(call: Call, part: Part, dim: Any) -> Any:
    """An example without dimensions is one number along a dimension that is taken away again."""
    given = {name: unsqueeze(front(p), -1) if p.at is not None else p.whole for name, p in call.parts.items()}
    found = call.run(**given, dim=dim)
    several = isinstance(found, tuple | list)
    results = [squeeze_dim(t, 1) if t.data_.ndim > 1 else t for t in (found if several else [found])]
    return [Part(t, 0) for t in results] if several else Part(results[0], 0)


def over_one(call: Call) -> Any:
    part = call.first
    if call["dim"] is None:
        return flatten(call, call.op)
    at = wrap_dim(call["dim"], part.rank)
    if not part.rank:
        return scalar(call, part, 1)
    size = call.level.size

    given = {name: ensure_batch(p, size) for name, p in call.parts.items()}
    return below_front(call.run(**given, dim=at))


def whole(other: str) -> Callable[[Call], Any]:
    """`op()` by the operator `other` over all dimensions."""

    def rule(call: Call) -> Any:
        part = call.first
        if not part.rank:
            return Part(TABLE[other].general(lengthen(part), [1]), 0)
        return Part(TABLE[other].general(front(part), all_of(part.rank)), 0)

    return rule


def lengthen(part: Part) -> Any:
    return unsqueeze(front(part), -1)


def flat(other: str) -> Callable[[Call], Any]:
    """`op()` by the operator `other` over one dimension, in which all elements lie."""

    def rule(call: Call) -> Any:
        return flatten(call, TABLE[other])

    return rule


def flatten(call: Call, op: Any) -> Any:
    part = call.first
    rows = reshape(front(part), [call.level.size, -1])
    found = op.general(rows, 1)
    if op is call.op and isinstance(found, tuple | list):
        return below_front(found)
    result = found[0] if isinstance(found, tuple | list) else found
    if call.others.get("keepdim"):
        result = reshape(result, [call.level.size, *[1] * part.rank])
    return Part(result, 0)


REDUCTIONS: dict[str, Callable[[Call], Any]] = {name: over_some for name in OVER_SOME.split()}
REDUCTIONS |= {name: over_one for name in OVER_ONE.split()}
REDUCTIONS |= {
    "sum": whole("sum.dim_IntList"), "mean": whole("mean.dim"), "prod": flat("prod.dim_int"), "max": flat("max.dim"),
    "min": flat("min.dim"), "median": flat("median.dim"), "nanmedian": flat("nanmedian.dim"),
}  # fmt: skip


# ---- products of matrices: most are a matmul over the batch


Rule = Callable[[Call], Any]


def pair(call: Call) -> tuple[Part, Part]:
    a, b = list(call.parts.values())[:2]
    return a, b


def matmul_rule(call: Call) -> Any:
    a, b = pair(call)
    return Part(matmul(front(a), front(b)), 0)


def dot(call: Call) -> Any:
    a, b = pair(call)
    left, right = front(a), front(b)
    if a.at is not None and b.at is not None:
        return Part(squeeze_dim(squeeze_dim(matmul(unsqueeze(left, -2), unsqueeze(right, -1)), -1), -1), 0)
    return Part(matmul(left, t(right)), 0)


def matrix_vector(call: Call) -> Any:
    a, b = pair(call)
    if a.at is not None and b.at is not None:
        left = move_dim(a.whole, a.at, 0)
        return Part(squeeze_dim(matmul(left, unsqueeze(front(b), -1)), -1), 0)
    if a.at is not None:
        return Part(matmul(front(a), b.whole), 0)
    assert b.at is not None
    return Part(matmul(a.whole, move_dim(b.whole, b.at, b.rank)), 1)


def sum_of_product(product: str) -> Rule:
    """`beta * self + alpha * product`, step by step."""

    def rule(call: Call) -> Any:
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
        name: pad_dims(Part(ensure_batch(p, call.level.size), 0), rank)
        if p.rank != rank
        else ensure_batch(p, call.level.size)
        for name, p in call.parts.items()
    }
    found = call.run(**given)
    return [Part(t, 0) for t in found] if isinstance(found, tuple) else Part(found, 0)


def solve_rule(call: Call) -> Any:
    """`linalg.solve`, where the right side may be a vector."""
    a, b = (ensure_batch(p, call.level.size) for p in call.parts.values())
    vector = call.parts["B"].rank == 1
    found = call.run(A=a, B=unsqueeze(b, -1) if vector and b.data_.shape != a.data_.shape[:-1] else b)
    if vector and found[0].data_.ndim > b.data_.ndim:
        found = (squeeze_dim(found[0], -1), *found[1:])
    return [Part(t, 0) for t in found]


def distances(call: Call) -> Any:
    return Part(call.run(**{name: front(p) for name, p in call.parts.items()}), 0)


def cross_rule(call: Call) -> Any:
    rank = max(part.rank for part in call.parts.values())
    given = {name: pad_dims(Part(ensure_batch(p, call.level.size), 0), rank) for name, p in call.parts.items()}
    return Part(call.run(**given, dim=wrap_dim(call["dim"], rank)), 0)


OF_MATRICES = """
_linalg_det _linalg_slogdet linalg_inv_ex linalg_matrix_exp linalg_cholesky_ex linalg_qr _linalg_svd _linalg_eigh
linalg_eig linalg_pinv linalg_solve_triangular cholesky_inverse
"""

PRODUCTS: dict[str, Rule] = {
    "mm": matmul_rule, "bmm": matmul_rule, "dot": dot, "vdot": dot, "mv": matrix_vector, "addmm": sum_of_product("mm"),
    "addmv": sum_of_product("mv"), "baddbmm": sum_of_product("bmm"), "linalg_cross": cross_rule,
    "_linalg_solve_ex": solve_rule, "_cdist_forward": distances,
} | {
    name: batch_of_matrices
    for name in OF_MATRICES.split()
}  # fmt: skip
