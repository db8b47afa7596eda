"""What backward cannot start from: several numbers without weights, or weights of another shape."""

from __future__ import annotations

import ast
import math
import re

from ..calls import callee, calls_in, weights
from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import mentioned, stands_for, statement
from ..diagnostics.registry import rule
from ..narration.words import called, code, label, name_of, on
from ..replay.states import Call, TensorState
from ..replay.world import World


@rule
def root_refused(world: World, failure: Failure) -> Diagnosis | None:
    message = failure.raised.message
    if message.startswith("grad can be implicitly created only for scalar"):
        return not_scalar(world, failure)
    if "to return a scalar" in message:
        return function_not_scalar(world, failure)
    if message.startswith("Mismatch in shape: grad_output"):
        return gradient_shape(world, failure)
    if message.startswith("If `is_grads_batched=True`"):
        return batched(world, failure)
    return None


def root_number(failure: Failure) -> int:
    """Which root the message speaks of, or element of what it was given."""
    found = re.search(r"(?:element |output\[|grad_output\[)(\d+)", failure.raised.message)
    return int(found.group(1)) if found else 0


def roots_of(world: World, failure: Failure) -> list[TensorState]:
    """The tensors that the failing call was asked to start from; if it came to no call, those that its line names."""
    call = call_of(world, failure)
    if call is not None and call.roots:
        return [world.tensors[number] for number in call.roots]
    return [tensor for _, tensor in mentioned(world, statement(world, failure))]


def call_of(world: World, failure: Failure) -> Call | None:
    return world.calls.get(failure.call) if failure.call is not None else None


def root(world: World, failure: Failure) -> TensorState | None:
    roots = roots_of(world, failure)
    number = root_number(failure)
    return roots[number] if number < len(roots) else roots[0] if roots else None


def not_scalar(world: World, failure: Failure) -> Diagnosis | None:
    roots = roots_of(world, failure)
    tensor = next((state for state in roots if math.prod(state.shape) != 1), None)
    if tensor is None:
        return None
    entries = math.prod(tensor.shape)
    call = call_of(world, failure)
    word = "`grad_outputs=`" if call is not None and call.called == "grad" else "`gradient=`"
    return Diagnosis(
        kind="not_scalar",
        title="Backward from more than one number",
        message=failure.raised.message,
        lines={"built": tensor.place.line, "raised": failure.raised.line},
        story=(
            f"{called(world, tensor.number)}, made {on(tensor.place.line)}, has {entries} entries.",
            "Backward starts from a single number, whose gradient with respect to itself is 1. For several it has to "
            "be told how much each of them counts.",
            f"Give those weights as {word}, or make one number of it, with `sum()` or `mean()`.",
        ),
        nodes=() if tensor.node is None else (tensor.node,),
        events={"raised": failure.number, "built": tensor.made},
        cause="not_scalar",
        names=named(root=label(world, tensor.number)),
    )


def function_not_scalar(world: World, failure: Failure) -> Diagnosis | None:
    """`func.grad` of a function that gives several numbers: told by the function's own `return`."""
    text = statement(world, failure)
    functions = [node for node in world.source.nodes if isinstance(node, ast.FunctionDef)]
    named_here = [node for node in functions if re.search(rf"\b{node.name}\b", text)]
    made = [node for node in world.source.nodes if isinstance(node, ast.Assign) and "grad" in unparsed(node)]
    named_here += [node for node in functions for by in made if re.search(rf"\b{node.name}\b", unparsed(by))]
    returns = [node for node in ast.walk(named_here[0]) if isinstance(node, ast.Return)] if named_here else []
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    story = ["`grad` makes a function that gives the gradient of another, and that other has to give one number."]
    if returns:
        lines["built"] = returns[-1].lineno
        story.append(f"{code(named_here[0].name)} returns several {on(returns[-1].lineno)}.")
    story.append("Return their `sum()` or `mean()`, or take `vjp` with weights, or `jacrev` for all the rows.")
    message = failure.raised.message
    return Diagnosis(
        kind="not_scalar",
        title="The gradient of a function that gives several numbers",
        message=message,
        lines=lines,
        story=tuple(story),
        events={"raised": failure.number},
        cause="function_not_scalar",
        names=named(function=named_here[0].name if named_here else None),
    )


def unparsed(node: ast.Assign) -> str:
    return ast.unparse(node.value)


def gradient_shape(world: World, failure: Failure) -> Diagnosis | None:
    tensor = root(world, failure)
    if tensor is None:
        return None
    shapes = re.findall(r"torch\.Size\((\[[\d, ]*\])\)", failure.raised.message)
    given = shapes[0] if shapes else "another shape"
    story = (
        f"{called(world, tensor.number)}, made {on(tensor.place.line)}, has the shape {list(tensor.shape)}.",
        f"The gradient to start from must say for each of its entries how much it counts, so it needs that shape. The "
        f"one given {on(failure.raised.line)} has {given}.",
    )
    lines: dict[str, int | None] = {"built": tensor.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": tensor.made}
    name = weights_name(world, failure)
    weighing = stands_for(world, name) or enclosed(world, name) if name is not None else None
    if weighing is not None:
        lines["saved"], events["saved"] = weighing.place.line, weighing.made
    return Diagnosis(
        kind="shape",
        title="A gradient of another shape",
        message=failure.raised.message,
        lines=lines,
        story=story,
        nodes=() if tensor.node is None else (tensor.node,),
        events=events,
        cause="gradient_shape",
        names=named(root=label(world, tensor.number), weights=name),
    )


def enclosed(world: World, name: str) -> TensorState | None:
    """The tensor that `name` stands for in a function that has ended and left another function behind."""
    return next((state for state in reversed(world.tensors.values()) if state.alive and state.called == name), None)


def weights_name(world: World, failure: Failure) -> str | None:
    """The name of the gradients given to the call, if they have one: what its line names besides roots and inputs."""
    for written in calls_in(statement(world, failure)):
        given = weights(written) if callee(written) in ("backward", "grad") else None
        if isinstance(given, ast.Name | ast.Attribute):
            return ast.unparse(given)
    call = call_of(world, failure)
    known = set() if call is None else {*call.roots, *call.inputs}
    found = [name for name, tensor in mentioned(world, statement(world, failure)) if tensor.number not in known]
    return found[-1] if found else None


def batched(world: World, failure: Failure) -> Diagnosis | None:
    """`is_grads_batched` takes the first dimension of the gradients for a batch of them."""
    found = [tensor for _, tensor in mentioned(world, statement(world, failure))]
    start = next((tensor for tensor in found if tensor.node is not None), None)
    given = [tensor for tensor in found if tensor is not start and (start is None or tensor.shape == start.shape)]
    if start is None:
        return None
    lines: dict[str, int | None] = {"built": start.place.line, "raised": failure.raised.line}
    events = {"raised": failure.number, "built": start.made}
    story = [f"{called(world, start.number)}, made {on(start.place.line)}, has the shape {list(start.shape)}."]
    if given:
        lines["saved"], events["saved"] = given[-1].place.line, given[-1].made
        story.append(
            f"With `is_grads_batched=True`, {called(world, given[-1].number)} of shape {list(given[-1].shape)}, made "
            f"{on(given[-1].place.line)}, is read as {given[-1].shape[0] if given[-1].shape else 'several'} gradients, "
            "one a row."
        )
    story.append("Each of them would have to have the shape of the output, so the first dimension is one too many.")
    return Diagnosis(
        kind="shape",
        title="One gradient read as a batch of them",
        message=failure.raised.message,
        lines=lines,
        story=tuple(story),
        nodes=() if start.node is None else (start.node,),
        events=events,
        cause="batched",
        names=named(root=label(world, start.number), weights=name_of(world, given[-1]) if given else None),
    )
