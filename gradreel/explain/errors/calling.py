"""Calls that do not fit what is called: too few arguments, too many, a class where what it makes is meant."""

from __future__ import annotations

import ast
import re

from ..diagnosis import Diagnosis, Failure, during, named, on
from ..mentions import shown
from ..words import code, listed
from ..world.world import World

MISSING = re.compile(
    r"^(?P<what>[\w.<>]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?P<slots>.*)$"
)
TOO_MANY = re.compile(
    r"^(?P<what>[\w.]+)\(\) takes (?:from \d+ to )?(?P<takes>\d+) positional arguments? but (?P<given>\d+)"
)
TWICE = re.compile(r"^(?P<what>[\w.]+)\(\) got multiple values for argument '(?P<slots>\w+)'$")
CALLS_FORWARD = "To call a module is to run its `forward`, with what stands in the brackets."
ITSELF = "A method is given its own object first, so its first parameter is that: `self`."


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
    here = f"{code(shown(world, failure))} {on(failure.raised.line)}{during(world.place)}"
    taken = f", written {on(written.lineno)}," if written is not None else ""
    if written is not None:
        lines["built"] = written.lineno
    slots = re.findall(r"'(\w+)'", said.get("slots", "")) or [said.get("slots", "")]
    if slots == ["self"]:
        title = "A class stands where one of its kind is meant"
        story = [
            f"{here} asks the class itself for `{method}`, which belongs to what the class makes.",
            "Brackets make one: `Net()` is a net, `Net` the plan of it.",
        ]
    elif cause == "argument_missing":
        title = "An argument is missing"
        verb = "is" if len(slots) == 1 else "are"
        story = [f"{here} calls `{what}`{taken} and {listed([code(slot) for slot in slots])} {verb} not given."]
    elif cause == "given_twice":
        title = "An argument is given twice"
        story = [f"{here} gives `{slots[0]}` by its name, and what stands first in the brackets goes to it, too."]
        if method == "__init__" and home[:1].isupper() and written is None:
            story.append(f"A layer is made first and called then: `nn.{home}(...)` takes settings, what it makes data.")
    else:
        title = "More arguments than it takes"
        story = [f"{here} calls `{what}`{taken} with more than it takes."]
        if home:
            story.append(f"The object itself is counted, too: it takes {said['takes']}, and is given {said['given']}.")
    if method == "__init__" and cause == "too_many_arguments":
        story.append("To call a class is to make one of its kind, by its `__init__`; data goes to what was made.")
    if written is not None and home and not takes_itself(written) and slots != ["self"]:
        story.append(ITSELF)
    elif method == "forward" and home:
        story.append(CALLS_FORWARD)
    names = named(what=what, slots=" ".join(slots), method=method, home=home or None)
    return Diagnosis(
        "other", title, failure.raised.message, lines, tuple(story), (), {"raised": failure.number}, cause, names
    )


def definition(world: World, home: str, method: str) -> ast.FunctionDef | None:
    """The function of that name in the program; in the class `home`, if one is told."""
    places: list[ast.AST] = [world.source.tree]
    if home:
        last = home.rpartition(".")[2]
        places = [node for node in ast.walk(world.source.tree) if isinstance(node, ast.ClassDef) and node.name == last]
    found = (node for place in places for node in ast.walk(place) if isinstance(node, ast.FunctionDef))
    return next((node for node in found if node.name == method), None)


def takes_itself(function: ast.FunctionDef) -> bool:
    plain = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in function.decorator_list)
    return plain or bool(function.args.args) and function.args.args[0].arg in ("self", "cls")
