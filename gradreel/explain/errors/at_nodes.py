"""What went wrong in a node while a backward ran through it: no derivative, NaN, a hook that changed a shape."""

from __future__ import annotations

import ast
import re

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.failing_node import failing_node
from ..diagnostics.mentions import shown
from ..diagnostics.registry import rule
from ..narration.words import called, code, during, label, on
from ..replay.world import World

NONE = "is not implemented"
NAN = re.compile(r"^Function '(\w+)' returned nan values in its (\d+)\w\w output")
HOOK = re.compile(r"hook '(.+)' has changed the size of value")


OPERATORS = {
    "_cdist": "`torch.cdist`",
    "_pdist": "`torch.pdist`",
    "_scaled_dot_product": "`scaled_dot_product_attention`",
    "_ctc_loss": "`ctc_loss`",
    "_embedding_bag": "`embedding_bag`",
    "_thnn_fused": "a fused cell",
}
"""What programs call it, by how the name of the operator begins."""

AGAIN = re.compile(r"derivative for '?(?:aten::)?(\w+?)_backward'? is not implemented")
FORWARD_MODE = re.compile(r"^Trying to use forward AD with (?:aten::)?(\w+)")


@rule
def once_only(world: World, failure: Failure) -> Diagnosis | None:
    """A second derivative, or forward mode, through an operator for which PyTorch has a formula of the first alone."""
    message, line = failure.raised.message, failure.raised.line
    again, forward = AGAIN.search(message), FORWARD_MODE.match(message)
    found = again or forward
    if found is None:
        return None
    operator = next((shown for begin, shown in OPERATORS.items() if found.group(1).startswith(begin)), None)
    operator = operator or code(found.group(1))
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    own = [node for node in world.nodes.values() if node.op.partition(".")[0].startswith(found.group(1))]
    nodes = [node for node in own if not node.generation] or own
    if nodes:
        lines["built"], events["built"] = nodes[-1].place.line, nodes[-1].made
    where = f" of **line {nodes[-1].place.line}**" if nodes and nodes[-1].place.line != line else ""
    asked = "a second derivative" if again else "a derivative in forward mode"
    cause = "no_second_derivative" if again else "no_forward_derivative"
    numbers = tuple(node.number for node in nodes[-1:])
    return Diagnosis(
        title=f"{operator} has no second derivative" if again else f"{operator} has no forward derivative",
        message=message,
        lines=lines,
        story=(
            f"{code(shown(world, failure))} {on(line)} asks for {asked} through {operator}{where}.",
            f"PyTorch has a formula for the gradient of {operator}, and none for the gradient of that one."
            if again
            else f"PyTorch has a backward formula for {operator}, and none that goes forward.",
            "Written with smaller operators, which have both, it can be asked for.",
        ),
        nodes=numbers,
        events=events,
        cause=cause,
        names={"operator": found.group(1)},
    )


@rule
def no_derivative(world: World, failure: Failure) -> Diagnosis | None:
    """What the operator made that has none: the node that failed, wherever backward was asked for."""
    message, line = failure.raised.message, failure.raised.line
    if NONE not in message:
        return None
    node = failing_node(world, failure)
    users = [user for user in world.nodes.values() if node is not None and (node.number, 0) in user.edges]
    tensor = world.tensors.get(users[0].inputs[0]) if users and users[0].inputs else None
    lines: dict[str, int | None] = {"raised": line}
    events = {"raised": failure.number}
    name, where = "a tensor", on(line)
    made = tensor or node
    if node is not None and made is not None:
        lines["built"], events["built"] = made.place.line, made.made
        known = label(world, tensor.number) if tensor is not None else None
        name, where = code(known or world.source.text(made.place.line)), on(made.place.line)
    return Diagnosis(
        title="This operator has no derivative",
        message=message,
        lines=lines,
        story=(
            f"{name}, made {where}, comes from an operator that is constant in steps.",
            f"PyTorch has no gradient for it and says so when one is asked for: {code(shown(world, failure))} "
            f"{on(line)} does.",
            "Where it jumps there is no slope, and between the jumps the slope is 0.",
        ),
        nodes=() if node is None else (node.number,),
        events=events,
        cause="no_derivative",
    )


@rule
def nan_found(world: World, failure: Failure) -> Diagnosis | None:
    """Anomaly mode stopped at the first node whose gradients hold NaN."""
    message, line = failure.raised.message, failure.raised.line
    found = NAN.match(message)
    node = failing_node(world, failure)
    if found is None or node is None:
        return None
    return Diagnosis(
        title="NaN is born in the backward",
        message=message,
        lines={"built": node.place.line, "raised": line},
        story=(
            f"**{node.title}**, built {on(node.place.line)}{during(node.place)}, handed on NaN. Its slope is infinite "
            "or undefined at one of the values that it saved, or it was given infinity.",
            f"Anomaly mode looks at every gradient, and stops {code(shown(world, failure))} {on(line)} at the first "
            "NaN.",
            "What is multiplied by 0 later, as in the branch of `where` that is not taken, is no help: 0 · ∞ is NaN.",
        ),
        nodes=(node.number,),
        events={"raised": failure.number, "built": node.made},
        cause="nan",
    )


@rule
def hook_shaped(world: World, failure: Failure) -> Diagnosis | None:
    """A hook returned a gradient of another shape: whose gradient it is, and where the hook is written."""
    message = failure.raised.message
    changed = HOOK.match(message)
    if changed is None:
        return None
    name = changed.group(1)
    functions = [node for node in world.source.nodes if isinstance(node, ast.FunctionDef)]
    hook = next((node for node in functions if node.name == name), None)
    node = failing_node(world, failure)
    number = None if node is None else node.variable if node.variable is not None else (*node.outputs, None)[0]
    tensor = world.tensors.get(number) if number is not None else None
    lines: dict[str, int | None] = {"raised": failure.raised.line}
    events = {"raised": failure.number}
    story = []
    if hook is not None:
        lines["saved"] = hook.lineno
    who = f"{code(name)}, written {on(hook.lineno)}," if hook is not None else "A hook"
    if tensor is not None:
        lines["built"], events["built"] = tensor.place.line, tensor.made
        whose = f"{called(world, tensor.number)}, made {on(tensor.place.line)}, has the shape {list(tensor.shape)}"
        story.append(f"{whose}, and so has its gradient.")
    story.append(f"{who} gets that gradient on its way back, and what it returns takes its place.")
    story.append("It returned one of another shape; a hook may change the numbers of a gradient, not its shape.")
    return Diagnosis(
        kind="shape",
        title="A hook that changes the shape",
        message=message,
        lines=lines,
        story=tuple(story),
        nodes=() if node is None else (node.number,),
        events=events,
        cause="hook_shape",
    )
