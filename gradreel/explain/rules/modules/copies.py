"""Copies of models and of what hangs on a graph: one model under two names, and deep copies."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event, Value

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.refusals import declare_refusal, is_computed
from ...diagnostics.registry import watcher
from ...diagnostics.showing import FirstTrouble
from ...fixes.edits import append_suffix, enclosing, in_brackets, loads
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text, names_in, targets
from ...narration.words import code, on
from ...replay.graph_queries import flat
from ...replay.states import TensorState
from ...replay.world import World
from ..graph.carried_state import Path

STEPS = 2
ROUNDING = 1e-7

FIXED = re.compile(
    r"(?i)(?:^|_|\.)(?:ref|reference|target|teacher|ema|frozen|old|anchor|slow|momentum|prior|sft)(?:_|$)"
)
"""How a model is called that is not to change with the one that is trained."""


@watcher(e.OptimizerStepped, e.GradStored)
class SameModel(FirstTrouble):
    """Looks at each step whether what was written has the names of two models, of which one was assigned the other."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.again = {
            fixed: (node, model)
            for node, fixed, model in assigned_again(world.source.nodes)
            if fixed.rpartition(".")[2] != model.rpartition(".")[2] and is_used(world, fixed) and is_used(world, model)
        }
        self.steps = 0
        self.gradients = False
        """Whether any gradient was not zero."""
        self.shared: tuple[ast.Assign, str, str, TensorState] | None = None

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {} if not self.again else super().subscriptions()

    def on_turns_skipped(self, event: e.TurnsSkipped) -> None:
        self.gradients = self.gradients or not self.steps

    def on_grad_stored(self, event: e.GradStored) -> None:
        if event.after is None or event.how == "assigned":
            return
        self.gradients |= not vanishes(event.after)
        if self.shared is None:
            self.shared = self.under_two_names(self.world.tensors[event.tensor])

    def on_optimizer_stepped(self, event: e.OptimizerStepped) -> None:
        self.steps += event.phase != "began"
        if self.steps == STEPS and self.diagnosis is None and self.shared is not None:
            self.tell(self.describe(*self.shared))

    def under_two_names(self, tensor: TensorState) -> tuple[ast.Assign, str, str, TensorState] | None:
        names = {name for _, name in tensor.names}
        for fixed, (node, model) in self.again.items():
            for name in names:
                head, _, rest = name.rpartition(f"{fixed.removeprefix('self.')}.")
                if rest and any(other.endswith(f"{model.removeprefix('self.')}.{rest}") for other in names - {name}):
                    return node, fixed, model, tensor
        return None

    def describe(self, node: ast.Assign, fixed: str, model: str, tensor: TensorState) -> Diagnosis:
        line = node.lineno
        alone = fixed if FIXED.search(fixed) else model
        same = (
            f"Each step changes both: {code(alone)} does not stay as it is, it goes along."
            if self.gradients
            else "What the two compute is the same, and so is what the loss makes of their difference: every gradient "
            "is 0, and nothing is learned."
        )
        title, names = "Two names for one model", known_names(target=fixed, source=model)
        return Diagnosis(
            title=title,
            lines={"built": line, "raised": None},
            story=(
                f"{code(self.world.source.text(line))} {on(line)} gives {code(model)} another name; nothing is copied.",
                same,
                "`copy.deepcopy` makes a model of its own, which needs no gradients.",
            ),
            events={"built": tensor.made, "seen": self.world.count - 1},
            cause="same_model",
            names=names,
        )

    def report(self) -> list[Diagnosis]:
        if self.shared is None or self.gradients and not any(map(FIXED.search, self.shared[1:3])):
            return []
        return super().report()


def assigned_again(nodes: list[ast.AST]) -> Iterator[tuple[ast.Assign, str, str]]:
    """The assignments of one name to another, and of shallow copies: each with what is assigned, and to what."""
    for node in nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        value = node.value
        if isinstance(value, ast.Call) and callee(value) == "copy" and len(value.args) == 1:
            value = value.args[0]
        if isinstance(value, ast.Name | ast.Attribute) and isinstance(node.targets[0], ast.Name | ast.Attribute):
            yield node, ast.unparse(node.targets[0]), ast.unparse(value)


def is_used(world: World, name: str) -> bool:
    """Whether the program computes with what it calls `name`: calls it, or hands it to a function."""
    return any(
        isinstance(node, ast.Call) and name in map(ast.unparse, (node.func, *node.args)) and callee(node) != "copy"
        for node in world.source.nodes
    )


def vanishes(value: Value) -> bool:
    """Whether nothing but rounding is in `value`."""
    if value.whole:
        return all(abs(number) <= ROUNDING for number in flat(value.data))
    return max(abs(value.minimum or 0), abs(value.maximum or 0)) <= ROUNDING


declare_refusal(
    "support the deepcopy protocol",
    cause="copy_result",
    title="Only leaves can be copied deeply",
    fits=is_computed,
    role="built",
    story=(
        "{name}, made {where}, hangs on a graph, and a graph cannot be copied.",
        "`clone()` copies the numbers and stays in the graph; `detach().clone()` copies the numbers alone.",
    ),
)
declare_refusal(
    "cannot pickle 'generator' object",
    cause="generator_copied",
    title="A generator cannot be copied",
    story=(
        "{code} {line} copies a generator, which is no list: it gives its parts one after another, once.",
        "`parameters()` is one; a list of copies, or a copy of the whole module, is what can be had.",
    ),
)


# ---- fixes


APART = "the copies have no graph"


@fix(copy_result=3)
def one_by_one(wanted: FixContext) -> Iterator[Proposal]:
    """The parts of a list or dict are copied one by one: tensors without their graph, modules and the rest deeply."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "deepcopy"):
        made = made_of(wanted, call.args[0]) if call.args else None
        shown = text.get(call.args[0]) if call.args else ""
        deeply = text.get(call.func)
        for part, rest in (("part.detach().clone()", ""), (f"{COPIED} else {deeply}(part)", " by what they are")):
            title = f"copy the {'parts' if rest else 'tensors'} of {shown} one by one{rest}, on line {call.lineno}"
            if isinstance(made, ast.List | ast.ListComp):
                yield wanted.proposal(title, APART, text.replaced(call, f"[{part} for part in {shown}]"))
            elif isinstance(made, ast.Dict | ast.DictComp) or called_dict(made):
                one = f"{{key: {part} for key, part in {shown}.items()}}"
                yield wanted.proposal(title, APART, text.replaced(call, one))


COPIED = "part.detach().clone() if isinstance(part, torch.Tensor)"


def called_dict(made: ast.expr | None) -> bool:
    return isinstance(made, ast.Call) and ast.unparse(made.func) in ("dict", "OrderedDict", "collections.OrderedDict")


@fix(copy_result=1)
def keep_detached(wanted: FixContext) -> Iterator[Proposal]:
    """`{"best": loss}` becomes `{"best": loss.detach()}`: what is kept for later needs no graph."""
    text, target = wanted.text, wanted.name("target") or ""
    for call in text.calls(wanted.at("raised"), "deepcopy"):
        inner = [use for part in call.args if not isinstance(part, Path) for use in loads(part, target)]
        if inner:
            title = f"copy it without its graph: {target}.detach() on line {inner[0].lineno}"
            yield wanted.proposal(title, APART, *(append_suffix(text, use, ".detach()") for use in inner))
    entry = ENTRY.match(target)
    if entry is None:
        return
    key = entry["key"]
    homes = [node for node in text.parts(text.tree, ast.Assign) if text.get(node.targets[0]) == entry["whole"]]
    literals = [whole for home in homes for whole in text.parts(home.value, ast.Dict)]
    values = [
        value
        for whole in literals
        for name, value in zip(whole.keys, whole.values, strict=True)
        if name is not None and ast.unparse(name) == key
    ]
    values += [
        node.value
        for node in text.parts(text.tree, ast.Assign)
        if ast.unparse(node.targets[0]) == f"{entry['whole']}[{key}]"
    ]
    if values:
        title = f"keep it without its graph: {in_brackets(text, values[0])}.detach() on line {values[0].lineno}"
        yield wanted.proposal(title, APART, *(append_suffix(text, value, ".detach()") for value in values))


@fix(copy_result=2)
def detach_attribute(wanted: FixContext) -> Iterator[Proposal]:
    """What an object keeps of a result needs no graph; where the method itself goes on with it, it does so with the
    result: `attn = …` and `self.attn = attn.detach()`."""
    text, attribute = wanted.text, (wanted.name("target") or "").rpartition(".")[2]
    for node in text.parts(text.tree, ast.Assign):
        goal = node.targets[0]
        if not isinstance(goal, ast.Attribute) or goal.attr != attribute or len(node.targets) > 1:
            continue
        kept, home = text.get(goal), enclosing(text, node, ast.FunctionDef)
        title = f"keep {kept} without its graph on line {node.lineno}"
        later = [use for use in loads(home, kept) if use.lineno > node.lineno] if home is not None else []
        if not later or not text.alone(node):
            cost = "no gradient goes through what is kept"
            yield wanted.proposal(title, cost, append_suffix(text, node.value, ".detach()"))
            continue
        inside = {id(part) for one in text.block(node) for part in ast.walk(one)}
        if any(id(use) not in inside for use in later):
            continue  # another branch may have kept it
        name = attribute if attribute not in names_in(home) else f"{attribute}_now"  # type: ignore[arg-type]
        lines = f"{name} = {text.get(node.value)}\n{text.indent(node)}{kept} = {name}.detach()"
        edits = [text.replaced(node, lines), *(text.replaced(use, name) for use in later)]
        yield wanted.proposal(f"{title}, and go on with the result", "what is kept has no graph", *edits)


ENTRY = re.compile(r"(?P<whole>[\w.]+)\[(?P<key>'[^']*')\]$")


@fix(copy_result=4)
def make_module_anew(wanted: FixContext) -> Iterator[Proposal]:
    """A second module is made as the first was, and takes over its numbers."""
    text, raised = wanted.text, wanted.at("raised")
    for call in text.calls(raised, "deepcopy"):
        made = made_of(wanted, call.args[0]) if call.args else None
        if not isinstance(made, ast.Call) or not isinstance(raised, ast.Assign) or raised.value is not call:
            continue
        whole, copy = text.get(call.args[0]), text.get(raised.targets[0])
        title = f"make it as {whole} was made, and load its state, on line {call.lineno}"
        edits = [
            text.replaced(call, text.get(made)),
            text.after(raised, [f"{copy}.load_state_dict({whole}.state_dict())"]),
        ]
        yield wanted.proposal(title, "a module without the gradients of the other", *edits)


def made_of(wanted: FixContext, name: ast.expr) -> ast.expr | None:
    """What `name` was made of where it last got its value before."""
    text, line = wanted.text, wanted.line("raised") or 0
    if not isinstance(name, ast.Name):
        return None
    made = [node for node in text.parts(text.tree, ast.Assign) if name.id in targets(node) and node.lineno < line]
    plain = [node.value for node in made if isinstance(node.targets[0], ast.Name)]
    return plain[-1] if plain else None


@fix(same_model=1)
def copy_model(wanted: FixContext) -> Iterator[Proposal]:
    """A model of its own under the second name, which wants no gradients."""
    text, statement, model = wanted.text, wanted.at("built"), wanted.name("source")
    if not isinstance(statement, ast.Assign) or model is None:
        return
    known = [name for name, path in imported_names(text) if path in ("copy", "copy.deepcopy")]
    copy = next(("deepcopy" if name == "deepcopy" else f"{name}.deepcopy" for name in known), "copy.deepcopy")
    target = wanted.name("target") or ""
    learns = FIXED.search(model) and not FIXED.search(target)  # it is the other that stays as it is
    own = f"{copy}({model})" if learns else f"{copy}({model}).requires_grad_(False)"
    edits = [text.replaced(statement.value, own)]
    if not known:
        edits.append(text.before(text.tree.body[0], ["import copy"]))
    title = f"a copy of {code(model)} that {'learns' if learns else 'stays as it is'}"
    yield wanted.proposal(title, "a second model in memory", *edits)


def imported_names(text: Text) -> Iterator[tuple[str, str]]:
    """What imports bind: each name, with what it stands for."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


@fix(copy_result=5)
def copy_deeply(wanted: FixContext) -> Iterator[Proposal]:
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "deepcopy"):
        if call.args:
            title = f".detach().clone() on line {call.lineno}"
            made = in_brackets(text, call.args[0]) + ".detach().clone()"
            yield wanted.proposal(title, "the copy has no graph", text.replaced(call, made))
            made = in_brackets(text, call.args[0]) + ".clone()"
            yield wanted.proposal(
                f".clone() on line {call.lineno}", "the copy stays in the graph", text.replaced(call, made)
            )


@fix(generator_copied=1)
def copy_list(wanted: FixContext) -> Iterator[Proposal]:
    """What a generator gives can be copied, as a list."""
    text = wanted.text
    for call in text.calls(wanted.at("raised"), "deepcopy", "copy"):
        if call.args:
            shown = text.get(call.args[0])
            made = f"[part.detach().clone() for part in {shown}]"
            yield wanted.proposal("a list of copies", "the copies know of no graph", text.replaced(call, made))
            yield wanted.proposal("a copy of the list", FREE, text.replaced(call.args[0], f"list({shown})"))
