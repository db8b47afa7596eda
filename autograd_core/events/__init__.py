"""What the engine does, as it happens: one event, one frozen dataclass.

An event in flight is a plain tuple, its class first and then its fields in order: `(NodeReleased, 7)`. Making one
costs tens of nanoseconds and holds nothing alive: tensors, nodes and storages travel as the numbers that the engine
gave them. Whoever listens builds the dataclass later with `Event.of(flight)`.

What an event tells of a tensor's contents is a `Value`, made by `snapshot`: see values.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .frozen_dataclass import maker
from .snapshot import Value as Value
from .snapshot import snapshot as snapshot

Edge = tuple[int | None, int]
Edges = tuple[Edge, ...]


class Event:
    """One fact of a run."""

    __slots__ = ()

    @staticmethod
    def of(flight: tuple[Any, ...]) -> Event:
        """The event that `flight`, its class followed by its fields, stands for."""
        event: Event = maker(flight[0])(flight)
        return event


# ---- tensors


@dataclass(frozen=True, slots=True)
class TensorMade(Event):
    """The operator or factory `op` made `tensor` of `inputs` (tensors); `node` is its grad_fn, if it has one.

    `base` is the tensor whose memory it shows, when it is a view or an alias (detach, .data).
    """

    tensor: int
    storage: int
    op: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    version: int
    node: int | None
    output_nr: int
    base: int | None
    value: Value


@dataclass(frozen=True, slots=True)
class Written(Event):
    """`op` wrote into `tensor` in place; its storage now has `version`.

    `counted` is False where torch does not bump the counter (a write through .data).
    """

    tensor: int
    storage: int
    op: str
    inputs: tuple[int, ...]
    version: int
    counted: bool
    value: Value


@dataclass(frozen=True, slots=True)
class AliasChanged(Event):
    """A write through another tensor changed the memory that `tensor` shows: its `version` and `value` now."""

    tensor: int
    version: int
    value: Value


@dataclass(frozen=True, slots=True)
class FlagChanged(Event):
    """`tensor.requires_grad` was set (requires_grad_(), detach_(), an in-place result)."""

    tensor: int
    requires_grad: bool


@dataclass(frozen=True, slots=True)
class TensorReleased(Event):
    """The last reference to `tensor` went."""

    tensor: int


# ---- graph


@dataclass(frozen=True, slots=True)
class NodeMade(Event):
    """A backward node joined the graph: `edges` are its next_functions as (node, input_nr).

    `inputs` are the tensors it came from. `variable` is the leaf of an AccumulateGrad, whose
    `sequence_nr` is None: it always goes first.
    """

    node: int
    name: str
    op: str
    sequence_nr: int | None
    edges: Edges
    inputs: tuple[int, ...]
    variable: int | None


@dataclass(frozen=True, slots=True)
class TensorSaved(Event):
    """`node` kept `tensor` in `slot`, at `version` of `storage`.

    `tensor` is None for the result of the node itself, which is kept by its parts.
    """

    node: int
    slot: str
    tensor: int | None
    storage: int
    version: int
    nbytes: int
    value: Value


@dataclass(frozen=True, slots=True)
class ValueSaved(Event):
    """`node` kept a plain value (a size, a dim, an exponent) in `slot`; it is never freed."""

    node: int
    slot: str
    text: str


@dataclass(frozen=True, slots=True)
class HistoryRebased(Event):
    """An in-place write gave `tensor` a new grad_fn: `node` instead of `before`."""

    tensor: int
    before: int | None
    node: int | None


@dataclass(frozen=True, slots=True)
class NodeReleased(Event):
    """The last name, edge or saved slot that held `node` went."""

    node: int


# ---- engine


@dataclass(frozen=True, slots=True)
class BackwardStarted(Event):
    """backward or autograd.grad was `called` ("backward", "grad"); `parent` is the call it was made in, if any."""

    call: int
    called: str
    roots: tuple[int, ...]
    nodes: tuple[int, ...]
    retain_graph: bool
    create_graph: bool
    inputs: tuple[int, ...]
    parent: int | None


@dataclass(frozen=True, slots=True)
class NodeReady(Event):
    """All gradients that `node` waits for in this call have come."""

    call: int
    node: int


@dataclass(frozen=True, slots=True)
class NodeStarted(Event):
    """The engine took `node` from the ready queue; `grads` came in (None where undefined)."""

    call: int
    node: int
    grads: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class SlotRead(Event):
    """`node` asked for `slot`, kept at version `kept`.

    `found` is the version that the storage has now, None when the slot was freed.
    """

    node: int
    slot: str
    kept: int
    found: int | None


@dataclass(frozen=True, slots=True)
class NodeRan(Event):
    """`node` handed `grads` to its edges, in their order (None: no gradient for that edge)."""

    call: int
    node: int
    grads: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class GradAdded(Event):
    """A gradient `came` from `source` into input `input_nr` of `node`: `before` (None if first) + `came` = `after`."""

    call: int
    source: int | None
    node: int
    input_nr: int
    before: Value | None
    came: Value | None
    after: Value | None


@dataclass(frozen=True, slots=True)
class GradStored(Event):
    """`tensor.grad` changed; `grad` is the tensor now there.

    `how` is taken, copied, in_place, anew (out of place), retained or assigned.
    """

    call: int | None
    tensor: int
    how: str
    grad: int | None
    before: Value | None
    came: Value | None
    after: Value | None


@dataclass(frozen=True, slots=True)
class GradCaptured(Event):
    """autograd.grad took the gradient of its input number `index` (`tensor`) as a result."""

    call: int
    index: int
    tensor: int
    value: Value | None


@dataclass(frozen=True, slots=True)
class SlotFreed(Event):
    """`node` let go of what it kept in `slot`."""

    call: int
    node: int
    slot: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class SlotRetained(Event):
    """`node` ran and kept `slot`, because this call retains the graph."""

    call: int
    node: int
    slot: str


@dataclass(frozen=True, slots=True)
class BackwardFinished(Event):
    """The call came to its end."""

    call: int


@dataclass(frozen=True, slots=True)
class BackwardFailed(Event):
    """The call raised, in `node` or (None) before any node ran."""

    call: int
    node: int | None
    type: str
    message: str


# ---- hooks


@dataclass(frozen=True, slots=True)
class HookRan(Event):
    """A hook ran on `node` or `tensor`; `after` is None if it kept the gradient.

    `hook` is tensor, retain_grad, pre, post or post_accumulate.
    """

    hook: str
    node: int | None
    tensor: int | None
    before: Value | None
    after: Value | None


@dataclass(frozen=True, slots=True)
class SavedPacked(Event):
    """A saved_tensors_hooks pack hook took over `slot` of `node`."""

    node: int
    slot: str


@dataclass(frozen=True, slots=True)
class SavedUnpacked(Event):
    """The unpack hook gave the tensor of `slot` back."""

    node: int
    slot: str


@dataclass(frozen=True, slots=True)
class Recomputed(Event):
    """A checkpoint ran its forward again, because `node` asked for what it had not kept."""

    node: int | None
