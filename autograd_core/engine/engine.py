"""The engine: run each node once all its gradients have come, newest node first.

A plain call works on arrays; under create_graph the same loop works on tensors and every formula is itself recorded.
What comes into an input of a node is added up in its buffer in the order of arrival, and given the shape and dtype of
the tensor it belongs to.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any

from .. import errors, events
from ..events import session as tell
from ..functorch.batch import is_hidden
from ..graph import anomaly
from ..graph.accumulate_grad import AccumulateGrad, accumulate
from ..graph.node import Node
from ..graph.saved_tensor import keeps_detached, read_in_vain
from ..tensor.tensor import Tensor
from .grad_validation import count_writes, memory, validate_grads, writes_into
from .input_buffer import ReadyQueue, add_grads, as_tensor, as_tensors, check_hook_result, check_hook_results, retain
from .state import DETACHED, forget, irregular, state, switch

if TYPE_CHECKING:
    from ..events.session import Session


Key = tuple[Node, int]


class Call:
    """One call of backward or grad: what it keeps, what it wants, and how far it has come."""

    given: Sequence[Tensor] = ()
    running: Node | None = None
    targets: set[Node] | None = None

    def __init__(self, retain_graph: bool, create_graph: bool, captures: dict[Key, list[int]] | None) -> None:
        fields = state.__dict__
        self.retain_graph, self.create_graph, self.captures = retain_graph, create_graph, captures
        self.on_tensors = create_graph or bool(fields["mapped"])  # what vmap hides is no array
        self.captured: dict[int, Any] = {}
        self.number = fields["next_call"]()
        self.afterwards: list[Callable[[], object]] = []

    def only(self, nodes: Sequence[Node]) -> None:
        """Run `nodes` and what lies on the way to them, nothing else."""
        self.targets = set(nodes)

    def everything(self) -> bool:
        """Whether this call fills the `.grad` of all leaves that it can reach."""
        return self.captures is None and self.targets is None

    def comes_to(self, node: Node, nr: int) -> bool:
        """Whether a gradient for output `nr` of `node` is looked at in this call."""
        if node not in self.waiting:
            return False
        return self.needed is None or node in self.needed or (node, nr) in (self.captures or ())

    def finish(self) -> None:
        """Do what was put off until all nodes have run, and what that puts off in its turn."""
        self.running = None
        for work in self.afterwards:
            work()

    # ---- before the run

    def prepare(self, roots: Sequence[Node]) -> None:
        """Count the gradients that each node below `roots` waits for; find the nodes on the way to captures."""
        self.buffers: dict[Node, list[Any]] = {}
        self.written: dict[Key, int] = {}
        self.ready = ReadyQueue()
        self.incoming = 0
        self.needed: set[Node] | None = None
        waiting: dict[Node, int] = {}
        self.roots = roots
        self.alone: Node | None = roots[0] if len(roots) == 1 else None
        seen: set[Node] = set(roots)
        order = list(dict.fromkeys(roots))
        for node in order:
            for below in node.next:
                if below is not None:
                    waiting[below] = waiting.get(below, 0) + 1
                    if below not in seen:
                        seen.add(below)
                        order.append(below)
        for node in order:
            waiting.setdefault(node, 0)
        self.waiting: dict[Node, int] = waiting
        if self.captures is not None:
            self.needed = nodes_on_the_way(order, {node for node, _ in self.captures})
        elif self.targets is not None:
            self.needed = nodes_on_the_way(order, self.targets) | self.targets

    def execute(self, roots: Sequence[tuple[Node, int, Any]]) -> None:
        self.prepare([node for node, _, _ in roots])
        if len(roots) > 1:
            state.next_sequence()
            for node, _, _ in roots:
                self.waiting[node] = self.waiting.get(node, 0) + 1
        for node, nr, grad in roots:
            self.deliver(None, node, nr, grad, count=len(roots) > 1)
        if len(roots) == 1:
            self.push(roots[0][0])
        ready = self.ready
        while ready:
            self.run(ready.pop())

    # ---- one node

    def push(self, node: Node) -> None:
        self.ready.push(node)
        session = state.session
        if session is not None:
            session.emit((events.NodeReady, self.number, session.node(node)))

    def deliver(self, source: Node | None, node: Node, nr: int, grad: Any, count: bool = True) -> None:
        """Add `grad` into input `nr` of `node`; the last one that it waits for makes it ready."""
        needed = self.needed is None or node in self.needed or (node, nr) in (self.captures or ())
        wanted = needed or (source is None and node is self.alone)  # hooks of a single root see what is given
        if wanted:
            buffer = self.buffers.get(node)
            if buffer is None:
                buffer = self.buffers[node] = [None] * len(node.outs)
            session = state.session
            was = None if session is None else tell.value(buffer[nr])
            if grad is not None and buffer[nr] is None:
                buffer[nr] = grad
                if self.incoming:
                    self.written[node, nr] = self.incoming
            elif grad is not None:
                self.add(node, nr, buffer, grad)
            if session is not None:
                giver = None if source is None else session.node(source)
                came, now = tell.value(grad), tell.value(buffer[nr])
                session.emit((events.GradAdded, self.number, giver, session.node(node), nr, was, came, now))
        self.incoming = 0
        if count:
            self.waiting[node] -= 1
            if self.waiting[node] == 0 and (wanted or self.captures_any(node)):
                self.push(node)

    def add(self, node: Node, nr: int, buffer: list[Any], grad: Any) -> None:
        """`buffer[nr] + grad`: over the buffer itself where nobody else holds it, which counts as a write."""
        if self.on_tensors:
            buffer[nr], alone = buffer[nr] + grad, False
        else:
            buffer[nr], alone = add_grads(buffer, nr, grad)
        if alone:
            self.written[node, nr] = self.written.get((node, nr), 0) + 1
        else:
            self.written.pop((node, nr), None)

    def captures_any(self, node: Node) -> bool:
        return self.captures is not None and any(key[0] is node for key in self.captures)

    def run(self, node: Node) -> None:
        self.running = node
        grads: list[Any] = self.buffers.pop(node, []) or [None] * len(node.outs)
        grads = self.before(node, grads)
        if self.needed is not None and node not in self.needed:
            return
        session = state.session
        if session is not None:
            session.emit((events.NodeStarted, self.number, session.node(node), tell.values(grads)))
        if isinstance(node, AccumulateGrad):
            grad = grads.pop()
            kept = (grad,) if node.hooks is not None and node.hooks.post else ()
            if grad is not None:
                if state.bfloat16 and not self.create_graph and isinstance(grad, Tensor) and not is_hidden(grad):
                    grad = grad.data_
                accumulate(node, grad, self.number, self.create_graph, self.written.pop((node, 0), 0))
            elif node.variable.meta is not None and node.variable.meta.post_hooks:
                for hook in list(node.variable.meta.post_hooks.values()):
                    hook(node.variable)
            results: list[Any] = []
            writes: Sequence[int] = ()
        elif all(grad is None for grad in grads) and not node.runs_on_nothing:
            read_in_vain(node)
            results, writes = [None] * len(node.next), ()
        else:
            if DETACHED in irregular and keeps_detached(node):
                raise RuntimeError(errors.DETACHED)
            wanted = node.next if self.needed is None else self.edges_to_compute(node)
            own = self.create_graph or hasattr(node, "function")  # what is made is the program's to see
            hushed = session if state.bfloat16 and self.on_tensors and not own else None
            if hushed is not None:
                hushed.hushed = True
            try:
                made = node.graph(grads, wanted) if self.on_tensors else node.raw(grads, wanted)
                results = validate_grads(node, made, wanted, self.on_tensors)
            finally:
                if hushed is not None:
                    hushed.hushed = False
            writes = writes_into(node, made, results)
            del made
        if node.hooks is not None and node.hooks.post:
            results = self.after(node, results, kept if isinstance(node, AccumulateGrad) else grads)
        if session is not None:
            session.emit((events.NodeRan, self.number, session.node(node), tell.values(results)))
        self.let_go(node)
        if state.anomaly and state.check_nan:
            anomaly.check_nan(node, results)
        counts = self.passed_on(node, grads, results, writes)
        del grads
        for i, (below, nr) in enumerate(zip(node.next, node.nrs, strict=True)):
            if below is not None:
                if counts is not None and counts[i]:
                    self.incoming = counts[i]
                result, results[i] = results[i], None
                self.deliver(node, below, nr, result)
                del result

    def passed_on(self, node: Node, grads: list[Any], results: list[Any], writes: Sequence[int]) -> list[int] | None:
        """How often torch wrote each result: in making it, or before, where a node hands on what came."""
        given: dict[int, int] = {}
        for nr, grad in enumerate(grads):
            if (node, nr) in self.written:
                given[id(grad)] = given[memory(grad)] = self.written.pop((node, nr))
        given |= node.handed_on()
        for result, count in zip(results, writes, strict=False):
            given[id(result)] = count
        if self.create_graph:
            count_writes(results, writes)
        return [given.get(id(result), given.get(memory(result), 0)) for result in results] if given else None

    def edges_to_compute(self, node: Node) -> tuple[Node | None, ...]:
        """The edges of `node` along which this call wants a gradient, None for the others."""
        assert self.needed is not None
        captures = self.captures or {}
        edges = zip(node.next, node.nrs, strict=True)
        return tuple(n if n in self.needed or (n, nr) in captures else None for n, nr in edges)

    def let_go(self, node: Node) -> None:
        """Free what the node kept, unless this call retains the graph."""
        session = state.session
        if session is not None:
            number = session.node(node)
            for slot in node.keeps():
                if self.retain_graph:
                    session.emit((events.SlotRetained, self.number, number, slot))
                else:
                    session.emit((events.SlotFreed, self.number, number, slot, node.saved_nbytes(slot)))
        if not self.retain_graph:
            node.release()

    # ---- hooks

    def before(self, node: Node, grads: list[Any]) -> list[Any]:
        """Tensor hooks, retain_grad, captures and prehooks, in torch's order."""
        if isinstance(node, AccumulateGrad):
            meta = node.variable.meta
            if meta is not None and meta.hooks:
                grads = [self.hooked(meta.hooks, grads[0], node.variable, node, 0)]
        if node.hooks is not None:
            for nr, hooks in node.hooks.tensor.items():
                if hooks:
                    grads[nr] = self.hooked(hooks, grads[nr], None, node, nr)
            for nr, ref in node.hooks.retain.items():
                tensor = ref()
                if tensor is not None and grads[nr] is not None:
                    retain(tensor, grads[nr], self.number)
        if self.captures is not None:
            for nr, grad in enumerate(grads):
                wanted = self.captures.get((node, nr), ())
                if wanted:
                    found = None if grad is None else self.shown(grad, self.written.get((node, nr), 0))
                    self.captured.update(dict.fromkeys(wanted, found))
        if node.hooks is not None and node.hooks.pre and (self.needed is None or node in self.needed):
            for hook in list(node.hooks.pre.values()):
                given = as_tensors(grads)
                got = hook(given)
                self.tell_hook("pre", node, None, given, got)
                if got is not None:
                    check_hook_results(hook, got, given)
                    grads = self.from_hook(got)
        return grads

    def shown(self, grad: Any, count: int) -> Tensor:
        """`grad` as a tensor: the very one that the call was given, if nothing on the way made another."""
        if not self.on_tensors:
            for given in self.given:
                if given.data_ is grad:
                    return given
        return as_tensor(grad, count)

    def hooked(
        self, hooks: dict[int, Callable[[Any], Any]], grad: Any, variable: Tensor | None, node: Node, nr: int
    ) -> Any:
        """What the hooks make of `grad`, with the writes of what takes its place counted in the place of its own."""
        got, count = self.tensor_hooks(hooks, grad, variable, node, self.written.pop((node, nr), 0))
        if count:
            self.written[node, nr] = count
        return got

    def tensor_hooks(
        self, hooks: dict[int, Callable[[Any], Any]], grad: Any, variable: Tensor | None, node: Node, count: int
    ) -> tuple[Any, int]:
        """What the hooks make of `grad`, which was written `count` times, and how often that was."""
        for hook in list(hooks.values()):
            given = None if grad is None else as_tensor(grad, count)
            got = hook(given)
            self.tell_hook("tensor", node, variable, (given,), got)
            if got is not None:
                if not isinstance(got, Tensor):
                    raise TypeError(f"expected Variable, but hook returned '{type(got).__name__}'")
                check_hook_result(hook, got, given)
                given = got
            if given is not None and given is not grad:
                storage = given.storage_
                grad, count = (given if self.on_tensors else given.data_), storage.count() if storage is not None else 0
        return grad, count

    def after(self, node: Node, results: list[Any], grads: Sequence[Any]) -> list[Any]:
        assert node.hooks is not None
        for hook in list(node.hooks.post.values()):
            given = as_tensors(results)
            got = hook(given, as_tensors(grads))
            self.tell_hook("post", node, None, given, got)
            if got is not None:
                check_hook_results(hook, got, given)
                results = self.from_hook(got)
        return list(results)

    def from_hook(self, grads: Sequence[Any]) -> list[Any]:
        return [g if g is None or self.on_tensors else g.data_ for g in grads]

    def tell_hook(self, kind: str, node: Node, tensor: Tensor | None, before: Sequence[Any], after: Any) -> None:
        session = state.session
        if session is None:
            return
        got = after[0] if isinstance(after, tuple | list) and after else after
        shown = tell.value(before[0]) if before else None
        leaf = None if tensor is None else session.tensor(tensor)
        after_value = tell.value(got) if isinstance(got, Tensor) else None
        session.emit((events.HookRan, kind, session.node(node), leaf, shown, after_value))


def holds_brains(roots: Sequence[Node]) -> bool:
    """Whether there is a result of bfloat16 at `roots` or below."""
    order = list(dict.fromkeys(roots))
    seen = set(order)
    for node in order:
        if any(out and not out[1].isnative for out in node.outs):
            return True
        for below in node.next:
            if below is not None and below not in seen:
                seen.add(below)
                order.append(below)
    return False


def nodes_on_the_way(order: Sequence[Node], wanted: set[Node]) -> set[Node]:
    """The nodes that must run so that gradients reach `wanted`; these run only if another lies below them."""
    above: dict[Node, list[Node]] = {}
    for node in order:
        for below in node.next:
            if below is not None:
                above.setdefault(below, []).append(node)
    needed: set[Node] = set()
    stack = [user for node in wanted for user in above.get(node, ())]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(above.get(node, ()))
    return needed


# ---- a call of backward or grad under way: the modes that it wants, and what is told of how it ended
#
# Note [Calls inside calls]. A function of a program's own may call backward in its backward, whose function calls it
# again, and so on. Each call takes some of Python's frames, of which a thread has a thousand. So torch goes on in
# another thread after 60 calls inside each other, and this engine does so too: it waits for that thread, which has all
# that the waiting one had, and gives it back. One that is listened to stays in its thread.


INSIDE = 61
"""Calls in one thread: one, and sixty inside it."""


def under_way(call: Call, work: Callable[[], object]) -> None:
    """Do `work`, which is that of `call`, with grad mode set as that wants it, and tell how it ended."""
    session = state.session
    fields, before = state.__dict__, state.grad_enabled
    switch(fields, call.create_graph)
    hooks = state.saved_hooks
    inside = len(state.calls)
    crowded = inside > 0 and inside % INSIDE == 0 and session is None
    state.calls.append(call)
    try:
        in_another_thread(work) if crowded else work()
        if call.afterwards:
            call.finish()
    except BaseException as error:
        if state.anomaly and call.running is not None:
            anomaly.warn_of_forward(call.running)
        if session is not None and state.session is session:
            tell_failure(session, call, error)
        raise
    finally:
        state.calls.pop()
        switch(fields, before)
        if state.saved_hooks is not hooks:
            state.saved_hooks = hooks  # what a hook did to the stack of hooks ends with the call
    if session is not None:
        session.emit((events.BackwardFinished, call.number))


def tell_failure(session: Session, call: Call, error: BaseException) -> None:
    """Tell that the call ended in `error`, and at which node."""
    node = call.running
    at = None if node is None else session.node(node)
    session.emit((events.BackwardFailed, call.number, at, type(error).__name__, str(error)))


def in_another_thread(work: Callable[[], object]) -> None:
    """Do `work` in a thread of its own, as if it was this one; see Note [Calls inside calls]."""
    fields, around = state.__dict__, contextvars.copy_context()
    failures: list[BaseException] = []

    def run() -> None:
        hand_over(fields, state.__dict__)
        try:
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            hand_over(state.__dict__, fields)
            forget(get_ident())

    thread = Thread(target=around.run, args=(run,))
    thread.start()
    thread.join()
    state.look()
    for variable, value in around.items():
        if variable.get(None) is not value:
            variable.set(value)
    if failures:
        raise failures.pop()


def hand_over(giver: dict[str, Any], taker: dict[str, Any]) -> None:
    """Give the state of one thread to another."""
    taker.update((name, value) for name, value in giver.items() if name != "thread")
    state.look()
