"""What a function gave is None, because it returns nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...calls import callee, calls_in, names_in
from ...diagnostics.diagnosis import Diagnosis, Failure, known_names
from ...diagnostics.mentions import raising_code, raising_statement
from ...diagnostics.registry import rule
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.words import code, on
from ...replay.world import World
from ..tracking.leaves import leaves


@rule
def nothing_returned(world: World, failure: Failure) -> Diagnosis | None:
    """A refusal about NoneType on a line that uses the result of one of the program's functions without a `return`."""
    message = failure.raised.message
    if "NoneType" not in message:
        return None
    functions = {node.name: node for node in world.source.nodes if isinstance(node, ast.FunctionDef) and silent(node)}
    forwards = {kind: forward for kind, forward in calls_of_classes(world).items() if silent(forward)}
    used = names_in(raising_statement(world, failure))
    if (fell := fell_through(world, failure)) is not None:
        return fell
    if (found := of_backward(world, failure, used)) is not None:
        return found
    for node in reversed([node for node in world.source.nodes if isinstance(node, ast.Assign)]):
        names = {part.id for goal in node.targets for part in ast.walk(goal) if isinstance(part, ast.Name)}
        function = functions.get(callee(node.value)) or forwards.get(made_by(world, node.value))
        if function is None or not names & used or node.lineno > failure.raised.line:
            continue
        name = sorted(names & used)[0]
        names_of = known_names(target=name, function=function.name)
        return Diagnosis(
            title="The function returns nothing",
            message=message,
            lines={"built": node.lineno, "raised": failure.raised.line},
            story=(
                f"{code(raising_code(world, failure))} {on(failure.raised.line)} uses {code(name)}, which is None.",
                f"{code(name)} is what {code(ast.unparse(node.value))} gave {on(node.lineno)}.",
                f"{code(function.name)}, written {on(function.lineno)}, has no `return`, and a function without one "
                "gives None, whatever it computed.",
            ),
            events={"raised": failure.number},
            cause="no_return",
            names=names_of,
        )
    return None


def calls_of_classes(world: World) -> dict[str, ast.FunctionDef]:
    """By class what runs when an object of it is called."""
    return {
        kind.name: part
        for kind in world.source.nodes
        if isinstance(kind, ast.ClassDef)
        for part in kind.body
        if isinstance(part, ast.FunctionDef) and part.name in ("forward", "__call__")
    }


def fell_through(world: World, failure: Failure) -> Diagnosis | None:
    """The line itself calls a function that ends without a `return` in some cases, or in all."""
    text = raising_statement(world, failure)
    functions = {node.name: node for node in world.source.nodes if isinstance(node, ast.FunctionDef)}
    forwards = calls_of_classes(world)
    for node in calls_in(text):
        function = functions.get(callee(node)) or forwards.get(made_by(world, node))
        if function is None or isinstance(function.body[-1], ast.Return | ast.Raise):
            continue
        returns = [part for part in ast.walk(function) if isinstance(part, ast.Return) and part.value is not None]
        line = failure.raised.line
        where = f"only **line {returns[-1].lineno}** returns something" if returns else "has no `return`"
        names_of = known_names(target=ast.unparse(node), function=function.name)
        title, cause = "The function returns nothing", "no_return_here" if returns else "no_return"
        return Diagnosis(
            title=title,
            message=failure.raised.message,
            lines={"built": function.lineno, "raised": line},
            story=(
                f"{code(raising_code(world, failure))} {on(line)} computes with what {code(ast.unparse(node))} gave, "
                "which is None.",
                f"In {code(function.name)}, written {on(function.lineno)}, {where}."
                if returns
                else f"{code(function.name)}, written {on(function.lineno)}, {where}.",
                "A function that comes to its end without a `return` gives None, whatever it computed.",
            ),
            events={"raised": failure.number},
            cause=cause,
            names=names_of,
        )
    return None


def of_backward(world: World, failure: Failure, used: set[str]) -> Diagnosis | None:
    """What `g = loss.backward()` gave."""
    for node in world.source.nodes:
        if not isinstance(node, ast.Assign) or callee(node.value) != "backward" or node.lineno > failure.raised.line:
            continue
        names = {part.id for goal in node.targets for part in ast.walk(goal) if isinstance(part, ast.Name)}
        if not names & used:
            continue
        name, line = sorted(names & used)[0], failure.raised.line
        title, events = "backward returns nothing", {"raised": failure.number}
        names_of = known_names(target=name)
        message = failure.raised.message
        return Diagnosis(
            title=title,
            message=message,
            lines={"built": node.lineno, "raised": line},
            story=(
                f"{code(raising_code(world, failure))} {on(line)} uses {code(name)}, which is None.",
                f"{code(name)} is what {code(ast.unparse(node.value))} gave {on(node.lineno)}: `backward()` returns "
                "nothing, it leaves the gradients in the `.grad` of the leaves.",
                "`torch.autograd.grad` is the one that returns them.",
            ),
            events=events,
            cause="backward_result",
            names=names_of,
        )
    return None


def silent(function: ast.FunctionDef) -> bool:
    """Whether `function` never returns a value."""
    own = [node for node in ast.walk(function) if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)]
    return not any(isinstance(node, ast.Yield | ast.YieldFrom) or node.value is not None for node in own)


def made_by(world: World, node: ast.expr) -> str:
    """The class whose object is called: `Net` of `net(x)` after `net = Net()`, and of `Net()(x)`."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Call):
        return callee(node.func)
    name = ast.unparse(node.func)
    makings = (part for part in world.source.nodes if isinstance(part, ast.Assign))
    return next((callee(part.value) for part in makings if name in map(ast.unparse, part.targets)), "")


# ---- fixes


@fix(no_return_here=1)
def return_always(wanted: FixContext) -> Iterator[Proposal]:
    """Where no case fits, a function gives what its last `return` gives."""
    text, name = wanted.text, wanted.name("function")
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.FunctionDef) or node.name != name:
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Return) and part.value is not None:
                made = text.get(part)
                title = f"{made} at the end of {name}, for all other cases"
                yield wanted.proposal(title, "see that it is what you mean there", text.after(node.body[-1], [made]))


@fix(no_return=1)
def return_last(wanted: FixContext) -> Iterator[Proposal]:
    """The function gives back what it computed last."""
    text, name = wanted.text, wanted.name("function")
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.FunctionDef) or node.name != name:
            continue
        last = node.body[-1]
        if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
            made = f"return {last.targets[0].id}"
            yield wanted.proposal(f"{made} at the end of {name}", FREE, text.after(last, [made]))
        elif isinstance(last, ast.Expr):
            title = f"return what line {last.lineno} computes"
            yield wanted.proposal(title, FREE, text.replaced(last, f"return {text.get(last.value)}"))


@fix(backward_result=1)
def read_gradient(wanted: FixContext) -> Iterator[Proposal]:
    """backward leaves gradients in `.grad` and returns nothing; autograd.grad returns them."""
    text, built = wanted.text, wanted.at("built")
    if not isinstance(built, ast.Assign) or not isinstance(built.value, ast.Call):
        return
    call, goal = built.value, text.get(built.targets[0])
    root = text.get(call.func.value) if isinstance(call.func, ast.Attribute) else None
    for leaf in dict.fromkeys((wanted.name("leaf"), *leaves(text))):
        if leaf is None or root is None:
            continue
        made = f"{text.get(call)}; {goal} = {leaf}.grad"
        title = f"read {leaf}.grad after line {built.lineno}"
        yield wanted.proposal(title, FREE, text.replaced(built, made))
        made = f"{goal}, = torch.autograd.grad({root}, {leaf})"
        yield wanted.proposal(f"torch.autograd.grad on line {built.lineno}", FREE, text.replaced(built, made))
