"""Forward mode through functions that programs write: their `jvp` runs as soon as `forward` has.

What comes out leaves the graph of the level and enters it again with the tangent that `jvp` gave: for that level,
nothing lies behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tensor import Tensor, plain
from ..transforms.levels import Level, Source, exited
from ..transforms.tangents import tangent_of
from .node import FunctionNode

REPLACED = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
NO_VIEW = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
OTHER_VIEW = "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
OTHER_BASE = (
    "A custom Function is returning a view but the jvp is not returning a view of the same base as the given grad "
    "input."
)
NEEDLESS = (
    "Function's jvp returned a gradient at position {}, but  the corresponding forward output is not a differentiable "
    "Tensor.You should return None at that position instead."
)
Tangents = Sequence[tuple[Level, list[Tensor | None]]]
"""The forward levels at which an argument is dual, with the tangents of all of them."""


def tangents_of(args: Sequence[Any], levels: Sequence[Level]) -> Tangents:
    """The tangents of `args`, to be asked for before what is written in place gets its new history."""
    found = [(level, [tangent_of(a, level) if isinstance(a, Tensor) else None for a in args]) for level in levels]
    return [(level, along) for level, along in found if any(tangent is not None for tangent in along)]


def with_tangents(node: FunctionNode, args: Sequence[Any], outputs: list[Any], found: Tangents) -> list[Any]:
    """The outputs of `node`, dual at each of the forward levels at which one of `args` is."""
    for level, tangents_in in found:
        along = [None if t is None else exited(t, level) for t in tangents_in]
        if node.materialize:
            along = [zeros(a) if t is None and floating(a) else t for a, t in zip(args, along, strict=True)]
        kept = node.saved_for_forward or ()
        node.saved_for_forward = tuple(t if t is None else exited(t, level) for t in kept) if kept else None
        given = node.function.jvp(node, *along)
        tangents = given if isinstance(given, tuple) else (given,)
        if len(tangents) != len(outputs):
            raise RuntimeError(
                f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} but got "
                f"{len(tangents)})"
            )
        refuse_needless(node, outputs, tangents)
        pairs = enumerate(zip(outputs, tangents, strict=True))
        refuse_replaced(outputs, tangents, args, along)
        outputs = [dual(out, t, nr, args, along, level) if gets(out, t) else out for nr, (out, t) in pairs]
    return outputs


def gets(out: Any, tangent: Any) -> bool:
    """Whether `out` becomes dual: what is no tensor does not, whatever `jvp` gives for it."""
    return tangent is not None and isinstance(out, Tensor)


def refuse_needless(node: FunctionNode, outputs: Sequence[Any], tangents: Sequence[Any]) -> None:
    """Refuse a tangent for an output of `node` that has no derivative.

    Raises:
        RuntimeError: there is one.
    """
    for nr, (out, tangent) in enumerate(zip(outputs, tangents, strict=True)):
        if gets(out, tangent) and (nr in node.constant_outs or not floating(out)):
            raise RuntimeError(NEEDLESS.format(nr))


def floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.data_.dtype.kind == "f"


def refuse_replaced(outputs: Sequence[Any], tangents: Sequence[Any], args: Sequence[Any], along: Sequence[Any]) -> None:
    """Refuse another tangent for an argument that comes out again than the one it went in with.

    Raises:
        RuntimeError: there is one.
    """
    for out, tangent in zip(outputs, tangents, strict=True):
        for given, own in zip(args, along, strict=True):
            if out is given and own is not None and isinstance(tangent, Tensor) and tangent is not own:
                raise RuntimeError(REPLACED)


def zeros(like: Tensor) -> Tensor:
    return like.detach() * 0


def dual(out: Tensor, tangent: Any, nr: int, args: Sequence[Any], along: Sequence[Any], level: Level) -> Tensor:
    """The output number `nr` with its tangent at `level`.

    Raises:
        RuntimeError: `tangent` is none for it.
    """
    from ..autograd.forward_ad import dual_at

    if not isinstance(tangent, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {nr}.")
    memory = out.shared_storage()
    shown = [(a, t) for a, t in zip(args, along, strict=True) if isinstance(a, Tensor) and a.shared_storage() is memory]
    written = any(out is a for a, _ in shown)
    if not written:
        refuse_other_views(tangent, shown)
    made = dual_at(level, exited(out, level) if out.node is not None else bare(out), tangent, Result)
    if not written:
        return made
    out.node, out.output_nr = made.node, made.output_nr
    return out


def refuse_other_views(tangent: Tensor, shown: Sequence[tuple[Tensor, Tensor | None]]) -> None:
    """Refuse the tangent of a view of the arguments `shown` that is not such a view of their tangents.

    Raises:
        RuntimeError: it is not.
    """
    if shown and not tangent._is_view():
        raise RuntimeError(NO_VIEW)
    for given, own in shown:
        if own is not None and tangent.shared_storage() is not own.shared_storage():
            raise RuntimeError(OTHER_BASE if given._is_view() else OTHER_VIEW)


def bare(out: Tensor) -> Tensor:
    """`out` without what it is a view of: no graph leads to it."""
    made = plain(out.array())
    made.storage_ = out.shared_storage()
    return made


class Result(Source):
    """Where the graph of a level begins again behind a Function."""

    __slots__ = ()

    def type_name(self) -> str:
        return "Identity" if self.next[0] is None else self.next[0].type_name()
