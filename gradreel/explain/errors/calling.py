"""Calls that do not fit what is called: too few arguments, too many, a class where what it makes is meant."""

from __future__ import annotations

import ast
import re

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun
from ..diagnostics.registry import rule
from ..narration.words import code, listed, on
from ..replay.world import World

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
            return told(world, failure, cause, found.groupdict())
    return None


def told(world: World, failure: Failure, cause: str, said: dict[str, str]) -> Diagnosis:
    what = said["what"]
    home, _, method = what.rpartition(".")
    written = definition(world, home, method)
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    if written is not None:
        lines["built"] = written.lineno
    slots = re.findall(r"'(\w+)'", said.get("slots", "")) or [said.get("slots", "")]
    of_class = slots == ["self"]
    title = "A class stands where one of its kind is meant" if of_class else TITLES[cause]
    here = begun(world, failure)
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
        names=named(what=what, slots=" ".join(slots), method=method, home=home or None),
    )


def of_the_class(here: str, method: str) -> list[str]:
    return [
        f"{here} asks the class itself for `{method}`, which belongs to what the class makes.",
        "Brackets make one: `Net()` is a net, `Net` the plan of it.",
    ]


def missing(called: str, slots: list[str]) -> list[str]:
    verb = "is" if len(slots) == 1 else "are"
    return [f"{called} and {listed([code(slot) for slot in slots])} {verb} not given."]


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
