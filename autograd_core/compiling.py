"""From an entry of the table to straight-line code: what is constant for an operator is not decided at each call.

An operator becomes five functions. `general` runs it whatever is on: listeners, grad modes, hooks on saved tensors,
budgets, lists of tensors, views. The operator itself does the same for the usual case in as few steps as can be, and
calls `general` in all others (Note [Usual threads] in state.py). `link` makes the node. `raw` and `graph` apply the
formulas to arrays and to tensors; `step` is `raw` with what the quick engine does before and after (quick.py).

Names that begin with an underscore belong to this module; all others are those of the table.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import operands, quick
from .fitting import fitted
from .graph import SCALAR, AccumulateGrad, Dim, gradient_edge
from .saved import SavedResult, save_result, unpack_slot
from .state import next_usual, special, state
from .tensor import Tensor

if TYPE_CHECKING:
    from .op import Op

Namespace = dict[str, Any]

FACTS: dict[str, str] = {
    "_sym_sizes": "{0}.data_.shape",
    "_sym_numel": "{0}.data_.size",
    "_sym_strides": "_strides({0}.data_)",
    "_sym_argsize_0": "{0}.data_.shape[0]",
    "_dim": "{0}.data_.ndim",
    "_dtype_": "{0}.data_.dtype",
    "_sizes_": "[t.data_.shape for t in {0}]",
    "_shape_": "{0}.data_.shape",
}
"""What a formula may ask about an input without keeping it: the ending of the name, and how to compute it."""

PLUMBING: Namespace = {
    "_Tensor": Tensor, "_SavedResult": SavedResult, "_AccumulateGrad": AccumulateGrad, "_SCALAR": SCALAR,
    "_Z": tuple((0,) * n for n in range(9)), "_special": special, "_state": state, "_next": next_usual,
    "_new": object.__new__, "_float32": np.float32, "_ndarray": np.ndarray, "_edge": gradient_edge, "_Dim": Dim,
    "_fitted": fitted, "_unpack": unpack_slot, "_result": save_result, "_operand": operands.operand,
    "_promote": operands.promote, "_array": operands.array, "_loaded": operands.loaded, "_strides": operands.strides,
    "_list": operands.kept_list, "_arrays": operands.list_arrays, "_pack": operands.pack_all,
    "_finish": operands.finish, "_leaf": quick.leaf, "_add": quick.add, "_hand_on": quick.hand_on,
    "_nothing": quick.nothing, "_version": operands.version_of,
}  # fmt: skip

ERRORS = "(ValueError, TypeError)"
MAX_EDGES = 6
"""Nodes with more edges have no `step` of their own."""


class Code:
    """The source of the functions of one operator."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.given = list(op.signature.parameters)
        self.everything = ", ".join(self.given)
        self.mixed = bool(set(op.inputs) & set(op.lists))
        promoted = op.traits.get("promote") or ()
        self.pair = [p for p in op.tensors if p in promoted]
        self.is_quick = bool(op.tensors) and not (op.view or op.many or op.lists)
        self.floating = op.traits.get("floating", False)
        self.formula_names = [f"_{mode}_{p}" for mode in ("raw", "graph") for p in op.formulas]

    # ---- putting it together

    def source(self) -> str:
        """All functions, inside one that gives them the names of this module."""
        op = self.op
        lines = self.general()
        made = ["_general", "_usual"]
        lines += self.usual("_usual", "return _general") if self.is_quick else ["_usual = _general"]
        if self.is_quick and len(self.pair) == 2 and self.pair == self.given[:2]:
            lines += self.usual("_operator", "return _refused")
            made.append("_operator")
        if op.node_class is not None:
            lines += self.link() + self.run("raw") + self.run("graph")
            made += ["_link", "_raw", "_graph"]
            if self.has_step():
                lines += self.step()
                made.append("_step")
        names = ", ".join([*PLUMBING, "_Node", "_OP", "_forward", "_refused", *self.formula_names])
        body = "\n".join(f"    {line}" for line in lines)
        return f"def _make({names}):\n{body}\n    return dict({', '.join(f'{n}={n}' for n in made)})\n"

    def functions(self, raw: Namespace, graph: Namespace, formulas: Namespace) -> Namespace:
        """The functions: formulas over arrays look their names up in `raw`, formulas over tensors in `graph`."""
        given = dict(PLUMBING, _Node=self.op.node_class, _OP=self.op, _forward=self.op.forward)
        for p, (on_arrays, on_tensors) in formulas.items():
            given[f"_raw_{p}"], given[f"_graph_{p}"] = on_arrays, on_tensors
        made = self.run_in(raw, given)
        if self.op.node_class is not None:
            made["_graph"] = self.run_in(graph, given)["_graph"]
        return made

    def run_in(self, names: Namespace, given: Namespace) -> Namespace:
        op = self.op
        file = f"<operator {op.name}>"
        linecache.cache[file] = (len(op.source), None, op.source.splitlines(True), file)
        place: Namespace = {}
        exec(compile(op.source, file, "exec"), names, place)
        general = given.get("_refused")
        made: Namespace = place["_make"](**dict(given, _refused=general or refused(op)))
        return made

    def parameters(self) -> str:
        shown = []
        for p, q in self.op.signature.parameters.items():
            shown.append(p if q.default is q.empty else f"{p}={q.default!r}")
        return ", ".join(shown)

    # ---- forward, whatever is on

    def general(self) -> list[str]:
        op = self.op
        arrays = {p: f"d_{p}" for p in op.tensors + op.lists}
        lines = [f"def _general({self.parameters()}):"]
        for p in op.tensors:
            lines.append(f"    if {p}.__class__ is not _Tensor: {p} = _operand({p}, _OP, {p!r})")
            lines.append(f"    d_{p} = {p}.data_" + (f" if {p} is not None else None" if p in op.optional else ""))
        for p in op.lists:
            lines.append(f"    {p}, d_{p} = _arrays({p}, _OP, {p in op.gaps})")
        if self.pair:
            data, pair = ", ".join(f"d_{p}" for p in self.pair), ", ".join(self.pair)
            same = " is ".join(f"d_{p}.__class__" for p in self.pair) + " is _float32"
            lines.append(f"    if not ({same}): {data}, = _promote(({pair},), {self.floating})")
        elif self.floating:
            lines.append("    if d_self.dtype.kind != 'f': d_self, = _promote((self,), True)")
        if op.view:
            lines.append("    d_self = self.array()")
        call = ", ".join(arrays.get(p, p) for p in self.given)
        lines.append(f"    if _state.reserve is not None: _state.reserve({op.name!r}, ({call},))")
        lines += ["    try:", f"        given_back = _forward({call})"]
        lines += [f"    except {ERRORS} as error:", f"        raise _OP.failure(error, ({self.everything},)) from None"]
        results = [f"r_{name}" for name in op.outputs]
        if op.many or op.view:
            lines.append("    results = _finish(_OP, self, given_back)")
            lines += [] if op.many else [f"    {results[0]}, = results"]
        else:
            lines.append(f"    {', '.join('v_' + name for name in op.outputs)} = given_back")
            for name in op.outputs:
                lines += self.result_lines(name)
                lines.append(f"    r_{name}.node = None")
            lines.append("    if _state.inference:")
            lines += [f"        {r}.shared_storage()" for r in results]
        back = "results" if op.many else results[0] if len(results) == 1 else f"({', '.join(results)})"
        passed = "results" if op.many else f"({', '.join(results)},)"
        if op.node_class is not None:
            lines.append(f"    if _state.grad_enabled: _link({self.everything}, {passed})")
        lines.append("    if _state.session is not None:")
        lines.append(f"        for r in {passed}: _state.session.result(r, {op.name!r}, {self.involved()})")
        lines.append(f"    return {back}")
        return lines

    def result_lines(self, name: str) -> list[str]:
        """A plain result tensor, all but its node."""
        r = f"r_{name}"
        return [
            f"    {r} = _new(_Tensor); {r}.data_ = v_{name}; {r}.storage_ = {r}.meta = None; {r}.output_nr = 0",
        ]

    def involved(self) -> str:
        return " + ".join([f"({p},)" for p in self.op.tensors] + [f"tuple({p})" for p in self.op.lists]) or "()"

    # ---- forward, as it usually is

    def usual(self, name: str, otherwise: str) -> list[str]:
        """The operator for a usual thread; `otherwise` is what to do with operands that are not for this path."""
        op = self.op
        lines = [f"def {name}({self.parameters()}):"]
        lines.append(f"    if _special and not _state.usual: {otherwise}({self.everything})")
        numbers = [p for p in self.pair[1:] if len(self.pair) == 2] if self.pair[:1] == self.given[:1] else []
        for p in op.tensors:
            lines += self.operand_lines(p, p in numbers, otherwise)
        if len(self.pair) > 1 and not numbers:
            lines += self.promote_lines("    ")
        if self.floating and not numbers:
            lines.append("    if d_self.dtype.kind != 'f': d_self, = _promote((self,), True)")
        lines += ["    try:"]
        lines += [f"        {line}" for line in self.forward_lines()]
        lines += [f"    except {ERRORS} as error:", f"        raise _OP.failure(error, ({self.everything},)) from None"]
        for output in op.outputs:
            lines += self.result_lines(output)
        results = [f"r_{output}" for output in op.outputs]
        back = f"    return {', '.join(results)}"
        if op.node_class is None:
            return [*lines, *(f"    {r}.node = None" for r in results), back]
        return lines + self.usual_link(results) + [back]

    def operand_lines(self, p: str, may_be_number: bool, otherwise: str) -> list[str]:
        is_tensor = f"{p}.__class__ is _Tensor or isinstance({p}, _Tensor)"
        if p in self.op.optional:
            return [
                f"    if {p} is None: d_{p} = None",
                f"    elif {is_tensor}: d_{p} = {p}.data_",
                f"    else: {otherwise}({self.everything})",
            ]
        lines = [f"    if {is_tensor}:", f"        d_{p} = {p}.data_"]
        if may_be_number:
            lines += self.promote_lines("        ")
            first = self.pair[0]
            lines.append(f"    elif ({p}.__class__ is float or {p}.__class__ is int and -9999999 < {p} < 9999999)")
            lines[-1] += f" and d_{first}.dtype.kind == 'f':"
            lines.append(f"        d_{p} = {p}" if self.op.body else f"        d_{p} = d_{first}.dtype.type({p})")
        return [*lines, "    else:", f"        {otherwise}({self.everything})"]

    def promote_lines(self, indent: str) -> list[str]:
        pair = [f"d_{p}" for p in self.pair]
        scalars = " is ".join(f"{d}.__class__" for d in pair) + " is _float32"
        differ = " or ".join(f"{pair[0]}.dtype is not {d}.dtype" for d in pair[1:]) or "False"
        if self.floating:
            differ += f" or {pair[0]}.dtype.kind != 'f'"
        given = ", ".join(self.pair)
        return [
            f"{indent}if not ({scalars}) and ({differ}):",
            f"{indent}    {', '.join(pair)}, = _promote(({given},), {self.floating})",
        ]

    def forward_lines(self) -> list[str]:
        """The forward: in place of a call the expression itself, if it is one that speaks of its arguments alone."""
        op = self.op
        results = ", ".join(f"v_{name}" for name in op.outputs)
        names = {p: f"d_{p}" for p in op.tensors}
        text = None if op.body is None else renamed(op.body, names)
        if text is not None and free_names(op.body or "") <= {*self.given, "np"}:
            return [f"{results} = {text}"]
        return [f"{results} = _forward({', '.join(names.get(p, p) for p in self.given)})"]

    def usual_link(self, results: list[str]) -> list[str]:
        """The node, if any input needs a gradient; all names are those of `usual`."""
        op = self.op
        lines = []
        for p in op.inputs:
            number = p in self.pair[1:]
            absent = p in op.optional or number
            if absent:
                test = f"{p} is None" if p in op.optional else f"d_{p} is {p}"
                test = f"{p} is None" if p in op.optional else f"{p}.__class__ is float or {p}.__class__ is int"
                lines.append(f"    if {test}: n_{p} = m_{p} = None; k_{p} = 0")
                lines.append("    else:")
            pad = "        " if absent else "    "
            lines += [
                f"{pad}m_{p} = {p}.meta",
                f"{pad}if m_{p} is None: n_{p} = {p}.node; k_{p} = {p}.output_nr",
                f"{pad}elif m_{p}.accumulator is not None and {p}.node is None and m_{p}.view is None and "
                f"(n_{p} := m_{p}.accumulator()) is not None: k_{p} = 0",
                f"{pad}else: n_{p}, k_{p} = _edge({p})",
            ]
        nodes = [f"n_{p}" for p in op.inputs]
        idle = [f"(m_{p} is None or not {p}.requires_grad)" for p in op.inputs]
        out = "; ".join(f"{r}.node = None" for r in results)
        back = ", ".join(results)
        lines.append(f"    if {' is None and '.join(nodes)} is None and {' and '.join(idle)}:")
        lines.append(f"        {out}; return {back}")
        lines.append("    if _special and not _state.grad_enabled:")
        lines.append(f"        {out}; return {back}")
        many = len(op.inputs)
        nrs = " or ".join(f"k_{p}" for p in op.inputs)
        lines += [
            "    node = _new(_Node); node.hooks = node.meta_ = None; node.freed = False; node.sequence_nr = _next()",
            f"    node.next = ({', '.join(nodes)},)",
            f"    node.nrs = ({', '.join('k_' + p for p in op.inputs)},) if {nrs} else _Z[{many}]",
        ]
        outs = [f"v_{name}" for name in op.differentiable]
        told = ", ".join(f"({v}.shape, {v}.dtype)" for v in outs)
        one = f"_SCALAR if {outs[0]}.__class__ is _float32 else ({told},)"
        lines.append(f"    node.outs = {one if len(outs) == 1 else f'({told},)'}")
        for i, name in enumerate(op.outputs):
            attached = name in op.differentiable
            nr = f"; r_{name}.output_nr = {i}" if attached and i else ""
            lines.append(f"    r_{name}.node = {'node' if attached else None}{nr}")
        return lines + self.save_lines(usual=True)

    # ---- the node

    def link(self) -> list[str]:
        """The code that makes the node, if any input needs a gradient."""
        op = self.op
        lines = [f"def _link({self.everything}, results, inplace=None):"]
        for p in op.inputs:
            if p in op.lists:
                lines.append(f"    e_{p} = [_edge(t) for t in {p}]")
                lines.append(f"    n_{p} = True if any(n is not None for n, _ in e_{p}) else None")
                continue
            if p in op.optional:
                lines.append(f"    if {p} is None: n_{p}, k_{p} = None, 0")
            word = "elif" if p in op.optional else "if"
            lines.append(f"    {word} {p}.meta is None: n_{p} = {p}.node; k_{p} = {p}.output_nr")
            lines.append(f"    else: n_{p}, k_{p} = _edge({p})")
        nodes = [f"n_{p}" for p in op.inputs]
        # A view taken under no_grad says that it requires grad though no gradient can go to it: its node leads nowhere.
        idle = [f"not any(t.requires_grad for t in {p})" for p in op.inputs if p in op.lists]
        for p in op.inputs:
            if p not in op.lists:
                absent = f"{p} is None or " if p in op.optional else ""
                idle.append(f"({absent}{p}.meta is None or not {p}.requires_grad)")
        lines.append(f"    if {' is None and '.join(nodes)} is None and {' and '.join(idle)}: return None")
        nexts = [f"tuple(n for n, _ in e_{p})" if p in op.lists else f"(n_{p},)" for p in op.inputs]
        nrs = [f"tuple(k for _, k in e_{p})" if p in op.lists else f"(k_{p},)" for p in op.inputs]
        counted = "results" if len(op.differentiable) == len(op.outputs) else f"results[:{len(op.differentiable)}]"
        lines += [
            "    node = _new(_Node); node.hooks = node.meta_ = None; node.freed = False",
            "    node.sequence_nr = _state.next_sequence()",
            f"    node.next = {' + '.join(nexts)}; nrs = {' + '.join(nrs)}",
            f"    node.nrs = _Z[{len(op.inputs)}] if nrs == _Z[{len(op.inputs)}] else nrs",
            f"    outs = tuple([(r.data_.shape, r.data_.dtype) for r in {counted}])",
            "    node.outs = _SCALAR if outs == _SCALAR else outs",
        ]
        for i, name in enumerate(op.outputs if not op.many else ()):
            if name in op.differentiable:
                lines.append(f"    r = results[{i}] if inplace is None else inplace; r.node = node; r.output_nr = {i}")
        if op.many:
            lines.append("    for i, r in enumerate(results): r.node = node; r.output_nr = i")
        lines += self.save_lines(usual=False)
        lines.append("    if _state.saved_hooks: _pack(node)")
        lines.append("    if _state.session is not None:")
        told = f"[t for t in {self.involved()} if t is not None]"
        lines.append(f"        _state.session.node_made(node, {op.name!r}, {told})")
        lines.append("    return node")
        return lines

    def save_lines(self, usual: bool) -> list[str]:
        op = self.op
        lines = []
        for name, users in op.kept().items():
            alone = len(users) == 1 and len(op.inputs) > 1 and name not in op.outputs
            when = f"n_{users[0]} is not None" if alone else "True"
            if name in op.outputs:
                lines += self.save_result_lines(name, when, usual)
            elif name in op.lists:
                lines.append(f"    node.saved_{name}, node.version_{name} = _list({name}) if {when} else (None, None)")
            elif name in op.tensors:
                number = usual and name in self.pair[1:]
                if number:
                    lines.append(f"    if d_{name} is {name}: node.saved_{name} = {name}; node.version_{name} = 0")
                there = f" and {name} is not None" if name in op.optional else ""
                lines.append(f"    {'elif' if number else 'if'} ({when}){there}:")
                lines.append(f"        node.saved_{name} = {name}; s = {name}.storage_")
                lines.append(f"        node.version_{name} = 0 if s is None else s.version")
                lines.append(f"    else: node.saved_{name} = node.version_{name} = None")
            else:
                value = self.value_of(name)
                if name.endswith("_sym_strides"):  # torch looks at the strides only of inputs that need a gradient
                    value += f" if n_{name.removesuffix('_sym_strides')} is not None else ()"
                lines.append(f"    node.saved_{name} = {value}")
        return lines

    def save_result_lines(self, name: str, when: str, usual: bool) -> list[str]:
        op = self.op
        at = op.outputs.index(name)
        if name not in op.differentiable:
            kept = f"r_{name}" if usual else f"results[{at}]"
            return [f"    node.saved_{name} = {kept} if {when} else None", f"    node.version_{name} = 0"]
        lines = [f"    if {when}:"]
        lines.append(f"        r = r_{name}" if usual else f"        r = results[{at}] if inplace is None else inplace")
        lines.append(f"        node.saved_{name} = _result(r); node.version_{name} = r.storage_.version")
        return [*lines, f"    else: node.saved_{name} = node.version_{name} = None"]

    def value_of(self, name: str) -> str:
        """How to compute a plain value that a formula asks for."""
        if name in self.op.signature.parameters:
            return f"_Dim({name}) if {name}.__class__ is int else {name}" if name.startswith("dim") else name
        for ending, how in FACTS.items():
            if name.endswith(ending):
                return how.format(name.removesuffix(ending))
        raise TypeError(f"the formulas of {self.op.name} ask for {name}, which is no input, argument or result")

    # ---- backward

    def run(self, mode: str) -> list[str]:
        """`raw` or `graph` of the node: load what is kept, then apply the formula of each edge that is wanted.

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
            lines.append(f"    g_{p} = None if n_{p} is None else {self.formula(mode, p, 'grads[0]')}")
        results = ", ".join(f"*g_{p}" if p in op.lists else f"g_{p}" for p in op.inputs)
        lines.append(f"    return [{results}]")
        return lines

    def load_lines(self, mode: str) -> list[str]:
        op = self.op
        lines = []
        for name, users in sorted(op.kept().items()):
            if not op.is_tensor(name):
                lines.append(f"    x_{name} = self.saved_{name}")
                continue
            when = " or ".join(f"n_{p} is not None" for p in users)
            if mode == "graph":
                lines.append(f"    if {when}:")
                if name in op.tensors:
                    fresh = f"_t.__class__ is _Tensor and (_t.storage_ is None or _t.storage_.version == self.version_{name})"
                    lines.append(f"        _t = self.saved_{name}")
                    lines.append(f"        x_{name} = _t if not _special and {fresh} else _unpack(self, {name!r})")
                else:
                    lines.append(f"        x_{name} = _unpack(self, {name!r})")
            elif mode == "raw" or name in op.lists or name not in op.tensors + list(op.differentiable):
                lines.append(f"    if {when}: x_{name} = _loaded(self, {name!r})")
            else:
                lines += [f"    if {when}:", f"        _t = self.saved_{name}", *self.quick_load(name)]
        return lines

    def quick_load(self, name: str) -> list[str]:
        """In `step`: an array that nothing wrote since it was kept is taken as it is."""
        if name in self.op.outputs:
            plain = f"_t.__class__ is _SavedResult and _t.storage_.version == self.version_{name}"
        else:
            plain = f"_t.__class__ is _Tensor and (_t.storage_ is None or _t.storage_.version == self.version_{name})"
            plain += " and (_t.meta is None or not _t.meta.wrapped)"
        return [f"        x_{name} = _t.data_ if {plain} else _loaded(self, {name!r})"]

    def formula(self, mode: str, p: str, grad: str) -> str:
        """The formula of the input `p`: its text over the names used here, else a call of it."""
        op = self.op
        names = {n: {"grad": grad, "grads": "grads"}.get(n, f"x_{n}") for n in op.needs[p]}
        text = op.texts.get(p)
        if text is None:
            return f"_{mode}_{p}({', '.join(names.values())})"
        return f"({renamed(text, names)})"

    def has_step(self) -> bool:
        op = self.op
        return not self.mixed and len(op.differentiable) == 1 and not op.many and "writes" not in op.traits and (
            len(op.inputs) <= MAX_EDGES
        )

    def step(self) -> list[str]:
        """`raw` with what the quick engine does around it: fitting, letting go of what was kept, handing on."""
        op = self.op
        wants_all = any("grads" in needs for needs in op.needs.values())
        lines = ["def _step(self, grad, wanted, this):"]
        lines.append("    if grad is None: return _nothing(self, wanted, this)")
        lines.append(f"    {', '.join('n_' + p for p in op.inputs)}, = wanted")
        if wants_all:
            lines.append("    grads = (grad,)")
        lines += self.load_lines("step")
        for i, p in enumerate(op.inputs):
            lines.append(f"    if n_{p} is not None:")
            lines.append(f"        g_{p} = {self.formula('raw', p, 'grad')}")
            fit = f"_fitted(self, {i}, g_{p}, n_{p}, nrs[{i}])"
            lines += [
                f"        c = g_{p}.__class__",
                "        if c is _float32:",
                f"            if n_{p}.outs is not _SCALAR: nrs = self.nrs; g_{p} = {fit}",
                "        else:",
                f"            nrs = self.nrs; e = n_{p}.outs[nrs[{i}]]",
                f"            if c is not _ndarray or g_{p}.shape != e[0] or g_{p}.dtype is not e[1]: g_{p} = {fit}",
            ]
        kept = [f"self.saved_{n} = " for n in op.kept() if op.is_tensor(n)]
        lines.append(f"    if not this.retain: {''.join(kept) + 'None; ' if kept else ''}self.freed = True")
        lines.append("    del grad" + (", grads" if wants_all else ""))
        lines.append(f"    if this.given or self.nrs is not _Z[{len(op.inputs)}]:")
        handed = ", ".join(f"g_{p} if n_{p} is not None else None" for p in op.inputs)
        lines.append(f"        results = [{handed}]; {' = '.join('g_' + p for p in op.inputs)} = None")
        lines.append("        return _hand_on(self, results, wanted, this)")
        for p in op.inputs:
            lines += [
                f"    if n_{p} is not None:",
                f"        if n_{p}.__class__ is _AccumulateGrad: _leaf(this, n_{p}, g_{p})",
                "        else:",
                f"            nr = n_{p}.sequence_nr",
                "            if nr in this.buffers: _add(this, nr, g_" + p + ")",
                f"            else: this.buffers[nr] = g_{p}; this.pending[nr] = n_{p}",
            ] + ([f"        g_{p} = None"] if p != op.inputs[-1] else [])
        return lines


def refused(op: Op) -> Any:
    """What the operator form (`a * b`) does with other operands: Python asks the other side, or refuses."""

    def operator(self: Tensor, other: Any, *rest: Any) -> Any:
        if isinstance(other, Tensor | bool | int | float | np.generic):
            return op.general(self, other, *rest)
        return NotImplemented

    return operator


def renamed(text: str, names: dict[str, str]) -> str:
    """The expression `text` with its names replaced."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return ast.unparse(tree)


def free_names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
