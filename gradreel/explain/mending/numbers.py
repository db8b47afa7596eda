"""Mends for graphs that ended where plain numbers, places or steps were taken out of tensors."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator

from ..calls import callee
from ..fixes.edits import ATOMS, enclosing, enumerated, grouped, stack_statements
from ..fixes.proposal import Proposal, Wanted
from ..fixes.registry import fix
from ..fixes.text import Edit, Text, names_in, targets
from ..source import is_simple

STAYS = "the graph stays, and the gradient goes on back"
OUT = frozenset(("item", "tolist", "numpy", "detach", "cpu"))


def from_tensors(wanted: Wanted) -> Iterator[Proposal]:
    """torch.tensor over tensors becomes torch.stack; over one tensor, the tensor itself."""
    text = wanted.text
    for role in ("cut", "built"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "Tensor", "FloatTensor"):
            if not call.args:
                continue
            given = call.args[0]
            cost = "the graph of every entry stays"
            if isinstance(given, ast.List | ast.Tuple):
                title = f"torch.stack instead of torch.{callee(call)} on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.stack({stacked(text, given)})"))
                title = f"torch.cat instead of torch.{callee(call)} on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.cat({text.get(given)})"))
            else:
                title = f"torch.stack instead of torch.{callee(call)} on line {call.lineno}"
                shown = text.get(given)
                listed = shown if f"{shown}.append(" in text.source else f"list({shown})"
                yield wanted.proposal(title, cost, text.replaced(call, f"torch.stack({listed})"))
                title = f"use the tensor itself on line {call.lineno}"
                yield wanted.proposal(title, cost, text.replaced(call, grouped(text, given)))


def stacked(text: Text, given: ast.List | ast.Tuple) -> str:
    """A list of tensors and lists of them, each list stacked; plain numbers are made tensors."""
    parts = []
    for part in given.elts:
        if isinstance(part, ast.List | ast.Tuple):
            parts.append(f"torch.stack({stacked(text, part)})")
        elif isinstance(part, ast.Constant) or (
            isinstance(part, ast.UnaryOp) and isinstance(part.operand, ast.Constant)
        ):
            parts.append(f"torch.tensor({float(ast.literal_eval(part))})")
        else:
            parts.append(text.get(part))
    return f"[{', '.join(parts)}]"


def gradient_kept(wanted: Wanted, call: ast.Call) -> Iterator[Edit]:
    """What replaces a leaf that `call` made is a result, which keeps its gradient only if it is asked to."""
    statement, leaf = wanted.at("built"), wanted.name("leaf")
    reads = re.search(rf"\b{re.escape(leaf)}\.grad\b", wanted.text.source) if leaf else None
    if isinstance(statement, ast.Assign) and statement.value is call and leaf in targets(statement) and reads:
        yield wanted.text.after(statement, [f"{leaf}.retain_grad()"])


def without_numbers(wanted: Wanted) -> Iterator[Proposal]:
    """`.item()`, `.tolist()`, `.numpy()` are left out, and what wraps the numbers again with them."""
    text = wanted.text
    cost = STAYS
    source = wanted.name("source")
    for role in ("built", "cut"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor"):
            inner = Plain().visit(ast.parse(text.get(call.args[0]), mode="eval").body) if call.args else None
            computed = inner is not None and any(map(is_of_numpy, ast.walk(inner)))
            if source is not None and not computed:
                yield wanted.proposal(
                    f"use {source} itself on line {call.lineno}",
                    cost,
                    text.replaced(call, source),
                    *gradient_kept(wanted, call),
                )
            if inner is not None:
                shown = ast.unparse(inner)
                if isinstance(inner, ast.List | ast.ListComp | ast.Tuple | ast.GeneratorExp):
                    shown = f"torch.stack({shown})"
                elif not isinstance(inner, ATOMS):
                    shown = f"({shown})"
                yield wanted.proposal(f"use the tensor itself on line {call.lineno}", cost, text.replaced(call, shown))
    cut = wanted.at("cut")
    edits = []
    for call in text.calls(cut, *OUT):
        if isinstance(call.func, ast.Attribute):
            edits.append(text.replaced(call, ast.unparse(Plain().visit(ast.parse(text.get(call), mode="eval").body))))
    for call in text.calls(cut, "float"):
        if isinstance(call.func, ast.Name) and len(call.args) == 1:
            edits.append(text.replaced(call, f"({text.get(call.args[0])})"))
    for edit in edits[:1]:
        assert cut is not None
        yield wanted.proposal(f"keep the tensor on line {cut.lineno}", cost, edit)
        rewraps = [call for call in text.calls(wanted.at("built"), "tensor", "as_tensor", "stack") if call.args]
        for call in rewraps:
            if call.lineno != cut.lineno:
                given = text.get(call.args[0])
                for made in (given, f"torch.stack({given})"):
                    yield wanted.proposal(
                        f"keep the tensor on line {cut.lineno} and use it on line {call.lineno}",
                        cost,
                        edit,
                        text.replaced(call, made),
                    )


def tensor_beside(wanted: Wanted) -> Iterator[Proposal]:
    """What an object or a dict keeps as a number stays a tensor beside it: `kl = ...` before `meter.log(kl=kl)`."""
    text, built, number = wanted.text, wanted.at("built"), wanted.name("number")
    if built is None or number is None:
        return
    uses = [part for part in text.parts(built, ast.expr) if ast.unparse(part) == number]
    source, name = wanted.name("source"), re.findall(r"\w+", number)[-1]
    if source is not None and source in text.source:
        title = f"use {source} itself on line {built.lineno}"
        yield wanted.proposal(title, STAYS, *(text.replaced(use, source) for use in uses))
    kept = wanted.beside("cut", built)
    given = handed_over(text, kept, name) if kept is not None else None
    if kept is None or given is None or not name.isidentifier():
        return
    if isinstance(given, ast.Name):
        name, edits = given.id, []
    else:
        known = any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(text.tree))
        name = f"{name}_tensor" if known else name
        edits = [text.before(kept, [f"{name} = {text.get(given)}"]), text.replaced(given, name)]
    title = f"keep the number on line {kept.lineno}, and use the tensor that it is taken from, on line {built.lineno}"
    yield wanted.proposal(title, STAYS, *edits, *(text.replaced(use, name) for use in uses))


def handed_over(text: Text, statement: ast.stmt, name: str) -> ast.expr | None:
    """The tensor that `statement` hands over as `name`, by keyword or in a dict, or as all that it hands over."""
    words = [word.value for word in text.parts(statement, ast.keyword) if word.arg == name]
    for entries in text.parts(statement, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in entries.keys]
        words += [value for key, value in zip(keys, entries.values, strict=True) if key == name]
    call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if not words and isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
        words = list(call.args)
    given = words[0] if len(words) == 1 else None
    if (
        isinstance(given, ast.Call)
        and callee(given) in OUT
        and not given.args
        and isinstance(given.func, ast.Attribute)
    ):
        return given.func.value
    float_of = isinstance(given, ast.Call) and callee(given) == "float" and len(given.args) == 1
    return given.args[0] if float_of else given  # type: ignore[union-attr]


def all_kept(wanted: Wanted) -> Iterator[Proposal]:
    """A function that takes numbers out in several places keeps tensors in all of them, and what made a tensor of its
    result on the way takes it as it is."""
    text, cut = wanted.text, wanted.at("cut")
    home = enclosing(text, cut, ast.FunctionDef) if cut is not None else None
    if home is None:
        return
    calls = [call for call in text.parts(home, ast.Call) if callee(call) in OUT and not call.args]
    taken = [call for call in calls if isinstance(call.func, ast.Attribute)]
    way = [call for part in stack_statements(wanted, "cut") for call in text.calls(part, "tensor", "as_tensor")]
    ways = [call for call in dict.fromkeys(way) if call.args and not isinstance(call.args[0], ast.List)]
    if not ways and len(taken) < 2:
        return
    edits = [text.replaced(call, text.get(call.func.value)) for call in taken if isinstance(call.func, ast.Attribute)]
    edits += [text.replaced(call, grouped(text, call.args[0])) for call in ways]
    lines = sorted({call.lineno for call in (*taken, *ways)})
    title = f"keep the tensors on line{'s' if len(lines) > 1 else ''} {enumerated([str(line) for line in lines])}"
    yield wanted.proposal(title, STAYS, *edits)


def is_of_numpy(node: ast.AST) -> bool:
    """Whether `node` computes with numpy."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("np.", "numpy."))


def tensors_listed(wanted: Wanted) -> Iterator[Proposal]:
    """A list gets the tensors themselves, where `.item()` was appended, and is stacked where it became a tensor."""
    text = wanted.text
    for role in ("built", "cut"):
        for call in text.calls(wanted.at(role), "tensor", "as_tensor", "Tensor", "FloatTensor"):
            name = text.get(call.args[0]) if call.args else ""
            edits = without_items(text, name)
            if edits:
                title = f"keep the tensors in {name} and stack them, on line {call.lineno}"
                yield wanted.proposal(title, STAYS, *edits, text.replaced(call, f"torch.stack({name})"))


def without_items(text: Text, name: str) -> list[Edit]:
    """`name.append(x.item())` becomes `name.append(x)`, wherever it stands."""
    return [
        text.replaced(item, grouped(text, item.func.value))
        for adding in ast.walk(text.tree)
        if isinstance(adding, ast.Call) and text.get(adding.func) == f"{name}.append"
        for item in adding.args
        if isinstance(item, ast.Call) and callee(item) == "item" and isinstance(item.func, ast.Attribute)
    ]


def called_numpy(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and callee(node) in ("numpy", "from_numpy")


class Plain(ast.NodeTransformer):
    """An expression without the calls that take numbers out of tensors."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in OUT and not node.args:
            return node.func.value
        if isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1:
            return node.args[0]
        return node


NAMED_ELSE = {"concatenate": "cat", "clip": "clamp", "power": "pow", "absolute": "abs", "arctan": "atan"}
"""What torch calls otherwise than numpy."""
LIMITS = {"maximum": "min", "minimum": "max"}
"""What is a limit of torch's clamp, where it is taken with a number."""


class InTorch(ast.NodeTransformer):
    """An expression with torch's functions for numpy's, and with nothing taken out of tensors or put into them."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return node
        owner, name = ast.unparse(node.func.value), node.func.attr
        if name in OUT and not node.args or name == "astype":
            return node.func.value
        if (
            name in ("from_numpy", "as_tensor", "tensor")
            and owner == "torch"
            and not isinstance(node.args[0], ast.List)
        ):
            return node.args[0]
        if owner in ("np", "numpy") and name == "convolve" and len(node.args) > 1:
            return convolved(node)
        if (
            owner in ("np", "numpy")
            and name in LIMITS
            and len(node.args) == 2
            and isinstance(node.args[1], ast.Constant)
        ):
            bound = ast.keyword(LIMITS[name], node.args[1])
            return ast.Call(ast.Attribute(ast.Name("torch"), "clamp"), node.args[:1], [bound])
        if owner in ("np", "numpy"):
            node.func = ast.Attribute(ast.Name("torch"), NAMED_ELSE.get(name, name))
        elif owner in ("np.linalg", "numpy.linalg"):
            node.func = ast.Attribute(ast.Attribute(ast.Name("torch"), "linalg"), name)
        else:
            return node
        for word in node.keywords:
            word.arg = {"axis": "dim", "keepdims": "keepdim"}.get(word.arg or "", word.arg)
        return node


def convolved(call: ast.Call) -> ast.expr:
    """`np.convolve(a, v, mode)` in torch, whose convolutions take a batch of channels and do not turn the kernel."""
    row, kernel = (ast.unparse(part) for part in call.args[:2])
    modes = [part for part in (*call.args[2:], *(word.value for word in call.keywords if word.arg == "mode"))]
    mode = ast.literal_eval(modes[0]) if modes and isinstance(modes[0], ast.Constant) else "full"
    padding = f"len({kernel}) - 1" if mode == "full" else repr(mode)
    turned = f"torch.as_tensor({kernel}).flip(0)[None, None]"
    made = f"torch.nn.functional.conv1d({row}[None, None], {turned}, padding={padding})[0, 0]"
    return ast.parse(made, mode="eval").body


def in_torch(wanted: Wanted) -> Iterator[Proposal]:
    """Where the numbers go through numpy and back, and in the functions that are called there, torch computes."""
    text = wanted.text
    homes = [statement for role in ("cut", "built") if (statement := wanted.at(role)) is not None]
    homes += [function for home in homes if (function := enclosing(text, home, ast.FunctionDef)) is not None]  # type: ignore[misc]
    taken = set().union(*map(targets, homes))  # arrays, which a later line makes a tensor of
    homes += [
        statement
        for statement in ast.walk(text.tree)
        if isinstance(statement, ast.Assign) and callee(statement.value) == "from_numpy" and taken & names_in(statement)
    ]
    functions = [node for node in ast.walk(text.tree) if isinstance(node, ast.FunctionDef)]
    names = {callee(call) for home in homes for call in ast.walk(home) if isinstance(call, ast.Call)}
    edits = []
    for home in dict.fromkeys([*homes, *(function for function in functions if function.name in names)]):
        for part in [home] if is_simple(home) else [node for node in ast.walk(home) if is_simple(node)]:
            made = (
                ast.unparse(InTorch().visit(ast.parse(ast.unparse(part)).body[0]))
                if not isinstance(part, ast.Return)
                else "return " + ast.unparse(InTorch().visit(copy.deepcopy(part_value(part))))
            )
            if made != ast.unparse(part):
                edits.append(text.replaced(part, made))
    if edits and any(is_of_numpy(node) or called_numpy(node) for home in homes for node in ast.walk(home)):
        title = "compute with torch instead of numpy"
        yield wanted.proposal(title, STAYS, *dict.fromkeys(edits))


def part_value(part: ast.Return) -> ast.expr:
    return ast.parse(ast.unparse(part.value), mode="eval").body if part.value is not None else ast.Constant(None)


# ---- numbers that are too coarse


SINGLE = ("torch.float32", "torch.float")


@fix(coarse_steps=1)
def in_double(wanted: Wanted) -> Iterator[Proposal]:
    """All numbers with a point are of float64."""
    text = wanted.text
    rest = [statement for statement in text.tree.body if not isinstance(statement, ast.Import | ast.ImportFrom)]
    asked = [node for node in ast.walk(text.tree) if isinstance(node, ast.Attribute) and text.get(node) in SINGLE]
    edits = [text.replaced(node, "torch.float64") for node in asked]
    if rest:
        added = text.before(rest[0], ["torch.set_default_dtype(torch.float64)"])
        yield wanted.proposal(f"compute in float64, from line {rest[0].lineno} on", "twice the memory", added, *edits)
