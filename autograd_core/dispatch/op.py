"""One operator, one entry: a forward on arrays, and a formula for each input that has a derivative.

    @op("mul.Tensor(Tensor self, Tensor other) -> Tensor",
        self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
    def mul(self: Array, other: Array) -> Array: return self * other

How to read it:

1. Below the decorator is the forward, a plain function of arrays. Parameters annotated `Array` take tensors.
2. In it, for each input that has a derivative, a formula. `grad` is what comes from above (`grads`: one for each
output).
3. Every other parameter of a formula is what the node saves under that name: an input (`other`), an argument (`dim`), a
   result (`result`), or a fact about an input (`self_sym_sizes`). A tensor is saved only if that input needs a
   gradient.
4. Formulas speak of operators of the same table. They run on tensors under create_graph and can be differentiated
again;
   else the same code runs on arrays, with the forwards in place of the operators (Note [Two namespaces]).
5. The node is named `Mul` + `Backward` + how many `mul`s stand before it in the table.
6. Before all stands torch's schema. From it come the function `torch.mul`, the method, the variant in place, `out=`,
   the check of arguments with torch's words for a refusal, and the names that the interpreter and the editor offer
   (schema/schema.py). Further lines declare other overloads and other names of the same operator. One that programs
   do not call has a name alone.

What is constant for an operator is compiled once into straight-line code (codegen/); `Op.source` shows it.

Note [Conjugates]. A formula says `conj` where torch conjugates, which leaves real numbers alone. Graphs of real numbers
alone are run by code that is compiled without it (`texts`); others go to the exact engine, whose code has it
(`full_texts`).

Note [Two namespaces]. A formula is one code object that becomes two functions. In one its global names are looked up in
GRAPH, where `mul` is the operator on tensors; in the other in RAW, where `mul` is the forward on arrays. So a formula
may name any operator of the table, wherever it stands, and is written once.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import types
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import errors
from ..engine import fast_engine
from ..engine.state import state
from ..events.recorded_engine import told_step
from ..functorch.levels import carries_tangent
from ..graph.node import Node, next_in_slots
from ..tensor import arithmetic
from ..tensor.tensor import Tensor
from .codegen import generator
from .codegen.cache import kept
from .registry import GRAPH, RAW, TABLE
from .schema import schema

for names in (RAW, GRAPH):
    names.update({"np": np, "arithmetic": arithmetic, "__builtins__": __builtins__})

TRAITS = set(
    """
    view many outputs promote promotion floating nr node writes sparing tensors_only operator fitting
    over forward_mode pointwise cost
""".split()
)

STARRED = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS

_declared: Counter[str] = Counter()


class Op:
    """An operator: its forward, its formulas, and what was compiled from them."""

    def __init__(self, name: str, forward: Callable[..., Any], formulas: dict[str, Callable[..., Any]], **traits: Any):
        self.name, self.forward, self.formulas, self.traits = name, forward, formulas, traits
        self.python_name = forward.__name__
        self.parameters = parameters_of(forward)
        kinds = {p: str(forward.__annotations__.get(p)) for p in self.parameters}
        self.tensors = [p for p, kind in kinds.items() if kind in ("Array", "Array | None")]
        self.optional = {p for p, kind in kinds.items() if kind == "Array | None"}
        self.lists = [p for p, kind in kinds.items() if kind.startswith("list[Array")]
        self.gaps = {p for p, kind in kinds.items() if kind == "list[Array | None]"}
        derived, _, others = traits.get("outputs", "result").partition("|")
        self.differentiable = tuple(derived.split())
        self.outputs = (*self.differentiable, *others.split())
        self.view, self.many = traits.get("view", False), traits.get("many", False)
        self.inputs = [p for p in kinds if p in formulas]
        self.needs = {p: parameters_of(f) for p, f in formulas.items()}
        # Python clears slots by name: what is saved goes first, then the edges, from the last to the first
        self.edge_slots = {p: f"to_{at:02}_{p}" for at, p in enumerate(reversed(self.inputs))}
        self.underived = traits.get("node") == "NotImplemented"
        self.full_texts, self.body, self.shortcut = written_down(forward, name)
        self.texts = {p: without_conj(text) for p, text in self.full_texts.items()}
        self.node_class = self.make_node_class() if formulas else None
        self.packed_source = b""

    @property
    def source(self) -> str:
        """The code that was compiled of the entry."""
        return zlib.decompress(self.packed_source).decode()

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.forward)

    # ---- what the node saves

    def kept(self) -> dict[str, list[str]]:
        """The saved names, in the order of first use, with the inputs whose formulas use them."""
        users: dict[str, list[str]] = {}
        for p in self.inputs:
            for name in self.needs[p]:
                if name not in ("grad", "grads"):
                    users.setdefault(name, []).append(p)
        return users

    def is_tensor(self, name: str) -> bool:
        return name in self.tensors or name in self.lists or name in self.outputs

    def make_node_class(self) -> type[Node]:
        base = self.name.partition(".")[0].lstrip("_")
        nr = self.traits.get("nr")
        nr = _declared[base] if nr is None else nr
        _declared[base] = max(_declared[base], nr) + 1
        camel = "".join(part[:1].upper() + part[1:] for part in base.split("_"))
        title = self.traits.get("node") or f"{camel}Backward{nr}"
        kept = self.kept()
        tensors = tuple(n for n in kept if self.is_tensor(n))
        values = tuple(n for n in kept if not self.is_tensor(n))
        edges = () if self.lists else tuple(self.edge_slots[p] for p in self.inputs)
        slots = edges + tuple(f"saved_{n}" for n in kept) + tuple(f"version_{n}" for n in tensors)
        shown = tuple(n for n in values if not n.endswith("_"))
        facts = {
            "__slots__": slots,
            "op_name": self.name,
            "slots": tensors,
            "plain_slots": shown,
            "input_names": tuple(self.inputs),
            "formulas": self.texts,
            "__module__": "builtins",
            "writes": self.writes(),
            "__init__": object.__init__,
            **({"next": next_in_slots(edges)} if edges else {}),
        }
        return type(title, (Node,), facts)

    def writes(self) -> Any:
        """How often torch writes the gradients of this operator, one number for each input; it may ask the node."""
        count = self.traits.get("writes", ())
        if callable(count):
            return property(count)
        return (count,) * len(self.inputs) if isinstance(count, int) else count

    # ---- compiling

    def compile(self) -> Callable[..., Any]:
        """The function that programs call; on the way the node class gets its `raw`, `graph` and `step`."""
        code = generator.Code(self)
        self.on_arrays = {p: over(f, RAW) for p, f in self.formulas.items()}
        made = code.functions(RAW, GRAPH, {p: (self.on_arrays[p], over(f, GRAPH)) for p, f in self.formulas.items()})
        if self.node_class is not None:
            self.node_class.raw = made["_raw"]  # type: ignore[method-assign]
            self.node_class.graph = made["_graph"]  # type: ignore[method-assign]
            self.node_class.step = made.get("_step") or fast_engine.step
            self.node_class.graph_step = made.get("_graph_step") or fast_engine.graph_step
            self.node_class.heard_step = made.get("_heard_step") or told_step
            self.node_class.notes = "_heard_step" in made
            self.link = made["_link"]
        self.general: Callable[..., Any] = made["_general"]
        self.aside: Callable[..., Any] = made.get("_aside") or self.general
        function: Any = made["_usual"]
        operator: Any = made.get("_operator") or function
        for variant in (function, operator):
            variant.__doc__, variant.op = self.forward.__doc__, self
            variant.__module__ = self.forward.__module__
            variant.__name__ = variant.__qualname__ = self.python_name
        function.operator = operator
        compiled: Callable[..., Any] = function
        return compiled

    # ---- errors

    def failure(self, error: Exception, given: tuple[Any, ...]) -> Exception:
        """What torch raises where numpy raised `error`."""
        shapes = [t.data_.shape for t in given if isinstance(t, Tensor)]
        return errors.from_numpy(self, error, shapes)


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of what `function` takes, as `inspect` has them, but for plain functions in a tenth of its time."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & STARRED or {"__signature__", "__wrapped__"} & vars(function).keys():
        return tuple(inspect.signature(function).parameters)
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names


def op(schemas: str, /, **entry: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare an operator by its schemas, or its name alone; see the note at the head of the module.

    Traits beside the formulas: `view=True` (the result shows the memory of `self`; "conj", "neg" or "parts" where it
    shows it otherwise than by lengths and steps: conjugated, negated, or complex numbers and their parts as one
    another), `many=True` (a list of results), `outputs` (names of several results; those behind a `|` have no
    gradient), `promote` (the inputs brought to one dtype, by the function `promotion` if that refuses some),
    `floating=True` (integers become floats), `nr` or `node` (a node name that does not follow from the order),
    `tensors_only` (a number cannot stand for a tensor), `sparing` (an input is saved only if a formula that uses it is
    wanted, also where several use it), `operator` (what the operator form, `a @ b`, does with operands that the
    shortcut at the head of the forward is not for), `fitting` (the formulas over arrays make their gradients anew, in
    the very shape and dtype of their inputs), `over` (the formula of the one input over arrays, of `grad` and
    `result`, for results that nothing else holds any more: it may write over them), `writes` (how often torch writes
    the gradients of this operator while it makes them: version counters tell; one number, or a function of the node
    that gives one for each input), `forward_mode=False` (torch has no forward derivative of it), `pointwise=True`
    (each element alone, as the tag in native_functions.yaml says: vmap runs it on the whole batch, and the tensors of
    one that programs call are brought to one dtype unless `promote` says otherwise), `cost` (what an element costs a
    program, in steps of 100 ns, where that is more than one).
    """
    name = schema.operator_name(schemas)
    traits = {k: v for k, v in entry.items() if k in TRAITS}
    formulas = {k: v for k, v in entry.items() if k not in TRAITS}

    def declare(forward: Callable[..., Any]) -> Any:
        if traits.get("pointwise") and "(" in schemas:
            traits.setdefault("promote", tensors_of(forward))
        entry = Op(name, forward, formulas, **traits)
        TABLE[name] = entry
        RAW[forward.__name__] = forward
        made = entry.compile()
        function = made if traits.get("forward_mode", True) else without_tangents(made, entry)
        GRAPH[forward.__name__] = function
        schema.declare(schemas, function)
        return function

    return declare


def tensors_of(forward: Callable[..., Any]) -> tuple[str, ...]:
    """The tensors among the parameters of `forward`, if there are several."""
    names = tuple(p for p, kind in forward.__annotations__.items() if kind == "Array" and p != "return")
    return names if len(names) > 1 else ()


def without_tangents(function: Callable[..., Any], entry: Op) -> Callable[..., Any]:
    """`function`, an operator that torch has no forward derivative of."""

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if state.levels and any(map(carries_tangent, (*args, *kwargs.values()))):
            raise NotImplementedError(errors.NO_FORWARD_MODE.format(entry.name.partition(".")[0]))
        return function(*args, **kwargs)

    return checked


def over(function: Callable[..., Any], names: dict[str, Any]) -> Callable[..., Any]:
    """The same code with its global names looked up in `names`."""
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def both(function: Callable[..., Any]) -> Callable[..., Any]:
    """A helper of formulas, itself made of operators: it exists over both namespaces. Gives the one on tensors."""
    name = function.__name__
    RAW[name], GRAPH[name] = over(function, RAW), over(function, GRAPH)
    on_tensors: Callable[..., Any] = GRAPH[name]
    return on_tensors


def helper(function: Callable[..., Any], on_arrays: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A function that formulas may call as it is; `on_arrays` takes its place in plain runs, if given."""
    RAW[function.__name__], GRAPH[function.__name__] = on_arrays or function, function
    return function


# ---- the table as it is written


Shortcut = tuple[str, str]
"""What `if condition: return expression` says at the head of a forward."""
Entry = tuple[dict[str, str], str | None, Shortcut | None]

_entries: dict[str, dict[str, Entry]] = {}


def written_down(forward: Callable[..., Any], name: str) -> Entry:
    """The formulas of the operator `name` as they stand in the table, its forward if that is one expression, and the
    shortcut at its head."""
    file = forward.__code__.co_filename
    if file not in _entries:
        _entries[file] = kept.get(
            "table", forward.__module__, lambda: dict(entries_of("".join(linecache.getlines(file))))
        )
    return _entries[file].get(name, ({}, None, None))


def entries_of(source: str) -> Iterator[tuple[str, Entry]]:
    """Each `@op(...)` in `source`: its name, the text of its formulas, of its forward, and of a shortcut in that."""
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "op":
                first = call.args[0]
                formulas = {k.arg: k.value for k in call.keywords if isinstance(k.value, ast.Lambda)}
                if isinstance(first, ast.Constant):
                    texts = {str(p): ast.unparse(f.body) for p, f in formulas.items()}
                    yield schema.operator_name(str(first.value)), (texts, expression(node.body), shortcut(node.body))


def without_conj(text: str) -> str:
    """The formula `text` for real numbers: without its conjugates."""
    return ast.unparse(RealFormula().visit(ast.parse(text, mode="eval"))) if "conj(" in text else text


class RealFormula(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == "conj" else node


def shortcut(body: list[ast.stmt]) -> Shortcut | None:
    """The condition and the expression of an `if` that a function body begins with, if it returns that at once."""
    first = body[0]
    if isinstance(first, ast.Return) and isinstance(first.value, ast.IfExp):
        return ast.unparse(first.value.test), ast.unparse(first.value.body)
    text = expression(first.body) if isinstance(first, ast.If) and not first.orelse else None
    return None if text is None else (ast.unparse(first.test), text)  # type: ignore[attr-defined]


def expression(body: list[ast.stmt]) -> str | None:
    """The text of the expression that a function body returns at once, if that is all it does."""
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return ast.unparse(body[0].value)
    return None
