"""The expression way in: a line such as `sin(x*y) + x**2` is enough; its free names become leaves with values.

Whether the leaves are numbers, vectors or matrices is found by trying: numbers first, larger shapes where `@` asks for
them or where numbers do not work.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gradreel.trace.events import Printed

from .builtins.namespace import BUILTINS
from .limits import Limits
from .runner import run
from .torch_module.namespace import SPACES

Shape = tuple[int, ...]
Numbers = float | list["Numbers"]

LONGEST = 500
ATTEMPTS = 120
QUICK = Limits(steps=20_000, seconds=0.5)
MODULES = {
    "torch": "import torch",
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
    "math": "import math",
}
CONSTANTS = {"pi": "torch.pi", "inf": "torch.inf", "nan": "torch.nan"}

SCALARS = (2.0, 3.0, 0.5, -1.0, 1.5, -2.0)
ENTRIES = (1.0, -2.0, 3.0, 0.5, 2.0, -1.0, 1.5, -0.5, 2.5)

ANYWHERE: tuple[Shape, ...] = ((), (3,), (2, 3))
MATRIX_LEFT: tuple[Shape, ...] = ((2, 3), (3, 3), (2, 2), (3,))
MATRIX_RIGHT: tuple[Shape, ...] = ((3, 2), (3, 3), (2, 2), (3,))
VECTOR: tuple[Shape, ...] = ((3,), (2,), (3, 3), (2, 3), (3, 2))
"""What to try beside `@`: a capital letter stands for a matrix."""


@dataclass(frozen=True)
class Leaf:
    """A free name of the expression and the value it begins with: a number or nested lists."""

    name: str
    value: Numbers


@dataclass(frozen=True)
class Expression:
    """`text` as typed, its leaves in order of appearance, the `source` it stands for.

    `ones`: the result is no scalar, and is backpropagated with ones.
    """

    text: str
    leaves: tuple[Leaf, ...]
    source: str
    ones: bool
    formula: str
    imports: tuple[str, ...]

    def program(self, values: Mapping[str, Numbers]) -> str:
        """The program that is run for these values of the leaves; those not given keep theirs."""
        given = [Leaf(leaf.name, values.get(leaf.name, leaf.value)) for leaf in self.leaves]
        return program(self.formula, given, self.imports, self.ones)


def propose_expression(text: str) -> Expression | None:
    """The expression that `text` is, or None if it is a program (or nothing that can be run)."""
    tree = single_expression(text)
    if tree is None:
        return None
    names = Names(tree)
    if not names.free or names.strange:
        return None
    formula = ast.unparse(Spelled(names).visit(tree))
    imports = tuple(line for module, line in MODULES.items() if module == "torch" or module in names.modules)
    shapes, ones = shapes_that_work(formula, names, imports)
    leaves = tuple(Leaf(name, value_of(shape, nr)) for nr, (name, shape) in enumerate(shapes.items()))
    source = program(formula, leaves, imports, ones)
    return Expression(text.strip(), leaves, source, ones, formula, imports)


def single_expression(text: str) -> ast.expr | None:
    """The syntax tree, if the text is one expression, with or without a name for its result."""
    if len(text) > LONGEST:
        return None
    try:
        body = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if len(body) != 1:
        return None
    match body[0]:
        case ast.Expr(value=value) | ast.Assign(targets=[ast.Name()], value=value):
            return value
    return None


ACTIONS = ("print", "open", "exit", "quit")
"""What makes a line a program, however short."""


class Names(ast.NodeVisitor):
    """What the names of an expression are: leaves (`free`), functions of torch, modules, or `strange`."""

    def __init__(self, tree: ast.expr) -> None:
        self.free: dict[str, tuple[Shape, ...]] = {}
        self.functions: dict[str, str] = {}
        self.modules: set[str] = set()
        self.strange: list[str] = []
        self.inner: set[str] = set()
        self.visit(tree)
        seen: dict[str, tuple[int, int]] = {}
        for part in ast.walk(tree):
            if isinstance(part, ast.Name):
                at = part.lineno, part.col_offset
                seen[part.id] = min(at, seen.get(part.id, at))
        self.free = dict(sorted(self.free.items(), key=lambda item: seen[item[0]]))

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id not in self.inner:
            self.function(node.func.id)
        else:
            self.visit(node.func)
        for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(part)

    def function(self, name: str) -> None:
        """Functions are torch's, or else of torch.nn.functional, or Python's own but for those that only speak."""
        for prefix, space in (("torch", "torch"), ("F", "torch.nn.functional")):
            if name in SPACES[space].table:
                self.functions[name] = prefix
                self.modules.add(prefix)
                return
        if name not in BUILTINS or name in ACTIONS:
            self.strange.append(name)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            self.prefer(node.left, MATRIX_LEFT)
            self.prefer(node.right, MATRIX_RIGHT)
        self.generic_visit(node)

    def prefer(self, node: ast.expr, shapes: tuple[Shape, ...]) -> None:
        if isinstance(node, ast.Name) and node.id not in self.free:
            self.free[node.id] = shapes if node.id[0].isupper() else VECTOR

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.strange.append("lambda")

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.strange.append("for")

    visit_Await = visit_Yield = visit_NamedExpr = visit_Lambda  # type: ignore[assignment]

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in MODULES:
            self.modules.add(node.id)
        elif node.id in BUILTINS or node.id.startswith("__"):
            self.strange.append(node.id)
        elif node.id not in CONSTANTS:
            self.free.setdefault(node.id, ANYWHERE)


class Spelled(ast.NodeTransformer):
    """Writes functions and constants with the module they come from."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.names.functions:
            owner = ast.Name(self.names.functions[node.func.id], ast.Load())
            node.func = ast.Attribute(owner, node.func.id, ast.Load())
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in CONSTANTS:
            return ast.Attribute(ast.Name("torch", ast.Load()), node.id, ast.Load())
        return node


# ---- shapes


def attempts(names: Names) -> Iterator[dict[str, Shape]]:
    """Shapes for all leaves, the simplest first."""
    choices = [range(len(shapes)) for shapes in names.free.values()][:6]
    every = itertools.islice(itertools.product(*choices), 2_000)
    for picked in itertools.islice(sorted(every, key=sum), ATTEMPTS):
        padded = (*picked, *[0] * (len(names.free) - len(picked)))
        yield {name: shapes[nr] for (name, shapes), nr in zip(names.free.items(), padded, strict=True)}


def shapes_that_work(formula: str, names: Names, imports: tuple[str, ...]) -> tuple[dict[str, Shape], bool]:
    """The first shapes with which the expression can be computed, and whether its result is no scalar."""
    first: dict[str, Shape] | None = None
    for shapes in attempts(names):
        first = first or shapes
        leaves = [Leaf(name, value_of(shape, nr)) for nr, (name, shape) in enumerate(shapes.items())]
        trace = run(forward(formula, leaves, imports) + "print(result.numel())\n", mode="script", limits=QUICK)
        if trace.outcome.kind == "finished":
            printed = [event.text for event in trace.events if isinstance(event, Printed)]
            return shapes, "".join(printed).strip() != "1"
        if trace.outcome.kind != "raised":
            break
    return first or {}, False


def value_of(shape: Shape, nr: int) -> Numbers:
    """Simple numbers, different for each leaf."""
    if not shape:
        return SCALARS[nr % len(SCALARS)]
    taken = itertools.islice(itertools.cycle(ENTRIES), nr, None)

    def fill(rest: Shape) -> Numbers:
        return next(taken) if not rest else [fill(rest[1:]) for _ in range(rest[0])]

    return fill(shape)


# ---- source


def forward(formula: str, leaves: list[Leaf] | tuple[Leaf, ...], imports: tuple[str, ...]) -> str:
    lines = [*imports, ""]
    lines += [f"{leaf.name} = torch.tensor({number_text(leaf.value)}, requires_grad=True)" for leaf in leaves]
    return "\n".join([*lines, f"result = {formula}", ""])


def program(formula: str, leaves: list[Leaf] | tuple[Leaf, ...], imports: tuple[str, ...], ones: bool) -> str:
    back = (
        "result.backward(torch.ones_like(result))  # not a scalar: every entry counts once"
        if ones
        else "result.backward()"
    )
    return f"{forward(formula, leaves, imports)}{back}\n"


def number_text(value: Numbers) -> str:
    """The value as source text, a float in every place."""
    if isinstance(value, list):
        return f"[{', '.join(map(number_text, value))}]"
    return repr(float(value)) if abs(float(value)) != float("inf") and value == value else f"float('{value}')"
