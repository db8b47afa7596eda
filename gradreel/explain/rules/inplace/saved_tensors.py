"""Saved tensors that were changed before the backward: by a write, behind the back of autograd, by `detach_`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradreel.trace import events as e

from ...calls import callee
from ...derivatives.lookup import operator
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.failing_node import failing_node, find_asked_slot, latest
from ...diagnostics.mentions import raising_code
from ...diagnostics.registry import rule, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import (
    append_suffix,
    copies,
    enclosing,
    join_names,
    loads,
    needed_before,
    stack_statements,
    value_of,
    with_argument,
)
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.program_layers import describe_built, kept_name
from ...narration.words import code, count, during, label, listing, name_of, on, short, upper, value
from ...replay.graph_queries import origin
from ...replay.states import NodeState, SlotState, Write
from ...replay.world import World
from ..graph.carried_state import carried_over
from ..graph.second_backward import rebuilt_before, rebuilt_inside
from .out_of_place import COPY, join_parts, rebuild_entries, write_out_of_place, written_name
from .refused_writes import clone_before, inplace_switched_off, is_function


@rule
def saved_modified(world: World, failure: Failure) -> Diagnosis | None:
    """A node asked for what it had kept, and found another version."""
    found = find_asked_slot(world, failure) if "modified by an inplace operation" in failure.raised.message else None
    if found is None:
        return None
    node, slot = found
    if slot is None:
        return None
    now = slot.found if slot.found is not None else latest(world, slot)
    writes = [
        write for write in world.writes.get(slot.storage, ()) if write.counted and slot.version < write.version <= now
    ]
    source = origin(world, world.tensors.get(slot.tensor) if slot.tensor is not None else None)
    lines = {
        "built": node.place.line,
        "saved": source.place.line if source is not None else node.place.line,
        "changed": writes[0].place.line if writes else None,
        "raised": failure.raised.line,
    }
    events = {"built": node.made, "raised": failure.number}
    if writes:
        events["changed"] = writes[0].event
    story = [kept_at(world, node, slot), *changed_by(world, writes, slot)]
    call = world.calls.get(failure.call) if failure.call is not None else None
    asks = f"{code(call.text)} {on(call.place.line)}" if call else f"Line {failure.raised.line}"
    story.append(
        f"{asks} needs version {slot.version} and finds version {now}. With other numbers the gradient would "
        "be wrong, so PyTorch refuses."
    )
    return Diagnosis(
        kind="saved_modified",
        title="A saved tensor was changed in place",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=(node.number,),
        events=events,
        cause="step_between" if writes and writes[0].optimizer else "saved_modified",
        names=known_names(
            kept=label(world, slot.tensor) if slot.tensor is not None else result_name(world, node),
            written=label(world, writes[0].tensor) if writes else None,
            whole=name_of(world, source) if source is not None else None,
            how="max_norm" if writes and writes[0].op == LOOKUP else None,
        ),
    )


LOOKUP = "embedding_renorm_"


def result_name(world: World, node: NodeState) -> str | None:
    """What the program calls the result of `node`."""
    return next((name for tensor in node.outputs if (name := label(world, tensor, 0)) is not None), None)


def kept_at(world: World, node: NodeState, slot: SlotState) -> str:
    known = operator(node.kind)
    told = f"{describe_built(world, node)}, saved {kept_name(world, slot)} at version {slot.version}"
    if known is None:
        return f"{told}."
    return f"{told}, because {known.why}." if short(f"{told}, because {known.why}") else f"{told}. {upper(known.why)}."


def changed_by(world: World, writes: list[Write], slot: SlotState) -> Iterator[str]:
    """One sentence for all the writes, those of one line together."""
    parts = []
    for write in {write.place.line: write for write in reversed(writes)}.values():
        same = [other for other in writes if other.place.line == write.place.line]
        turns = len({other.place.since for other in same})
        many = "again and again" if world.skipped else f"{count(turns)} times"
        times = f", {many}" if turns > 1 else ""
        who = f"{code(write.optimizer)}, taking a step" if write.optimizer else code(written_text(world, write))
        who += ", a lookup that `max_norm` lets shorten the rows it finds," if write.op == LOOKUP else ""
        when = during(write.place) if turns == 1 else ""
        parts.append((same[0].event, f"{who} {on(write.place.line)}{when}{times}"))
    if parts:
        yield f"It was then written over in place by {listing(text for _, text in sorted(parts))}."


def written_text(world: World, write: Write) -> str:
    """The statement that wrote."""
    return world.source.text(write.place.line, write.place.end_line) or write.op


MESSAGE = "saved tensor that has been detached in-place"


@rule
def saved_detached(world: World, failure: Failure) -> Diagnosis | None:
    """Which node kept the tensor, and where it was detached since."""
    message, line = failure.raised.message, failure.raised.line
    node = failing_node(world, failure) if MESSAGE in message else None
    kept = list(node.slots.values()) if node is not None else []
    pairs = [(slot, world.tensors[slot.tensor]) for slot in kept if slot.tensor in world.tensors]
    found = next(((slot, tensor) for slot, tensor in pairs if tensor.cut is not None), None)
    if node is None or found is None:
        return None
    slot, tensor = found
    assert tensor.cut is not None
    place, event = tensor.cut
    return Diagnosis(
        kind="saved_modified",
        title="A saved tensor was detached in place",
        message=message,
        lines={"built": node.place.line, "saved": tensor.place.line, "changed": place.line, "raised": line},
        story=(
            kept_at(world, node, slot),
            f"{code(world.source.text(place.line))} {on(place.line)} took that very tensor out of its graph: it has no "
            "grad_fn any more.",
            f"{code(raising_code(world, failure))} {on(line)} needs it where it was in the graph, so PyTorch refuses. "
            "`detach()` gives a new tensor outside of the graph and leaves the old one in it.",
        ),
        nodes=(node.number,),
        events={"built": node.made, "saved": tensor.made, "changed": event, "raised": failure.number},
        cause="saved_detached",
        names=known_names(kept=label(world, tensor.number)),
    )


UNREAD = ("running_mean", "running_var")
"""What a batch norm keeps for evaluation: in training, when it writes them, its gradient does not need them."""

WAYS = {"numpy": "an array that shows its memory", "storage": "its storage"}
"""How a tensor was written that did not count it, by what the write was told as."""


@watcher(e.Written)
class Stale(FirstTrouble):
    """Slots that were read after an uncounted write had changed what they hold."""

    def on_slot_read(self, event: e.SlotRead) -> None:
        if self.diagnosis is not None or event.found != event.kept:
            return
        node = self.world.nodes[event.node]
        slot = node.slots.get(event.slot)
        if slot is None or event.slot in UNREAD:
            return
        writes = [
            write
            for write in self.world.writes.get(slot.storage, ())
            if not write.counted and write.event > slot.saved and write.op not in ("known before", "set_")
        ]
        if writes and self.changed(slot, writes[-1]):
            diagnosis = self.describe(node, slot, writes[0])
            self.tell(diagnosis, self.world.source.assigned(diagnosis.lines["shows"] or 0))

    def changed(self, slot: SlotState, write: Write) -> bool:
        """Whether the numbers are others than those that were kept."""
        tensor = self.world.tensors.get(slot.tensor if slot.tensor is not None else write.tensor)
        now = tensor.value if tensor is not None else None
        return now is None or now.shape != slot.value.shape or repr(now.data) != repr(slot.value.data)

    def describe(self, node: NodeState, slot: SlotState, write: Write) -> Diagnosis:
        world = self.world
        source = origin(world, world.tensors.get(slot.tensor) if slot.tensor is not None else None)
        call = world.calls[world.open_calls[-1]] if world.open_calls else None
        shows = call.place.line if call else world.place.line
        doing = f"{code(call.text)} {on(shows)}" if call else f"Line {shows}"
        way = WAYS.get(write.op, "`.data`")
        return Diagnosis(
            kind="saved_modified",
            title="A gradient from numbers that have changed",
            lines={
                "built": node.place.line,
                "saved": source.place.line if source is not None else node.place.line,
                "changed": write.place.line,
                "raised": None,
                "shows": shows,
            },
            story=(
                f"{describe_built(world, node)}, saved {kept_name(world, slot)} as it was then ({value(slot.value)}).",
                f"{code(world.source.text(write.place.line))} {on(write.place.line)}{during(write.place)} then wrote "
                f"over it through {way}. That does not count as a change: the version stays the same.",
                f"{doing} computes the gradient with the new numbers, as if they had always been there; nothing warns.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "changed": write.event, "seen": world.count - 1},
            cause="stale",
            names=known_names(
                kept=label(world, slot.tensor) if slot.tensor is not None else None,
                whole=name_of(world, source) if source is not None else None,
            ),
        )


# ---- fixes


def step_loop(wanted: FixContext) -> ast.For | None:
    """A loop over several losses that takes the step of one before it goes backward with the next."""
    text, raised, changed = wanted.text, wanted.at("raised"), wanted.at("changed")
    loop = text.loop(raised) if raised is not None else None
    in_it = isinstance(loop, ast.For) and raised in loop.body and changed in loop.body
    built = wanted.beside("built", loop) if loop is not None else None
    return loop if in_it and built is not None and isinstance(loop, ast.For) else None


@fix(step_between=5)
def put_later_pair_first(wanted: FixContext) -> Iterator[Proposal]:
    """Of `for opt, loss in ((d_opt, d_loss), (g_opt, g_loss))` the second goes first: what the step of the first would
    write over is needed no more, and `zero_grad` clears what the other loss left there."""
    text, loop = wanted.text, step_loop(wanted)
    over = loop.iter if loop is not None else None
    lists = over.args if isinstance(over, ast.Call) and callee(over) == "zip" else [over]
    if loop is None or not all(isinstance(one, ast.Tuple | ast.List) and len(one.elts) == 2 for one in lists):
        return
    edits, shown = [], ""
    for one in lists:
        assert isinstance(one, ast.Tuple | ast.List)
        first, second = map(text.get, one.elts)
        edits += [text.replaced(one.elts[0], second), text.replaced(one.elts[1], first)]
        shown = shown or f"{second} before {first}"
    title = f"{shown} on line {loop.lineno}: its step changes nothing that the other loss needs"
    yield wanted.proposal(title, "both losses are of the weights before the steps", *edits)


OWN = "[part for group in {}.param_groups for part in group['params']]"


@fix(step_between=7)
def step_in_own_loop(wanted: FixContext) -> Iterator[Proposal]:
    """The steps are taken in a second loop, when every loss has gone backward, each into its own parameters."""
    text, loop, raised = wanted.text, step_loop(wanted), wanted.at("raised")
    steps = [part for part in loop.body if text.calls(part, "step")] if loop is not None else []
    calls = text.calls(raised, "backward")
    step = steps[0].value if len(steps) == 1 and isinstance(steps[0], ast.Expr) else None
    if loop is None or len(calls) != 1 or not isinstance(step, ast.Call) or not isinstance(step.func, ast.Attribute):
        return
    if isinstance(loop.iter, ast.Name | ast.GeneratorExp) or not text.alone(loop):
        return
    head, indent = f"for {text.get(loop.target)} in {text.get(loop.iter)}:", text.indent(loop)
    title = f"take the steps once every loss has gone backward, in a loop of their own after line {loop.end_lineno}"
    moved = [text.removed(steps[0]), text.after(loop, [head, f"    {text.get(step)}"])]
    if steps[0] is loop.body[-1] and len(loop.body) > 1 and text.alone(steps[0]):
        line, end = steps[0].lineno, steps[0].end_lineno or steps[0].lineno
        lines = f"{indent}{head}\n{text.indent(steps[0])}{text.get(step)}"
        moved = [Edit(line, 0, end, len(text.code[end - 1]), lines)]
    own = with_argument(text, calls[0], f"inputs={OWN.format(text.get(step.func.value))}")
    cost = "all losses are of the weights before the steps"
    yield wanted.proposal(title, cost, *moved)
    yield wanted.proposal(f"{title}; each loss into the parameters of its own optimizer", cost, own, *moved)


@fix(saved_modified=1)
def keep_saved(wanted: FixContext) -> Iterator[Proposal]:
    """A tensor that a node had kept was written over."""
    ways = (
        store_copy,
        rebuild_entries,
        join_parts,
        write_out_of_place,
        copy_rows,
        clone_before,
        cloned_where_kept,
        looked_up_first,
        inplace_switched_off,
        moved_behind,
    )
    for way in (*ways, rebuilt_before):
        yield from way(wanted)


@fix(step_between=6)
def step_later(wanted: FixContext) -> Iterator[Proposal]:
    """An optimizer's step wrote over weights that a later backward needs."""
    yield from rebuilt_inside(wanted)
    yield from rebuilt_before(wanted)
    yield from carried_over(wanted)
    yield from detached_uses(wanted)
    yield from moved_behind(wanted)
    yield from detached_share(wanted)


# ---- ways


def store_copy(wanted: FixContext) -> Iterator[Proposal]:
    """What a method keeps for others to look at, `self.attention = a`, is kept as a copy: they may write into it."""
    text, changed = wanted.text, wanted.at("changed")
    if changed is None:
        return
    writer = enclosing(text, changed, ast.FunctionDef)
    known = {(wanted.name(role) or "").rpartition(".")[2] for role in ("kept", "whole", "written")}
    read = [part for part in text.parts(writer, ast.Assign) if written_name(changed) in targets(part)]
    known |= {part.value.attr for part in read if isinstance(part.value, ast.Attribute)}
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        if not isinstance(goal, ast.Attribute) or goal.attr not in known or not isinstance(node.value, ast.Name):
            continue
        if enclosing(text, node, ast.FunctionDef) is writer or goal.attr in ast.unparse(changed):
            continue
        title = f"keep a copy in {text.get(goal)}, on line {node.lineno}"
        yield wanted.proposal(title, COPY, append_suffix(text, node.value, ".detach().clone()"))


def copy_rows(wanted: FixContext) -> Iterator[Proposal]:
    """Of buffers that a loop fills row by row, the rows that it computes with are copies: `f(x[t].clone())`."""
    text, changed = wanted.text, wanted.at("changed")
    loop = text.loop(changed) if changed is not None else None
    inside = {id(part) for part in ast.walk(loop)} if loop is not None else set()
    filled = {written_name(part) for part in text.parts(loop, ast.Assign) if isinstance(part.targets[0], ast.Subscript)}
    if changed is None or written_name(changed) not in filled:
        return
    for built in stack_statements(wanted, "built"):
        rows = [part for part in text.parts(built, ast.Subscript) if isinstance(part.ctx, ast.Load)]
        rows = [row for row in rows if text.get(row.value) in filled and not is_method(text, row)]
        if rows and id(built) in inside:
            shown = join_names(list(dict.fromkeys(f"{text.get(row)}.clone()" for row in rows)))
            title = f"compute with copies of the rows: {shown} on line {built.lineno}"
            yield wanted.proposal(title, COPY, *(append_suffix(text, row, ".clone()") for row in rows))


def is_method(text: Text, node: ast.expr) -> bool:
    """Whether a method of `node` is asked for, or an entry of it taken: a copy comes of it anyway, or too much."""
    return isinstance(text.parents.get(node), ast.Subscript | ast.Attribute)


def cloned_where_kept(wanted: FixContext) -> Iterator[Proposal]:
    """The node keeps a clone: where it is built, `h` becomes `h.clone()`."""
    text, built = wanted.text, wanted.at("built")
    known = [name for name in map(wanted.name, ("kept", "whole", "written")) if name]
    paths = [name.split(".") for name in known]
    own = [".".join(["self", *path[at:]]) for path in paths for at in range(1, len(path))]
    kept = dict.fromkeys([*known, *own])
    if built is None:
        return
    for name in kept:
        uses = [use for use in loads(built, name) if not is_written(text, use)]
        if uses:
            title = f"let line {built.lineno} work on a clone of {name}"
            yield wanted.proposal(title, COPY, *(append_suffix(text, use, ".clone()") for use in uses))
    value = value_of(built)
    if isinstance(built, ast.Assign) and value is not None:
        title = f"clone the result of line {built.lineno}, so that the write changes the clone"
        yield wanted.proposal(title, COPY, append_suffix(text, value, ".clone()"))


def looked_up_first(wanted: FixContext) -> Iterator[Proposal]:
    """A lookup that shortens rows comes before what computes with the whole table."""
    text = wanted.text
    for change in stack_statements(wanted, "changed") if wanted.name("how") == "max_norm" else ():
        first = wanted.beside("built", change)
        block = text.block(change)
        if first is None or first not in block or first.lineno >= change.lineno or not text.alone(change):
            continue
        between = block[block.index(first) : block.index(change)]
        if not any(targets(part) & names_in(value_of(change) or change) for part in between):
            title = f"line {change.lineno} before line {first.lineno}: look up first"
            cost = "what comes behind it computes with the shortened rows"
            yield wanted.proposal(title, cost, text.removed(change), text.before(first, text.lines_of(change)))
            return


def is_written(text: Text, use: ast.expr) -> bool:
    """Whether `use` is what is written into: `h` of `h[t] = …`."""
    outer: ast.AST | None = use
    while isinstance(outer, ast.Subscript | ast.Attribute | ast.Name):
        if isinstance(outer.ctx, ast.Store):
            return True
        outer = text.parents.get(outer)
    return False


def moved_behind(wanted: FixContext) -> Iterator[Proposal]:
    """The write comes after the backward that needs the old numbers."""
    text = wanted.text
    goals = stack_statements(wanted, "raised")
    changes = stack_statements(wanted, "changed")
    for goal in goals:
        for change in changes:
            block = text.block(goal)
            if change not in block or goal not in block or not text.alone(change):
                continue
            after = goal
            if block.index(change) >= block.index(goal):
                continue
            title = f"line {change.lineno} after line {goal.lineno}: write when backward has what it needs"
            cost = FREE
            if wanted.found.cause == "step_between":
                title = f"step (line {change.lineno}) only after the backward of line {goal.lineno}"
                cost = "parameters that both losses reach get the sum of both gradients"
            edits = [text.removed(change), text.after(after, text.lines_of(change))]
            between = wanted.found.cause == "step_between"  # a step with other gradients than were meant for it
            yield (wanted.workaround if between else wanted.proposal)(title, cost, *edits)
            return


def detached_uses(wanted: FixContext) -> Iterator[Proposal]:
    """What a later forward takes from an earlier network is detached."""
    text = wanted.text
    for goal in stack_statements(wanted, "raised"):
        block = text.block(goal)
        change = wanted.beside("changed", goal)
        if change is None or change not in block or goal not in block:
            continue
        built = wanted.beside("built", goal)
        made = {name for name in names_in(built)} if isinstance(built, ast.Assign) else set()
        for statement in block[block.index(change) + 1 : block.index(goal)]:
            for name in sorted(made):
                uses = [use for use in loads(statement, name) if isinstance(use, ast.Name)]
                uses = [use for use in uses if not isinstance(text.parents.get(use), ast.Attribute)]
                uses = [use for use in uses if not is_function(text, use)]
                if uses and isinstance(statement, ast.Assign):
                    title = f"detach {name} on line {statement.lineno}"
                    cost = "no gradient goes back into what made it"
                    yield wanted.proposal(title, cost, *(append_suffix(text, use, ".detach()") for use in uses))


def detached_share(wanted: FixContext) -> Iterator[Proposal]:
    """What several losses share, made once and stepped on by the first, is detached for the last of them."""
    text = wanted.text
    for made in stack_statements(wanted, "built"):
        block = text.block(made)
        if not isinstance(made, ast.Assign) or made not in block:
            continue
        later = block[block.index(made) + 1 :]
        for name in sorted(targets(made)):
            uses = [entry_of(text, use) for statement in later for use in loads(statement, name)]
            uses = [use for use in uses if not is_function(text, use)]
            if len(uses) > 1:
                last = max(uses, key=lambda use: (use.lineno, use.col_offset))
                title = f"detach {name} where it is used last, on line {last.lineno}"
                cost = f"this loss trains nothing that {name} was made with"
                yield wanted.proposal(title, cost, append_suffix(text, last, ".detach()"))


def entry_of(text: Text, use: ast.expr) -> ast.expr:
    """`outputs[name]` for the `outputs` in it."""
    outer = text.parents.get(use)
    return entry_of(text, outer) if isinstance(outer, ast.Subscript) and outer.value is use else use


@fix(stale=1)
def keep_fresh(wanted: FixContext) -> Iterator[Proposal]:
    """Something was written through `.data` between a forward and its backward."""
    for way in (out_of_place_data, moved_behind_seen, recomputed_seen, cloned_where_kept):
        yield from way(wanted)


def out_of_place_data(wanted: FixContext) -> Iterator[Proposal]:
    """The write through `.data` goes into a clone instead."""
    text, statement = wanted.text, wanted.at("changed")
    name = written_name(statement)
    if statement is None or name is None:
        return
    title = f"write into a clone: {name} = {name}.clone() before line {statement.lineno}"
    yield wanted.proposal(title, COPY, text.before(statement, [f"{name} = {name}.clone()"]))


def moved_behind_seen(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for goal in stack_statements(wanted, "seen") + [wanted.at("shows")]:
        for change in stack_statements(wanted, "changed"):
            if goal is None or goal not in text.block(change) or goal.lineno <= change.lineno:
                continue
            if text.alone(change):
                title = f"line {change.lineno} after line {goal.lineno}: write when backward has what it needs"
                yield wanted.proposal(title, FREE, text.removed(change), text.after(goal, text.lines_of(change)))
                return


def recomputed_seen(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for goal in stack_statements(wanted, "seen"):
        first = wanted.beside("built", goal)
        if first is None or first not in text.block(goal):
            continue
        statements = needed_before(text, goal, first)
        if statements:
            cost = "one forward more; the gradient is taken at the numbers of now"
            title = f"compute it again before line {goal.lineno}"
            yield wanted.proposal(title, cost, text.before(goal, copies(text, statements)))
