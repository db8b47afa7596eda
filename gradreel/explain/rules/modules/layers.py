"""Layers that a module has and never calls, has where it does not look, or makes anew in `forward`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee, keyword
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.message_rules import MessageRule, message_rules
from ...diagnostics.refusals import declare_refusal
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import enclosing, join_names, loads, set_keyword, value_of, without_keyword
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, on
from ...optimizers import makings
from ...replay.graph_queries import made_from
from ...replay.states import TensorState
from ...replay.world import World
from ...source import nodes_of
from ..shapes.mismatch import drop_last_batch

LAYERS = frozenset(
    (
        *("Parameter", "Linear", "Bilinear", "Embedding", "Conv1d", "Conv2d", "Conv3d", "LSTM", "GRU", "RNN"),
        *("ConvTranspose1d", "ConvTranspose2d", "LSTMCell", "GRUCell", "RNNCell", "MultiheadAttention", "PReLU"),
        *("BatchNorm1d", "BatchNorm2d", "LayerNorm", "GroupNorm", "Sequential"),
    )
)
"""What has something to learn."""


@watcher(e.GradStored, e.GradStored)
class MadeAnew(FirstTrouble):
    """By line of a `forward` that makes such a thing: what was made there and got a gradient."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        forwards = "def forward" in world.source.whole
        calls = made_in_forward(world.source.tree) if forwards else []
        self.makers = {line: call for call in calls for line in lines_of(call)}
        self.own = {line for call in remade(self.world.source.tree) for line in lines_of(call)} if calls else set()
        """The lines that make a thing anew of what it was."""
        self.learnt: dict[int, TensorState] = {}

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.makers else super().subscriptions()

    def on_grad_stored(self, event: e.GradStored) -> None:
        tensor = self.world.tensors[event.tensor]
        line = tensor.place.line
        if self.diagnosis is not None or line not in self.makers or tensor.node is not None or event.how == "assigned":
            return
        if line not in self.own and any(given.node is not None for given in made_from(self.world, tensor)):
            return  # made of what others computed: that is where the graph is cut
        before = self.learnt.setdefault(line, tensor)
        if before.made < tensor.made and before.place.since != tensor.place.since:
            self.tell(self.describe(before, self.makers[line]))

    def describe(self, tensor: TensorState, call: ast.Call) -> Diagnosis:
        line, made = tensor.place.line, code(ast.unparse(call))
        return Diagnosis(
            title="Made anew in every forward",
            lines={"built": line, "raised": None},
            story=(
                f"{made} {on(line)} stands in `forward`, so each call of the module makes a new one.",
                "It gets a gradient, and before an optimizer could use that it is gone: what it is to learn is never "
                "learnt.",
                "What learns is made once, in `__init__`, and kept on `self`, where `parameters()` finds it.",
            ),
            events={"built": tensor.made},
            cause="made_anew",
            names=known_names(target=ast.unparse(call.func)),
        )


def made_in_forward(tree: ast.AST) -> list[ast.Call]:
    """The calls in methods called `forward` that make what learns."""
    forwards = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef) and node.name == "forward"]
    calls = [node for forward in forwards for node in ast.walk(forward) if isinstance(node, ast.Call)]
    return [call for call in calls if callee(call) in LAYERS]


def remade(tree: ast.AST) -> list[ast.Call]:
    """The calls in `self.weight = Parameter(self.weight * mask)`: what is bound is what they are given."""
    bound = [node for node in nodes_of(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [
        node.value
        for node in bound
        if isinstance(node.value, ast.Call)
        and any(ast.unparse(part) == ast.unparse(node.targets[0]) for part in ast.walk(node.value))
    ]


def lines_of(call: ast.Call) -> range:
    return range(call.lineno, (call.end_lineno or call.lineno) + 1)


@watcher(e.LineReached)
class Dropping(FirstTrouble):
    """Whether such a call is reached after a module was told to evaluate, and not to train again."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        source = world.source
        calls = [node for node in source.nodes if isinstance(node, ast.Call)] if "dropout(" in source.whole else []
        self.drops = {call.lineno: call for call in calls if is_drop(call)}
        self.modes = {call.lineno: mode for call in calls if (mode := mode_of(call)) is not None}
        self.since: int | None = None

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.drops or "eval" not in self.modes.values() else super().subscriptions()

    def on_line_reached(self, event: e.LineReached) -> None:
        mode = self.modes.get(event.line)
        if mode is not None:
            self.since = event.line if mode == "eval" else None
        elif event.line in self.drops and self.since is not None and self.diagnosis is None:
            self.tell(self.describe(self.drops[event.line], self.since))

    def describe(self, call: ast.Call, since: int) -> Diagnosis:
        line = call.lineno
        return Diagnosis(
            title="Dropout that goes on",
            lines={"built": line, "changed": since, "raised": None},
            story=(
                f"{code(self.world.source.text(since))} {on(since)} says that the model is not trained any more, and "
                f"{code(ast.unparse(call))} {on(line)} drops entries all the same.",
                "The function drops unless it is told `training=False`; only `nn.Dropout`, a module, knows the mode.",
            ),
            events={"built": self.world.count - 1},
            cause="dropping",
        )


def is_drop(call: ast.Call) -> bool:
    """Whether `call` is `F.dropout` and its kin without a word on training."""
    owner = ast.unparse(call.func).rpartition(".")[0]
    of_functions = owner in ("F", "functional", "nn.functional", "torch.nn.functional")
    return (
        of_functions and callee(call).endswith("dropout") and keyword(call, "training") is None and len(call.args) < 3
    )


def mode_of(call: ast.Call) -> str | None:
    """`eval` or `train`, if `call` switches the mode of a module."""
    name = callee(call)
    if name not in ("eval", "train") or not isinstance(call.func, ast.Attribute):
        return None
    off = name == "train" and call.args and isinstance(call.args[0], ast.Constant) and not call.args[0].value
    return "eval" if name == "eval" or off else "train"


message_rules(
    "batch_too_small",
    MessageRule(
        re.compile(r"Expected more than 1 value per channel when training"),
        cause="batch_of_one",
        title="A batch of one has no spread",
        story=(
            "{code} {line}{turn} normalizes a batch in which each channel has one value.",
            "In training BatchNorm subtracts the mean of the batch and divides by its spread, and a single value has "
            "none.",
            "After `eval()` it uses the mean and spread that it has learnt.",
        ),
        kind="shape",
    ),
)


declare_refusal(
    "optimizer got an empty parameter list",
    cause="no_parameters",
    title="An optimizer without parameters",
    story=(
        "{code} {line} finds nothing to optimize.",
        "A generator such as `parameters()` is empty once it has been walked through. A module finds the "
        "parameters that are set as its attributes, not those in a plain list.",
    ),
)
declare_refusal(
    "before Module.__init__() call",
    cause="no_super_init",
    title="A Module that was not set up",
    story=(
        "{code} {line} gives something to a module that has no place for it yet.",
        "`super().__init__()` makes the tables in which a module keeps its parameters and layers; it comes first "
        "in `__init__`.",
    ),
)
declare_refusal(
    "method' object is not iterable",
    cause="not_called",
    title="A method that was not called",
    story=(
        "{code} {line} goes through a method itself, not through what it gives.",
        "Brackets call it: `parameters()`.",
    ),
)


# ---- fixes


REGISTERED = {
    ast.List: ("ModuleList", "ParameterList"),
    ast.ListComp: ("ModuleList", "ParameterList"),
    ast.Tuple: ("ModuleList", "ParameterList"),
    ast.Dict: ("ModuleDict", "ParameterDict"),
    ast.DictComp: ("ModuleDict", "ParameterDict"),
}
"""What a module finds layers in, by how they were written down."""


@fix(no_parameters=1, unregistered=1)
def register_layers(wanted: FixContext) -> Iterator[Proposal]:
    """Layers in a plain list or dict go where the module can find them."""
    text = wanted.text
    yield from register_all(wanted)
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Assign) or not ast.unparse(node.targets[0]).startswith("self."):
            continue
        for container in REGISTERED.get(type(node.value), ()):
            title = f"nn.{container} around what line {node.lineno} keeps"
            made = f"{nn(text)}.{container}({text.get(node.value)})"
            yield wanted.proposal(title, FREE, text.replaced(node.value, made))
        yield from add_module_list(wanted, node)
    yield from make_parameter(wanted)
    yield from make_module(wanted)
    yield from register_parameters(wanted)
    yield from given_too(wanted)


def register_all(wanted: FixContext) -> Iterator[Proposal]:
    """Where a class keeps layers in several lists or dicts, all of them at once."""
    text, built = wanted.text, wanted.at("built")
    home = enclosing(text, built, ast.ClassDef) if built is not None else None
    kept = [
        node
        for node in text.parts(home, ast.Assign)
        if type(node.value) in REGISTERED
        and text.get(node.targets[0]).startswith("self.")
        and (part := first_entry(node.value)) is not None
        and makes_layer(part)
        and callee(part) != "Parameter"
    ]
    if len(kept) > 1:
        containers = [REGISTERED[type(node.value)][0] for node in kept]
        names = join_names([f"nn.{name}" for name in dict.fromkeys(containers)])
        title = f"{names} around what lines {join_names([str(node.lineno) for node in kept])} keep"
        made = [f"{nn(text)}.{name}({text.get(node.value)})" for name, node in zip(containers, kept, strict=True)]
        edits = [text.replaced(node.value, one) for node, one in zip(kept, made, strict=True)]
        yield wanted.proposal(title, FREE, *edits)


def nn(text: Text) -> str:
    """What the program calls `torch.nn`."""
    names = [name for node in text.parts(text.tree, ast.Import | ast.ImportFrom) for name in node.names]  # type: ignore[arg-type]
    return "nn" if any((name.asname or name.name) == "nn" for name in names) else "torch.nn"


def add_module_list(wanted: FixContext, node: ast.Assign) -> Iterator[Proposal]:
    """What a list of tuples holds, or a dict with other keys than names, is told to the module on a line of its own."""
    text, goal = wanted.text, wanted.text.get(node.targets[0])
    turns, part = entries(node.value, goal)
    if turns:
        made = f"{goal}_modules = {nn(text)}.ModuleList({part} {' '.join(turns)})"
        title = f"tell the module of the layers in {goal}: a ModuleList after line {node.end_lineno}"
        yield wanted.proposal(title, FREE, text.after(node, [made]))


def entries(value: ast.expr, shown: str, depth: int = 0) -> tuple[list[str], str]:
    """How to go through the layers that `value` holds: the `for`s, and what one layer is called in them."""
    one = ("each", "part")[depth] if depth < 2 else None
    inner = first_entry(value)
    if inner is None or one is None:
        return [], shown
    if isinstance(value, ast.Tuple) and depth:
        at = next((at for at, part in enumerate(value.elts) if makes_layer(part)), None)
        return ([], f"{shown}[{at}]") if at is not None else ([], shown)
    over = f"{shown}.values()" if isinstance(value, ast.Dict | ast.DictComp) else shown
    more, part = entries(inner, one, depth + 1)
    return [f"for {one} in {over}", *more], part


def first_entry(value: ast.expr) -> ast.expr | None:
    if isinstance(value, ast.ListComp):
        return value.elt
    if isinstance(value, ast.DictComp):
        return value.value
    if isinstance(value, ast.List | ast.Tuple) and value.elts:
        return value.elts[0]
    return value.values[0] if isinstance(value, ast.Dict) and value.values else None


def makes_layer(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and callee(node)[:1].isupper()


def make_parameter(wanted: FixContext) -> Iterator[Proposal]:
    """A tensor that asks for a gradient, and is kept by a module as it is, becomes a Parameter."""
    text, built = wanted.text, wanted.at("built")
    value = value_of(built)
    if not isinstance(built, ast.Assign) or value is None or not text.get(built.targets[0]).startswith("self."):
        return
    shown = text.get(value)
    if isinstance(value, ast.Call) and callee(value) == "requires_grad_" and isinstance(value.func, ast.Attribute):
        shown = text.get(value.func.value)
        shown = shown[1:-1] if shown.startswith("(") and shown.endswith(")") else shown
    elif isinstance(value, ast.Call) and (flag := without_keyword(text, value, "requires_grad")) is not None:
        start = text.place(value.lineno, value.col_offset)
        end = text.place(value.end_lineno or 0, value.end_col_offset or 0)
        edits = [Edit(*start, *start, f"{nn(text)}.Parameter("), flag, Edit(*end, *end, ")")]
        yield wanted.proposal(f"nn.Parameter(…) on line {built.lineno}", FREE, *edits)
        return
    elif "requires_grad" not in shown:
        return
    made = f"{nn(text)}.Parameter({shown})"
    yield wanted.proposal(f"nn.Parameter(…) on line {built.lineno}", FREE, text.replaced(value, made))


def make_module(wanted: FixContext) -> Iterator[Proposal]:
    """A class that keeps layers, and is part of a module, becomes a module itself."""
    text, built = wanted.text, wanted.at("built")
    names = [callee(call) for call in text.parts(built, ast.Call)]
    for maker in text.parts(text.tree, ast.ClassDef):
        start = next((p for p in maker.body if isinstance(p, ast.FunctionDef) and p.name == "__init__"), None)
        if maker.name not in names or maker.bases or start is None or maker.decorator_list:
            continue
        place = text.place(maker.lineno, maker.col_offset)
        head = place[1] + len(f"class {maker.name}")
        end = head + 2 if text.code[maker.lineno - 1][head:].startswith("()") else head
        edits = [Edit(maker.lineno, head, maker.lineno, end, f"({nn(text)}.Module)")]
        edits.append(text.before(start.body[0], ["super().__init__()"]))
        for method in maker.body:
            if isinstance(method, ast.FunctionDef) and method.name == "__call__":
                line = text.code[method.lineno - 1]
                at = line.index("__call__")
                edits.append(Edit(method.lineno, at, method.lineno, at + len("__call__"), "forward"))
        yield wanted.proposal(f"let {maker.name} be a module, which its owner finds: line {maker.lineno}", FREE, *edits)


def register_parameters(wanted: FixContext) -> Iterator[Proposal]:
    """What a function makes for a layer whose forward it replaces, or that it hooks, is registered with that layer."""
    text, built = wanted.text, wanted.at("built")
    if built is None or built not in text.block(built):
        return
    block = text.block(built)
    made = {name: part for part in block if callee(value_of(part)) == "Parameter" for name in sorted(targets(part))}
    owners = [owner for part in block[block.index(built) :] if (owner := taken_by(part, set(made))) is not None]
    for owner in dict.fromkeys(owners):
        lines = [f'{owner}.register_parameter("{name.lower()}", {name})' for name in made]
        last = max(made.values(), key=lambda part: part.lineno)
        title = f"register {join_names(list(made))} with {owner}, after line {last.end_lineno}"
        yield wanted.proposal(title, "parameters() lists them", text.after(last, lines))


def taken_by(statement: ast.stmt, names: set[str]) -> str | None:
    """`mod` of `mod.forward = lambda x: old(x) @ a` and of `mod.register_forward_hook(…)`, if `names` go into it."""
    if isinstance(statement, ast.Assign):
        goal: ast.expr | None = statement.targets[0]
    else:
        call = statement.value if isinstance(statement, ast.Expr) else None
        goal = call.func if isinstance(call, ast.Call) and callee(call).startswith("register_") else None
    if isinstance(goal, ast.Attribute) and isinstance(goal.value, ast.Name) and names & names_in(statement):
        return goal.value.id
    return None


def given_too(wanted: FixContext) -> Iterator[Proposal]:
    """What stands in a plain dict or list, or under a name, is given to the optimizer beside what it has."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(text.parents.get(built), ast.Module):
        return
    values = isinstance(built.value, ast.Dict | ast.DictComp)
    names = [f"*{name}.values()" if values else name for name in sorted(targets(built))]
    if isinstance(built.value, ast.List | ast.ListComp):
        names = [f"*{name}" for name in names]
    for call in makings(text.tree):
        if call.args and not isinstance(call.args[0], ast.List | ast.Dict):
            title = f"give {join_names(sorted(targets(built)))} to the optimizer, too, on line {call.lineno}"
            made = f"[*{text.get(call.args[0])}, {', '.join(names)}]"
            yield wanted.proposal(title, "they change with the others", text.replaced(call.args[0], made))


@fix(made_anew=2)
def make_layer_once(wanted: FixContext) -> Iterator[Proposal]:
    """What `forward` makes is made in `__init__` and kept on `self`."""
    text, line = wanted.text, wanted.line("built")
    for call in made_in_forward(text.tree):
        forward = enclosing(text, call, ast.FunctionDef)
        home = enclosing(text, call, ast.ClassDef)
        if call.lineno != line or not isinstance(home, ast.ClassDef) or not isinstance(forward, ast.FunctionDef):
            continue
        init = next((node for node in home.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"), None)
        own = {arg.arg for arg in forward.args.args[1:]}
        if init is None or names_in(call) & own:
            continue
        parent = text.parents.get(call)
        if isinstance(parent, ast.Assign) and call.args and loads(call, text.get(parent.targets[0])):
            continue  # it is computed from itself: `weight_computed`
        goal = parent.targets[0] if isinstance(parent, ast.Assign) else None
        name = goal.id if isinstance(goal, ast.Name) else goal.attr if isinstance(goal, ast.Attribute) else "made"
        made = f"self.{name} = {text.get(call)}"
        title = f"{made} in __init__, and self.{name} on line {line}"
        edits = [text.after(init.body[-1], [made]), text.replaced(call, f"self.{name}")]
        if isinstance(goal, ast.Attribute) and isinstance(parent, ast.Assign):
            edits[1] = text.removed(parent)
        yield wanted.proposal(title, "made once, it is among the parameters", *edits)


@fix(made_anew=1)
def compute_weight(wanted: FixContext) -> Iterator[Proposal]:
    """`layer.weight = nn.Parameter(layer.weight * mask)` in a forward, or `layer.weight.data = …`: it computes with the
    product, and keeps none."""
    text = wanted.text
    made = wanted.at("cut") or wanted.at("built")
    path, value = put_into(text, made) if made is not None and text.alone(made) else ("", None)
    itself = value is not None and bool(loads(value, path))
    if made is None or value is None or not (itself or wanted.name("how") in ("parameter", "data")):
        return
    home = enclosing(text, made, ast.FunctionDef) or text.tree
    product = text.get(value)
    layer, _, name = path.rpartition(".")
    title = f"compute with {product} where {layer or path} is used, and keep {path} as it is"
    cost = "the gradient goes through the product to the parameter"
    makers = [node for node in text.parts(text.tree, ast.Assign) if text.get(node.targets[0]) == layer]
    linear = bool(makers) and callee(makers[0].value) == "Linear" and name == "weight"
    pattern = LINEAR if linear else ANY_LAYER
    calls = [use for use in text.parts(home, ast.Call) if text.get(use.func) == layer and len(use.args) == 1]
    later = [use for use in loads(home, path) if use.lineno > (made.end_lineno or 0)]
    words = {"layer": layer, "name": name, "product": product}
    if calls:
        edits = [text.replaced(use, pattern.format(**words, given=text.get(use.args[0]))) for use in calls]
        yield wanted.proposal(title, cost, text.removed(made), *edits)
    elif later and "." in path:
        edits = [text.replaced(use, name) for use in later]
        yield wanted.proposal(title, cost, text.replaced(made, f"{name} = {product}"), *edits)


def put_into(text: Text, made: ast.stmt) -> tuple[str, ast.expr | None]:
    """What `layer.weight = nn.Parameter(w)`, `layer.weight.data = w` and `layer.weight.data.copy_(w)` set, and what
    to."""
    if isinstance(made, ast.Expr) and callee(made.value) == "copy_" and isinstance(made.value, ast.Call):
        function, given = made.value.func, made.value.args
        goal: ast.expr | None = function.value if isinstance(function, ast.Attribute) else None
        value = given[0] if len(given) == 1 else None
    elif isinstance(made, ast.Assign):
        goal, value = made.targets[0], made.value
    else:
        return "", None
    if isinstance(goal, ast.Attribute) and goal.attr == "data":
        return text.get(goal.value), value
    whole = value.args[0] if isinstance(value, ast.Call) and callee(value) == "Parameter" and value.args else None
    return text.get(goal) if goal is not None else "", whole


LINEAR = "torch.nn.functional.linear({given}, {product}, {layer}.bias)"
ANY_LAYER = "torch.func.functional_call({layer}, {{'{name}': {product}}}, ({given},))"


@fix(dropping=1)
def follow_mode(wanted: FixContext) -> Iterator[Proposal]:
    """`F.dropout(x, 0.5)` in a module becomes `F.dropout(x, 0.5, training=self.training)`."""
    text = wanted.text
    calls = [call for call in text.parts(text.tree, ast.Call) if is_drop(call)]
    switched = [call for call in text.calls(wanted.at("changed"), "eval", "train")]
    owner = next((text.get(call.func.value) for call in switched if isinstance(call.func, ast.Attribute)), None)
    edits = []
    for call in calls:
        method = enclosing(text, call, ast.FunctionDef)
        inside = isinstance(method, ast.FunctionDef) and method.args.args and method.args.args[0].arg == "self"
        whose = "self" if inside else owner
        edits += [set_keyword(text, call, "training", f"{whose}.training")] if whose else []
    if edits:
        lines = " and ".join(dict.fromkeys(str(call.lineno) for call in calls))
        yield wanted.proposal(f"as the mode of the module says, on line {lines}", FREE, *edits)


@fix(batch_of_one=1)
def set_eval(wanted: FixContext) -> Iterator[Proposal]:
    """Whole batches, or a module that uses what it has learnt."""
    yield from drop_last_batch(wanted)
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised):
        if raised is not None and isinstance(call.func, ast.Name):
            name = call.func.id
            title = f"{name}.eval() before line {raised.lineno}"
            cost = "it uses the mean and spread that it has learnt"
            yield wanted.proposal(title, cost, text.before(raised, [f"{name}.eval()"]))


@fix(no_super_init=1)
def call_super_init(wanted: FixContext) -> Iterator[Proposal]:
    """A module is set up before it is given layers."""
    text, raised = wanted.text, wanted.at("raised")
    for outer in text.around(raised) if raised is not None else ():
        if isinstance(outer, ast.FunctionDef) and outer.name == "__init__":
            late = [s for s in outer.body if "super(" in ast.unparse(s) and "__init__" in ast.unparse(s)]
            edits = [text.removed(statement) for statement in late]
            first = outer.body[0]
            title = f"super().__init__() first, before line {first.lineno}"
            yield wanted.proposal(title, FREE, text.before(first, ["super().__init__()"]), *edits)


@fix(not_called=1)
def call_method(wanted: FixContext) -> Iterator[Proposal]:
    """`net.parameters` becomes `net.parameters()`."""
    text, raised = wanted.text, wanted.at("raised")
    own = {call.func for call in text.calls(raised)}
    for node in ast.walk(raised) if raised is not None else ():
        if isinstance(node, ast.Attribute) and node not in own and node.attr in METHODS:
            shown = f"{text.get(node)}()"
            yield wanted.proposal(f"{shown} on line {node.lineno}", FREE, text.replaced(node, shown))


METHODS = ("parameters", "named_parameters", "modules", "children", "buffers", "items", "keys", "values")
