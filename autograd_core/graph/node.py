"""The backward graph: nodes, the edges between them, and the node at which a leaf's gradient ends."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import errors as errors
from .. import events
from ..dispatch.registry import callbacks
from ..engine.state import COMPLEX, state, unusual
from ..engine.state import LAST as LAST
from ..events import session as tell
from ..ordered_dict import OrderedDict
from ..tensor.tensor import Array, Tensor, wrapped_number
from .introspection import Dim as Dim
from .introspection import Introspection, RemovableHandle, read_only, saved_face
from .saved_tensor import SAVED, VERSION, Packed, SavedResult, read_in_vain
from .saved_tensor import pack_slot as pack_slot

if TYPE_CHECKING:
    from ..engine.engine import Call
    from ..events.session import Session
    from .accumulate_grad import AccumulateGrad

Handle = RemovableHandle

Output = tuple[tuple[int, ...], np.dtype[Any]]

FLOAT = np.dtype(np.float32)

SCALAR: tuple[Output, ...] = (((), FLOAT),)
"""`outs` of every node with one 0-d float32 result: the same object, so that one look at it is enough."""


known_outs: dict[Output, tuple[Output, ...]] = {}
"""`outs` of nodes with one result by its shape and dtype: there are few, and one look tells whether two are alike.

(Those that are not the same object may still be equal.)
"""
known_floats: dict[tuple[int, ...], tuple[Output, ...]] = {}
"""The same for the commonest dtype, float32, by shape alone: half the time."""

MANY = 4096


def outs_of(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Output, ...]:
    """The same, made now if it is not known yet.

    (A dictionary that made what it lacks would be no plain one, into which Python looks soonest.)
    """
    out = shape, dtype
    found = known_outs.get(out)
    if found is None:
        if dtype.kind == "c":
            unusual(COMPLEX)  # they are never kept here, so that each node that has any says so
            return (out,)
        if len(known_outs) >= MANY:
            known_outs.clear()
            known_floats.clear()
        found = known_outs[out] = SCALAR if out == SCALAR[0] else (out,)
    if dtype is FLOAT:
        known_floats[shape] = found
    return found


ONE = np.float32(1)
"""The gradient that backward starts with."""
ones: dict[tuple[int, ...], Array] = {}
"""The same for tensors of one element with dimensions, by shape: they are copied, which is quicker than making them."""


def first_grad(node: Node) -> Any:
    """What a call that is given no gradient starts with at `node`; None where it has other than one real number."""
    outs = node.outs
    if outs is SCALAR:
        return ONE
    shape, dtype = outs[0]
    if dtype is FLOAT and shape in ones and len(outs) == 1:
        return ones[shape].copy()
    if len(outs) != 1 or dtype.kind != "f" or shape.count(1) != len(shape):
        return None
    if dtype is FLOAT and len(ones) < MANY:
        ones[shape] = np.ones(shape, dtype)
    return np.ones(shape, dtype)[()]


Grads = Sequence[Any]
Wanted = tuple["Node | None", ...]


class Hooks:
    """The hooks of a node: on the gradient of its outputs, before it runs, and after."""

    __slots__ = ("tensor", "retain", "pre", "post")

    def __init__(self) -> None:
        self.tensor: dict[int, OrderedDict[int, Callable[[Any], Any]]] = {}
        self.retain: dict[int, weakref.ref[Tensor]] = {}
        self.pre: OrderedDict[int, Callable[[Any], Any]] = OrderedDict()
        self.post: OrderedDict[int, Callable[[Any, Any], Any]] = OrderedDict()


class Run:
    """A run of the quick engine: what came for nodes by sequence_nr, for other outputs than the first by that and nr.

    `cells` hold for each leaf what came, how often torch would have written over it, whether nothing else has it, and
    whether it is a sum made here; where it came once, nothing else has it and torch wrote nothing, just what came.
    `sums` are those cells that hold a sum, as long as nobody waits: more may be added to them at once.
    `written` are such counts of `buffers`. `shared` are leaves to be settled, `waiting` says for how many gradients
    leaves still wait; see Note [Shared gradients].
    Only a run that is recorded has its `call`, the `add` of its tape, and `arrived`, the leaves that something came for
    in order.
    """

    __slots__ = (
        "retain", "buffers", "pending", "cells", "sums", "written", "shared", "waiting", "call", "add", "arrived",
    )  # fmt: skip

    retain: bool
    buffers: dict[Any, Any]
    pending: dict[int, Node]
    cells: dict[AccumulateGrad, Any]
    sums: dict[AccumulateGrad, list[Any]]
    written: dict[Any, int]
    shared: list[AccumulateGrad]
    waiting: dict[Node, int] | None
    add: Callable[[Any], None]
    arrived: list[AccumulateGrad]
    call: Call


def new_run(retain: bool) -> Run:
    """A run that has not begun; quicker than a constructor."""
    run = Run()
    run.retain = retain
    run.buffers, run.pending, run.cells, run.sums, run.written = {}, {}, {}, {}, {}
    run.shared, run.waiting = [], None
    return run


def next_in_slots(slots: tuple[str, ...]) -> property:
    """`next` of nodes that have a slot for each edge, which takes less time and memory to fill than a tuple does."""
    get: Any = eval(f"lambda node: ({', '.join(f'node.{slot}' for slot in slots)},)")  # read sooner than by attrgetter

    def set_all(node: Node, nodes: tuple[Node | None, ...]) -> None:
        for slot, below in zip(slots, nodes, strict=True):
            setattr(node, slot, below)

    return property(get, set_all)


_metadata: weakref.WeakKeyDictionary[Node, dict[Any, Any]] = weakref.WeakKeyDictionary()
"""`metadata` of those few nodes that have any, as long as they live."""


class Node(Introspection):
    """One call of an operator, remembered.

    `next` and `nrs` are the edges: the node that gets the gradient of each tensor input (None where none is needed),
    and which of that node's outputs it was. `outs` are shape and dtype of the results, whose gradients come in.
    `writes` says how often torch writes each gradient in making it.
    """

    __slots__ = ("next", "nrs", "sequence_nr", "outs", "hooks", "freed", "told", "__weakref__")

    op_name = ""
    slots: ClassVar[tuple[str, ...]] = ()
    plain_slots: ClassVar[tuple[str, ...]] = ()
    input_names: tuple[str, ...] = ()
    formulas: dict[str, str] = {}
    runs_on_nothing = False
    step: ClassVar[Callable[..., None] | None] = None
    graph_step: ClassVar[Callable[..., None] | None] = None
    """What the quick engine calls, over arrays and over tensors, with None for `wanted` where every edge is; nodes
    without it are for the exact engine alone."""
    heard_step: ClassVar[Callable[..., None] | None] = None
    """`step` that notes a fact for a tape."""
    notes: ClassVar[bool] = False
    """Whether that fact says all; else the node tells of what it reads and frees."""
    writes: tuple[int, ...] = ()

    next: tuple[Node | None, ...]
    nrs: tuple[int, ...]
    sequence_nr: int
    outs: tuple[Output, ...]
    hooks: Hooks | None
    freed: bool
    told: int

    def __init__(self, edges: Sequence[tuple[Node | None, int]] = (), outs: tuple[Output, ...] = ()) -> None:
        unusual("nodes of its own making")
        self.next = tuple(node for node, _ in edges)
        self.nrs = tuple(nr for _, nr in edges)
        self.sequence_nr = state.next_sequence()
        self.outs = outs
        self.hooks, self.freed = None, False
        if state.anomaly:
            callbacks.remember_forward(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    # ---- running

    def raw(self, grads: Grads, wanted: Wanted) -> list[Any]:
        """The gradients of the inputs, as arrays, for the gradients (arrays or None) of the outputs.

        `wanted` is `next`, with None where this call does not want that gradient.
        """
        raise NotImplementedError

    def graph(self, grads: Grads, wanted: Wanted) -> list[Any]:
        """The same on tensors, so that the result can be differentiated again."""
        raise NotImplementedError

    def __call__(self, *grads: Any) -> Any:
        if len(grads) != len(self.outs):
            raise TypeError(f"expected {len(self.outs)} arguments, got {len(grads)} instead")
        for i, grad in enumerate(grads):
            if not (grad is None or isinstance(grad, Tensor)):
                raise TypeError(f"argument {i} is not a Variable")
        if all(grad is None for grad in grads) and not self.runs_on_nothing:
            read_in_vain(self)
            return (None,) * len(self.next) if len(self.next) != 1 else None
        got = tuple(self.graph(grads, self.next))
        return got[0] if len(got) == 1 else got

    def release(self) -> None:
        """Let go of what is kept for backward."""
        self.freed = True
        for slot in self.slots:
            setattr(self, SAVED[slot], None)

    def handed_on(self) -> dict[int, int]:
        """Version counts of results that are tensors of the program's own making, by the id of their array."""
        return {}

    def saved_nbytes(self, slot: str) -> int:
        kept = getattr(self, SAVED[slot])
        return 0 if kept is None else int(kept.nbytes) if isinstance(kept, SavedResult) else slot_bytes(kept)

    def keeps(self) -> list[str]:
        """The slots that hold a tensor now."""
        return [slot for slot in self.slots if getattr(self, SAVED[slot], None) is not None]

    # ---- what Introspection leaves to it

    def own_metadata(self) -> dict[Any, Any]:
        return _metadata.setdefault(self, {})

    metadata = read_only(own_metadata, "metadata")

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def _set_sequence_nr(self, nr: int) -> None:
        unusual("sequence numbers of a program's own")
        self.sequence_nr = nr

    # ---- places of saved tensors

    def kept_in(self, slot: str) -> Any:
        return getattr(self, SAVED[slot])

    def version_in(self, slot: str) -> Any:
        return getattr(self, VERSION[slot], None)

    def keep_in(self, slot: str, index: int | None, kept: Any) -> None:
        if index is None:
            setattr(self, SAVED[slot], kept)
        else:
            getattr(self, SAVED[slot])[index] = kept

    def variable_or_none(self) -> Tensor | None:
        return None

    def own_hooks(self) -> Hooks:
        if self.hooks is None:
            self.hooks = Hooks()
            unusual("hooks")
        return self.hooks

    def saved_flights(self, session: Session, number: int | None = None) -> Iterator[tuple[Any, ...]]:
        """What this node keeps, told as events (for the node `number`, when it is part of another)."""
        number = session.node(self) if number is None else number
        for slot in self.slots:
            held = getattr(self, SAVED[slot], None)
            if isinstance(held, int | float):  # kept as it is while nobody listened
                held = wrapped_number(held)
                setattr(self, SAVED[slot], held)
            for name, kept in slot_parts(slot, held):
                yield from slot_flights(session, number, name, kept)
        for slot in self.plain_slots:
            yield (events.ValueSaved, number, slot, str(saved_face(getattr(self, SAVED[slot]))))


def slot_flights(session: Session, node: int, slot: str, kept: Any) -> Iterator[tuple[Any, ...]]:
    """The event that tells what `node` keeps in `slot`."""
    if kept is None:
        return
    if isinstance(kept, Packed):
        yield (events.SavedPacked, node, slot)
        return
    tensor = None if isinstance(kept, SavedResult) else session.tensor(kept)
    storage = kept.shared_storage()
    facts = (tensor, session.storage(storage), storage.version, slot_bytes(kept), session.shown(kept.data_))
    yield (events.TensorSaved, node, slot, *facts)


def slot_parts(slot: str, kept: Any) -> list[tuple[str, Any]]:
    """The tensors of a slot by name: a slot may hold a list of them."""
    if isinstance(kept, list | tuple) and not isinstance(kept, SavedResult):
        return [(f"{slot}[{i}]", part) for i, part in enumerate(kept)]
    return [(slot, kept)]


def slot_bytes(kept: Any) -> int:
    if isinstance(kept, list | tuple) and not isinstance(kept, SavedResult):
        return sum(slot_bytes(part) for part in kept if part is not None)
    return tell.nbytes(kept.data_) if not isinstance(kept, Packed) else 0


def gradient_array(grad: Any) -> Array:
    return grad.data_ if isinstance(grad, Tensor) else grad
