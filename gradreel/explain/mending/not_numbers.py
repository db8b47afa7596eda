"""Mends for NaN: inputs that stay where a slope is finite, and the same formula written so that nothing overflows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import called, keyword
from .common import enclosing
from .proposal import FREE, Proposal, Wanted
from .text import names_in, targets


def nan_born(wanted: Wanted) -> Iterator[Proposal]:
    """The function gets an input at which its slope is finite."""
    text = wanted.text
    statement = wanted.at("built")
    if statement is None:
        return
    for call in text.calls(statement, "where"):
        if len(call.args) != 3:
            continue
        condition = text.get(call.args[0])
        for place, branch in enumerate(call.args[1:]):
            for inner in ast.walk(branch):
                if isinstance(inner, ast.Call) and called(inner) in RISKY:
                    given = (
                        inner.args[0]
                        if inner.args
                        and isinstance(inner.func, ast.Attribute)
                        and ast.unparse(inner.func.value) in ("torch", "F", "math")
                        else (inner.func.value if isinstance(inner.func, ast.Attribute) else None)
                    )
                    if given is None:
                        continue
                    inside = "{0}, 1.0" if place == 0 else "1.0, {0}"
                    pair = inside.format(text.get(given))
                    if place == 1:
                        pair = f"torch.ones_like({text.get(given)}), {text.get(given)}"
                    made = f"torch.where({condition}, {pair})"
                    title = f"a safe input for {called(inner)} where its branch is not taken"
                    yield wanted.proposal(title, FREE, text.replaced(given, made))
    for call in text.calls(statement, *RISKY):
        given = (
            call.args[0]
            if call.args and not isinstance(call.func, ast.Name) and ast.unparse(call.func).startswith(("torch", "F."))
            else call.func.value
            if isinstance(call.func, ast.Attribute)
            else None
        )
        if given is not None:
            title = f"keep the input of {called(call)} away from 0"
            made = f"({text.get(given)} + 1e-12)"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(given, made))
            made = f"({text.get(given)}).clamp(min=1e-12)"
            yield wanted.proposal(title, "the gradient is 0 below", text.replaced(given, made))
    yield from safe_numbers(wanted, statement)
    yield from shifted_exponents(wanted)
    yield from spread_of_one(wanted)
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and called(node) == "log" and node.args:
            found = softplus(node.args[0])
            if found is not None:
                made = f"torch.nn.functional.softplus({text.get(found)})"
                yield wanted.proposal("softplus, which is this function made safe", FREE, text.replaced(node, made))


BOUNDED = ("acos", "asin", "arccos", "arcsin", "atanh")
"""Functions whose slope is infinite at -1 and 1."""


def safe_numbers(wanted: Wanted, statement: ast.stmt) -> Iterator[Proposal]:
    """Bounds that no value reaches, for what is steep at the ends; a large number for minus infinity."""
    text = wanted.text
    for call in text.calls(statement, *BOUNDED):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        given = call.args[0] if call.args else owner
        if given is not None:
            made = f"({text.get(given)}).clamp(-1 + 1e-6, 1 - 1e-6)"
            title = f"keep the input of {called(call)} just inside -1 and 1"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(given, made))
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            made = f"({text.get(node.left)}).clamp(min=1e-12)"
            title = f"keep what is raised to a power on line {node.lineno} above 0"
            yield wanted.proposal(title, "the gradient is 0 below", text.replaced(node.left, made))
        if ast.unparse(node) in ("float('-inf')", "-float('inf')", "-torch.inf", "-math.inf", "-np.inf"):
            title = f"-1e9 instead of minus infinity on line {node.lineno}"  # type: ignore[attr-defined]
            yield wanted.proposal(title, "all entries count alike where all are masked", text.replaced(node, "-1e9"))  # type: ignore[arg-type]


RISKY = ("sqrt", "log", "log2", "log10", "pow", "norm", "acos", "asin", "atan2", "reciprocal", "rsqrt", "log1p")


def softplus(node: ast.expr) -> ast.expr | None:
    """`x` of `1 + exp(x)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if (
                isinstance(one, ast.Constant)
                and one.value == 1
                and isinstance(other, ast.Call)
                and called(other) == "exp"
            ):
                return other.args[0] if other.args else None
    return None


# ---- exponentials that overflow


def shifted_exponents(wanted: Wanted) -> Iterator[Proposal]:
    """`exp(s) / exp(s).sum(1)` stays the same with the largest score taken off; `log(exp(s).sum(1))` has a name."""
    text, statement = wanted.text, wanted.at("built")
    if statement is None:
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and called(node) == "log" and (total := argument(node)) is not None:
            inner = summed(total)
            if inner is not None and called(inner[0]) == "exp" and (given := argument(inner[0])) is not None:
                made = (
                    f"torch.logsumexp({text.get(given)}, {inner[1] or 'tuple(range(' + text.get(given) + '.dim()))'})"
                )
                title = f"logsumexp on line {node.lineno}, which is this function made safe"
                yield wanted.proposal(title, FREE, text.replaced(node, made))
    block = text.block(statement)
    feeding = [s for s in block[: block.index(statement)] if targets(s) & names_in(statement)] + [statement]
    if not any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) for node in ast.walk(statement)):
        return
    exps = [(part, given) for part in feeding for call in text.calls(part, "exp") if (given := argument(call))]
    dims = [found[1] for part in feeding for node in ast.walk(part) if (found := summed(node)) and found[1]]
    if len({ast.dump(given) for _, given in exps}) != 1:
        return
    first, given = exps[0]
    name = text.get(given) if isinstance(given, ast.Name | ast.Attribute) else "scores"
    most = f"{name}.max(dim={dims[0]}, keepdim=True).values" if dims else f"{name}.max()"
    edits = [text.replaced(given, f"{name} - {most}") for _, given in exps]
    if name != text.get(given):
        edits.append(text.before(first, [f"{name} = {text.get(given)}"]))
    yield wanted.proposal("take the largest score off before exp: the quotient stays the same", FREE, *edits)


def argument(call: ast.Call) -> ast.expr | None:
    """What `torch.exp(x)` or `x.exp()` is the exponential of."""
    if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in MODULES:
        return call.func.value
    return call.args[0] if call.args else None


MODULES = ("torch", "F", "torch.nn.functional", "nn.functional", "torch.special", "math", "np", "numpy")


def summed(node: ast.AST) -> tuple[ast.Call, str | None] | None:
    """Of a sum what is summed, if that is a call, or the sum itself, and the dimension it says."""
    if not isinstance(node, ast.Call) or called(node) != "sum":
        return None
    owner = argument(node)
    rest = node.args[1:] if node.args and owner is node.args[0] else node.args
    named = keyword(node, "dim")
    given = named.value if named is not None else rest[0] if rest else None
    inner = owner if isinstance(owner, ast.Call) else node
    return inner, None if given is None else ast.unparse(given)


# ---- the spread of a single value


def spread_of_one(wanted: Wanted) -> Iterator[Proposal]:
    """The spread of one value has no answer with n - 1 below the line; with n it is 0, which nothing is divided by."""
    text, statement = wanted.text, wanted.at("built")
    within = enclosing(text, statement, ast.FunctionDef) if statement is not None else None
    for call in [node for node in ast.walk(within or text.tree) if isinstance(node, ast.Call)]:
        if called(call) in ("std", "var") and keyword(call, "unbiased") is None and keyword(call, "correction") is None:
            title = f"the spread over n values, and no division by 0, on line {call.lineno}"
            shown = text.get(call)
            if call.args or call.keywords:
                made = f"{shown[:-1].rstrip(', ')}, correction=0)"
            else:
                made = f"{shown[:-1]}correction=0)"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(call, f"({made} + 1e-6)"))
