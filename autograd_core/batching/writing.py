"""Writing in place where vmap hides a dimension: the batch is written, and a hidden history goes on as elsewhere.

Note [Hidden views]. A view of a hidden tensor remembers by which operators it was taken. When the base is written, its
grad_fn is made anew by these, and the gradient of a written part goes the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from ..edges import gradient_edge
from ..graph import Wanted
from ..state import state
from ..tensor import Tensor, View, plain
from ..transforms.batch import Batch, Level, hidden
from ..views import geometry
from .parts import Call, front, part_of

MORE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being "
    "vmapped over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said "
    "operator is being called inside the PyTorch framework, please file a bug report instead."
)

Step = tuple[Callable[..., Any], tuple[Any, ...], int | None]
"""An operator, its arguments after the first, and which of its results."""


class HiddenView(View):
    """How a view of a hidden tensor was taken of its base."""

    __slots__ = ("steps",)

    def __init__(self, base: Tensor, version: int, creation: str, steps: tuple[Step, ...]) -> None:
        super().__init__(base, version, creation)
        self.steps = steps

    def taken_of(self, base: Tensor) -> Tensor:
        """The same view of another base."""
        for function, args, which in self.steps:
            taken = function(base, *args)
            base = taken if which is None else taken[which]
        return base


def remember(op: Any, source: Tensor, args: tuple[Any, ...], results: Sequence[Tensor]) -> None:
    """Let views know how they were taken, see Note [Hidden views]."""
    look = source.meta.view if source.meta is not None else None
    base = source if look is None else look.base
    steps = look.steps if isinstance(look, HiddenView) else ()
    creation = "multi_output" if op.many else "normal"
    if not state.grad_enabled:
        creation = "no_grad"
    if look is not None and look.creation != "normal":
        creation = look.creation
    for nr, view in enumerate(results):
        step = (op.general, args, nr if op.many else None)
        version = base.shared_storage().count()
        view.own_meta().view = HiddenView(base, version, creation, (*steps, step))


class Write(Call):
    """A call whose operator writes over its first operand."""

    writes = True

    def __init__(self, function: Callable[..., Any], *given: Any) -> None:
        super().__init__(*given)
        self.function = function

    def run(self, /, **given: Any) -> Any:
        from ..inplace import in_place

        known = {**self.parts, **self.others, **given}
        return in_place(self.function, *[known[name] for name in self.op.signature.parameters])


def written(function: Callable[..., Any], target: Tensor, args: tuple[Any, ...], options: dict[str, Any]) -> Tensor:
    """`target.op_(...)`, where `target` or what is written hides a dimension.

    Raises:
        RuntimeError: `target` is the same for all examples, and what is written is not.
    """
    from ..inplace import bound, check_writable, link
    from ..rebasing import rebase
    from . import RULES, innermost, lifted, once
    from .arithmetic import SEVERAL, UNARY
    from .loop import one_by_one

    op = function.op  # type: ignore[attr-defined]
    check_writable(target)
    level = innermost((target, *args))
    assert level is not None
    given = bound(op, (target, *args), options)
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
        from ..ops.join import clone

        data = target.data_
        before = plain(Batch(clone(data.whole), data.at, level) if kept else data)
        before.node, before.output_nr = gradient_edge(target)
    call = Write(function, op, level, parts, {k: v for k, v in given.items() if k not in parts})
    if not call.is_batched():
        once(call)
    elif op.name != "add.Tensor" and parts["self"].at is None and op.name in SEVERAL.split():
        raise RuntimeError(MORE)
    elif op.name in UNARY.split():
        call.run(self=front(parts["self"]))
    else:
        RULES.get(op.name, one_by_one)(call)
    if tracked:
        above = {n: lifted(v, level) if isinstance(v, Tensor) else v for n, v in given.items()}
        above["self"] = before
        rebase(target, lambda holder: link(op, above, holder, before, target, kept))
    return target


def lend(target: Tensor, level: Level) -> None:
    """Let `target`, which hides no dimension of `level`, be seen in it as one that has none to hide, with its base.

    What is written into it leads into the graph of that level, where operators must find it.
    """
    from ..ops.view import as_strided

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
        target.own_meta().view = HiddenView(base, look.version, look.creation, steps)
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
    return hidden(tensor) and tensor.data_.level is level


def remake(view: Tensor, look: HiddenView) -> None:
    """The grad_fn of a view whose base was written."""
    grad_mode, state.grad_enabled = state.grad_enabled, True
    try:
        fresh = look.taken_of(look.base)
    finally:
        state.grad_enabled = grad_mode
    view.node, view.output_nr = fresh.node, fresh.output_nr
    look.version = view.shared_storage().count()


def levels_of(tensor: Tensor) -> set[Level]:
    """The vmaps that hide a dimension of `tensor`."""
    found: set[Level] = set()
    data = tensor.data_
    while isinstance(data, Batch):
        if data.at is not None:
            found.add(data.level)
        data = data.whole.data_
    return found


def through_view(node: Any, look: HiddenView, grads: Sequence[Any], wanted: Wanted) -> list[Any]:
    """The gradients of a CopySlices over hidden tensors: of the base before, and of what was written."""
    from ..op import GRAPH
    from ..ops.join import clone

    whole = clone(grads[0])
    inner = node.inner.graph((clone(look.taken_of(whole)),), (node.inner.next[0], *wanted[1:]))
    if inner[0] is not None and not levels_of(inner[0]) <= levels_of(whole):
        whole = GRAPH["add"](whole, GRAPH["sum"](GRAPH["zeros_as"](inner[0])))  # one for each example from here on
    shown = look.taken_of(whole)
    came = GRAPH["zeros_as"](shown) if inner[0] is None else inner[0]
    shown.copy_(came)
    return [None if wanted[0] is None else whole, *inner[1:]]


__all__ = ["HiddenView", "remake", "remember", "through_view", "written"]
