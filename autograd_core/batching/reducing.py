"""Rules of operators over some dimensions: these count from the one after the batch dimension, which comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .parts import Call, Part, below_front, each_wrapped, front, wrapped

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
    from ..ops.view import squeeze_dim, unsqueeze

    given = {name: unsqueeze(front(p), -1) if p.at is not None else p.whole for name, p in call.parts.items()}
    found = call.run(**given, dim=dim)
    several = isinstance(found, tuple | list)
    results = [squeeze_dim(t, 1) if t.data_.ndim > 1 else t for t in (found if several else [found])]
    return [Part(t, 0) for t in results] if several else Part(results[0], 0)


def over_one(call: Call) -> Any:
    part = call.first
    if call["dim"] is None:
        return flattened(call, call.op)
    at = wrapped(call["dim"], part.rank)
    if not part.rank:
        return scalar(call, part, 1)
    size = call.level.size
    from .parts import ensured

    given = {name: ensured(p, size) for name, p in call.parts.items()}
    return below_front(call.run(**given, dim=at))


def whole(other: str) -> Callable[[Call], Any]:
    """`op()` by the operator `other` over all dimensions."""

    def rule(call: Call) -> Any:
        from ..op import TABLE

        part = call.first
        if not part.rank:
            return Part(TABLE[other].general(lengthened(part), [1]), 0)
        return Part(TABLE[other].general(front(part), all_of(part.rank)), 0)

    return rule


def lengthened(part: Part) -> Any:
    from ..ops.view import unsqueeze

    return unsqueeze(front(part), -1)


def flat(other: str) -> Callable[[Call], Any]:
    """`op()` by the operator `other` over one dimension, in which all elements lie."""

    def rule(call: Call) -> Any:
        from ..op import TABLE

        return flattened(call, TABLE[other])

    return rule


def flattened(call: Call, op: Any) -> Any:
    from ..ops.view import reshape

    part = call.first
    rows = reshape(front(part), [call.level.size, -1])
    found = op.general(rows, 1)
    if op is call.op and isinstance(found, tuple | list):
        return below_front(found)
    result = found[0] if isinstance(found, tuple | list) else found
    if call.others.get("keepdim"):
        result = reshape(result, [call.level.size, *[1] * part.rank])
    return Part(result, 0)


RULES: dict[str, Callable[[Call], Any]] = {name: over_some for name in OVER_SOME.split()}
RULES |= {name: over_one for name in OVER_ONE.split()}
RULES |= {
    "sum": whole("sum.dim_IntList"), "mean": whole("mean.dim"), "prod": flat("prod.dim_int"), "max": flat("max.dim"),
    "min": flat("min.dim"), "median": flat("median.dim"), "nanmedian": flat("nanmedian.dim"),
}  # fmt: skip
