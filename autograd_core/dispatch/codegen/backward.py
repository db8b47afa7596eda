"""The code of a node: `_raw` over arrays, `_graph` over tensors, `_step` and `_graph_step` for the quick engine."""

from __future__ import annotations

import ast

from ...engine.pending_grads import ONCE
from .entry import Entry, free_names, rename_names

MAX_EDGES = 6
"""Nodes with more edges have no `_step` of their own."""


class Backward(Entry):
    """Lines of `_raw`, `_graph`, `_step` and `_graph_step`."""

    step_name, nothing, hand_on = "_step", "_nothing", "_hand_on"

    # ---- backward

    def run(self, mode: str) -> list[str]:
        """`raw` or `graph` of the node: load all that is kept, then apply the formula of each edge that is wanted.

        Both go by name, as PyTorch's generated code does; it shows in the order of the nodes that create_graph makes.
        """
        op = self.op
        lines = [f"def _{mode}(self, grads, wanted):"]
        if not self.mixed:
            lines.append(f"    {', '.join('n_' + p for p in op.inputs)}, = wanted")
        else:
            lines += [f"    n_{p} = True" for p in op.inputs]
        lines += self.load_lines(mode)
        for p in sorted(op.inputs):
            lines.append(f"    g_{p} = None if n_{p} is None else {self.formula(mode, p, 'grads[0]', True)}")
        results = ", ".join(f"*g_{p}" if p in op.lists else f"g_{p}" for p in op.inputs)
        lines.append(f"    return [{results}]")
        return lines

    @property
    def apart(self) -> bool:
        """Whether each input of the operator can load what it alone needs, in the same order as all of it by name."""
        op, by_name = self.op, [name for name in sorted(self.op.kept()) if self.op.is_tensor(name)]
        return by_name == [name for p in op.inputs for name in by_name if self.only_user(name) == p]

    def load_lines(self, mode: str, p: str | None = None) -> list[str]:
        """What the formulas need; in a step with inputs `apart` what several need, or what `p` alone does."""
        op = self.op
        lines = []
        for name in sorted(op.kept()):
            if mode == "step" and self.apart and self.only_user(name) != p:
                continue
            if not op.is_tensor(name):
                lines.append(f"    x_{name} = self.saved_{name}")
                continue
            load = "_unpack" if mode == "graph" else "_loaded"
            quick = mode == "graph" and name in op.tensors
            quick |= mode == "step" and name in (*op.tensors, *op.differentiable)
            if quick:
                lines += [f"    _t = self.saved_{name}", self.quick_load(mode, name, load)]
            else:
                lines.append(f"    x_{name} = {load}(self, {name!r})")
        return lines

    def own_load_lines(self, p: str) -> list[str]:
        """What a step loads for the input `p` alone: if a gradient goes there, or if one could, for it may be stale."""
        return [f"    {line}" for line in self.load_lines("step", p)] if self.apart else []

    def quick_load(self, mode: str, name: str, load: str) -> str:
        """What nothing wrote since it was kept is taken as it is; what was never kept is None.

        The quick engine never meets what hooks packed (fast_engine.py).
        """
        op = self.op
        if name in op.outputs:
            plain = f"_t is not None and _t.storage_.version == self.version_{name}"
        else:
            kind = "_t is not None" if mode == "step" and name not in self.may_be_numbers else "_t.__class__ is _Tensor"
            plain = f"{kind} and (_t.storage_ is None or _t.storage_.version == self.version_{name})"
        if mode == "graph":
            kind = "_t.__class__ is _SavedResult and " if name in op.outputs else ""
            plain, value = f"not _special and {kind}{plain}", "_t"
        else:
            never_weak = name in op.outputs or op.traits.get("tensors_only")
            plain, value = plain + ("" if never_weak else " and (_t.meta is None or not _t.meta.wrapped)"), "_t.data_"
        never = f"None if _t is None and self.version_{name} is None"
        if mode == "step" and name in self.may_be_numbers:
            never = f"({self.number('_t', 'grad')}) if _t.__class__ is float or _t.__class__ is int else {never}"
        return f"    x_{name} = {value} if {plain} else {never} else {load}(self, {name!r})"

    def formula(self, mode: str, p: str, grad: str, conjugates: bool = False) -> str:
        """The formula of the input `p`: its text over the names used here, else a call of it.

        For real numbers alone it need not have its `conjugates`.
        """
        op = self.op
        names = {n: {"grad": grad, "grads": "grads"}.get(n, f"x_{n}") for n in op.needs[p]}
        text = (op.full_texts if conjugates else op.texts).get(p)
        if text is None:
            return f"_{mode}_{p}({', '.join(names.values())})"
        return f"({rename_names(text, names)})"

    def has_step(self) -> bool:
        op = self.op
        return (
            not self.mixed
            and len(op.differentiable) == 1
            and not op.many
            and "writes" not in op.traits
            and (len(op.inputs) <= MAX_EDGES)
        )

    def step(self, graph: bool = False) -> list[str]:
        """`raw` with what the quick engine does around it: fitting, letting go of what was kept, handing on.

        With `graph`, the same for `graph`.
        """
        op = self.op
        wants_all = any("grads" in needs for needs in op.needs.values())
        lines = [f"def {'_graph_step' if graph else self.step_name}(self, grad, wanted, this):"]
        lines.append(f"    if grad is None: return {self.nothing}(self, wanted or self.next, this)")
        lines += [] if graph else self.set_apart()
        lines += self.edge_lines()
        if wants_all:
            lines.append("    grads = (grad,)")
        lines += [] if graph else self.square_lines()
        lines += self.load_lines("graph" if graph else "step")
        lines += self.letting_go() if self.may_write_over and not graph else []
        lines += self.tensor_lines() if graph else self.array_lines()
        lines += self.told_of_step()
        lines += [] if self.may_write_over and not graph else self.letting_go()
        gone = "del grad" + (", grads" if wants_all else "")
        handed = ", ".join(f"g_{p} if n_{p} is not None else None" for p in op.inputs)
        apart = f"results = [{handed}]; {' = '.join('g_' + p for p in op.inputs)} = None"
        passing = [p for p in op.inputs if may_hand_on(op.texts.get(p))]
        if not graph and passing and not op.traits.get("fitting"):
            passed = {p: f"n_{p} is not None and _shows(g_{p}, grad)" for p in op.inputs}
            counts = ", ".join(f"count if {passes} else 0" for passes in passed.values())
            left = " or ".join(f"({passed[p]} and not _counted_on(this, n_{p}, count))" for p in passing)
            left = left if self.set_apart() else f"self.nrs is not {self.first_outputs} or {left}"
            lines += [
                f"    if this.written and (count := this.written.pop(self.sequence_nr, 0)) and ({left}):",
                f"        counts = ({counts},); {gone}; {apart}",
                f"        return {self.hand_on}(self, results, wanted or self.next, this, counts)",
            ]
        lines.append(f"    {gone}")
        if graph or not self.set_apart():
            lines.append(f"    if self.nrs is not {self.first_outputs}: {apart}")
            lines[-1] += f"; return {self.hand_on}(self, results, wanted or self.next, this)"
        lines.append("    buffers = this.buffers")
        for p in op.inputs:
            lines += [
                f"    if n_{p} is not None:",
                f"        nr = n_{p}.sequence_nr",
                "        if nr is _LAST:",
                *self.told_of_leaf(p),
                *(f"            {line}" for line in (leaf_of_tensors(p) if graph else leaf_of_arrays(p))),
                "        else:",
                f"            if nr in buffers: _add(this, nr, g_{p})",
                f"            else: buffers[nr] = g_{p}; this.pending[nr] = n_{p}",
            ] + ([f"        g_{p} = None"] if p != op.inputs[-1] else [])
        return lines

    @property
    def may_write_over(self) -> bool:
        """Whether the gradient may be written over the result that was kept, once nothing else holds that."""
        return bool(self.op.traits.get("over"))

    def letting_go(self) -> list[str]:
        """What was kept goes, unless the graph is to be used again."""
        kept = [f"self.saved_{n} = " for n in self.op.kept() if self.op.is_tensor(n)]
        loaded = ["    _t = None"] if self.may_write_over else []
        return [*loaded, f"    if not this.retain: {''.join(kept) + 'None; ' if kept else ''}self.freed = True"]

    def square_lines(self) -> list[str]:
        """Of a product of a tensor with itself, whose gradients are the same, one is computed (`squared`)."""
        if self.op.texts != {"self": "grad * other", "other": "grad * self"}:
            return []
        return [
            "    if n_self is n_other and grad.__class__ is _ndarray and self.saved_self is self.saved_other:",
            "        if _squared(self, grad, n_self, this):",
            "            if not this.retain: self.saved_self = self.saved_other = None; self.freed = True",
            "            return",
        ]

    @property
    def first_outputs(self) -> str:
        """`nrs` of a node whose edges all lead to the first output of a node."""
        return f"_Z{len(self.op.inputs)}"

    def set_apart(self) -> list[str]:
        """Nodes with edges to other outputs than the first take the step that all kinds of nodes have."""
        return [f"    if self.nrs is not {self.first_outputs}: return _any_step(self, grad, wanted, this)"]

    def told_of_step(self) -> list[str]:
        """What a step that is recorded notes once it has computed."""
        return []

    def told_of_leaf(self, p: str) -> list[str]:
        """What it notes where something comes to a leaf."""
        return []

    def array_lines(self) -> list[str]:
        """The gradients as arrays, each as its edge expects it."""
        lines = []
        for i, p in enumerate(self.op.inputs):
            lines.append(f"    if n_{p} is not None:")
            loads = self.own_load_lines(p)
            formula = self.formula("raw", p, "grad")
            if self.may_write_over:
                formula = f"_over(grad, x_result) if _holders(x_result) <= {ONCE} else {formula}"
            lines += [*loads, f"        g_{p} = {formula}"]
            lines += self.fitting_lines(p, f"g_{p} = _fitted(self, {i}, g_{p}, n_{p}, 0)")
            lines += ["    elif wanted is not None:", *loads] if loads else []
        return lines

    def fitting_lines(self, p: str, fit: str) -> list[str]:
        """Whether the gradient is as its edge expects it is asked as cheaply as the formula allows.

        What comes has the shape and dtype of the result; a formula that changes neither needs no look at the array.
        """
        if self.op.traits.get("fitting"):
            return []
        if keeps_kind(self.op.texts.get(p)):
            return [f"        if n_{p}.outs is not self.outs: {fit}"]
        if self.pair and keeps_shape(self.op.texts.get(p)):
            anew = f"g_{p}.dtype is not grad.dtype or g_{p}.__class__ is not _ndarray"
            return [
                f"        if n_{p}.outs is not _SCALAR or g_{p}.__class__ is not _float32:",
                f"            if n_{p}.outs is not self.outs or {anew}: {fit}",
            ]
        return [
            f"        if n_{p}.outs is not _SCALAR or g_{p}.__class__ is not _float32:",
            f"            if g_{p}.__class__ is not _ndarray or (g_{p}.shape, g_{p}.dtype) != n_{p}.outs[0]: {fit}",
        ]

    def tensor_lines(self) -> list[str]:
        """The gradients as tensors: first all formulas, by name, then each as its edge expects it."""
        op = self.op
        lines = [f"    if n_{p} is not None: g_{p} = {self.formula('graph', p, 'grad')}" for p in sorted(op.inputs)]
        for i, p in enumerate(op.inputs):
            other = f"(by := g_{p}.node) is None or by.outs is not n_{p}.outs or self.nrs is not {self.first_outputs}"
            lines += [
                f"    if n_{p} is not None and (n_{p}.outs is not _SCALAR or g_{p}.data_.__class__ is not _float32):",
                f"        if g_{p} is None or {other}: g_{p} = _fitted_tensor(self, {i}, g_{p}, n_{p})",
            ]
        return lines


def leaf_of_arrays(p: str) -> list[str]:
    """What comes to a leaf: added to what came before, if that is a sum already; kept, if it is the first."""
    return [
        f"if n_{p} in (sums := this.sums) and g_{p} is not None: cell = sums[n_{p}]; cell[0] += g_{p}; cell[1] += 1",
        f"elif n_{p} not in this.cells and _holders(g_{p}) <= 2: this.cells[n_{p}] = g_{p}",
        f"else: _leaf(this, n_{p}, g_{p})",
    ]


def leaf_of_tensors(p: str) -> list[str]:
    """The same over tensors, of which it does not matter who else holds them."""
    return [
        f"if n_{p} in this.cells: _leaf(this, n_{p}, g_{p})",
        f"elif g_{p} is not None: this.cells[n_{p}] = [g_{p}, 0, True, True]",
    ]


def may_hand_on(text: str | None) -> bool:
    """Whether the formula `text` may give the very gradient that came: whatever is not plainly made anew."""
    return text is None or hands_on(ast.parse(text, mode="eval").body)


def hands_on(formula: ast.expr) -> bool:
    if isinstance(formula, ast.IfExp):
        return hands_on(formula.body) or hands_on(formula.orelse)
    return not isinstance(formula, ast.BinOp | ast.UnaryOp)


def keeps_kind(text: str | None) -> bool:
    """Whether the formula `text` gives `grad` itself or its opposite, in some cases after a product with a number."""
    return text is not None and keeps(ast.parse(text, mode="eval").body)


def keeps(formula: ast.expr) -> bool:
    match formula:
        case ast.Name("grad"):
            return True
        case ast.IfExp():
            return keeps(formula.body) and keeps(formula.orelse)
        case ast.UnaryOp(ast.USub(), operand):
            return keeps(operand)
        case ast.Call(ast.Name("mul_scalar" | "scaled"), [first, *_]):
            return keeps(first)
    return False


def keeps_shape(text: str | None) -> bool:
    """Whether the formula `text` of operands that were broadcast to the result gives something of the result's shape.

    It does where it goes element by element and `grad` is in it.
    """
    return is_exact(text) and "grad" in free_names(text or "")


EXACT = frozenset(("mul_scalar", "div_scalar", "scaled", "neg", "tanh_backward", "sigmoid_backward"))
"""Operators that compute as formulas of the kind below do."""


def is_exact(text: str | None) -> bool:
    """Whether the formula `text` gives the same bits wherever it is computed: element by element, by + - * / alone.

    (Sums, products of matrices and curves may depend on how memory is laid out.)
    """
    return text is not None and element_by_element(ast.parse(text, mode="eval").body)


def element_by_element(formula: ast.expr) -> bool:
    match formula:
        case ast.Name() | ast.Constant():
            return True
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right):
            return element_by_element(left) and element_by_element(right)
        case ast.UnaryOp(ast.USub(), operand):
            return element_by_element(operand)
        case ast.IfExp(ast.Compare(ast.Name(), [_], [ast.Constant()]), body, otherwise):
            return element_by_element(body) and element_by_element(otherwise)
        case ast.Call(ast.Name(function), arguments, []):
            return function in EXACT and all(map(element_by_element, arguments))
    return False
