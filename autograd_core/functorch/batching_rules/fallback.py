"""Operators without a rule: one example after the other, joined again, as torch's fallback does it."""

from __future__ import annotations

from typing import Any

from ...errors import Unsupported
from ...ops.join import cat, stack
from ...ops.view import expand, select, unsqueeze, view
from ..batched_tensor import Part
from .operands import Call, front, move_dim


def one_by_one(call: Call) -> Any:
    """The results for the examples, one after the other, as one batch.

    Raises:
        NotImplementedError: there are no examples.
    """
    size = call.level.size
    if size == 0:
        raise Unsupported(f"vmap of {call.op.python_name} over a batch of 0 examples is not supported")
    lists = any(isinstance(part, list) for part in call.parts.values())

    def slices(part: Any) -> Any:
        if isinstance(part, list):
            return [None if p is None else slices(p) for p in part]
        if part.at is not None:
            rows = front(part)
            again = call.level.older and part.at == 0
            whole = expand(rows, list(rows.data_.shape)) if again else move_dim(part.whole, part.at, 0)
        elif lists:
            whole = expand(unsqueeze(part.whole, 0), [size, *part.whole.data_.shape])
        else:
            return lambda k: part.whole
        return lambda k: select(whole, 0, k)

    makers = {name: slices(part) for name, part in call.parts.items()}

    def example(k: int) -> dict[str, Any]:
        return {
            name: [None if m is None else m(k) for m in maker] if isinstance(maker, list) else maker(k)
            for name, maker in makers.items()
        }

    def join_examples(column: Any) -> Part:
        if lists:
            return Part(cat([unsqueeze(part, 0) for part in column], 0), 0)
        return Part(view(stack(list(column), 0), [size, *column[0].data_.shape]), 0)

    rows = [call.run(**example(k)) for k in range(size)]
    if not isinstance(rows[0], tuple | list):
        return join_examples(rows)
    return [join_examples(column) for column in zip(*rows, strict=True)]
