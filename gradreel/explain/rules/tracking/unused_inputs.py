"""An input that the output does not depend on, as far as the graph knows."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from gradreel.trace import events as e
from gradreel.trace.events import FlagChanged, LineReached

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import rule, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import enclosing, loads, set_keyword, with_argument, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text
from ...narration.words import code, code_label, label, name_of, on, upper
from ...replay.graph_queries import ancestors, gradient_call, made_from
from ...replay.states import Call, TensorState
from ...replay.world import World
from ..modules.mode import LeftInEval, left_in_eval
from .cuts import Cut, before_line, constant_gradient, numbers_cut, tracked_cut
from .leaves import leaves
from .no_graph import CUTS, tracked_before_use


@rule
def no_way_to_input(world: World, failure: Failure) -> Diagnosis | None:
    """autograd.grad found no way to an input; or gave None for it, and the program went on with that None."""
    message = failure.raised.message
    if "appears to not have been used in the graph" not in message:
        return None
    call = next((call for call in reversed(world.calls.values()) if call.called == "grad"), None)
    if call is None or not call.inputs:
        return None
    return without_way(world, failure, call)


def without_way(world: World, failure: Failure, call: Call) -> Diagnosis | None:
    absent = [number for place, number in enumerate(call.inputs) if call.captured.get(place) is None]
    wanted = [number for number in absent if world.grad_node(number) not in call.expected] or absent
    if not wanted or not call.roots:
        return None
    goal, start = world.tensors[wanted[0]], world.tensors[call.roots[0]]
    if (mode := left_in_eval(world, goal)) is not None:
        return without_training(world, failure, start, goal, mode)
    cut = cut_between(world, start, goal)
    constant = gradient_of(world, start) if cut is None else None
    start = before_line(world, start, failure.raised.line)
    built = constant or start
    lines: dict[str, int | None] = {"built": built.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": built.made}
    story = [
        f"The gradient of {code_label(world, start.number)}, made {on(start.place.line)}, with respect to "
        f"{code_label(world, goal.number)}, made {on(goal.place.line)}, is asked for.",
    ]
    if cut is not None:
        lines["cut"], events["cut"] = cut.place.line, cut.event
        story.append(cut.told)
    elif constant is not None:
        story.append(
            f"{code_label(world, start.number)} is the gradient of {code_label(world, constant.number)}, made "
            f"{on(constant.place.line)}, which is linear: it is the same everywhere and depends on nothing."
        )
    elif (late := asked_late(world, start, goal)) is not None:
        lines["changed"], events["changed"] = late
        story.append(
            f"{upper(code(world.source.text(late[0])))} {on(late[0])} asks for a gradient of "
            f"{code_label(world, goal.number)} only then: what was computed from it before knows nothing of that."
        )
    elif sibling(world, start, goal):
        if goal.node is not None:
            lines["cut"], events["cut"] = goal.place.line, goal.made
        user = used_instead(world, start, goal)
        where = f" {on(user.place.line)}" if user is not None else ""
        if user is not None:
            lines["saved"], events["saved"] = user.place.line, user.made
        story.append(
            f"{code_label(world, goal.number)} was itself made {on(goal.place.line)}. What was computed did not go "
            f"through it but{where} came from what it was made of."
        )
    else:
        story.append("No operation on the way to the one took the other: the graph has no way between them.")
    story.append("PyTorch gives no gradient where there is no way, unless `allow_unused=True` says that None will do.")
    return Diagnosis(
        kind="unused",
        title="The output does not depend on this input",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=tuple(number for number in (start.node, goal.node) if number is not None),
        events=events,
        cause="unused",
        names=known_names(
            root=label(world, start.number),
            target=label(world, goal.number),
            aliases=", ".join(aliases(world, goal)),
            how=cut.how if cut else None,
            cut=name_of(world, cut.tensor) if cut else None,
            source=before_goal(world, start, goal) if cut is None else None,
            late="yes" if "changed" in lines else None,
            listed="yes" if cut is None and is_listed(world, call, goal) else None,
        ),
    )


def without_training(
    world: World, failure: Failure, start: TensorState, goal: TensorState, mode: LeftInEval
) -> Diagnosis:
    """The way to `goal` is gone in the mode of evaluation, which was left on."""
    return Diagnosis(
        kind="unused",
        title="Evaluation mode was left on",
        message=failure.raised.message,
        lines={"built": mode.asked, "raised": failure.raised.line, "cut": mode.line},
        story=(
            f"The gradient of {code_label(world, start.number)} with respect to {code_label(world, goal.number)}, made "
            f"{on(goal.place.line)}, is asked for, and there is no way to it.",
            *mode.story,
            "`train()` before the next turn of training brings the way back.",
        ),
        events={"raised": failure.number, "built": start.made, "cut": mode.event},
        cause="left_in_eval",
        names=known_names(root=label(world, start.number), target=label(world, goal.number)),
    )


def asked_late(world: World, start: TensorState, goal: TensorState) -> tuple[int, int] | None:
    """The line and the event at which the leaf `goal`, which `start` was computed from, was told to ask for a gradient
    when that was done."""
    if goal.node is not None or not depends(world, [start], goal):
        return None
    line = 0
    for number, event in enumerate(world.trace.events[: world.count]):
        if isinstance(event, LineReached):
            line = event.line
        elif isinstance(event, FlagChanged) and event.tensor == goal.number and number > start.made:
            return line, number
    return None


def is_listed(world: World, call: Call, goal: TensorState) -> bool:
    """Whether `goal` is a part of a module, asked for among all its parts, some of which the graph leads to: then the
    gradient is zero, and meant to be."""
    reached = [number for number in call.inputs if world.grad_node(number) in call.expected]
    parts = [name for _, name in goal.names if "." in name or "[" in name]
    return goal.node is None and bool(parts) and len(call.inputs) > 2 and bool(reached)


def aliases(world: World, tensor: TensorState) -> list[str]:
    """All names of `tensor`, those in functions that the error has ended too."""
    lately = [name for name, number in world.lately.items() if number == tensor.number]
    return list(dict.fromkeys([*lately, *(name for _, name in tensor.names)]))


def gradient_of(world: World, tensor: TensorState) -> TensorState | None:
    """What `tensor`, or all that it was made of, is the gradient of, if autograd.grad gave it."""
    for before in ancestors(world, tensor):
        call = gradient_call(world, before)
        if call is not None and call.create_graph and call.roots:
            root = world.tensors[call.roots[0]]
            return before_line(world, root, call.place.line)
        if len(made_from(world, before)) > 1 or before.requires_grad and before.node is None:
            return None
    return None


def cut_between(world: World, start: TensorState, goal: TensorState) -> Cut | None:
    """Where the graph between them was cut: the numbers of `start` came from `goal`, the graph does not."""
    for tensor in ancestors(world, start):
        if tensor.node is not None or tensor is goal:
            continue
        call = gradient_call(world, tensor)
        if call is not None and not call.create_graph and depends(world, [world.tensors[n] for n in call.roots], goal):
            return constant_gradient(world, tensor, False)
        before = made_from(world, tensor)
        if any(state.requires_grad for state in before) and depends(world, before, goal):
            return tracked_cut(world, tensor)
    found = numbers_cut(world, start, goal)
    return found[1] if found is not None else None


def depends(world: World, tensors: list[TensorState], goal: TensorState) -> bool:
    return any(tensor is goal for start in tensors for tensor in ancestors(world, start))


def before_goal(world: World, start: TensorState, goal: TensorState) -> str | None:
    """The name of what `goal` was made of, if `start` was made of it too: the one to differentiate by."""
    behind = {tensor.number for tensor in ancestors(world, start)}
    return next((name_of(world, tensor) for tensor in made_from(world, goal) if tensor.number in behind), None)


def used_instead(world: World, start: TensorState, goal: TensorState) -> TensorState | None:
    """What was computed for `start`, with a name of its own in the line, from what `goal` was made of."""
    sources = {tensor.number for tensor in made_from(world, goal) if tensor.node is None and tensor.requires_grad}
    behind = [tensor for tensor in ancestors(world, start) if sources & set(tensor.inputs)]
    return behind[0] if behind and behind[0].made > goal.made else None


def sibling(world: World, start: TensorState, goal: TensorState) -> bool:
    """Whether both were made of something in common."""
    sources = {tensor.number for tensor in ancestors(world, goal)} - {goal.number}
    return bool(sources & {tensor.number for tensor in ancestors(world, start)})


UNMEANT = frozenset({"numbers", "tensor", "sample", "parameter"})
"""Cuts that nobody makes in order to stop a gradient."""
FEW = 4
"""So many names of gradients are looked for where something is printed."""
TITLE = "The output does not depend on this input"


@watcher(e.BackwardFinished)
class AskedInVain(FirstTrouble):
    """Looks at the inputs of each call of autograd.grad that the call never came to."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.in_vain: frozenset[str] = frozenset()
        """The names of gradients with respect to results that nothing was made of."""
        self.asked: Counter[tuple[int, int]] = Counter()
        """How often each tensor was asked for in vain, by the line that asked."""

    def on_backward_finished(self, event: e.BackwardFinished) -> None:
        """An input without a way, which flags let pass as None or zeros, and whose numbers were used all the same."""
        call = self.world.calls[event.call]
        for place, number in enumerate(call.inputs):
            without = call.captured.get(place) is None and self.world.grad_node(number) not in call.expected
            self.asked[number, call.place.line] += without
            often = self.asked[number, call.place.line] > FEW  # a loop asks for the same again and again
            if (
                without
                and not often
                and call.called == "grad"
                and call.roots
                and not (self.diagnosis and not self.in_vain)
            ):
                self.asked_in_vain(call, number)

    def asked_in_vain(self, call: Call, number: int) -> None:
        goal, start = self.world.tensors[number], self.world.tensors[call.roots[0]]
        cut = cut_between(self.world, start, goal)
        if cut is None and len(self.in_vain) < FEW and self.made_in_vain(start, goal):
            self.in_vain |= self.world.source.assigned(call.place.line)
            self.tell(self.diagnosis or self.told_in_vain(call, start, goal), self.in_vain)
        if cut is not None and cut.how in UNMEANT and self.diagnosis is None:
            results = self.world.source.assigned(call.place.line)
            if not passes_over_none(self.world.source.tree, results):
                self.tell(self.told_cut(call, start, goal, cut), results)

    def told_cut(self, call: Call, start: TensorState, goal: TensorState, cut: Cut) -> Diagnosis:
        start = before_line(self.world, start, call.place.line)
        return Diagnosis(
            kind="unused",
            title=TITLE,
            lines={"built": start.place.line, "cut": cut.place.line, "raised": None},
            story=(
                f"{code(call.text)} {on(call.place.line)} asks for the gradient of "
                f"{code_label(self.world, start.number)} with respect to {code_label(self.world, goal.number)}. Its "
                "flags let None or zeros pass where there is none.",
                cut.told,
                f"The numbers of {code_label(self.world, goal.number)} were used, and the graph knows nothing of that.",
            ),
            nodes=() if start.node is None else (start.node,),
            events={"built": start.made, "cut": cut.event, "seen": self.world.count - 1},
            cause="unused_silently",
            names=known_names(
                root=label(self.world, start.number),
                target=label(self.world, goal.number),
                how=cut.how,
                cut=name_of(self.world, cut.tensor),
                source=name_of(self.world, cut.source) if cut.source else None,
            ),
        )

    def made_in_vain(self, start: TensorState, goal: TensorState) -> bool:
        """Whether `goal` is a result that nothing was made of, though what it was made of led to `start`."""
        if goal.node is None or not sibling(self.world, start, goal):
            return False
        return not any(
            goal.number in state.inputs or goal.number == state.base for state in self.world.tensors.values()
        )

    def told_in_vain(self, call: Call, start: TensorState, goal: TensorState) -> Diagnosis:
        name, start = code_label(self.world, goal.number), before_line(self.world, start, call.place.line)
        root = code_label(self.world, start.number)
        return Diagnosis(
            kind="unused",
            title=TITLE,
            lines={"built": goal.place.line, "raised": None},
            story=(
                f"{code(call.text)} {on(call.place.line)} asks for the gradient of {root} with respect to {name}. Its "
                "flags let None or zeros pass where there is none.",
                f"{upper(name)} was made {on(goal.place.line)}, and nothing was computed from it. {upper(root)}, of "
                f"**line {start.place.line}**, came of what {name} was made of, not of {name}.",
                "A slice is a tensor of its own: the gradient goes to it only if what is differentiated was computed "
                "from it.",
            ),
            nodes=() if goal.node is None else (goal.node,),
            events={"built": goal.made, "seen": self.world.count - 1},
            cause="unused_silently",
            names=known_names(root=label(self.world, start.number), target=label(self.world, goal.number)),
        )


def passes_over_none(tree: ast.Module, names: frozenset[str]) -> bool:
    """Whether a program that gives its gradients these names goes through them and leaves out those that are None."""
    turns = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    parts = {
        name.id
        for turn in turns
        if names & {part.id for part in ast.walk(turn.iter) if isinstance(part, ast.Name)}
        for name in ast.walk(turn.target)
        if isinstance(name, ast.Name)
    }
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id in parts
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
        for test in ast.walk(tree)
    )


declare_refusal(
    "argument to `grad()` cannot be empty",
    cause="no_inputs",
    title="Gradients of nothing were asked for",
    role="built",
    story=("{code} {line} names nothing to take the gradient of {name} by.",),
)
declare_refusal(
    "argument to `backward()` cannot be empty",
    cause="no_inputs",
    title="Gradients of nothing were asked for",
    role="built",
    story=("{code} {line} says with `inputs=[]` that nobody wants a gradient of {name}.",),
)
declare_refusal(
    "Expected allow_unused to be True",
    cause="materialize",
    title="Two settings that exclude each other",
    role="built",
    story=("`materialize_grads=True` puts zeros where an input was not used, and `allow_unused=False` forbids that.",),
)


# ---- fixes


@fix(materialize=1)
def drop_setting(wanted: FixContext) -> Iterator[Proposal]:
    """`materialize_grads=True` alone: it allows what is unused and gives zeros."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "grad"):
        for name, title in (
            ("allow_unused", "leave out allow_unused=False: zeros for what was not used"),
            ("materialize_grads", "leave out materialize_grads=True"),
        ):
            edit = without_keyword(text, call, name)
            if edit is not None:
                yield wanted.proposal(f"{title}, on line {call.lineno}", FREE, edit)


@fix(no_inputs=1)
def ask_for_everyone(wanted: FixContext) -> Iterator[Proposal]:
    """Without `inputs=` every leaf gets its gradient; `grad` is told the parameters of a module, or the leaves."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "backward"):
        edit = without_keyword(text, call, "inputs")
        if edit is not None:
            title = f"leave out inputs=: every leaf gets its gradient, on line {call.lineno}"
            yield wanted.proposal(title, "a gradient for each leaf", edit)
    for call in text.calls(wanted.at("raised"), "grad"):
        for name in modules(text):
            if len(call.args) > 1:
                made = text.replaced(call.args[1], f"list({name}.parameters())")
                title = f"by all parameters of {name}, on line {call.lineno}"
                yield wanted.proposal(title, "a gradient for each parameter", made)
        if len(call.args) > 1 and (names := leaves(text)):
            shown = f"[{', '.join(names)}]"
            title = f"by the leaves: {shown} on line {call.lineno}"
            yield wanted.proposal(title, "a gradient for each leaf", text.replaced(call.args[1], shown))


def modules(text: Text) -> list[str]:
    """The names in the text whose parameters are asked for."""
    found: dict[str, None] = {}
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Attribute) and node.attr in ("parameters", "named_parameters"):
            found[text.get(node.value)] = None
    return list(found)


@fix(unused_silently=1, unused=1)
def use_input(wanted: FixContext) -> Iterator[Proposal]:
    """No way leads from the output to an input."""
    text = wanted.text
    how = wanted.name("how")
    if how:
        for way in CUTS.get(how, ()):
            yield from way(wanted)
    if wanted.name("late"):
        yield from tracked_before_use(wanted)
    yield from columns_joined(wanted)
    yield from part_of_whole(wanted)
    yield from use_given_entry(wanted)
    raised, root = wanted.at("raised"), wanted.name("root")
    calls = text.calls(raised, "grad")
    for call in calls or [call for call in text.calls(raised) if call.args and text.get(call.args[0]) == root]:
        allow = set_keyword(text, call, "allow_unused", "True")
        cost = "None, or zeros, stand where there is no gradient"
        if keyword(call, "allow_unused") is None:
            both = with_argument(text, call, "allow_unused=True, materialize_grads=True")
            yield wanted.workaround("allow_unused=True, with zeros for what was not used", cost, both)
            yield wanted.workaround("allow_unused=True", cost, allow)
        else:
            yield wanted.workaround(
                "materialize_grads=True: zeros for what was not used",
                cost,
                with_argument(text, call, "materialize_grads=True"),
            )
        source, target = wanted.name("source"), wanted.name("target")
        if source and target:
            for use in loads(call, target):
                title = f"differentiate by {source}, which was used"
                yield wanted.proposal(title, FREE, text.replaced(use, source))
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call) or callee(node) != "grad" or keyword(node, "allow_unused") is None:
            continue
        if keyword(node, "materialize_grads") is None:
            title = f"zeros instead of None: materialize_grads=True on line {node.lineno}"
            yield wanted.workaround(title, FREE, with_argument(text, node, "materialize_grads=True"))


def use_given_entry(wanted: FixContext) -> Iterator[Proposal]:
    """Of the weights that a function is given it takes this one, too: `w['b']` in the place of `self.p['b']`."""
    text = wanted.text
    key = re.search(r"\[([^\[\]]+)\]$", wanted.name("target") or "")
    for statement in filter(None, [wanted.at("saved")]):
        home = enclosing(text, statement, ast.FunctionDef)
        given = {arg.arg for arg in home.args.args} if isinstance(home, ast.FunctionDef) else set()
        owners = {text.get(part.value) for part in text.parts(home, ast.Subscript)} & given
        for use in text.parts(statement, ast.Subscript):
            if key is None or ast.unparse(use.slice) != key[1] or text.get(use.value) in given:
                continue
            for owner in sorted(owners):
                title = f"{owner}[{text.get(use.slice)}] instead of {text.get(use)} on line {use.lineno}"
                cost = "it is computed with what the function is given"
                yield wanted.proposal(title, cost, text.replaced(use.value, owner))


def columns_joined(wanted: FixContext) -> Iterator[Proposal]:
    """Columns that were cut out of an input are what the input is made of: `net(torch.cat([x, t], dim=1))`."""
    text = wanted.text
    names = {wanted.name("target"), *(wanted.name("aliases") or "").split(", ")}
    cuts = [(name, part) for node in ast.walk(text.tree) for name, part in columns(node)]
    mine = next((part for name, part in cuts if name in names), None)
    if mine is None:
        return
    whole = text.get(mine.value)
    among = [(name, part) for name, part in cuts if text.get(part.value) == whole]
    wide = any(isinstance(index, ast.Slice) for index in column_of(mine))
    made = f"torch.{'cat' if wide else 'stack'}([{', '.join(name for name, _ in among)}], dim=1)"
    here = {id(loaded) for _, part in among for loaded in loads(part, whole)}
    within = enclosing(text, mine, ast.FunctionDef)
    for use in loads(text.tree, whole):
        call = text.parents.get(use)
        same = enclosing(text, use, ast.FunctionDef) is within
        if isinstance(call, ast.Call) and use in call.args and id(use) not in here and same:
            title = f"give {text.get(call.func)} the columns themselves, joined, on line {use.lineno}"
            if use.lineno > mine.lineno:
                yield wanted.proposal(title, "one copy of the input", text.replaced(use, made))
                continue
            whole_line = enclosing(text, use, ast.Assign)
            last = enclosing(text, among[-1][1], ast.Assign)
            if isinstance(whole_line, ast.Assign) and isinstance(last, ast.Assign) and last in text.block(whole_line):
                moved = text.get(whole_line).replace(text.get(call), text.get(call).replace(whole, made))
                title += f", which comes after line {last.lineno}"
                yield wanted.proposal(
                    title, "one copy of the input", text.removed(whole_line), text.after(last, [moved])
                )


def part_of_whole(wanted: FixContext) -> Iterator[Proposal]:
    """The gradient of the whole, and then the part: of `x`, and `[k]`, where it was asked for `x[k]`."""
    text, target = wanted.text, wanted.name("target")
    for call in text.calls(text.tree, "grad"):
        if len(call.args) < 2 or text.get(call.args[1]) != target:
            continue
        parts = [
            node.value
            for node in text.parts(text.tree, ast.Assign)
            if text.get(node.targets[0]) == target and isinstance(node.value, ast.Subscript)
        ]
        if len(parts) != 1:
            continue
        whole, index = text.get(parts[0].value), text.get(parts[0].slice)
        outer = text.parents.get(call)
        first = isinstance(outer, ast.Subscript) and outer.value is call and text.get(outer.slice) == "0"
        asked = text.replaced(call.args[1], whole)
        end = outer if first and isinstance(outer, ast.Subscript) else call
        place = text.place(end.end_lineno or end.lineno, end.end_col_offset or 0)
        taken = Edit(*place, *place, f"[{index}]" if first else f"[0][{index}]")
        title = f"the gradient of {whole}, and of that [{index}], on line {call.lineno}"
        yield wanted.proposal(title, FREE, asked, taken)


def columns(node: ast.AST) -> Iterator[tuple[str, ast.Subscript]]:
    """The names that `node` gives to columns of a tensor: `t = xt[:, 1:2]`."""
    if not isinstance(node, ast.Assign):
        return
    goal, value = node.targets[0], node.value
    many = isinstance(goal, ast.Tuple) and isinstance(value, ast.Tuple)
    pairs = zip(goal.elts, value.elts, strict=False) if many else [(goal, value)]  # type: ignore[attr-defined]
    for name, part in pairs:
        if isinstance(name, ast.Name) and isinstance(part, ast.Subscript) and len(column_of(part)) == 2:
            yield name.id, part


def column_of(part: ast.Subscript) -> list[ast.expr]:
    """The two indices of `xt[:, 1:2]`, the first of which takes all rows; none of anything else."""
    index = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
    every = len(index) == 2 and isinstance(index[0], ast.Slice) and index[0].lower is index[0].upper is None
    return list(index) if every else []
