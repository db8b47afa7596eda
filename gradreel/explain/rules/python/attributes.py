"""Attributes that are not there: of modules, of layers and tuples, and those that another thing has."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

from ...calls import callee, calls_in
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import begin_story, raising_statement
from ...diagnostics.message_rules import PAIRS
from ...diagnostics.registry import rule
from ...fixes.edits import append_suffix
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, listing, name_of, size
from ...optimizers import MAKERS, optimizers
from ...replay.states import TensorState
from ...replay.world import World

OF_OBJECT = re.compile(r"^'(?P<got>\w+)' object has no attribute '(?P<what>\w+)'$")
OF_MODULE = re.compile(r"^module '(?P<got>[\w.]+)' has no attribute '(?P<what>\w+)'$")
OF_RESULT = re.compile(r"^'torch\.return_types\.(?P<got>\w+)' object has no attribute '(?P<what>\w+)'$")
MULTIPLIED = "can't multiply sequence by non-int"
LIKE = re.compile(r"Did you mean: '(\w+)'")


@rule
def attribute_missing(world: World, failure: Failure) -> Diagnosis | None:
    """Something was asked for what it has not, be it a product."""
    message = failure.raised.message
    if (found := OF_RESULT.match(message)) is not None:
        return of_result(world, failure, found["got"], found["what"])
    if (found := OF_MODULE.match(message)) is not None:
        return of_module(world, failure, found["got"], found["what"])
    if (found := OF_OBJECT.match(message)) is not None:
        if found["got"] in PAIRS:
            return of_result(world, failure, found["got"], found["what"])
        ways = (of_class, of_library, of_layer)
        match_rules = (way(world, failure, found["got"], found["what"]) for way in ways)
        return next((told for told in match_rules if told is not None), None)
    if message.startswith(MULTIPLIED):
        pairs = [callee(call) for call in calls_in(raising_statement(world, failure)) if call.args or call.keywords]
        got = next((name for name in pairs if name in PAIRS), None)
        return of_result(world, failure, got, "its product") if got is not None else None
    return None


def of_class(world: World, failure: Failure, got: str, what: str) -> Diagnosis | None:
    """A class of the program: what its methods give it, and whether a plain name was meant to be one."""
    home = next((n for n in world.source.nodes if isinstance(n, ast.ClassDef) and n.name == got), None)
    if home is None:
        return None
    given = attributes(home)
    near = difflib.get_close_matches(what, given, 3, 0.5)
    local = [node for node in ast.walk(home) if isinstance(node, ast.Assign) and what in map(ast.unparse, node.targets)]
    story = [f"{begin_story(world, failure)} asks a `{got}` for `{what}`, which it does not have."]
    line = None
    if local:
        line = local[0].lineno
        story.append(
            f"The name {code(what)} of **line {line}** is the method's own, and gone with it: `self.{what}` stays."
        )
    elif near:
        line = given[near[0]]
        story.append(f"Near it {'is' if len(near) == 1 else 'are'} {listing([code(name) for name in near])}.")
    elif given:
        story.append(
            f"What it has, its methods give it as `self.…`: {listing([code(name) for name in list(given)[:4]])}."
        )
    names = known_names(what=what, got=got, near=" ".join(near) or None)
    return attribute_diagnosis(failure, "An attribute that nobody gave", story, line, "own_attribute", names)


def attributes(home: ast.ClassDef) -> dict[str, int]:
    """What the class has: its methods, and what they set on `self`; each with its line."""
    found: dict[str, int] = {}
    for node in ast.walk(home):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            found.setdefault(node.attr, node.lineno)
    methods = (node for node in home.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"))
    return found | {node.name: node.lineno for node in methods}


MEANT = {
    **dict.fromkeys(("lr", "learning_rate"), 'param_groups[0]["lr"]'),
    "weights": "weight",
    "biases": "bias",
    "zero_gradients": "zero_grad",
    "train_mode": "train",
    "eval_mode": "eval",
    "update": "step",
}
"""What people call what layers and optimizers have."""


def of_library(world: World, failure: Failure, got: str, what: str) -> Diagnosis | None:
    """What a layer or an optimizer has is called a little otherwise."""
    like = LIKE.search(world.trace.outcome.message or "")
    near = MEANT.get(what) or (like[1] if like is not None else None)
    if near is None or got == "Tensor":
        return None
    story = [f"{begin_story(world, failure)} asks the `{got}` for `{what}`, which it does not have."]
    story.append(f"What is near to that, and there, is {code(near)}.")
    names = known_names(what=what, got=got, near=near)
    return attribute_diagnosis(failure, "An attribute that is not there", story, None, "own_attribute", names)


def of_layer(world: World, failure: Failure, got: str, what: str) -> Diagnosis | None:
    """`nn.ReLU(x)` makes a layer, with x for a setting: what was meant is what the layer gives for x."""
    for node in world.source.nodes:
        if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] != got or not node.args:
            continue
        if all(isinstance(part, ast.Constant) for part in node.args) or MAKERS.search(ast.unparse(node.func)):
            continue
        shown_call = ast.unparse(node)
        story = [
            f"{begin_story(world, failure)} asks a layer `{got}` for `{what}`, which its result has.",
            f"{code(shown_call)} on **line {node.lineno}** makes a layer and takes what stands in the brackets for its "
            f"settings. `{ast.unparse(node.func)}()` makes it, and that is called with the data.",
        ]
        names = known_names(what=what, got=got)
        return attribute_diagnosis(
            failure, "A layer, and not what it gives", story, node.lineno, "module_as_result", names
        )
    return None


def of_module(world: World, failure: Failure, got: str, what: str) -> Diagnosis:
    like = LIKE.search(world.trace.outcome.message or "")
    story = [f"{begin_story(world, failure)} asks `{got}` for `{what}`, and there is nothing of that name."]
    if like is not None:
        story.append(f"Near it is {code(like[1])}.")
    if got == "torch.nn":
        story.append("In `torch.nn` are layers, with capital letters; the functions are in `torch.nn.functional`.")
    names = known_names(what=what, got=got, like=like[1] if like else None)
    return attribute_diagnosis(failure, "torch has nothing of that name", story, None, "module_attribute", names)


def of_result(world: World, failure: Failure, got: str, what: str) -> Diagnosis:
    """`x.max(dim=1)` gives two tensors."""
    made = [node for node in world.source.nodes if isinstance(node, ast.Assign) and calls(node.value, got)]
    lines = [node.lineno for node in made if node.lineno <= failure.raised.line]
    story = [
        f"{begin_story(world, failure)} asks for {what if ' ' in what else code(what)} what `{got}` gave along a "
        "dimension: that is a pair.",
        f"With `dim`, `{got}` gives the values and, beside them, the places at which they were found: `.values` and "
        "`.indices`.",
    ]
    return attribute_diagnosis(
        failure,
        "A pair, and not a tensor",
        story,
        lines[-1] if lines else None,
        "pair",
        known_names(what=what, got=got),
    )


def calls(node: ast.expr, name: str) -> bool:
    return any(ast.unparse(call.func).rpartition(".")[2] == name for call in calls_in(ast.unparse(node)))


@rule
def key_missing(world: World, failure: Failure) -> Diagnosis | None:
    """A dict that has not the key."""
    if failure.raised.type != "KeyError":
        return None
    key = failure.raised.message.strip("'")
    dicts = [node for node in world.source.nodes if isinstance(node, ast.Dict)]
    keys = {
        k.value: k.lineno for node in dicts for k in node.keys if isinstance(k, ast.Constant) if type(k.value) is str
    }
    near = [*ALIAS.get(key, ()), *difflib.get_close_matches(key, keys, 3, 0.5)]
    near += [known for known in keys if known not in near and (known.startswith(key) or key.startswith(known))]
    story = [f"{begin_story(world, failure)} looks for {code(key)}, and there is nothing under that key."]
    if near:
        story.append(f"Near it {'is' if len(near) == 1 else 'are'} {listing([code(name) for name in near])}.")
    story.append("`in` asks whether a dict has a key; `get` gives None, or what you say, where it has not.")
    line = next((keys[name] for name in near if name in keys), None)
    return attribute_diagnosis(
        failure, "Nothing under that key", story, line, "key", known_names(what=key, near="\n".join(near) or None)
    )


ALIAS = {"learning_rate": ("lr",), "parameters": ("params",), "beta": ("betas",), "decay": ("weight_decay",)}
"""What groups of parameters call it."""


def attribute_diagnosis(
    failure: Failure, title: str, story: list[str], line: int | None, cause: str, names: dict[str, str]
) -> Diagnosis:
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    if line is not None:
        lines["built"] = line
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        events={"raised": failure.number},
        cause=cause,
        names=names,
    )


ASKED = re.compile(r"^'(?P<got>\w+)' object has no attribute '(?P<what>step|zero_grad|backward)'$")
OF_OPTIMIZER = "Steps are taken by the optimizer, which has the parameters and their gradients: {it}."
OF_LOSS = "Backward starts from what was computed, a tensor that knows how it came about: {it}."
TENSORS, LOSS = "Tensor", re.compile(r"loss|cost|error|nll|total", re.IGNORECASE)


@rule
def of_another(world: World, failure: Failure) -> Diagnosis | None:
    """Told where the program has one thing with that method."""
    found = ASKED.match(failure.raised.message)
    if found is None or made_of_data(world, found["got"]):
        return None
    got, what = found["got"], found["what"]
    if what == "backward":
        has, why = losses(world) if got != TENSORS else [], OF_LOSS
    else:
        has, why = [goal for goal in optimizers(world.source.tree) if "." not in goal or "self." in goal], OF_OPTIMIZER
    if len(has) != 1 or f"{has[0]}.{what}" in world.source.statement(failure.raised.line):
        return None
    asked = "a tensor" if got == TENSORS else f"the `{got}`"
    title, names = "A method of something else", known_names(what=what, near=has[0])
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines={"raised": failure.raised.line},
        story=(
            f"{begin_story(world, failure)} asks {asked} for `{what}`, which it does not have.",
            why.format(it=code(has[0])),
        ),
        events={"raised": failure.number},
        cause="of_another",
        names=names,
    )


def made_of_data(world: World, kind: str) -> bool:
    """Whether a loss was made where it should have been called: `nn.MSELoss(out, y)`."""
    calls = (node for node in world.source.nodes if isinstance(node, ast.Call))
    own = (call for call in calls if ast.unparse(call.func).rpartition(".")[2] == kind)
    return kind.endswith("Loss") and any(len(call.args) > 1 for call in own)


def losses(world: World) -> list[str]:
    """What the program calls the last single number with a graph, by preference one that is called a loss."""
    names = {name_of(world, tensor): tensor for tensor in in_sight(world)}
    single = {
        name: tensor
        for name, tensor in names.items()
        if name and "[" not in name and tensor.node is not None and size(tensor.shape) == 1
    }
    chosen = {name: tensor for name, tensor in single.items() if LOSS.search(name)} or single
    return sorted(chosen, key=lambda name: chosen[name].made)[-1:]


def in_sight(world: World) -> list[TensorState]:
    numbers = [bound.tensor for names in world.names_in.values() for bound in names.values()]
    return [world.tensors[number] for number in numbers if number is not None]


# ---- fixes


ELSEWHERE = {"torch.nn": ("torch", "torch.nn.functional"), "torch": ("torch.nn", "torch.nn.functional")}
"""Where else a name may be looked for."""


def asked_attributes(wanted: FixContext) -> list[ast.Attribute]:
    what, raised = wanted.name("what"), wanted.at("raised")
    found = [node for node in ast.walk(raised or wanted.text.tree) if isinstance(node, ast.Attribute)]
    return [node for node in found if node.attr == what]


@fix(own_attribute=1)
def use_existing_attribute(wanted: FixContext) -> Iterator[Proposal]:
    """A plain name becomes an attribute where it is made; else one of the names that are near."""
    text, what = wanted.text, wanted.name("what")
    home = next((n for n in ast.walk(text.tree) if isinstance(n, ast.ClassDef) and n.name == wanted.name("got")), None)
    for node in ast.walk(home) if home is not None else ():
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(goal, ast.Name) and goal.id == what:
            yield wanted.proposal(f"self.{what} on line {goal.lineno}", FREE, text.replaced(goal, f"self.{what}"))
    for node in asked_attributes(wanted):
        for near in (wanted.name("near") or "").split():
            made = f"{text.get(node.value)}.{near}"
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(key=1)
def use_existing_key(wanted: FixContext) -> Iterator[Proposal]:
    text, what = wanted.text, wanted.name("what")
    for node in ast.walk(wanted.at("raised") or text.tree):
        if isinstance(node, ast.Constant) and node.value == what:
            for near in filter(None, (wanted.name("near") or "").split("\n")):
                title = f'"{near}" instead of "{what}" on line {node.lineno}'
                yield wanted.proposal(title, FREE, text.replaced(node, f'"{near}"'))


@fix(module_attribute=1)
def use_torch_attribute(wanted: FixContext) -> Iterator[Proposal]:
    """The name that is near, or the same name in a module beside it."""
    text, what, like = wanted.text, wanted.name("what"), wanted.name("like")
    for node in asked_attributes(wanted):
        places = [f"{place}.{what}" for place in ELSEWHERE.get(wanted.name("got") or "", ())]
        near = [f"{text.get(node.value)}.{like}"] if like else []
        for made in [*places, *near]:
            yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))


@fix(pair=1)
def take_values(wanted: FixContext) -> Iterator[Proposal]:
    text, got = wanted.text, wanted.name("got") or ""
    built = wanted.at("built")
    for call in text.calls(built, got) or text.calls(wanted.at("raised"), got):
        title = f"its values: .values on line {call.lineno}"
        yield wanted.proposal(title, FREE, append_suffix(text, call, ".values"))


@fix(of_another=1)
def ask_other(wanted: FixContext) -> Iterator[Proposal]:
    """`loss.step()` becomes `optimizer.step()`."""
    text, has, what = wanted.text, wanted.name("near"), wanted.name("what")
    for node in asked_attributes(wanted):
        made = f"{has}.{what}"
        yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node, made))
