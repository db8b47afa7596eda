"""Mends for a backward whose formula is wrong or missing: autograd goes back through what forward computes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import assigned_pairs
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix, reference
from ..fixes.text import Edit, Text, names_in
from .functions import method, own_class, returns, savings

TWICE = "what forward computes is computed twice; no second derivative goes through it"


@fix(
    gradient_ignored=2,
    saved_tuple=2,
    gradient_count=2,
    backward_no_return=2,
    withheld=3,
    empty_context=2,
    saved_too_few=2,
    own_backward=1,
    gradient_of_shape=2,
    wrong_formula=1,
    contract=8,
)
def by_autograd(wanted: Wanted) -> Iterator[Proposal]:
    """backward computes forward again from the saved arguments, recorded, and asks autograd for its gradients."""
    text, kind = wanted.text, own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    backward = method(kind, "backward") if kind is not None else None
    if forward is None or len(forward.args.args) < 2 or (backward is None and not missing(wanted)):
        return
    if backward is not None and returns(backward) and stands_in(forward):
        return
    ctx, *arguments = [arg.arg for arg in forward.args.args]
    last = forward.body[-1]
    steps = [statement for statement in forward.body[:-1] if ctx not in names_in(statement)]
    if not isinstance(last, ast.Return) or last.value is None:
        return
    if ctx in names_in(last):
        return
    plain = {arg.arg for arg in forward.args.args[len(forward.args.args) - len(forward.args.defaults) :]}
    kept = {name for name in arguments if kept_as_it_is(forward, ctx, name)}
    plain |= kept
    tensors = [name for name in arguments if name not in plain]
    if not tensors:
        return
    own = [f"{ctx}.{name} = {name}" for name in arguments if name in plain - kept]
    saving = [f"{ctx}.save_for_backward({', '.join(tensors)})", *own]
    old = [call for call in savings(text, forward) if isinstance(text.parents.get(call), ast.Expr)]
    edits = [text.replaced(call, saving[0]) for call in old[:1]]
    edits += [text.before(forward.body[0], saving[1:] if old else saving)] if own or not old else []
    came, taking = gradients_taken(text, backward, last.value)
    edits += taking
    lines = recomputed(text, ctx, came, arguments, tensors, steps, last.value)
    title = "let autograd go back through what forward computes"
    if backward is None:
        head = ["", "@staticmethod", f"def backward({ctx}, {came.strip('()')}):", *(f"    {line}" for line in lines)]
        yield wanted.proposal(title, TWICE, *edits, text.after(forward, head))
        return
    first, *rest = [statement for statement in backward.body if text.alone(statement)]
    lines = recomputed(text, backward.args.args[0].arg, came, arguments, tensors, steps, last.value)
    edits += [text.removed(statement) for statement in rest]
    indent = "\n" + text.indent(first)
    yield wanted.proposal(title, TWICE, *edits, text.replaced(first, indent.join(lines)))


def stands_in(forward: ast.FunctionDef) -> bool:
    """Whether forward hands on its argument as it is, or a step of it: then backward is no formula of a derivative, but
    stands in for one that is of no use, as where gradients are reversed, clipped or passed straight through."""
    last = forward.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    made = {ast.unparse(goal): given for goal, given in assigned_pairs(forward)}
    while isinstance(value, ast.Name) and value.id in made or callee(value) in AS_IT_IS:
        if isinstance(value, ast.Name):
            value = made.pop(value.id)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            value = value.func.value
        else:
            break
    if isinstance(value, ast.Name):
        return value.id in {arg.arg for arg in forward.args.args}
    return isinstance(value, ast.Compare) or callee(value) in STRAIGHT


AS_IT_IS = ("view_as", "clone", "contiguous", "float", "double", "to", "type_as")
STRAIGHT = ("round", "sign", "floor", "ceil", "trunc", "heaviside", "bernoulli", "argmax", "detach")
"""Where forward has steps, backward stands in for a derivative that says nothing, and is no formula of it."""


@reference
def with_autograd(wanted: Wanted) -> str | None:
    """The program with gradients that autograd computes, against which the formula of a backward can be held."""
    kind = own_class(wanted)
    forward = method(kind, "forward") if kind is not None else None
    if wanted.found.cause not in OF_FORMULA or forward is None:
        return None
    steps = [part for part in ast.walk(forward) if isinstance(part, ast.Compare)]
    calls = [part for part in ast.walk(forward) if isinstance(part, ast.Call) and callee(part) in STRAIGHT]
    if calls or steps or stands_in(forward):
        return None
    return next((one.source for one in by_autograd(wanted)), None)


OF_FORMULA = ("gradient_of_shape",)


def gradients_taken(text: Text, backward: ast.FunctionDef | None, value: ast.expr) -> tuple[str, list[Edit]]:
    """The gradients that come, one for each output of forward, and the edits that let backward take them all."""
    names = [arg.arg for arg in backward.args.args[1:]] if backward is not None else []
    many = len(value.elts) if isinstance(value, ast.Tuple) else 1
    if many == 1:
        return (names or ["grad"])[0], []
    if backward is None or not names:
        return "(*grads_of_outputs)", []
    if len(names) >= many or backward.args.vararg is not None:
        rest = [f"*{backward.args.vararg.arg}"] if backward.args.vararg is not None else []
        return f"({', '.join([*names[:many], *rest])})", []
    last = backward.args.args[-1]
    return f"({', '.join(names)}, *others)", [text.replaced(last, f"{last.arg}, *others")]


def missing(wanted: Wanted) -> bool:
    return "must implement either the backward" in wanted.found.message


def kept_as_it_is(forward: ast.FunctionDef, ctx: str, name: str) -> bool:
    """Whether forward puts the argument `name` on its context as it came: `ctx.k = k`."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and ast.unparse(node.targets[0].value) == ctx
        and ast.unparse(node.value) == name
        for node in ast.walk(forward)
    )


def recomputed(
    text: Text,
    ctx: str,
    came: str,
    arguments: list[str],
    tensors: list[str],
    steps: list[ast.stmt],
    value: ast.expr,
) -> list[str]:
    """The lines of such a backward."""
    wanted = f"({', '.join(tensors)}{',' if len(tensors) == 1 else ''})"
    grads = [f"grads[{tensors.index(name)}]" if name in tensors else "None" for name in arguments]
    return [
        f"{wanted[1:-1]} = (part.detach().requires_grad_() for part in {ctx}.saved_tensors)",
        *(f"{name} = {ctx}.{name}" for name in arguments if name not in tensors),
        "with torch.enable_grad():",
        *(f"    {line}" for step in steps for line in text.lines_of(step)),
        f"    result = {text.get(value)}",
        f"grads = torch.autograd.grad(result, {wanted}, {came}, allow_unused=True)",
        f"return {', '.join(grads)}",
    ]
