"""Writing in place where vmap hides a dimension: the batch is written, and a hidden history goes on as elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from ...dispatch.inplace import bind_arguments, check_writable, in_place, link
from ...dispatch.registry import callbacks
from ...engine.state import state
from ...graph.copy_slices import rebase
from ...graph.edges import gradient_edge
from ...ops.join import clone
from ...ops.view import as_strided
from ...tensor.tensor import Tensor, plain
from ...tensor.views import ReplayedView, geometry
from ..batch import Batch, Level, is_hidden
from ..batched_tensor import innermost, lift, part_of
from .elementwise import unary
from .operands import Call, front, once
from .rules import rule_in

MORE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being "
    "vmapped over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said "
    "operator is being called inside the PyTorch framework, please file a bug report instead."
)


class Write(Call):
    """A call whose operator writes over its first operand."""

    writes = True

    def __init__(self, function: Callable[..., Any], *given: Any) -> None:
        super().__init__(*given)
        self.function = function

    def run(self, /, **given: Any) -> Any:
        known = {**self.parts, **self.others, **given}
        return in_place(self.function, *[known[name] for name in self.op.signature.parameters])


def write_in_place(
    function: Callable[..., Any], target: Tensor, args: tuple[Any, ...], options: dict[str, Any]
) -> Tensor:
    """`target.op_(...)`, where `target` or what is written hides a dimension.

    Raises:
        RuntimeError: `target` is the same for all examples, and what is written is not.
    """
    op = function.op  # type: ignore[attr-defined]
    check_writable(target)
    level = innermost((target, *args))
    assert level is not None
    given = bind_arguments(op, (target, *args), options)
    operands = {n: given[n] for n in (*op.tensors, *op.lists) if given.get(n) is not None}
    followed = [v for v in operands.values() if isinstance(v, Tensor) and v.requires_grad and of(v, level)]
    tracked = state.grad_enabled and bool(followed)
    if tracked and not of(target, level):
        lend(target, level)
    parts: dict[str, Any] = {
        n: [None if t is None else part_of(t, level) for t in v] if n in op.lists else part_of(v, level)
        for n, v in operands.items()
    }
    before = target
    kept = op.node_class is not None and "self" in op.kept()
    if tracked:
        data = target.data_
        before = plain(Batch(clone(data.whole), data.at, level) if kept else data)
        before.node, before.output_nr = gradient_edge(target)
    call, rule = Write(function, op, level, parts, {k: v for k, v in given.items() if k not in parts}), rule_in(op)
    if not call.is_batched():
        once(call)
    elif op.name != "add.Tensor" and parts["self"].at is None and op.traits.get("pointwise") and rule is not unary:
        raise RuntimeError(MORE)
    elif rule is unary:
        call.run(self=front(parts["self"]))
    else:
        rule(call)
    if tracked:
        above = {n: lift(v, level) if isinstance(v, Tensor) else v for n, v in given.items()}
        above["self"] = before
        rebase(target, lambda holder: link(op, above, holder, before, target, kept))
    return target


def lend(target: Tensor, level: Level) -> None:
    """Let `target`, which hides no dimension of `level`, be seen in it as one that has none to hide, with its base.

    What is written into it leads into the graph of that level, where operators must find it.
    """
    look = target.meta.view if target.meta is not None else None
    base = target if look is None else look.base
    if not of(base, level):
        whole = plain(base.data_)
        whole.storage_ = base.shared_storage()
        whole.node, whole.output_nr, base.node = base.node, base.output_nr, None
        base.data_ = Batch(whole, None, level)
        level.lent.append(ref(base))
    if look is not None:
        taken = geometry(target)
        target.node, target.data_ = None, Batch(as_strided(base.data_.whole, *taken), None, level)
        steps = ((as_strided.op.general, taken, None),)
        target.own_meta().view = ReplayedView(base, look.version, look.creation, steps)
        level.lent.append(ref(target))


def give_back(level: Level) -> None:
    """`level` has ended: what it was lent is as it was."""
    for held in level.lent:
        tensor = held()
        if tensor is not None and of(tensor, level):
            whole = tensor.data_.whole
            tensor.data_ = whole.data_
            if whole.node is not None:
                tensor.node, tensor.output_nr = whole.node, whole.output_nr


def of(tensor: Tensor, level: Any) -> bool:
    return is_hidden(tensor) and tensor.data_.level is level


callbacks.write_batched = write_in_place
