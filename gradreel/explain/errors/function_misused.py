"""A Function of the program's own that is not used as one: called and not applied, asked by torch.func for what it has
not, with an empty context, or with a backward that goes through itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from ..calls import callee
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.failing_node import failing_node
from ..diagnostics.mentions import begun, statement
from ..diagnostics.registry import rule
from ..narration.words import called, code, on
from ..replay.graph_queries import ancestors, gradient_call
from ..replay.states import NodeState
from ..replay.world import World
from .contract import last_custom
from .roots import root

FORWARD = re.compile(r"^(?P<function>\w+)\.forward\(\) missing \d+ required positional arguments?: ")
MADE = re.compile(r"^(?:type object )?'(?P<function>\w+)' object has no attribute '(?P<what>\w+)'$")
MADE_CLASS = re.compile(r"^type object '(?P<function>\w+)' has no attribute '(?P<what>\w+)'$")
EMPTY = re.compile(r"^'(?P<function>\w+)Backward' object has no attribute '(?P<what>\w+)'$")
TOO_FEW = re.compile(r"^not enough values to unpack \(expected (?P<want>\d+), got (?P<has>\d+)\)$")
SET_UP = "must override the setup_context staticmethod"
DEEP = 5
"""So many calls of backward within one another are no accident."""


@rule
def function_misused(world: World, failure: Failure) -> Diagnosis | None:
    kinds = functions(world)
    tells: tuple[Callable[[World, Failure, dict[str, ast.ClassDef]], Diagnosis | None], ...] = (
        not_applied,
        empty_context,
        saved_too_few,
        not_set_up,
        through_itself,
        once_only,
    )
    return next((found for tell in tells if (found := tell(world, failure, kinds)) is not None), None)


def functions(world: World) -> dict[str, ast.ClassDef]:
    """The Functions that the program writes, by their names."""
    kinds = [node for node in world.source.nodes if isinstance(node, ast.ClassDef)]
    return {kind.name: kind for kind in kinds if any("Function" in ast.unparse(base) for base in kind.bases)}


def not_applied(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """`Square(x)` or `Square.forward(x)` in the place of `Square.apply(x)`."""
    message = failure.raised.message
    found = FORWARD.match(message) or MADE.match(message) or MADE_CLASS.match(message)
    kind = kinds.get(found["function"]) if found is not None else None
    if kind is None:
        return None
    name = kind.name
    calls = [node for node in world.source.nodes if isinstance(node, ast.Call)]
    direct = [call for call in calls if ast.unparse(call.func) in (name, f"{name}.forward")]
    if not direct:
        return None
    line, text = direct[0].lineno, ast.unparse(direct[0].func)
    does = "makes an object of the class" if text == name else "runs forward like any function, without a context"
    story = (
        f"{code(f'{text}(…)')} {on(line)} {does}, and records nothing.",
        f"{code(f'{name}.apply(…)')} makes the context, runs forward, and puts the node into the graph that later runs "
        "backward.",
    )
    return told(failure, "A Function is used through `apply`", story, {"built": line}, {}, "not_applied", name)


def empty_context(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """backward looks for something on its context that forward has not put there."""
    found = EMPTY.match(failure.raised.message)
    kind = kinds.get(found["function"]) if found is not None else None
    if found is None or kind is None:
        return None
    node = next((node for node in reversed(world.nodes.values()) if node.name == f"{kind.name}Backward"), None)
    forward = next((part for part in kind.body if getattr(part, "name", "") == "forward"), kind)
    lines: dict[str, int | None] = {"saved": forward.lineno}
    events = {}
    story = [f"{begun(world, failure)} asks the context for {code(found['what'])}."]
    if node is not None:
        lines["built"], events["built"] = node.place.line, node.made
        story.append(
            f"It is that of **{node.title}**, built {on(node.place.line)}: only what forward put there is on it."
        )
    story.append(
        f"The forward of {code(kind.name)}, written {on(forward.lineno)}, put no {code(found['what'])} there: "
        "tensors go through `save_for_backward`, anything else is set as an attribute."
    )
    title = "Nothing of that name is on the context"
    return told(failure, title, tuple(story), lines, events, "empty_context", kind.name, node)


def saved_too_few(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """backward takes more tensors out of its context than forward saved: `x, = ctx.saved_tensors`, and none was."""
    found = TOO_FEW.match(failure.raised.message)
    if found is None or ".saved_tensors" not in statement(world, failure):
        return None
    line = failure.raised.line
    kind = next((kind for kind in kinds.values() if kind.lineno <= line <= (kind.end_lineno or 0)), None)
    forward = next((part for part in kind.body if getattr(part, "name", "") == "forward"), None) if kind else None
    if kind is None or forward is None:
        return None
    saving = [call for call in ast.walk(kind) if isinstance(call, ast.Call) and callee(call) == "save_for_backward"]
    place = saving[0].lineno if saving else forward.lineno
    saved = f"saved {found['has']} {on(place)}" if saving else "saved none: it does not call `save_for_backward`"
    story = (
        f"{begun(world, failure)} takes {found['want']} out of what was saved.",
        f"The forward of {code(kind.name)}, written {on(forward.lineno)}, {saved}.",
        "Backward gets the tensors, in the same order, that forward hands to `ctx.save_for_backward(…)`.",
    )
    return told(
        failure, "Forward saved less than backward takes", story, {"saved": place}, {}, "saved_too_few", kind.name
    )


def not_set_up(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """torch.func wants forward and what it keeps apart."""
    if SET_UP not in failure.raised.message:
        return None
    old = [
        kind for kind in kinds.values() if not any(getattr(part, "name", "") == "setup_context" for part in kind.body)
    ]
    if not old:
        return None
    story = (
        f"{begun(world, failure)} runs {code(old[0].name)}, written {on(old[0].lineno)}, inside of a transform of "
        "`torch.func`.",
        "Its forward takes the context and computes at once. A transform runs forward on tensors of its own, and has "
        "to be told apart what is kept: by `setup_context(ctx, inputs, output)`, beside a `forward` without `ctx`.",
    )
    lines: dict[str, int | None] = {"built": old[0].lineno}
    return told(failure, "A Function that keeps while it computes", story, lines, {}, "setup_context", old[0].name)


def through_itself(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """A backward, or a hook, asks for gradients through the node that it runs for, and so for itself."""
    deep = [call for call in world.calls.values() if call.parent is not None and call.ended is None or call.failed]
    if failure.raised.type != "RecursionError" or len(deep) < DEEP:
        return None
    again = [node for node in world.nodes.values() if len(node.runs) >= DEEP]
    if not again:
        return None
    node = next((node for node in again if node.name.removesuffix("Backward") in kinds), again[0])
    inner = deep[-1]
    lines: dict[str, int | None] = {"built": node.place.line, "changed": inner.place.line}
    own = node.name.removesuffix("Backward")
    who = f"The backward of {code(own)}" if own in kinds else "A hook that runs on the way back"
    story = (
        f"{who} asks {on(inner.place.line)} for gradients with {code(inner.text)}.",
        f"That goes back through **{node.title}**, built {on(node.place.line)}, for which it is running. So it runs "
        "again, asks again, and there is no end.",
        "Inside, a graph of its own has to be built, under `torch.enable_grad()`, from the saved tensors, detached.",
    )
    events = {"built": node.made}
    cause = "own_backward" if own in kinds else "own_hook"
    return told(failure, "A backward that goes through itself", story, lines, events, cause, own, node)


def once_only(world: World, failure: Failure, kinds: dict[str, ast.ClassDef]) -> Diagnosis | None:
    """A second derivative through a backward that is marked with `@once_differentiable`."""
    marked = [kind for kind in kinds.values() if "once_differentiable" in ast.unparse(kind)]
    start = root(world, failure) if failure.raised.message.endswith("does not have a grad_fn") else None
    node = failing_node(world, failure) if TWICE in failure.raised.message else last_custom(world)
    if marked and node is not None and TWICE in failure.raised.message:
        return differentiated_twice(failure, marked, node)
    if not marked or start is None or node is None:
        return None
    gradient = next(
        (one for one in ancestors(world, start) if (call := gradient_call(world, one)) and call.create_graph), None
    )
    if gradient is None:
        return None
    mark = marking(marked[0])
    place = gradient.bound or gradient.place
    lines: dict[str, int | None] = {"built": place.line, "cut": mark}
    events = {"built": gradient.made, "cut": node.made}
    story = (
        f"{called(world, gradient.number)}, taken {on(place.line)} with `create_graph`, came through **{node.title}**, "
        f"built {on(node.place.line)}.",
        f"`@once_differentiable` {on(mark)} says that its backward is not to be recorded, so there is no graph behind "
        "the gradient, and no second derivative.",
    )
    return told(failure, ONCE, story, lines, events, "once_differentiable", marked[0].name, node)


def differentiated_twice(failure: Failure, marked: list[ast.ClassDef], node: NodeState) -> Diagnosis:
    """The gradient of a gradient met the node that stands for the backward that was not recorded."""
    mark, name = marking(marked[0]), code(marked[0].name)
    lines: dict[str, int | None] = {"built": node.place.line, "cut": mark}
    story = (
        f"**{node.title}**, built {on(node.place.line)}, stands where the backward of {name} ran, and leads nowhere.",
        f"`@once_differentiable` {on(mark)} says that this backward is not to be recorded. A gradient comes out of it, "
        "and the gradient of that gradient cannot be had.",
        "Where it is made of tracked operators, PyTorch can record it, and the mark can go.",
    )
    events = {"built": node.made}
    return told(failure, ONCE, story, lines, events, "once_differentiable", marked[0].name, node)


ONCE = "A Function that can be differentiated once"
TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


def marking(kind: ast.ClassDef) -> int:
    """The line of `@once_differentiable` in a Function."""
    return next(
        mark.lineno
        for part in kind.body
        if isinstance(part, ast.FunctionDef)
        for mark in part.decorator_list
        if "once_differentiable" in ast.unparse(mark)
    )


def told(
    failure: Failure,
    title: str,
    story: tuple[str, ...],
    lines: dict[str, int | None],
    events: dict[str, int],
    cause: str,
    function: str,
    node: NodeState | None = None,
) -> Diagnosis:
    whole = {**lines, "raised": failure.raised.line}
    at = {**events, "raised": failure.number}
    return Diagnosis(
        kind="function_contract",
        title=title,
        message=failure.raised.message,
        lines=whole,
        story=story,
        nodes=() if node is None else (node.number,),
        events=at,
        cause=cause,
        names=named(function=function),
    )
