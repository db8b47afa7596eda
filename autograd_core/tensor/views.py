"""Views: tensors that show the memory of a base, and how their place in the graph is made anew after a write.

Note [Stale views]. A write through a view, or into a base, changes what all views of it show. Their grad_fns, made
before, no longer tell how the values came about. So each view remembers the version at which its grad_fn was made;
read later, it is replaced by AsStridedBackward0 on the base, with the sequence number of that moment.

Note [Views taken again]. A view of a tensor of which vmap hides a dimension remembers by which operators it was taken,
and so does one that shows memory otherwise than by lengths and steps: conjugated, or complex numbers as pairs. When the
base is written, its grad_fn is made anew by these, and the gradient of a written part goes the same way.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors, events
from ..dispatch.registry import TABLE, callbacks
from ..engine.state import state
from ..functorch.batch import is_hidden
from ..functorch.batch import whole_data as known
from ..graph.node import Node
from .tensor import Array, LazyView, Tensor, View, plain, show_as


def take_view(source: Tensor, value: Array, creation: str | None = None, toggles: str = "") -> Tensor:
    """A view of `source` with the array `value`, which shares its memory; for `toggles` see `show_as`."""
    view = show_as(source, value, toggles) if toggles or source.__class__ is LazyView else plain(value)
    storage = view.storage_ = source.shared_storage()
    if storage.inference:
        return view
    before = source.meta.view if source.meta is not None else None
    if not state.grad_enabled:
        creation = "inference" if state.inference else "no_grad"
    if before is not None and before.creation != "normal" and creation in (None, "normal"):
        creation = before.creation
    base = source if before is None else before.base
    view.own_meta().view = View(base, storage.count(), creation or "normal")
    return view


def alias_view(source: Tensor) -> Tensor:
    """All of `source` as a view of it, outside the graph."""
    return take_view(source, source.array()[...], "no_grad")


def whole(data: Any) -> Any:
    """The array that owns the memory which `data` shows."""
    while isinstance(data, np.ndarray) and isinstance(data.base, np.ndarray):
        data = data.base
    return data


def byte_offset(tensor: Tensor) -> int:
    """How many bytes into its memory `tensor` begins."""
    data, base = known(tensor.array()), tensor._base
    if not isinstance(data, np.ndarray) or data.size == 0:
        return 0
    owner = whole(data if base is None else known(base.array()))
    if not np.may_share_memory(owner, data):
        owner = whole(data)  # it was given other memory than its base has
    start, first = owner.__array_interface__["data"][0], data.__array_interface__["data"][0]
    return int(first - start)


def geometry(view: Tensor) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Size, strides and offset of `view` in its base's memory, counted in elements."""
    assert view._base is not None
    shown = known(view.array())
    offset = byte_offset(view) - byte_offset(view._base) if shown.size else 0
    return shown.shape, tuple(s // shown.itemsize for s in shown.strides), offset // shown.itemsize


def current_grad_fn(view: Tensor) -> Node | None:
    """The grad_fn of a view, made anew if its memory was written since; see Note [Stale views]."""
    assert view.meta is not None
    look = view.meta.view
    assert look is not None
    storage = view.shared_storage()
    version = storage.count()
    if look.version == version or (view.node is None and not look.base.requires_grad):
        return view.node
    if look.creation != "normal":
        raise RuntimeError(
            errors.view_in_place(look.creation, view.node.name() if view.node else None, view.output_nr, of_base=True)
        )
    if not (is_hidden(view) or isinstance(look, ReplayedView)):
        remake(view, look, version)
    elif look.base.requires_grad:
        assert isinstance(look, ReplayedView)
        take_again(view, look)
    return view.node


callbacks.remake_grad_fn = current_grad_fn


def remake(view: Tensor, look: View, version: int) -> None:
    as_strided = TABLE["as_strided"]
    before = view.node
    size, stride, offset = geometry(view)
    grad_mode, state.grad_enabled = state.grad_enabled, True
    try:
        if look.base.requires_grad:
            as_strided.link(look.base, size, stride, offset, (view,))
        else:
            lead_nowhere(view, look.base, lambda base: as_strided.link(base, size, stride, offset, (view,)))
    finally:
        state.grad_enabled = grad_mode
    look.version = version
    if view.retains_grad and view.node is not None:
        move_retain(view, before, view.node)
    tell_remade(view, before)


def tell_remade(view: Tensor, before: Node | None) -> None:
    session = state.session
    if session is not None and view.node is not None:
        old = None if before is None else session.node(before)
        session.emit((events.HistoryRebased, session.tensor(view), old, session.node(view.node)))


def move_retain(tensor: Tensor, before: Node | None, node: Node) -> None:
    """retain_grad follows the tensor to its new node; other hooks stay with the old one."""
    if not tensor.retains_grad:
        return
    if before is not None and before.hooks is not None:
        for nr, ref in list(before.hooks.retain.items()):
            if ref() is tensor:
                del before.hooks.retain[nr]
    node.own_hooks().retain[tensor.output_nr] = weakref.ref(tensor)


def lead_nowhere(view: Tensor, base: Tensor, link: Callable[[Tensor], Any]) -> None:
    """Give a view of `base`, which was frozen since, a node as it would have, but without an edge."""
    session, state.session = state.session, None
    thawed = plain(base.array())
    thawed.own_meta().requires_grad = True
    try:
        link(thawed)
    finally:
        state.session = session
    assert view.node is not None
    view.node.next, view.node.nrs = (None,), (0,)
    if session is not None:
        session.node_made(view.node, "as_strided", (base,))


# ---- views that are taken again


Step = tuple[Callable[..., Any], tuple[Any, ...], int | None]
"""An operator, its arguments after the first, and which of its results."""


class ReplayedView(View):
    """How a view was taken of its base; see Note [Views taken again]."""

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
    """Let views know how they were taken, see Note [Views taken again]."""
    look = source.meta.view if source.meta is not None else None
    base = source if look is None else look.base
    steps: tuple[Step, ...] = look.steps if isinstance(look, ReplayedView) else ()
    if look is not None and not steps and not is_hidden(source):
        steps = ((TABLE["as_strided"].general, geometry(source), None),)
    creation = "multi_output" if op.many else "normal"
    if not state.grad_enabled:
        creation = "no_grad"
    if look is not None and look.creation != "normal":
        creation = look.creation
    for nr, view in enumerate(results):
        step: Step = (op.general, args, nr if op.many else None)
        if steps and op.view is True and not is_hidden(source):
            shown = known(view.array())
            offset = (byte_offset(view) - byte_offset(source)) // shown.itemsize if shown.size else 0
            step = (TABLE["as_strided"].general, (shown.shape, steps_of(shown), offset), None)
        version = base.shared_storage().count()
        view.own_meta().view = ReplayedView(base, version, creation, (*steps, step))


def take_again(view: Tensor, look: ReplayedView) -> None:
    """The grad_fn of a view whose base was written."""
    before = view.node
    grad_mode, state.grad_enabled = state.grad_enabled, True
    try:
        fresh = look.taken_of(look.base)
    finally:
        state.grad_enabled = grad_mode
    view.node, view.output_nr = fresh.node, fresh.output_nr
    look.version = view.shared_storage().count()
    tell_remade(view, before)


# ---- memory by lengths and strides


def steps_of(data: Array) -> tuple[int, ...]:
    """Strides in elements."""
    return tuple(step // data.itemsize for step in data.strides)


def extent(size: Sequence[int], stride: Sequence[int]) -> int:
    """How many elements of memory lie between the first and the last that are shown, both of them counted."""
    return 0 if 0 in size else sum((n - 1) * step for n, step in zip(size, stride, strict=True)) + 1


def laid_out(size: Sequence[int], stride: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """New memory of zeros, seen with these lengths and strides."""
    in_rows = np.zeros(size, dtype)
    if steps_of(in_rows) == tuple(stride):
        return in_rows  # and no view of another array, which gradients would be taken for
    return strided_window(np.zeros(extent(size, stride), dtype), tuple(size), tuple(stride), 0)


def strided_window(data: Array, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Array:
    """The window of the memory of `data` that starts `offset` elements behind the first of these.

    Raises:
        RuntimeError: it reaches outside.
    """
    flat = data.reshape(-1) if data.flags.c_contiguous else in_memory(data)
    reach = offset + extent(size, stride)
    if 0 not in size and (offset < 0 or any(s < 0 for s in stride) or reach > flat.size):
        raise RuntimeError(
            f"setStorage: sizes {errors.sizes(size)}, strides {errors.sizes(stride)}, storage offset {offset}, and "
            f"itemsize {flat.itemsize} requiring a storage size of {reach * flat.itemsize} are out of bounds for "
            f"storage of size {flat.nbytes}"
        )
    steps = tuple(s * flat.itemsize for s in stride)
    return np.ndarray(size, flat.dtype, flat, 0 if 0 in size else offset * flat.itemsize, steps)  # numpy looks, too


def in_memory(data: Array) -> Array:
    """The memory from the first element of `data` to its last, in a row."""
    return window(data, (extent(data.shape, steps_of(data)),), (data.itemsize,))


def window(data: Array, size: Sequence[int], steps: Sequence[int], writeable: bool = True) -> Array:
    """`data` with other lengths, and steps in bytes, from its first element on.

    All windows of memory that are made of lengths and steps are made here or by `strided`: none shows a byte outside
    of what `data` reaches from its first element to its last.

    Raises:
        RuntimeError: it reaches outside, or a length is negative.
    """
    least, most = reach_of(size, steps, data.itemsize)
    low, high = reach_of(data.shape, data.strides, data.itemsize)
    if min(size, default=0) < 0 or least < low or most > high:
        raise RuntimeError(
            f"a window of sizes {errors.sizes(size)} and steps {errors.sizes(steps)} reaches outside of the memory of "
            f"a tensor of sizes {errors.sizes(data.shape)}"
        )
    return np.lib.stride_tricks.as_strided(data, size, steps, writeable=writeable)


def reach_of(size: Sequence[int], steps: Sequence[int], itemsize: int) -> tuple[int, int]:
    """The bytes, counted from the first element, from the first that is shown to behind the last."""
    least, most = 0, itemsize
    for n, step in zip(size, steps, strict=True):
        if not n:
            return 0, 0
        if step > 0:
            most += (n - 1) * step
        else:
            least += (n - 1) * step
    return least, most
