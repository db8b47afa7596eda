"""Numbers that were taken out of tensors: a term of a loss that is a plain number changes no gradient."""

from __future__ import annotations

import ast
import copy
import math
import operator
import re
from collections.abc import Callable, Iterator

from gradreel.trace import events as e
from gradreel.trace.events import Value

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.registry import rule, watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import ATOMS, enclosing, in_brackets, join_names, stack_statements
from ...fixes.proposal import FixContext, Proposal
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, code_label, name_of, on, taking
from ...replay.graph_queries import ancestors, view_requires_grad
from ...replay.states import NodeState, Place, Seen
from ...replay.world import World
from ...source import is_simple

NUMBER = re.compile(r"'(?:numpy\.)?(?:float|int|ndarray|float\d+|list)' object has no attribute '(?:backward|grad_fn)'")


@rule
def plain_number(world: World, failure: Failure) -> Diagnosis | None:
    """The last time that numbers were taken out of a tensor with a graph is what cut them off."""
    if NUMBER.search(failure.raised.message) is None:
        return None
    taken = [
        seen
        for seen in world.taken
        if any(state.requires_grad for state in ancestors(world, world.tensors[seen.tensor]))
    ]
    if not taken:
        return None
    last, line = taken[-1], failure.raised.line
    source = world.tensors[last.tensor]
    return Diagnosis(
        kind="no_graph",
        title="Backward from a plain number",
        message=failure.raised.message,
        lines={"built": last.place.line, "cut": last.place.line, "raised": line},
        story=(
            f"{taking(last)} {on(last.place.line)} takes plain numbers out of {code_label(world, source.number)}: "
            "numbers know of no graph.",
            f"{code(world.source.text(line))} {on(line)} asks them to go backward, and only a tensor can.",
            "Go backward from the tensor; take its number for printing only.",
        ),
        events={"raised": failure.number, "cut": last.event, "built": last.event},
        cause="no_graph",
        names=known_names(how="numbers", source=name_of(world, source)),
    )


SUMS = frozenset({"Add", "Sub"})
LINEAR = SUMS | {"Rsub", "Neg", "Mean", "Sum", "Squeeze", "Unsqueeze", "View", "Mul", "Div"}
"""What keeps a term of a sum a term: a product does with a number only."""

ROUND, NEAR, LATELY = 1000, 1e-6, 60
"""Of the last so many numbers taken, one that is so near is the same, if it has more than three decimal places."""

Key = tuple[int, str]
"""A scope and a name in it."""


@watcher(e.NumbersTaken)
class ConstantTerm(FirstTrouble):
    """Follows numbers from the tensors they are taken out of, by names, to the sums that they are terms of."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.numbers: dict[Key, Seen] = {}
        """The names that stand for numbers taken out of tracked tensors."""
        self.terms: dict[int, tuple[Seen, str | None]] = {}
        """The sums, by node, with such a number as one of their terms; with what reads it where it is kept."""
        self.called = 0
        """With which event the last backward began."""

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.numbers.clear()

    def on_name_bound(self, event: e.NameBound) -> None:
        key = event.scope, event.name
        self.numbers.pop(key, None)
        if event.tensor is None and event.text is not None and is_number(event.text):
            source = self.taken_in(self.world.place) or self.read_in(self.world.place)
            if source is not None:
                self.numbers[key] = source

    def taken_in(self, place: Place) -> Seen | None:
        """The last number that the statement at `place` took out of a tracked tensor."""
        for seen in reversed(self.world.taken):
            if seen.event < place.since:
                break
            if view_requires_grad(self.world, self.world.tensors.get(seen.tensor)):
                return seen
        return None

    def read_in(self, place: Place) -> Seen | None:
        """Where the first of the numbers that the statement at `place` reads by a name was taken."""
        scope = self.world.scope
        for part in self.world.source.simple(place.line):
            for name in names_read(part):
                if (scope, name) in self.numbers:
                    return self.numbers[scope, name]
        return None

    def on_node_made(self, event: e.NodeMade) -> None:
        """A sum with a plain number: whether its text says that the number was taken out of a tensor."""
        node, tensors = self.world.nodes[event.node], self.world.tensors
        plain = [tensors[number].value for number in event.inputs if tensors[number].op == "number"]
        if node.kind not in SUMS or not plain or not self.world.taken:
            return
        by_name = bool(self.numbers) or self.taken_in(self.world.place) is not None
        for statement in self.world.source.simple(self.world.place.line):
            for term in terms(statement):
                source = self.source_of(term) if by_name else None
                kept = self.kept_number(term, plain) if source is None else None
                if source is not None or kept is not None:
                    self.terms[event.node] = (source, None) if source is not None else kept  # type: ignore[assignment]

    def kept_number(self, term: ast.expr, plain: list[Value | None]) -> tuple[Seen, str] | None:
        """Where the number was taken that `term` reads from an object or a dict, `0.1 * meter.kl`: it is the same one.

        With what reads it.
        """
        value = plain[0].data if plain[0] is not None else None
        kept: list[ast.expr] = []
        for part, divides in factors(term):
            known = number_of(self.world, part)
            if known is None and not divides:
                kept.append(part)
            elif not known or not isinstance(value, float):
                return None
            else:
                value = value * known if divides else value / known
        if len(kept) != 1 or not isinstance(kept[0], ast.Attribute | ast.Subscript | ast.Call):
            return None
        if not isinstance(value, float) or not math.isfinite(value * ROUND) or (value * ROUND).is_integer():
            return None
        for seen in reversed(self.world.taken[-LATELY:]):
            source = self.world.tensors.get(seen.tensor)
            taken = source.value.data if source is not None and source.value is not None else None
            alike = isinstance(taken, float) and abs(taken - value) <= NEAR * abs(value)
            if alike and seen.event > self.called and view_requires_grad(self.world, source):
                return seen, ast.unparse(kept[0])
        return None

    def source_of(self, term: ast.expr) -> Seen | None:
        """Where the numbers of `term` were taken, if it is made of numbers alone."""
        names = self.world.names_in.get(self.world.scope, {})
        read = list(names_read(term))
        if any(name in names and names[name].tensor is not None for name in read):
            own = [call for call in ast.walk(term) if isinstance(call, ast.Call) and takes(call)]
            if not own or outside(term, own, names):
                return None
            return self.taken_in(self.world.place)
        found = [self.numbers[self.world.scope, name] for name in read if (self.world.scope, name) in self.numbers]
        if found:
            return found[0]
        calls = any(isinstance(part, ast.Call) for part in ast.walk(term))
        return self.taken_in(self.world.place) if calls else None

    def on_backward_started(self, event: e.BackwardStarted) -> None:
        self.called = self.world.count - 1
        if event.called != "backward" or self.diagnosis is not None:
            return
        todo = [number for root in event.roots if (number := self.world.grad_node(root)) is not None]
        seen = set(todo)
        while todo:
            node = self.world.nodes[todo.pop()]
            if node.number in self.terms:
                self.tell(self.describe(node, *self.terms[node.number]))
                return
            ways = [target for target, _ in node.edges if target is not None]
            if node.kind in LINEAR and (len(ways) == 1 or node.kind in SUMS):
                todo += [target for target in ways if target not in seen]
                seen.update(ways)

    def describe(self, node: NodeState, taken: Seen, number: str | None) -> Diagnosis:
        world = self.world
        source = world.tensors[taken.tensor]
        total = world.tensors[node.outputs[0]] if node.outputs else None
        place = node.place
        what = code(world.source.text(place.line, place.end_line))
        return Diagnosis(
            kind="no_graph",
            title="A term of the loss is a plain number",
            lines={"built": place.line, "cut": taken.place.line, "raised": None},
            story=(
                f"{what} {on(place.line)} adds a plain number to what is differentiated: {taking(taken)} "
                f"{on(taken.place.line)} took it out of {code_label(world, source.number)}.",
                "A number knows of no graph, and a constant has the gradient 0: this term is part of the value and of "
                "no gradient.",
                "So nothing is changed by it, however large its factor.",
            ),
            nodes=(node.number,),
            events={"built": node.made, "cut": taken.event, "seen": world.count - 1},
            cause="constant_term",
            names=known_names(
                how="numbers",
                source=name_of(world, source),
                number=number,
                target=name_of(world, total) if total is not None else None,
            ),
        )


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def names_read(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            yield part.target.id


def terms(statement: ast.stmt) -> Iterator[ast.expr]:
    """What the sums of `statement` add or take away."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            yield from (side for side in (node.left, node.right) if not isinstance(side, ast.Constant))
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            yield node.value


def factors(term: ast.expr) -> Iterator[tuple[ast.expr, bool]]:
    """What `term` is a product of, each with whether it divides."""
    if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult | ast.Div):
        yield from factors(term.left)
        divides = isinstance(term.op, ast.Div)
        yield from ((part, divides != own) for part, own in factors(term.right))
    else:
        yield term, False


def takes(call: ast.Call) -> bool:
    """Whether `call` takes a number out of a tensor."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in ("item", "float")


def outside(term: ast.expr, calls: list[ast.Call], names: dict[str, e.NameBound]) -> bool:
    """Whether `term` names a tensor elsewhere than in `calls`."""
    inside = {id(part) for call in calls for part in ast.walk(call)}
    return any(
        isinstance(part, ast.Name) and id(part) not in inside and part.id in names and names[part.id].tensor is not None
        for part in ast.walk(term)
    )


SIGNS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def number_of(world: World, node: ast.expr) -> float | None:
    """The number that `node` gives now; None where it cannot be told."""
    try:
        return compute_number(world, node, numbers_taken(world))
    except (ArithmeticError, ValueError, StopIteration):
        return None


def numbers_taken(world: World) -> Iterator[float]:
    """The numbers that the statement has taken out of tensors, in their order."""
    for seen in world.taken[-10:]:
        value = world.tensors[seen.tensor].value
        if seen.event >= world.place.since and value is not None and isinstance(value.data, int | float):
            yield value.data


def compute_number(world: World, node: ast.expr, taken: Iterator[float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        for scope in (world.scope, 0):
            bound = world.names_in.get(scope, {}).get(node.id)
            if bound is not None:
                return float(bound.text)
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        left = compute_number(world, node.left, taken)
        return SIGNS[type(node.op)](left, compute_number(world, node.right, taken))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -compute_number(world, node.operand, taken)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item":
        return next(taken)
    raise ValueError(node)


# ---- fixes


STAYS = "the graph stays, and the gradient goes on back"
OUT = frozenset(("item", "tolist", "numpy", "detach", "cpu"))


def from_tensors(wanted: FixContext) -> Iterator[Proposal]:
    """torch.tensor over tensors becomes torch.stack; over one tensor, the tensor itself."""
    text = wanted.text
    for role in ("cut", "built"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "Tensor", "FloatTensor"):
            if not call.args:
                continue
            given = call.args[0]
            cost = "the graph of every entry stays"
            if isinstance(given, ast.List | ast.Tuple):
                title = f"torch.stack instead of torch.{callee(call)} on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.stack({stack_lists(text, given)})"))
                title = f"torch.cat instead of torch.{callee(call)} on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.cat({text.get(given)})"))
            else:
                title = f"torch.stack instead of torch.{callee(call)} on line {call.lineno}"
                shown = text.get(given)
                listed = shown if f"{shown}.append(" in text.source else f"list({shown})"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.stack({listed})"))
                title = f"use the tensor itself on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, in_brackets(text, given)))


def stack_lists(text: Text, given: ast.List | ast.Tuple) -> str:
    """A list of tensors and lists of them, each list stacked; plain numbers are made tensors."""
    parts = []
    for part in given.elts:
        if isinstance(part, ast.List | ast.Tuple):
            parts.append(f"torch.stack({stack_lists(text, part)})")
        elif isinstance(part, ast.Constant) or (
            isinstance(part, ast.UnaryOp) and isinstance(part.operand, ast.Constant)
        ):
            parts.append(f"torch.tensor({float(ast.literal_eval(part))})")
        else:
            parts.append(text.get(part))
    return f"[{', '.join(parts)}]"


def gradient_kept(wanted: FixContext, call: ast.Call) -> Iterator[Edit]:
    """What replaces a leaf that `call` made is a result, which keeps its gradient only if it is asked to."""
    statement, leaf = wanted.at("built"), wanted.name("leaf")
    reads = re.search(rf"\b{re.escape(leaf)}\.grad\b", wanted.text.source) if leaf else None
    if isinstance(statement, ast.Assign) and statement.value is call and leaf in targets(statement) and reads:
        yield wanted.text.after(statement, [f"{leaf}.retain_grad()"])


def without_numbers(wanted: FixContext) -> Iterator[Proposal]:
    """`.item()`, `.tolist()`, `.numpy()` are left out, and what wraps the numbers again with them."""
    text = wanted.text
    cost = STAYS
    source = wanted.name("source")
    for role in ("built", "cut"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor"):
            inner = Plain().visit(ast.parse(text.get(call.args[0]), mode="eval").body) if call.args else None
            computed = inner is not None and any(map(is_of_numpy, ast.walk(inner)))
            if source is not None and not computed:
                yield wanted.proposal(
                    f"use {source} itself on line {call.lineno}",
                    cost,
                    text.replaced(call, source),
                    *gradient_kept(wanted, call),
                )
            if inner is not None:
                shown = ast.unparse(inner)
                if isinstance(inner, ast.List | ast.ListComp | ast.Tuple | ast.GeneratorExp):
                    shown = f"torch.stack({shown})"
                elif not isinstance(inner, ATOMS):
                    shown = f"({shown})"
                yield wanted.proposal(f"use the tensor itself on line {call.lineno}", cost, text.replaced(call, shown))
    cut = wanted.at("cut")
    edits = []
    for call in text.calls(cut, *OUT):
        if isinstance(call.func, ast.Attribute):
            edits.append(text.replaced(call, ast.unparse(Plain().visit(ast.parse(text.get(call), mode="eval").body))))
    for call in text.calls(cut, "float"):
        if isinstance(call.func, ast.Name) and len(call.args) == 1:
            edits.append(text.replaced(call, f"({text.get(call.args[0])})"))
    for edit in edits[:1]:
        assert cut is not None
        yield wanted.proposal(f"keep the tensor on line {cut.lineno}", cost, edit)
        rewraps = [call for call in text.calls(wanted.at("built"), "tensor", "as_tensor", "stack") if call.args]
        for call in rewraps:
            if call.lineno != cut.lineno:
                given = text.get(call.args[0])
                for made in (given, f"torch.stack({given})"):
                    yield wanted.proposal(
                        f"keep the tensor on line {cut.lineno} and use it on line {call.lineno}",
                        cost,
                        edit,
                        text.replaced(call, made),
                    )


def tensor_beside(wanted: FixContext) -> Iterator[Proposal]:
    """What an object or a dict keeps as a number stays a tensor beside it: `kl = ...` before `meter.log(kl=kl)`."""
    text, built, number = wanted.text, wanted.at("built"), wanted.name("number")
    if built is None or number is None:
        return
    uses = [part for part in text.parts(built, ast.expr) if ast.unparse(part) == number]
    source, name = wanted.name("source"), re.findall(r"\w+", number)[-1]
    if source is not None and source in text.source:
        title = f"use {source} itself on line {built.lineno}"
        yield wanted.proposal(title, STAYS, *(text.replaced(use, source) for use in uses))
    kept = wanted.beside("cut", built)
    given = handed_over(text, kept, name) if kept is not None else None
    if kept is None or given is None or not name.isidentifier():
        return
    if isinstance(given, ast.Name):
        name, edits = given.id, []
    else:
        known = any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(text.tree))
        name = f"{name}_tensor" if known else name
        edits = [text.before(kept, [f"{name} = {text.get(given)}"]), text.replaced(given, name)]
    title = f"keep the number on line {kept.lineno}, and use the tensor that it is taken from, on line {built.lineno}"
    yield wanted.proposal(title, STAYS, *edits, *(text.replaced(use, name) for use in uses))


def handed_over(text: Text, statement: ast.stmt, name: str) -> ast.expr | None:
    """The tensor that `statement` hands over as `name`, by keyword or in a dict, or as all that it hands over."""
    words = [word.value for word in text.parts(statement, ast.keyword) if word.arg == name]
    for entries in text.parts(statement, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in entries.keys]
        words += [value for key, value in zip(keys, entries.values, strict=True) if key == name]
    call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if not words and isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
        words = list(call.args)
    given = words[0] if len(words) == 1 else None
    if (
        isinstance(given, ast.Call)
        and callee(given) in OUT
        and not given.args
        and isinstance(given.func, ast.Attribute)
    ):
        return given.func.value
    float_of = isinstance(given, ast.Call) and callee(given) == "float" and len(given.args) == 1
    return given.args[0] if float_of else given  # type: ignore[union-attr]


def all_kept(wanted: FixContext) -> Iterator[Proposal]:
    """A function that takes numbers out in several places keeps tensors in all of them, and what made a tensor of its
    result on the way takes it as it is."""
    text, cut = wanted.text, wanted.at("cut")
    home = enclosing(text, cut, ast.FunctionDef) if cut is not None else None
    if home is None:
        return
    calls = [call for call in text.parts(home, ast.Call) if callee(call) in OUT and not call.args]
    taken = [call for call in calls if isinstance(call.func, ast.Attribute)]
    way = [call for part in stack_statements(wanted, "cut") for call in text.calls(part, "tensor", "as_tensor")]
    ways = [call for call in dict.fromkeys(way) if call.args and not isinstance(call.args[0], ast.List)]
    if not ways and len(taken) < 2:
        return
    edits = [text.replaced(call, text.get(call.func.value)) for call in taken if isinstance(call.func, ast.Attribute)]
    edits += [text.replaced(call, in_brackets(text, call.args[0])) for call in ways]
    lines = sorted({call.lineno for call in (*taken, *ways)})
    title = f"keep the tensors on line{'s' if len(lines) > 1 else ''} {join_names([str(line) for line in lines])}"
    yield wanted.proposal(title, STAYS, *edits)


def is_of_numpy(node: ast.AST) -> bool:
    """Whether `node` computes with numpy."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("np.", "numpy."))


def tensors_listed(wanted: FixContext) -> Iterator[Proposal]:
    """A list gets the tensors themselves, where `.item()` was appended, and is stacked where it became a tensor."""
    text = wanted.text
    for role in ("built", "cut"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "Tensor", "FloatTensor"):
            name = text.get(call.args[0]) if call.args else ""
            edits = without_items(text, name)
            if edits:
                title = f"keep the tensors in {name} and stack them, on line {call.lineno}"
                yield wanted.proposal(title, STAYS, *edits, text.replaced(call, f"torch.stack({name})"))


def without_items(text: Text, name: str) -> list[Edit]:
    """`name.append(x.item())` becomes `name.append(x)`, wherever it stands."""
    return [
        text.replaced(item, in_brackets(text, item.func.value))
        for adding in ast.walk(text.tree)
        if isinstance(adding, ast.Call) and text.get(adding.func) == f"{name}.append"
        for item in adding.args
        if isinstance(item, ast.Call) and callee(item) == "item" and isinstance(item.func, ast.Attribute)
    ]


def called_numpy(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and callee(node) in ("numpy", "from_numpy")


class Plain(ast.NodeTransformer):
    """An expression without the calls that take numbers out of tensors."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in OUT and not node.args:
            return node.func.value
        if isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1:
            return node.args[0]
        return node


NAMED_ELSE = {"concatenate": "cat", "clip": "clamp", "power": "pow", "absolute": "abs", "arctan": "atan"}
"""What torch calls otherwise than numpy."""
LIMITS = {"maximum": "min", "minimum": "max"}
"""What is a limit of torch's clamp, where it is taken with a number."""


class InTorch(ast.NodeTransformer):
    """An expression with torch's functions for numpy's, and with nothing taken out of tensors or put into them."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return node
        owner, name = ast.unparse(node.func.value), node.func.attr
        if name in OUT and not node.args or name == "astype":
            return node.func.value
        if (
            name in ("from_numpy", "as_tensor", "tensor")
            and owner == "torch"
            and not isinstance(node.args[0], ast.List)
        ):
            return node.args[0]
        if owner in ("np", "numpy") and name == "convolve" and len(node.args) > 1:
            return convolve_torch(node)
        if (
            owner in ("np", "numpy")
            and name in LIMITS
            and len(node.args) == 2
            and isinstance(node.args[1], ast.Constant)
        ):
            bound = ast.keyword(LIMITS[name], node.args[1])
            return ast.Call(ast.Attribute(ast.Name("torch"), "clamp"), node.args[:1], [bound])
        if owner in ("np", "numpy"):
            node.func = ast.Attribute(ast.Name("torch"), NAMED_ELSE.get(name, name))
        elif owner in ("np.linalg", "numpy.linalg"):
            node.func = ast.Attribute(ast.Attribute(ast.Name("torch"), "linalg"), name)
        else:
            return node
        for word in node.keywords:
            word.arg = {"axis": "dim", "keepdims": "keepdim"}.get(word.arg or "", word.arg)
        return node


def convolve_torch(call: ast.Call) -> ast.expr:
    """`np.convolve(a, v, mode)` in torch, whose convolutions take a batch of channels and do not turn the kernel."""
    row, kernel = (ast.unparse(part) for part in call.args[:2])
    modes = [part for part in (*call.args[2:], *(word.value for word in call.keywords if word.arg == "mode"))]
    mode = ast.literal_eval(modes[0]) if modes and isinstance(modes[0], ast.Constant) else "full"
    padding = f"len({kernel}) - 1" if mode == "full" else repr(mode)
    turned = f"torch.as_tensor({kernel}).flip(0)[None, None]"
    made = f"torch.nn.functional.conv1d({row}[None, None], {turned}, padding={padding})[0, 0]"
    return ast.parse(made, mode="eval").body


def in_torch(wanted: FixContext) -> Iterator[Proposal]:
    """Where the numbers go through numpy and back, and in the functions that are called there, torch computes."""
    text = wanted.text
    homes = [statement for role in ("cut", "built") if (statement := wanted.at(role)) is not None]
    homes += [function for home in homes if (function := enclosing(text, home, ast.FunctionDef)) is not None]  # type: ignore[misc]
    taken = set().union(*map(targets, homes))  # arrays, which a later line makes a tensor of
    homes += [
        statement
        for statement in ast.walk(text.tree)
        if isinstance(statement, ast.Assign) and callee(statement.value) == "from_numpy" and taken & names_in(statement)
    ]
    functions = [node for node in ast.walk(text.tree) if isinstance(node, ast.FunctionDef)]
    names = {callee(call) for home in homes for call in ast.walk(home) if isinstance(call, ast.Call)}
    edits = []
    for home in dict.fromkeys([*homes, *(function for function in functions if function.name in names)]):
        for part in [home] if is_simple(home) else [node for node in ast.walk(home) if is_simple(node)]:
            made = (
                ast.unparse(InTorch().visit(ast.parse(ast.unparse(part)).body[0]))
                if not isinstance(part, ast.Return)
                else "return " + ast.unparse(InTorch().visit(copy.deepcopy(part_value(part))))
            )
            if made != ast.unparse(part):
                edits.append(text.replaced(part, made))
    if edits and any(is_of_numpy(node) or called_numpy(node) for home in homes for node in ast.walk(home)):
        title = "compute with torch instead of numpy"
        yield wanted.proposal(title, STAYS, *dict.fromkeys(edits))


def part_value(part: ast.Return) -> ast.expr:
    return ast.parse(ast.unparse(part.value), mode="eval").body if part.value is not None else ast.Constant(None)
