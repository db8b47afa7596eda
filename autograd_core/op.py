"""One operator, one entry: a forward on arrays, and a formula for each input that has a derivative.

    @op("mul.Tensor", self=lambda grad, other: grad * other,
                      other=lambda grad, self: grad * self)
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
5. The node is named `Mul` + `Backward` + how many `mul`s stand before it in the table. In-place variants and methods
need no
   entry.

What is constant for an operator is compiled once, here, into straight-line code; `Op.source` shows it.

Note [Two namespaces]. A formula is one code object that becomes two functions. In one its global names are looked up in
GRAPH, where `mul` is the operator on tensors; in the other in RAW, where `mul` is the forward on arrays. So a formula
may name any operator of the table, wherever it stands, and is written once.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import errors
from .anomaly import remember
from .graph import Dim, Node, gradient_edge
from .saved import SavedResult, pack_slot, unpack_slot
from .state import state
from .tensor import Array, Tensor, plain, wrapped_number

TABLE: dict[str, Op] = {}
RAW: dict[str, Any] = {"np": np, "__builtins__": __builtins__}
GRAPH: dict[str, Any] = dict(RAW)

FACTS: dict[str, str] = {
    "_sym_sizes": "{0}.data_.shape",
    "_sym_numel": "{0}.data_.size",
    "_sym_strides": "strides({0}.data_)",
    "_sym_argsize_0": "{0}.data_.shape[0]",
    "_sym_argsize_minus_1": "{0}.data_.shape[-1]",
    "_sym_argsize_minus_2": "{0}.data_.shape[-2]",
    "_sym_sizes_opt": "{0}.data_.shape if {0} is not None else (0,)",
    "_dim": "{0}.data_.ndim",
    "_dtype_": "{0}.data_.dtype",
    "_sizes_": "[t.data_.shape for t in {0}]",
    "_shape_": "{0}.data_.shape",
}
"""What a formula may ask about an input without keeping it: the ending of the name, and how to compute it."""

_declared: Counter[str] = Counter()


class Op:
    """An operator: its forward, its formulas, and what was compiled from them."""

    def __init__(self, name: str, forward: Callable[..., Any], formulas: dict[str, Callable[..., Any]], **traits: Any):
        self.name, self.forward, self.formulas, self.traits = name, forward, formulas, traits
        self.python_name = forward.__name__
        self.signature = inspect.signature(forward)
        kinds = {p: str(q.annotation) for p, q in self.signature.parameters.items()}
        self.tensors = [p for p, kind in kinds.items() if kind in ("Array", "Array | None")]
        self.optional = {p for p, kind in kinds.items() if kind == "Array | None"}
        self.lists = [p for p, kind in kinds.items() if kind.startswith("list[Array")]
        self.gaps = {p for p, kind in kinds.items() if kind == "list[Array | None]"}
        self.outputs: tuple[str, ...] = traits.get("outputs", ("result",))
        self.view, self.many = traits.get("view", False), traits.get("many", False)
        self.inputs = [p for p in kinds if p in formulas]
        self.needs = {p: tuple(inspect.signature(f).parameters) for p, f in formulas.items()}
        self.node_class = self.make_node_class() if formulas else None
        self.source = ""

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
        slots = tuple(f"saved_{n}" for n in kept) + tuple(f"version_{n}" for n in tensors)
        shown = tuple(n for n in values if not n.endswith("_"))
        facts = {
            "__slots__": slots,
            "op_name": self.name,
            "slots": tensors,
            "plain_slots": shown,
            "input_names": tuple(self.inputs),
            "formulas": formula_texts(self.forward, self.name),
            "__module__": "builtins",
            "writes": self.writes(),
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
        """The function that programs call; on the way the node class gets its `raw` and `graph`."""
        lines = self.forward_lines()
        names: dict[str, Any] = {
            "np": np, "Tensor": Tensor, "Node": self.node_class, "state": state, "operand": operand, "promote": promote,
            "forward": self.forward, "failure": self.failure, "new": object.__new__, "gradient_edge": gradient_edge,
            "SavedResult": SavedResult, "plain": plain, "unpack_slot": unpack_slot, "array": array, "strides": strides,
            "float32": np.float32, "pack_all": pack_all, "version_of": version_of, "weak": weak, "OP": self,
            "finish": finish, "kept_list": kept_list, "list_arrays": list_arrays, "dim_": Dim,
            "remember": remember,
        }  # fmt: skip
        for p, formula in self.formulas.items():
            names[f"raw_{p}"], names[f"graph_{p}"] = over(formula, RAW), over(formula, GRAPH)
        if self.node_class is not None:
            lines += self.run_lines("raw") + self.run_lines("graph")
        self.source = "\n".join(lines) + "\n"
        file = f"<operator {self.name}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        exec(compile(self.source, file, "exec"), names)
        if self.node_class is not None:
            self.node_class.raw = names["raw"]  # type: ignore[method-assign]
            self.node_class.graph = names["graph"]  # type: ignore[method-assign]
            self.link = names["link"]
        function: Callable[..., Any] = names[self.python_name]
        function.__doc__, function.op = self.forward.__doc__, self  # type: ignore[attr-defined]
        function.__module__ = self.forward.__module__
        return function

    def parameters(self) -> str:
        shown = []
        for p, q in self.signature.parameters.items():
            shown.append(p if q.default is inspect.Parameter.empty else f"{p}={q.default!r}")
        return ", ".join(shown)

    def forward_lines(self) -> list[str]:
        given = list(self.signature.parameters)
        arrays = {p: f"d_{p}" for p in self.tensors + self.lists}
        lines = [f"def {self.python_name}({self.parameters()}):"]
        for p in self.tensors:
            lines.append(f"    if {p}.__class__ is not Tensor: {p} = operand({p}, OP, {p!r})")
            lines.append(f"    d_{p} = {p}.data_" + (f" if {p} is not None else None" if p in self.optional else ""))
        for p in self.lists:
            lines.append(f"    {p}, d_{p} = list_arrays({p}, OP, {p in self.gaps})")
        if self.traits.get("promote"):
            pair = [p for p in self.tensors if p in self.traits["promote"]]
            data = ", ".join(f"d_{p}" for p in pair)
            same = " is ".join(f"d_{p}.__class__" for p in pair) + " is float32"
            lines.append(
                f"    if not ({same}): {data} = promote(({', '.join(pair)},), {self.traits.get('floating', False)})"
            )
        elif self.traits.get("floating"):
            lines.append("    if d_self.dtype.kind != 'f': d_self, = promote((self,), True)")
        if self.view:
            lines.append("    d_self = self.array()")
        call = ", ".join(arrays.get(p, p) for p in given)
        lines.append(f"    if state.reserve is not None: state.reserve({self.name!r}, ({call},))")
        lines += ["    try:", f"        given_back = forward({call})"]
        everything = ", ".join(given)
        lines += ["    except ValueError as error:", f"        raise failure(error, ({everything},)) from None"]
        results = [f"r_{name}" for name in self.outputs]
        if self.many or self.view:
            lines.append("    results = finish(OP, self, given_back)")
            lines.append(
                f"    {'results' if self.many else results[0] + ', = results'}" if not self.many else "    pass"
            )
        else:
            values = ", ".join(f"v_{name}" for name in self.outputs)
            lines.append(f"    {values} = given_back")
            for name in self.outputs:
                lines.append(f"    r_{name} = new(Tensor); r_{name}.data_ = v_{name}; r_{name}.storage_ = None")
                lines.append(f"    r_{name}.node = None; r_{name}.output_nr = 0; r_{name}.meta = None")
            lines.append("    if state.inference:")
            lines += [f"        {r}.as_inference()" for r in results]
        back = "results" if self.many else results[0] if len(results) == 1 else f"({', '.join(results)})"
        passed = "results" if self.many else f"({', '.join(results)},)"
        if self.node_class is not None:
            apart = " and not self.storage_.inference" if self.view else ""
            lines.append(f"    if state.grad_enabled{apart}: link({everything}, {passed})")
        involved = " + ".join([f"({p},)" for p in self.tensors] + [f"tuple({p})" for p in self.lists]) or "()"
        lines.append("    if state.session is not None:")
        lines.append(f"        for r in {passed}: state.session.result(r, {self.name!r}, {involved})")
        lines.append(f"    return {back}")
        if self.node_class is not None:
            lines += self.link_lines(involved)
        return lines

    def link_lines(self, involved: str) -> list[str]:
        """The code that makes the node, if any input needs a gradient."""
        given = list(self.signature.parameters)
        lines = [f"def link({', '.join(given)}, results, inplace=None):"]
        nodes = []
        for p in self.inputs:
            if p in self.lists:
                lines.append(f"    e_{p} = [gradient_edge(t) for t in {p}]")
                lines.append(f"    n_{p} = True if any(n is not None for n, _ in e_{p}) else None")
            else:
                if p in self.optional:
                    lines.append(f"    if {p} is None: n_{p}, k_{p} = None, 0")
                lines.append(
                    f"    {'elif' if p in self.optional else 'if'} {p}.meta is None: n_{p} = {p}.node; k_{p} = "
                    f"{p}.output_nr"
                )
                lines.append(f"    else: n_{p}, k_{p} = gradient_edge({p})")
            nodes.append(f"n_{p}")
        # A view taken under no_grad says that it requires grad though no gradient can go to it: its node leads nowhere.
        idle = [f"not any(t.requires_grad for t in {p})" for p in self.inputs if p in self.lists]
        for p in self.inputs:
            if p not in self.lists:
                absent = f"{p} is None or " if p in self.optional else ""
                idle.append(f"({absent}{p}.meta is None or not {p}.requires_grad)")
        lines.append(f"    if {' is None and '.join(nodes)} is None and {' and '.join(idle)}: return None")
        lines.append("    node = new(Node)")
        nexts = [f"tuple(n for n, _ in e_{p})" if p in self.lists else f"(n_{p},)" for p in self.inputs]
        nrs = [f"tuple(k for _, k in e_{p})" if p in self.lists else f"(k_{p},)" for p in self.inputs]
        if not set(self.inputs) & set(self.lists):
            lines.append(
                f"    node.next = ({', '.join(nodes)},); node.nrs = ({', '.join('k_' + p for p in self.inputs)},)"
            )
        else:
            lines.append(f"    node.next = {' + '.join(nexts)}; node.nrs = {' + '.join(nrs)}")
        lines.append(
            "    node.sequence_nr = state.next_sequence(); node.hooks = None; node.freed = False; node.meta_ = None"
        )
        differentiable = self.traits.get("differentiable", self.outputs)
        counted = "results" if len(differentiable) == len(self.outputs) else f"results[:{len(differentiable)}]"
        lines.append(f"    node.outs = tuple([(r.data_.shape, r.data_.dtype) for r in {counted}])")
        for i, name in enumerate(self.outputs if not self.many else ()):
            if name in differentiable:
                lines.append(f"    r = results[{i}] if inplace is None else inplace; r.node = node; r.output_nr = {i}")
        if self.many:
            lines.append("    for i, r in enumerate(results): r.node = node; r.output_nr = i")
        lines += self.save_lines()
        lines.append("    if state.saved_hooks: pack_all(node)")
        lines.append("    if state.anomaly: remember(node)")
        lines.append("    if state.session is not None:")
        lines.append(f"        state.session.node_made(node, {self.name!r}, [t for t in {involved} if t is not None])")
        lines.append("    return node")
        return lines

    def save_lines(self) -> list[str]:
        lines = []
        for name, users in self.kept().items():
            alone = len(users) == 1 and len(self.inputs) > 1 and name not in self.outputs
            when = f"n_{users[0]} is not None" if alone else "True"
            if self.traits.get("sparing") and name in self.tensors:
                when = " or ".join(f"n_{p} is not None" for p in users)
            if name in self.outputs and name not in self.traits.get("differentiable", self.outputs):
                lines.append(f"    node.saved_{name} = results[{self.outputs.index(name)}] if {when} else None")
                lines.append(f"    node.version_{name} = 0")
            elif name in self.outputs:
                at = self.outputs.index(name)
                lines.append(f"    if {when}:")
                lines.append(f"        r = results[{at}] if inplace is None else inplace")
                lines.append(f"        node.saved_{name} = SavedResult(r); node.version_{name} = version_of(r)")
                lines.append(f"    else: node.saved_{name} = node.version_{name} = None")
            elif name in self.lists:
                lines.append(
                    f"    node.saved_{name}, node.version_{name} = kept_list({name}) if {when} else (None, None)"
                )
            elif name in self.tensors:
                lines.append(f"    if ({when}) and {name} is not None:")
                lines.append(f"        node.saved_{name} = {name}")
                lines.append(f"        node.version_{name} = 0 if {name}.storage_ is None else {name}.storage_.version")
                lines.append(f"    else: node.saved_{name} = node.version_{name} = None")
            else:
                value = self.value_of(name)
                if name.endswith("_sym_strides"):  # torch looks at the strides only of inputs that need a gradient
                    value += f" if n_{name.removesuffix('_sym_strides')} is not None else ()"
                lines.append(f"    node.saved_{name} = {value}")
        return lines

    def value_of(self, name: str) -> str:
        """How to compute a plain value that a formula asks for."""
        if name in self.signature.parameters:
            return f"dim_({name}) if {name}.__class__ is int else {name}" if name.startswith("dim") else name
        for ending, how in FACTS.items():
            if name.endswith(ending):
                return how.format(name.removesuffix(ending))
        raise TypeError(f"the formulas of {self.name} ask for {name}, which is no input, argument or result")

    def run_lines(self, mode: str) -> list[str]:
        """`raw` or `graph` of the node: load what is kept, then apply the formula of each edge that is wanted.

        Both go by name, as PyTorch's generated code does; it shows in the order of the nodes that create_graph makes.
        """
        lines = [f"def {mode}(self, grads, wanted):"]
        if not set(self.inputs) & set(self.lists):
            lines.append(f"    {', '.join('n_' + p for p in self.inputs)}, = wanted")
        else:
            lines += [f"    n_{p} = True" for p in self.inputs]
        for name, users in sorted(self.kept().items()):
            if not self.is_tensor(name):
                lines.append(f"    x_{name} = self.saved_{name}")
                continue
            when = " or ".join(f"n_{p} is not None" for p in users)
            lines.append(f"    if {when}:")
            if mode == "raw" and name in self.tensors:
                lines.append(f"        t = self.saved_{name}")
                fresh = f"(t.storage_ is None or t.storage_.version == self.version_{name})"
                lines.append(f"        if t.__class__ is Tensor and {fresh} and state.session is None:")
                lines.append(f"            x_{name} = t.data_ if t.meta is None else weak(t)")
                lines.append(f"        else: x_{name} = array(unpack_slot(self, {name!r}))")
            elif mode == "raw":
                lines.append(f"        x_{name} = array(unpack_slot(self, {name!r}))")
            else:
                lines.append(f"        x_{name} = unpack_slot(self, {name!r})")
        for p in sorted(self.inputs):
            given = [{"grad": "grads[0]", "grads": "grads"}.get(n, f"x_{n}") for n in self.needs[p]]
            lines.append(f"    g_{p} = None if n_{p} is None else {mode}_{p}({', '.join(given)})")
        results = ", ".join(f"*g_{p}" if p in self.lists else f"g_{p}" for p in self.inputs)
        lines.append(f"    return [{results}]")
        return lines

    # ---- errors

    def failure(self, error: ValueError, given: tuple[Any, ...]) -> Exception:
        """What torch raises where numpy raised `error`."""
        shapes = [t.data_.shape for t in given if isinstance(t, Tensor)]
        return errors.from_numpy(self, error, shapes)


def op(name: str, /, **entry: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare an operator; see the note at the head of the module.

    Traits beside the formulas: `view=True` (the result shows the memory of `self`), `many=True` (a list of results),
    `outputs` (names of several results) with `differentiable` (which of them), `promote` (the inputs brought to one
    dtype), `floating=True` (integers become floats), `nr` or `node` (a node name that does not follow from the order),
    `tensors_only` (a number cannot stand for a tensor), `sparing` (an input is saved only if a formula that uses it is
    wanted, also where several use it), `writes` (how often torch writes the gradients of this operator while it makes
    them: version counters tell; one number, or a function of the node that gives one for each input).
    """
    traits = {k: v for k, v in entry.items() if k in TRAITS}
    formulas = {k: v for k, v in entry.items() if k not in TRAITS}

    def declare(forward: Callable[..., Any]) -> Any:
        entry = Op(name, forward, formulas, **traits)
        TABLE[name] = entry
        RAW[forward.__name__] = forward
        GRAPH[forward.__name__] = entry.compile()
        return GRAPH[forward.__name__]

    return declare


TRAITS = {"view", "many", "outputs", "differentiable", "promote", "floating", "nr", "node"}
TRAITS |= {"tensors_only", "sparing", "writes"}


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


_entries: dict[str, dict[str, dict[str, str]]] = {}


def formula_texts(forward: Callable[..., Any], name: str) -> dict[str, str]:
    """The formulas of the operator `name` as they stand in the table, for people to read."""
    file = forward.__code__.co_filename
    if file not in _entries:
        _entries[file] = dict(entries_of("".join(linecache.getlines(file))))
    return _entries[file].get(name, {})


def entries_of(source: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each `@op(...)` in `source`: its name, and the text of its formulas."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "op":
            first = node.args[0]
            formulas = {k.arg: k.value for k in node.keywords if isinstance(k.value, ast.Lambda)}
            if isinstance(first, ast.Constant):
                yield str(first.value), {str(p): ast.unparse(f.body) for p, f in formulas.items()}


# ---- what the compiled code calls


def operand(value: Any, op: Op, name: str) -> Tensor | None:
    """`value` as an operand: tensors as they are, Python numbers wrapped.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, Tensor):
        return value
    if value is None and name in op.optional:
        return None
    parameters = list(op.signature.parameters)
    if name != parameters[0]:
        numbers = not op.traits.get("tensors_only")
        if numbers and isinstance(value, bool | int | float):
            return wrapped_number(value)
        if numbers and isinstance(value, np.generic):
            return wrapped_number(value.item())
    shown = "input" if name == "self" else name
    raise TypeError(errors.not_a_tensor(op.python_name, shown, parameters.index(name) + 1, value))


def list_arrays(tensors: Any, op: Op, gaps: bool) -> tuple[list[Any], list[Array]]:
    if not isinstance(tensors, list | tuple):
        raise TypeError(errors.not_a_tensor_list(op.python_name, tensors))
    for i, tensor in enumerate(tensors):
        if not (isinstance(tensor, Tensor) or (gaps and tensor is None)):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(tensor).__name__}")
    return list(tensors), [None if t is None else t.data_ for t in tensors]


def promote(tensors: tuple[Tensor, ...], floating: bool) -> tuple[Array, ...]:
    """The arrays of `tensors` in one dtype, as torch chooses it; wrapped numbers yield."""
    from .promotion import common

    return common(tensors, floating)


def weak(tensor: Tensor) -> Array:
    """The array of a kept tensor; a Python number where one was wrapped."""
    if tensor.meta is not None and tensor.meta.wrapped:
        return tensor.data_.item()
    return tensor.data_


def array(kept: Any) -> Any:
    if kept is None:
        return None
    if isinstance(kept, list | tuple):
        return [array(part) for part in kept]
    return weak(kept)


def strides(data: Array) -> tuple[int, ...]:
    """Strides in elements, as torch counts them."""
    if not isinstance(data, np.ndarray):
        return ()
    return tuple(s // data.itemsize for s in data.strides)


def version_of(tensor: Tensor) -> int:
    return tensor.shared_storage().version


def kept_list(tensors: list[Tensor | None]) -> tuple[list[Tensor | None], list[int | None]]:
    return list(tensors), [None if t is None else 0 if t.storage_ is None else t.storage_.version for t in tensors]


def pack_all(node: Node) -> None:
    """Hand every tensor that the new node keeps to the innermost pack hook."""
    hooks = state.saved_hooks[-1]
    for slot in node.slots:
        kept = getattr(node, f"saved_{slot}")
        if isinstance(kept, list):
            setattr(node, f"saved_{slot}", [k if k is None else pack_slot(node, k, hooks) for k in kept])
        elif kept is not None:
            setattr(node, f"saved_{slot}", pack_slot(node, kept, hooks))


def finish(op: Op, source: Tensor, value: Any) -> list[Tensor]:
    """The view or views of `source` that a view operator gives; several results that are no views."""
    from .views import take_view

    if not op.view:
        return [plain(part) for part in value]
    parts = value if op.many else [value]
    return [take_view(source, part, "multi_output" if op.many else None) for part in parts]
