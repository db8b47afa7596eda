"""Calls that do not fit what is called: too few arguments, too many, a class where what it makes is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import begin_story
from ...diagnostics.registry import rule
from ...fixes.edits import with_argument
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Edit, Text, names_in, targets
from ...narration.words import code, listing, on
from ...replay.world import World
from ..hooks import hooks
from .wrong_uses import made_first

MISSING = re.compile(
    r"^(?P<what>[\w.<>]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?P<slots>.*)$"
)
TOO_MANY = re.compile(
    r"^(?P<what>[\w.]+)\(\) takes (?:from \d+ to )?(?P<takes>\d+) positional arguments? but (?P<given>\d+)"
)
TWICE = re.compile(r"^(?P<what>[\w.]+)\(\) got multiple values for argument '(?P<slots>\w+)'$")
TITLES = {
    "argument_missing": "An argument is missing",
    "given_twice": "An argument is given twice",
    "too_many_arguments": "More arguments than it takes",
}
CALLS_FORWARD = "To call a module is to run its `forward`, with what stands in the brackets."
ITSELF = "A method is given its own object first, so its first parameter is that: `self`."


@rule
def wrongly_called(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    for cause, pattern in (("argument_missing", MISSING), ("too_many_arguments", TOO_MANY), ("given_twice", TWICE)):
        found = pattern.match(message)
        if found is not None and failure.raised.type == "TypeError":
            return call_diagnosis(world, failure, cause, found.groupdict())
    return None


def call_diagnosis(world: World, failure: Failure, cause: str, said: dict[str, str]) -> Diagnosis:
    what = said["what"]
    home, _, method = what.rpartition(".")
    written = definition(world, home, method)
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    if written is not None:
        lines["built"] = written.lineno
    slots = re.findall(r"'(\w+)'", said.get("slots", "")) or [said.get("slots", "")]
    of_class = slots == ["self"]
    title = "A class stands where one of its kind is meant" if of_class else TITLES[cause]
    here = begin_story(world, failure)
    called = f"{here} calls `{what}`" + (f", written {on(written.lineno)}," if written is not None else "")
    if of_class:
        story = of_the_class(here, method)
    elif cause == "argument_missing":
        story = missing(called, slots)
    elif cause == "given_twice":
        story = twice(here, slots, home, method if written is None else "")
    else:
        story = too_many(called, home, said)
    story += of_method(cause, home, method, written, of_class)
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        events={"raised": failure.number},
        cause=cause,
        names=known_names(what=what, slots=" ".join(slots), method=method, home=home or None),
    )


def of_the_class(here: str, method: str) -> list[str]:
    return [
        f"{here} asks the class itself for `{method}`, which belongs to what the class makes.",
        "Brackets make one: `Net()` is a net, `Net` the plan of it.",
    ]


def missing(called: str, slots: list[str]) -> list[str]:
    verb = "is" if len(slots) == 1 else "are"
    return [f"{called} and {listing([code(slot) for slot in slots])} {verb} not given."]


def twice(here: str, slots: list[str], home: str, method: str) -> list[str]:
    story = [f"{here} gives `{slots[0]}` by its name, and what stands first in the brackets goes to it, too."]
    if method == "__init__" and home[:1].isupper():
        story.append(f"A layer is made first and called then: `nn.{home}(...)` takes settings, what it makes data.")
    return story


def too_many(called: str, home: str, said: dict[str, str]) -> list[str]:
    story = [f"{called} with more than it takes."]
    if home:
        story.append(f"The object itself is counted, too: it takes {said['takes']}, and is given {said['given']}.")
    return story


def of_method(cause: str, home: str, method: str, written: ast.FunctionDef | None, of_class: bool) -> list[str]:
    """What is to be said of methods, of `__init__` and of `forward`."""
    story = []
    if method == "__init__" and cause == "too_many_arguments":
        story.append("To call a class is to make one of its kind, by its `__init__`; data goes to what was made.")
    if written is not None and home and not takes_itself(written) and not of_class:
        story.append(ITSELF)
    elif method == "forward" and home:
        story.append(CALLS_FORWARD)
    return story


def definition(world: World, home: str, method: str) -> ast.FunctionDef | None:
    """The function of that name in the program; in the class `home`, if one is told."""
    places: list[ast.AST] = [world.source.tree]
    if home:
        last = home.rpartition(".")[2]
        places = [node for node in world.source.nodes if isinstance(node, ast.ClassDef) and node.name == last]
    found = (node for place in places for node in ast.walk(place) if isinstance(node, ast.FunctionDef))
    return next((node for node in found if node.name == method), None)


def takes_itself(function: ast.FunctionDef) -> bool:
    plain = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in function.decorator_list)
    return plain or bool(function.args.args) and function.args.args[0].arg in ("self", "cls")


# ---- fixes


def calls_of(wanted: FixContext) -> list[ast.Call]:
    """The calls of the raising line that may be meant: those of its name, else all of them."""
    text, method, home = wanted.text, wanted.name("method") or "", wanted.name("home")
    every = text.calls(wanted.at("raised"))
    names = {method, (home or "").rpartition(".")[2]}
    return [call for call in every if callee(call) in names] or every


def function(wanted: FixContext) -> ast.FunctionDef | None:
    built = wanted.at("built")
    return built if isinstance(built, ast.FunctionDef) else None


@fix(argument_missing=2)
def give_argument(wanted: FixContext) -> Iterator[Proposal]:
    """The class is made first; a variable of the argument's name is given; else the argument gets a default."""
    text, slots = wanted.text, (wanted.name("slots") or "").split()
    if slots == ["self"]:
        yield from class_made(wanted)
        return
    known = {name for node in ast.walk(text.tree) if isinstance(node, ast.stmt) for name in targets(node)}
    for call in calls_of(wanted):
        if slots and set(slots) <= known:
            made = ", ".join(f"{slot}={slot}" for slot in slots)
            yield wanted.proposal(f"{made} on line {call.lineno}", FREE, with_argument(text, call, made))
    written = function(wanted)
    if written is not None:
        plain = {part.arg: part for part in written.args.args}
        for value in ("None", "1"):
            edits = [text.replaced(plain[slot], f"{text.get(plain[slot])}={value}") for slot in slots if slot in plain]  # type: ignore[arg-type]
            title = f"let {' and '.join(slots)} be {value} where it is not given, on line {written.lineno}"
            if len(edits) == len(slots):
                yield wanted.workaround(title, "see that it is what you mean", *edits)


def class_made(wanted: FixContext) -> Iterator[Proposal]:
    """`net = Net` becomes `net = Net()`; an optimizer class gets the parameters that there are."""
    text = wanted.text
    for call in text.calls(wanted.at("raised")):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        shown = text.get(owner)
        for node in ast.walk(text.tree):
            if isinstance(node, ast.Assign) and shown in map(text.get, node.targets):
                for given in ("", *parameters_of(text)):
                    made = f"{text.get(node.value)}({given})"
                    yield wanted.proposal(f"{made} on line {node.lineno}", FREE, text.replaced(node.value, made))
        yield wanted.proposal(f"{shown}() on line {owner.lineno}", FREE, text.replaced(owner, f"{shown}()"))


def parameters_of(text: Text) -> list[str]:
    """What an optimizer might be given: the parameters of what is made in the text."""
    made = [node for node in ast.walk(text.tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [f"{name}.parameters(), lr=0.01" for node in made for name in sorted(targets(node))][:4]


@fix(too_many_arguments=1)
def drop_arguments(wanted: FixContext) -> Iterator[Proposal]:
    """`self` where it is missing; a class that is made first; without what is too much."""
    text, written = wanted.text, function(wanted)
    home = wanted.name("home")
    kinds = [node for node in text.parts(text.tree, ast.ClassDef) if home and node.name == home.rpartition(".")[2]]
    own = "ctx" if any("Function" in ast.unparse(base) for kind in kinds for base in kind.bases) else "self"
    if written is not None and home and not (written.args.args and written.args.args[0].arg in ("self", "cls")):
        rest = bool(written.args.args)
        at = written.args.args[0] if rest else None
        if at is not None:
            title = f"{own}, first among the parameters of {written.name} on line {written.lineno}"
            start = text.place(at.lineno, at.col_offset)
            yield wanted.proposal(title, FREE, Edit(*start, *start, f"{own}, "))
        else:
            column = text.code[written.lineno - 1].index("(") + 1
            title = f"self among the parameters of {written.name} on line {written.lineno}"
            yield wanted.proposal(title, FREE, Edit(written.lineno, column, written.lineno, column, "self"))
    if wanted.name("method") == "__init__":
        yield from class_made(wanted)
        yield from make_then_call(wanted)
    for call in calls_of(wanted):
        if call.args:
            keep = [text.get(part) for part in [*call.args[:-1]]] + [text.get(word) for word in call.keywords]  # type: ignore[arg-type]
            made = f"{text.get(call.func)}({', '.join(keep)})"
            yield wanted.proposal(
                f"{made} on line {call.lineno}", "the last one is left out", text.replaced(call, made)
            )
            if callee(call) == "tensor":
                listed = ", ".join(text.get(part) for part in call.args)
                made = f"{text.get(call.func)}([{listed}])"
                yield wanted.proposal(f"{made} on line {call.lineno}", FREE, text.replaced(call, made))


@fix(given_twice=1)
def make_then_call(wanted: FixContext) -> Iterator[Proposal]:
    """`nn.Softmax(x, dim=1)` becomes `nn.Softmax(dim=1)(x)`."""
    home = (wanted.name("home") or "").rpartition(".")[2]
    yield from made_first(wanted, wanted.text.calls(wanted.at("raised"), home))


@fix(argument_missing=1)
def take_one_argument(wanted: FixContext) -> Iterator[Proposal]:
    """A hook on a tensor gets its gradient alone."""
    text = wanted.text
    for hook in hooks(text, "register_hook", 0):
        arguments = [arg.arg for arg in hook.args.args]
        body = hook.body if isinstance(hook, ast.Lambda) else ast.Module(hook.body, [])
        used = [name for name in arguments if name in names_in(body)] or arguments
        if len(arguments) > 1 and isinstance(hook, ast.Lambda):
            made = f"lambda {used[-1]}: {text.get(hook.body)}"
            title = f"a hook on a tensor gets its gradient alone: {made} on line {hook.lineno}"
            yield wanted.proposal(title, FREE, text.replaced(hook, made))
        elif len(arguments) > 1 and isinstance(hook, ast.FunctionDef):
            first, last = hook.args.args[0], hook.args.args[-1]
            start = text.place(first.lineno, first.col_offset)
            end = text.place(last.end_lineno or last.lineno, last.end_col_offset or 0)
            title = f"a hook on a tensor gets its gradient alone: {used[-1]}, on line {hook.lineno}"
            yield wanted.proposal(title, FREE, Edit(*start, *end, used[-1]))
