"""A toy that tells what a run tells: flights for small programs, written by hand, without engine or interpreter.

Numbers are floats or nested lists. An operation brings its result, what it keeps, and `pull`, which turns the gradient
of the result into one gradient for each input. `backward` then does what an engine does and tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograd_core import events as e
from autograd_core.events import Value
from gradreel.trace import Outcome, Recorder, Trace
from gradreel.trace import events as p

TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor []] is at version {found}; expected version {kept} instead."
)


def shape(data: Any) -> tuple[int, ...]:
    return (len(data), *shape(data[0])) if isinstance(data, list) else ()


def value(data: Any) -> Value:
    return Value(shape(data), "float32", data)


def add(one: Any, two: Any) -> Any:
    return [add(a, b) for a, b in zip(one, two, strict=True)] if isinstance(one, list) else one + two


def times(factor: float, data: Any) -> Any:
    return [times(factor, part) for part in data] if isinstance(data, list) else factor * data


@dataclass
class Node:
    number: int
    name: str
    nr: int | None
    edges: list[tuple[Node | None, int]]
    pull: Callable[[Any], Sequence[Any]]
    slots: dict[str, tuple[Tensor | None, int, int]] = field(default_factory=dict)
    freed: set[str] = field(default_factory=set)
    variable: Tensor | None = None


@dataclass
class Tensor:
    number: int
    data: Any
    node: Node | None = None
    requires_grad: bool = False
    version: int = 0
    grad: Any = None
    accumulate: Node | None = None


class Tape:
    """A program that has reached its first line, `import torch`."""

    def __init__(self, source: str, mode: str = "script") -> None:
        self.source, self.mode = source, mode
        self.recorder = Recorder()
        self.emit = self.recorder.emit
        self.tensors = self.nodes = self.calls = self.sequence = 0
        self.place: tuple[tuple[tuple[str, int], ...], tuple[tuple[int, int, int | None], ...]] = ((), ())
        self.line(1)

    # ---- the program

    def line(self, number: int, loops: Any = None) -> None:
        self.at = number
        frames, old_loops = self.place
        self.place = (frames, old_loops if loops is None else loops)
        self.emit((p.LineReached, number, number, *self.place))

    def bind(self, name: str, thing: Tensor | str, scope: int = 0) -> None:
        number, text = (thing.number, None) if isinstance(thing, Tensor) else (None, thing)
        self.emit((p.NameBound, name, scope, number, text))

    def assign(self, line: int, name: str, make: Callable[..., Tensor], *args: Any) -> Tensor:
        """The line `name = make(...)`."""
        self.line(line)
        made = make(self, *args)
        self.bind(name, made)
        return made

    def printed(self, text: str) -> None:
        self.emit((p.Printed, text))

    def raised(self, message: str) -> None:
        self.emit((p.Raised, "RuntimeError", message, self.at, False, self.place[0]))
        self.outcome = Outcome("raised", "RuntimeError", message, self.at)

    def trace(self) -> Trace:
        return self.recorder.trace(self.source, self.mode, getattr(self, "outcome", Outcome("finished")))

    # ---- tensors and graph

    def tensor(
        self, data: Any, requires_grad: bool = False, op: str = "tensor", inputs: Sequence[Tensor] = ()
    ) -> Tensor:
        return self._tell(Tensor(self._next("tensors"), data, None, requires_grad), op, inputs)

    def leaf(self, data: Any) -> Tensor:
        return self.tensor(data, True)

    def _next(self, counter: str) -> int:
        number: int = getattr(self, counter)
        setattr(self, counter, number + 1)
        return number

    def _tell(self, tensor: Tensor, op: str, inputs: Sequence[Tensor]) -> Tensor:
        node = tensor.node.number if tensor.node else None
        ids = tuple(one.number for one in inputs)
        told = value(tensor.data)
        self.emit(
            (e.TensorMade, tensor.number, tensor.number, op, ids, told.shape, told.dtype, tensor.requires_grad)
            + (tensor.version, node, 0, None, told)
        )
        return tensor

    def _edge(self, tensor: Tensor) -> tuple[Node | None, int]:
        if tensor.node is None and tensor.requires_grad and tensor.accumulate is None:
            leaf = Node(self._next("nodes"), "AccumulateGrad", None, [], lambda grad: (), variable=tensor)
            tensor.accumulate = leaf
            self.emit((e.NodeMade, leaf.number, leaf.name, "accumulate", None, (), (), tensor.number))
        return tensor.node or tensor.accumulate, 0

    def op(
        self,
        name: str,
        op: str,
        inputs: Sequence[Tensor],
        data: Any,
        pull: Callable[[Any], Sequence[Any]],
        saves: dict[str, Tensor | None] | None = None,
        values: dict[str, str] | None = None,
    ) -> Tensor:
        """The result of `op`; `saves` maps slots to tensors, None for the result itself."""
        edges = [self._edge(one) for one in inputs]
        node = Node(self._next("nodes"), name, self._next("sequence"), edges, pull)
        told = tuple((target.number if target else None, nr) for target, nr in edges)
        ids = tuple(one.number for one in inputs)
        self.emit((e.NodeMade, node.number, name, op, node.nr, told, ids, None))
        result = Tensor(self._next("tensors"), data, node, True)
        for slot, saved in (saves or {}).items():
            self._save(node, slot, saved, saved or result)
        for slot, text in (values or {}).items():
            self.emit((e.ValueSaved, node.number, slot, text))
        return self._tell(result, op.partition(".")[0], inputs)

    def _save(self, node: Node, slot: str, saved: Tensor | None, kept: Tensor) -> None:
        told = value(kept.data)
        size = 4
        for length in told.shape:
            size *= length
        node.slots[slot] = (kept, kept.version, size)
        number = saved.number if saved else None
        self.emit((e.TensorSaved, node.number, slot, number, kept.number, kept.version, size, told))

    def write(self, tensor: Tensor, op: str, data: Any, counted: bool = True) -> None:
        tensor.data = data
        tensor.version += counted
        self.emit((e.Written, tensor.number, tensor.number, op, (), tensor.version, counted, value(data)))

    def release(self, *things: Tensor | Node) -> None:
        for thing in things:
            self.emit((e.TensorReleased if isinstance(thing, Tensor) else e.NodeReleased, thing.number))

    # ---- the engine

    def backward(self, root: Tensor, retain: bool = False) -> bool:
        """Run backward from the scalar `root`; False, with the error told, if it fails."""
        call = self._next("calls") + 1
        first = root.node
        assert first is not None
        self.emit((e.BackwardStarted, call, "backward", (root.number,), (first.number,), retain, False, (), None))
        waits = dependencies(first)
        buffers: dict[int, Any] = {first.number: 1.0}
        ready = [first]
        self.emit((e.NodeReady, call, first.number))
        while ready:
            ready.sort(key=lambda node: -1 if node.nr is None else -node.nr - 2, reverse=False)
            leaves = [node for node in ready if node.nr is None]
            node = leaves[0] if leaves else ready[0]
            ready.remove(node)
            grad = buffers.pop(node.number)
            self.emit((e.NodeStarted, call, node.number, (value(grad),)))
            if node.variable is not None:
                self._accumulate(call, node, node.variable, grad)
                continue
            trouble = self._unpack(node)
            if trouble:
                self.emit((e.BackwardFailed, call, node.number, "RuntimeError", trouble))
                self.raised(trouble)
                return False
            parts = list(node.pull(grad))
            self.emit((e.NodeRan, call, node.number, tuple(None if part is None else value(part) for part in parts)))
            for slot, (_, _, size) in node.slots.items():
                if retain:
                    self.emit((e.SlotRetained, call, node.number, slot))
                else:
                    node.freed.add(slot)
                    self.emit((e.SlotFreed, call, node.number, slot, size))
            for (target, nr), part in zip(node.edges, parts, strict=True):
                if target is None or part is None:
                    continue
                before = buffers.get(target.number)
                after = part if before is None else add(before, part)
                buffers[target.number] = after
                told = (None if before is None else value(before), value(part), value(after))
                self.emit((e.GradAdded, call, node.number, target.number, nr, *told))
                waits[target.number] -= 1
                if not waits[target.number]:
                    self.emit((e.NodeReady, call, target.number))
                    ready.append(target)
        self.emit((e.BackwardFinished, call))
        return True

    def _unpack(self, node: Node) -> str | None:
        for slot, (kept, version, _) in node.slots.items():
            found = None if slot in node.freed else kept.version
            self.emit((e.SlotRead, node.number, slot, version, found))
            if found is None:
                return TWICE
            if found != version:
                return MODIFIED.format(found=found, kept=version)
        return None

    def _accumulate(self, call: int, node: Node, leaf: Tensor, grad: Any) -> None:
        before = leaf.grad
        leaf.grad = grad if before is None else add(before, grad)
        self.accumulated = self.tensor(leaf.grad, op="grad") if before is None else self.accumulated
        told = (None if before is None else value(before), value(grad), value(leaf.grad))
        how = "taken" if before is None else "in_place"
        self.emit((e.GradStored, call, leaf.number, how, self.accumulated.number, *told))
        self.emit((e.NodeRan, call, node.number, ()))


def dependencies(first: Node) -> dict[int, int]:
    """How many edges lead into each node below `first`."""
    waits: dict[int, int] = {first.number: 0}
    seen, todo = {first.number}, [first]
    while todo:
        for target, _ in todo.pop().edges:
            if target is None:
                continue
            waits[target.number] = waits.get(target.number, 0) + 1
            if target.number not in seen:
                seen.add(target.number)
                todo.append(target)
    return waits
