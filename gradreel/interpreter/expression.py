"""The expression way in: a line such as `sin(x*y) + x**2` is enough; its free names become leaves with values.

Whether the leaves are numbers, vectors or matrices is found by trying: numbers first, larger shapes where `@` or a
function asks for them or where numbers do not work. So are their values: those with which the result is finite.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gradreel.trace.events import Printed

from .builtins.namespace import BUILTINS
from .limits import Limits
from .notation import PREFIX, Reading, Unreadable, call, read_notation, strip_head
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
CONSTANTS = {"pi": "torch.pi", "π": "torch.pi", "inf": "torch.inf", "nan": "torch.nan"}

SCALARS = (2.0, 3.0, 0.5, -1.0, 1.5, -2.0)
ENTRIES = (1.0, -2.0, 3.0, 0.5, 2.0, -1.0, 1.5, -0.5, 2.5)

ANYWHERE: tuple[Shape, ...] = ((), (3,), (2, 3))
MATRIX_LEFT: tuple[Shape, ...] = ((2, 3), (3, 3), (2, 2), (3,))
MATRIX_RIGHT: tuple[Shape, ...] = ((3, 2), (3, 3), (2, 2), (3,))
VECTOR: tuple[Shape, ...] = ((3,), (2,), (3, 3), (2, 3), (3, 2))
"""What to try beside `@`: a capital letter stands for a matrix."""
SQUARE: tuple[Shape, ...] = ((2, 2), (3, 3))
LIST: tuple[Shape, ...] = ((3,), (2, 3), ())
WANTED = {
    **dict.fromkeys("det inverse trace logdet slogdet matrix_exp cholesky".split(), SQUARE),
    **dict.fromkeys("softmax log_softmax logsumexp norm sum mean prod std var max min cumsum sort".split(), LIST),
}
"""What a function is of when it is of a name alone."""

ALIASES = {
    "mse": "mse_loss",
    "bce": "binary_cross_entropy",
    "σ": "sigmoid",
    "sigma": "sigmoid",
    "ln": "log",
    "sgn": "sign",
    "tr": "trace",
    "Tr": "trace",
    "inv": "inverse",
}
"""Functions as they are called elsewhere."""
RECIPROCALS = {"cot": "tan", "sec": "cos", "csc": "sin"}
ALONG = ("softmax", "log_softmax", "logsumexp", "softmin", "cumsum")
"""Functions that have to be told along which dimension: of a vector there is one."""
ROUND_NUMBERS = frozenset(("sqrt", "exp", "log", "sin", "cos", "tan", "log2", "log10"))
"""Functions that are Python's own where they are of a number: torch's are of tensors alone."""
NOT_AS_PYTHON = frozenset("^|")
"""Operators that formulas have for something else."""


@dataclass(frozen=True)
class Leaf:
    """A free name of the expression and the value it begins with: a number or nested lists."""

    name: str
    value: Numbers


@dataclass(frozen=True)
class Expression:
    """`text` as typed, its leaves in order of appearance, the `source` it stands for.

    `ones`: the result is no scalar, and is backpropagated with ones. `notes` say how it was read, `offers` are other
    expressions that may have been meant.
    """

    text: str
    leaves: tuple[Leaf, ...]
    source: str
    ones: bool
    formula: str
    imports: tuple[str, ...]
    notes: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()

    def program(self, values: Mapping[str, Numbers]) -> str:
        """The program that is run for these values of the leaves; those not given keep theirs."""
        given = [Leaf(leaf.name, values.get(leaf.name, leaf.value)) for leaf in self.leaves]
        return program(self.formula, given, self.imports, self.ones)


@dataclass(frozen=True)
class Hint:
    """What stands in the way of reading a line as an expression, and what may have been meant."""

    sentence: str
    offers: tuple[str, ...] = ()


def propose_expression(text: str) -> Expression | None:
    """The expression that `text` is, or None if it is a program (or nothing that can be run)."""
    try:
        reading = read(text)
        return expression_of(text, reading) if reading is not None else None
    except (Unreadable, RecursionError):
        return None


def hint_for(text: str) -> Hint | None:
    """Why a line that looks like a formula is no expression; None for a program."""
    try:
        read(text)
    except Unreadable as unreadable:
        if unreadable.sentence:
            return Hint(unreadable.sentence, (unreadable.offer,) if unreadable.offer else ())
    except RecursionError:
        return Hint("This formula goes too deep.")
    return None


def read(text: str) -> Reading | None:
    """An expression, read as Python or as a formula; None for a program.

    Raises:
        Unreadable: it looks like a formula, and cannot be read.
    """
    line = text.strip()
    if not line or "\n" in line or len(line) > LONGEST:
        return None
    module = parse_python(line)
    tree = single_expression(module) if module is not None else None
    if tree is not None and line.isascii() and NOT_AS_PYTHON.isdisjoint(line) and not is_formula(tree):
        return offer_products(tree, line)
    if tree is None and (module is not None or not FORMULA.search(line) or PROSE.search(line)):
        return None
    reading = read_notation(line, FUNCTIONS)
    refuse_others(reading.tree)
    said = ast.unparse(reading.tree)
    same = said.replace(" ", "") == line.replace(" ", "")
    return reading if same else reading._replace(notes=(f"Read as `{said}`.", *reading.notes))


def is_formula(tree: ast.expr) -> bool:
    """Whether Python's way of reading can not have been meant: a number or a letter is called, or what is unknown."""
    refuse_others(tree)
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    products = [func for func in called if not isinstance(func, ast.Name | ast.Attribute | ast.Lambda)]
    letters = [func for func in called if isinstance(func, ast.Name) and len(func.id) == 1]
    return bool(products or letters or Names(tree).unknown)


def refuse_others(tree: ast.expr) -> None:
    """What is no single formula.

    Raises:
        Unreadable: it is a pair, says whether something holds, or is a function of nothing.
    """
    if isinstance(tree, ast.Name) and tree.id in PREFIX:
        raise Unreadable(f"`{tree.id}` of what? Its argument is missing.", f"{tree.id}(x)")
    if isinstance(tree, ast.Tuple):
        raise Unreadable("These are several formulas. One at a time can be followed; a sum shows the slopes of all.")
    if isinstance(tree, ast.Compare):
        raise Unreadable("Whether something holds has no slope. `where(x > 0, …, …)` chooses by it.")


def parse_python(line: str) -> ast.Module | None:
    try:
        return ast.parse(line)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def single_expression(module: ast.Module) -> ast.expr | None:
    """The one expression that a module is, with or without a name for its result."""
    match module.body:
        case [ast.Expr(value=value)] | [ast.Assign(targets=[ast.Name()], value=value)]:
            return value
    return None


FORMULA = re.compile(rf"[\d+*/^=|()!\\$]|[^\x00-\x7f]|^\s*\w( \w)+\s*$|^\s*(?:{'|'.join(sorted(PREFIX))}) [\w(]")
"""What a line has that may be a formula."""
PROSE = re.compile(
    r"[;#\"]|:\s|\b[a-z]{4,} [a-z]{4,}\b|^\W*[A-Za-z]{2,}[!?.]*$|\?\s*$"
    r"|^\s*(?:import|from|def|class|for|while|if|with|print|return)\b"
)
"""What a line has that is none."""


def offer_products(tree: ast.expr, line: str) -> Reading:
    """A line of Python as it is; where a name of it is a product in formulas, as `xy`, that is offered."""
    try:
        product = read_notation(line, FUNCTIONS).tree
    except Unreadable:
        return Reading(tree)
    joined = sorted(names_in(tree) - names_in(product))
    if not joined:
        return Reading(tree)
    return Reading(tree, (f"`{joined[0]}` is one name here.",), (ast.unparse(product),))


def names_in(tree: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def expression_of(text: str, reading: Reading) -> Expression | None:
    """The expression that was read, with leaves that work."""
    translator = Translator(reading.tree)
    tree = ast.parse(ast.unparse(translator.visit(reading.tree)), mode="eval").body
    names = Names(tree)
    if not names.free or names.strange or names.unknown:
        return None
    formula = ast.unparse(Qualifier(names).visit(tree))
    imports = tuple(line for module, line in MODULES.items() if module == "torch" or module in names.modules)
    shapes, ones, finite = shapes_that_work(formula, names, imports)
    leaves, told = leaves_of(shapes, formula, imports, finite)
    source = program(formula, leaves, imports, ones)
    notes, offers = [*reading.notes, *translator.notes, *told], reading.offers
    if ones and is_flat(source, leaves):
        notes.append("The sum of its entries has no slope. One of them may have.")
    if ones:
        rank = printed_by(f"{forward(formula, leaves, imports)}print(result.dim())\n")
        entry = f"[{', '.join('0' * int(rank or 1))}]"
        line = strip_head(text).strip()
        called = isinstance(tree, ast.Call) and line.endswith(")")
        offers = (*offers, f"{line}{entry}" if called else f"({line}){entry}")
    return Expression(text.strip(), leaves, source, ones, formula, imports, tuple(notes), offers)


def leaves_of(
    shapes: dict[str, Shape], formula: str, imports: tuple[str, ...], finite: bool
) -> tuple[tuple[Leaf, ...], list[str]]:
    """Leaves with values at which the result is finite, if there are such; and what is to be said of them."""
    usual = tuple(Leaf(name, value_of(shape, nr)) for nr, (name, shape) in enumerate(shapes.items()))
    if finite or not usual:
        return usual, []
    for change in CHANGES:
        values = change([leaf.value for leaf in usual])
        leaves = tuple(Leaf(leaf.name, value) for leaf, value in zip(usual, values, strict=True))
        found = outcome_of(formula, leaves, imports)
        if found is not None and found[1]:
            begins = ", ".join(f"`{leaf.name} = {format_numbers(leaf.value)}`" for leaf in leaves)
            return leaves, [f"It begins with {begins}, where the result is a real number."]
    return usual, ["The result is not a finite number here: something is divided by zero, or is not defined."]


def map_numbers(value: Numbers, f: Callable[[float], float]) -> Numbers:
    return [map_numbers(part, f) for part in value] if isinstance(value, list) else round(f(value), 4)


CHANGES: tuple[Callable[[list[Numbers]], list[Numbers]], ...] = (
    lambda values: values[::-1] if not any(isinstance(value, list) for value in values) else values,
    lambda values: [map_numbers(value, lambda x: -x) for value in values],
    lambda values: [map_numbers(value, abs) for value in values],
    lambda values: [map_numbers(value, lambda x: x / 5) for value in values],
    lambda values: [map_numbers(value, lambda x: abs(x) / 5) for value in values],
    lambda values: [map_numbers(value, lambda x: abs(x) + 1) for value in values],
)
"""Other values to begin with, where the result is not finite."""


def format_numbers(value: Numbers) -> str:
    return f"[{', '.join(map(format_numbers, value))}]" if isinstance(value, list) else f"{value:g}"


def is_flat(source: str, leaves: tuple[Leaf, ...]) -> bool:
    """Whether all gradients are zero, but for what rounding leaves."""
    test = " and ".join(f"bool({leaf.name}.grad.abs().max() < 1e-6)" for leaf in leaves)
    return printed_by(f"{source}print({test})\n") == "True"


ACTIONS = ("print", "open", "exit", "quit")
METHODS = ("backward", "step", "zero_grad")
"""What makes a line a program, however short."""
FUNCTIONS = frozenset(
    name
    for space in ("torch", "torch.nn.functional")
    for name in SPACES[space].table
    if not name.startswith("_") and not name.endswith("_")
).difference(CONSTANTS) | frozenset((*ALIASES, *RECIPROCALS))
"""What can be called in a formula; what writes into its argument cannot, for that is a leaf."""


class Translator(ast.NodeTransformer):
    """Writes with torch's functions what formulas call otherwise: `max(x, 0)`, `ln(x)`, `softmax(x)`, `e**x`."""

    def __init__(self, tree: ast.expr) -> None:
        self.notes: list[str] = []
        named = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "e"]
        powers = [node.left for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
        self.euler = bool(named) and all(any(node is base for base in powers) for node in named)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if self.euler and isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Name) and node.left.id == "e":
            return call("exp", self.visit(node.right))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        name = node.func.id
        if name in RECIPROCALS:
            return ast.BinOp(ast.Constant(1), ast.Div(), call(RECIPROCALS[name], *node.args))
        node.func.id = name = ALIASES.get(name, name)
        if name in ALONG and len(node.args) == 1 and not node.keywords:
            self.notes.append(f"`{name}` goes along a dimension: the first, `dim=0`.")
            node.keywords = [ast.keyword("dim", ast.Constant(0))]
        if name in ("max", "min") and len(node.args) > 1 and not node.keywords:
            return functools.reduce(functools.partial(extreme, name), node.args)
        return node


def extreme(name: str, left: ast.expr, right: ast.expr) -> ast.expr:
    """The larger or smaller of two, one of which may be a number: of a tensor the limits are told by `clamp`."""
    if is_constant(left):
        left, right = right, left
    if not is_constant(right):
        return call(f"{name}imum", left, right)
    clamped = call("clamp", left)
    clamped.keywords = [ast.keyword("min" if name == "max" else "max", right)]
    return clamped


def is_constant(node: ast.expr) -> bool:
    return not any(isinstance(part, ast.Name | ast.Call | ast.Attribute) for part in ast.walk(node))


class Names(ast.NodeVisitor):
    """What names are: leaves (`free`), functions of torch, `unknown` ones, modules, or `strange`."""

    def __init__(self, tree: ast.expr) -> None:
        self.free: dict[str, tuple[Shape, ...]] = {}
        self.functions: dict[str, str] = {}
        self.modules: set[str] = set()
        self.strange: list[str] = []
        self.unknown: list[str] = []
        self.inner: set[str] = set()
        for called in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
            self.prefer_wanted(called, SQUARE)
        for product in [node for node in ast.walk(tree) if isinstance(node, ast.BinOp)]:
            self.prefer_matrices(product)
        for called in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
            self.prefer_wanted(called, LIST)
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
        if name in ACTIONS:
            self.strange.append(name)
        elif name not in BUILTINS:
            self.unknown.append(name)

    def prefer_matrices(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            self.prefer(node.left, MATRIX_LEFT)
            self.prefer(node.right, MATRIX_RIGHT)

    def prefer_wanted(self, node: ast.Call, shapes: tuple[Shape, ...]) -> None:
        """Of what a function is: `softmax(x)`, and `sum(exp(x))`, of a vector, `det(A)` of a square matrix."""
        if not isinstance(node.func, ast.Name) or WANTED.get(node.func.id) is not shapes or len(node.args) != 1:
            return
        names = [part for part in ast.walk(node.args[0]) if isinstance(part, ast.Name) and part.id not in CONSTANTS]
        called = {part.func for part in ast.walk(node.args[0]) if isinstance(part, ast.Call)}
        inside = {part.id: part for part in names if part not in called}
        for name, part in inside.items():
            if len(inside) == 1 or (shapes is SQUARE and name[0].isupper()):
                self.prefer(part, shapes)

    def prefer(self, node: ast.expr, shapes: tuple[Shape, ...]) -> None:
        if isinstance(node, ast.Attribute) and node.attr in TRANSPOSED:
            return self.prefer(node.value, shapes)
        if isinstance(node, ast.Name) and node.id not in self.free and node.id not in CONSTANTS:
            wanted = shapes is SQUARE or shapes is LIST or node.id[0].isupper()
            self.free[node.id] = shapes if wanted else VECTOR
        return None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in METHODS:
            self.strange.append(node.attr)
        self.generic_visit(node)

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


TRANSPOSED = ("T", "mT")


class Qualifier(ast.NodeTransformer):
    """Writes functions and constants with the module they come from."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.names.functions:
            if node.args and node.func.id in ROUND_NUMBERS and all(map(is_constant, node.args)):
                self.names.modules.add("math")
                node.func = ast.Attribute(ast.Name("math", ast.Load()), node.func.id, ast.Load())
                return node
            owner = ast.Name(self.names.functions[node.func.id], ast.Load())
            node.func = ast.Attribute(owner, node.func.id, ast.Load())
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in CONSTANTS:
            return ast.parse(CONSTANTS[node.id], mode="eval").body
        return node


# ---- shapes


def attempts(names: Names) -> Iterator[dict[str, Shape]]:
    """Shapes for all leaves, the simplest first."""
    choices = [range(len(shapes)) for shapes in names.free.values()][:6]
    every = itertools.islice(itertools.product(*choices), 2_000)
    for picked in itertools.islice(sorted(every, key=sum), ATTEMPTS):
        padded = (*picked, *[0] * (len(names.free) - len(picked)))
        yield {name: shapes[nr] for (name, shapes), nr in zip(names.free.items(), padded, strict=True)}


def shapes_that_work(formula: str, names: Names, imports: tuple[str, ...]) -> tuple[dict[str, Shape], bool, bool]:
    """The first shapes with which the expression can be computed, whether its result is no scalar, and is finite."""
    first: dict[str, Shape] | None = None
    for shapes in attempts(names):
        first = first or shapes
        leaves = [Leaf(name, value_of(shape, nr)) for nr, (name, shape) in enumerate(shapes.items())]
        found = outcome_of(formula, leaves, imports)
        if found is not None:
            return shapes, found[0] != 1, found[1]
    return first or {}, False, True


def outcome_of(formula: str, leaves: Sequence[Leaf], imports: tuple[str, ...]) -> tuple[int, bool] | None:
    """How many numbers the result has, and whether all are finite; None where it cannot be computed."""
    test = "print(result.numel(), bool(torch.isfinite(result).all()))\n"
    printed = printed_by(forward(formula, leaves, imports) + test)
    if printed is None:
        return None
    many, _, finite = printed.partition(" ")
    return int(many), finite == "True"


def printed_by(source: str) -> str | None:
    """What a program prints; None where it does not come to its end."""
    trace = run(source, mode="script", limits=QUICK)
    if trace.outcome.kind != "finished":
        return None
    return "".join(event.text for event in trace.events if isinstance(event, Printed)).strip()


def value_of(shape: Shape, nr: int) -> Numbers:
    """Simple numbers, different for each leaf."""
    if not shape:
        return SCALARS[nr % len(SCALARS)]
    taken = itertools.islice(itertools.cycle(ENTRIES), nr, None)

    def fill(rest: Shape) -> Numbers:
        return next(taken) if not rest else [fill(rest[1:]) for _ in range(rest[0])]

    return fill(shape)


# ---- source


def forward(formula: str, leaves: Sequence[Leaf], imports: tuple[str, ...]) -> str:
    lines = [*imports, ""]
    lines += [f"{leaf.name} = torch.tensor({number_text(leaf.value)}, requires_grad=True)" for leaf in leaves]
    return "\n".join([*lines, f"result = {formula}", ""])


def program(formula: str, leaves: Sequence[Leaf], imports: tuple[str, ...], ones: bool) -> str:
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
