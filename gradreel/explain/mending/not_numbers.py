"""Mends for NaN: inputs that stay where a slope is finite, and the same formula written so that nothing overflows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..calls import callee, keyword
from ..fixes.edits import enclosing, followed, grouped, loads, value_of
from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Text, names_in, targets
from .sizes import counted


@fix(nan=1, infinite=1)
def nan_born(wanted: Wanted) -> Iterator[Proposal]:
    """The function gets an input at which its slope is finite."""
    text = wanted.text
    statement = wanted.at("built")
    if statement is None:
        return
    if wanted.name("hidden") is not None:
        yield from numbers_first(wanted, statement)
        return
    yield from harmless_where_left_out(wanted, statement)
    yield from divisors(wanted, statement)
    for call in text.calls(statement, *RISKY):
        given = (
            call.args[0]
            if call.args and not isinstance(call.func, ast.Name) and ast.unparse(call.func).startswith(("torch", "F."))
            else call.func.value
            if isinstance(call.func, ast.Attribute)
            else None
        )
        if given is not None:
            if callee(call) == "pow" and call.args and isinstance(counted(call.args[-1]), int):
                continue  # a whole power has a slope everywhere: the trouble came from above
            if callee(call) == "norm":
                yield from norm_bounded(wanted, call)
                continue
            title = f"keep the input of {callee(call)} away from 0"
            argument_of = given in call.args
            made = f"{text.get(given)} + 1e-12" if argument_of else f"({text.get(given)} + 1e-12)"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(given, made))
            made = f"{grouped(text, given)}.clamp(min=1e-12)"
            yield wanted.proposal(title, "the gradient is 0 below", text.replaced(given, made))
    yield from safe_numbers(wanted, statement)
    yield from shifted_exponents(wanted)
    yield from spread_of_one(wanted)
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and callee(node) == "log" and node.args:
            found = softplus(node.args[0])
            if found is not None:
                made = f"torch.nn.functional.softplus({text.get(found)})"
                yield wanted.proposal("softplus, which is this function made safe", FREE, text.replaced(node, made))


def norm_bounded(wanted: Wanted, call: ast.Call) -> Iterator[Proposal]:
    """A length that something is divided by, or goes through, stays above 0."""
    text = wanted.text
    title = f"keep the norm on line {call.lineno} above 0"
    yield wanted.proposal(title, "slightly other numbers", followed(text, call, ".clamp(min=1e-6)"))


def numbers_first(wanted: Wanted, statement: ast.stmt) -> Iterator[Proposal]:
    """Numbers take the place of NaN before anything is computed with it."""
    text, hidden = wanted.text, wanted.name("hidden")
    names = sorted(names_in(statement) - targets(statement), key=lambda name: (name != hidden, name))
    for name in names:
        uses = loads(statement, name)
        if uses and name not in MODULES:
            title = f"0 in the place of NaN: torch.nan_to_num({name}) on line {statement.lineno}"
            edits = [text.replaced(use, f"torch.nan_to_num({name})") for use in uses]
            yield wanted.proposal(title, FREE, *edits)


def harmless_where_left_out(wanted: Wanted, statement: ast.stmt) -> Iterator[Proposal]:
    """The function of a branch of `where` gets 1 in the places that the branch is not taken for."""
    text = wanted.text
    for condition, branch, first in branches(text, statement):
        for inner in ast.walk(branch):
            given = argument(inner) if isinstance(inner, ast.Call) and callee(inner) in STEEP else None
            if given is not None:
                one = "1.0" if first else f"torch.ones_like({text.get(given)})"
                pair = f"{text.get(given)}, {one}" if first else f"{one}, {text.get(given)}"
                title = f"a safe input for {callee(inner)} where its branch is not taken"
                yield wanted.proposal(title, FREE, text.replaced(given, f"torch.where({condition}, {pair})"))


def branches(text: Text, statement: ast.stmt) -> Iterator[tuple[str, ast.expr, bool]]:
    """What `statement` computes for a branch of a `where`, of its own or of one that reads its name: the condition,
    the expression, whether it is the first branch."""
    value = value_of(statement)
    for call in [node for node in ast.walk(text.tree) if isinstance(node, ast.Call) and callee(node) == "where"]:
        if len(call.args) != 3:
            continue
        own = any(node is call for node in ast.walk(statement))
        for place, branch in enumerate(call.args[1:]):
            if own:
                yield text.get(call.args[0]), branch, place == 0
            elif value is not None and call.lineno > statement.lineno and names_in(branch) & targets(statement):
                yield text.get(call.args[0]), value, place == 0


def divisors(wanted: Wanted, statement: ast.stmt) -> Iterator[Proposal]:
    """What is divided by gets 1 in the place of 0."""
    text = wanted.text
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
            below = text.get(node.right)
            made = f"torch.where({grouped(text, node.right)} == 0, torch.ones_like({below}), {below})"
            title = f"1 in the place of a divisor that is 0, on line {node.lineno}"
            yield wanted.proposal(title, "other numbers where it is 0", text.replaced(node.right, made))


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
            title = f"keep the input of {callee(call)} just inside -1 and 1"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(given, made))
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and counted(node.right) is None:
            made = f"{grouped(text, node.left)}.clamp(min=1e-12)"
            title = f"keep what is raised to a power on line {node.lineno} above 0"
            yield wanted.proposal(title, "the gradient is 0 below", text.replaced(node.left, made))
        if ast.unparse(node) in ("float('-inf')", "-float('inf')", "-torch.inf", "-math.inf", "-np.inf"):
            title = f"-1e9 instead of minus infinity on line {node.lineno}"  # type: ignore[attr-defined]
            yield wanted.proposal(title, "all entries count alike where all are masked", text.replaced(node, "-1e9"))  # type: ignore[arg-type]


RISKY = ("sqrt", "log", "log2", "log10", "pow", "norm", "acos", "asin", "atan2", "reciprocal", "rsqrt", "log1p")
STEEP = (*RISKY, "exp", "exp2", "expm1", "sinh", "cosh", "tan", "lgamma", "digamma", "atanh", "acosh")
"""Functions that have no slope somewhere, or one that is infinite."""


def softplus(node: ast.expr) -> ast.expr | None:
    """`x` of `1 + exp(x)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if (
                isinstance(one, ast.Constant)
                and one.value == 1
                and isinstance(other, ast.Call)
                and callee(other) == "exp"
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
        if isinstance(node, ast.Call) and callee(node) == "log" and (total := argument(node)) is not None:
            inner = summed(total)
            if inner is not None and callee(inner[0]) == "exp" and (given := argument(inner[0])) is not None:
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
    if not isinstance(node, ast.Call) or callee(node) != "sum":
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
        if callee(call) in ("std", "var") and keyword(call, "unbiased") is None and keyword(call, "correction") is None:
            title = f"the spread over n values, and no division by 0, on line {call.lineno}"
            shown = text.get(call)
            if call.args or call.keywords:
                made = f"{shown[:-1].rstrip(', ')}, correction=0)"
            else:
                made = f"{shown[:-1]}correction=0)"
            yield wanted.proposal(title, "slightly other numbers", text.replaced(call, f"({made} + 1e-6)"))
