"""The code of an operator that is recorded: as it usually is, and a fact for the tape (recording/)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .backward import Backward
from .entry import ERRORS, edge_lines
from .forward import Forward

if TYPE_CHECKING:
    from ..op import Op


class Heard(Forward, Backward):
    """Lines of `_heard`, which `_general` gives way to while a tape listens, and of `_heard_step`."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.bare_numbers, self.numbers = self.numbers, []
        # Beside a node numbers are wrapped, for what it keeps is a tensor that is told of.

    @property
    def may_be(self) -> bool:
        """Whether the operator makes one result and a node; others are told of at once."""
        op = self.op
        return self.is_quick and op.node_class is not None and len(op.outputs) == len(op.differentiable) == 1

    # ---- forward

    def heard(self) -> list[str]:
        op = self.op
        (name,) = op.outputs
        v, r = f"v_{name}", f"r_{name}"
        lines = [f"def _aside({self.parameters()}):", "    tape = _state.tape"]
        lines.append(f"    return _heard(tape, {self.everything}) if tape is not None else _general({self.everything})")
        lines += [
            f"def _heard(tape, {self.everything}):",
            f"    if not tape.grad: return _plain(tape, {self.everything})",
        ]
        for p in op.tensors:
            if p in self.bare_numbers:
                lines += self.perhaps_a_number(p)
                continue
            lines.append(f"    if {p}.__class__ is not _Tensor: {p} = _operand({p}, _OP, {p!r})")
            lines.append(f"    d_{p} = {p}.data_" + (f" if {p} is not None else None" if p in op.optional else ""))
        lines += [] if self.bare_numbers else self.brought_together()
        lines += self.computed(v, r)
        lines.append(f"    if {v}.__class__ is not _float32 and {v}.size > _LARGE:")
        lines.append(f"        _link({self.everything}, ({r},))")
        lines.append(f"        tape.result({r}, {op.name!r}, {self.involved()})")
        lines.append(f"        return {r}")
        lines += self.linked(v, r)
        wrapped = {p: f"{p}.meta is not None and {p}.meta.wrapped" for p in self.pair[1:]}
        return lines + self.noted_plain(v, r, wrapped)

    def perhaps_a_number(self, p: str) -> list[str]:
        """The operand `p` and its data, which is a bare number where that is all that the first one needs."""
        first = self.pair[0]
        bare = f"{p}.__class__ is float or {p}.__class__ is int and -9999999 < {p} < 9999999"
        return [
            f"    if ({bare}) and d_{first}.dtype.kind == 'f':",
            f"        d_{p} = {p}" if self.op.body else f"        d_{p} = d_{first}.dtype.type({p})",
            f"        {p} = _wrapped({p})",
            "    else:",
            f"        if {p}.__class__ is not _Tensor: {p} = _operand({p}, _OP, {p!r})",
            f"        d_{p} = {p}.data_",
            *self.promote_lines("        "),
        ]

    def computed(self, v: str, r: str) -> list[str]:
        """The result, `r` over `v`, and all that it takes, once the operands are known."""
        op = self.op
        call = ", ".join(f"d_{p}" if p in op.tensors else p for p in self.given)
        return [
            f"    if tape.reserve is not None: tape.reserve({op.name!r}, ({call},))",
            "    try:",
            *(f"        {line}" for line in self.forward_lines()),
            f"    except {ERRORS} as error:",
            f"        raise _OP.failure(error, ({self.everything},)) from None",
            f"    {r} = _new(); {r}.data_ = {v}; {r}.storage_ = {r}.meta = {r}.node = None",
        ]

    def plain(self) -> list[str]:
        """`_plain`, for threads in which grad mode is off: a result without a graph, and its fact."""
        op = self.op
        (name,) = op.outputs
        v, r = f"v_{name}", f"r_{name}"
        self.numbers = self.bare_numbers
        lines = [f"def _plain(tape, {self.everything}):"]
        for p in op.tensors:
            lines += self.operand_lines(p, p in self.numbers, "return _general")
        if len(self.pair) > 1 and not self.numbers:
            lines += self.promote_lines("    ")
        if self.floating and not self.numbers:
            lines.append("    if d_self.dtype.kind != 'f': d_self, = _promote((self,), True)")
        lines += self.computed(v, r)
        numbers = {p: f"{p}.__class__ is float or {p}.__class__ is int" for p in self.numbers}
        self.numbers = []
        lines.append(f"    if {v}.__class__ is _float32 or {v}.size <= _LARGE:")
        lines += [f"    {line}" for line in self.noted_plain(v, r, numbers)]
        return [*lines, f"    tape.result({r}, {op.name!r}, {self.involved()})", f"    return {r}"]

    def noted_plain(self, v: str, r: str, unseen: dict[str, str]) -> list[str]:
        """The fact of a result without a graph; nothing is told of operands for which a condition of `unseen` holds."""
        op = self.op
        lines, late = ["    try:", "        base = tape.base"], []
        for p in op.tensors:
            absent = [f"{p} is None"] if p in op.optional else []
            absent += [unseen[p]] if p in unseen else []
            lines.append(f"        t_{p} = {'None if ' + ' or '.join(absent) + ' else ' if absent else ''}{p}.told")
            late.append(f"(t_{p} is not None and t_{p} < base)" if absent else f"t_{p} < base")
        raw = f"float({v}) if {v}.__class__ is _float32 else (({v}.shape, {v}.dtype), {v}.tobytes())"
        told = ", ".join(f"t_{p}" for p in op.tensors)
        return [
            *lines,
            f"        if {' or '.join(late)}: raise AttributeError",
            f"    except AttributeError: tape.result({r}, {op.name!r}, {self.involved()})",
            "    else:",
            f"        {r}.told = at = tape.next_told()",
            f"        tape.add((_OP, at, _proxy({r}, tape.add), None, {raw}, {told},))",
            f"    return {r}",
        ]

    def brought_together(self) -> list[str]:
        """The operands in one dtype."""
        if len(self.pair) == 2:
            return self.promote_lines("    ")
        if self.pair:
            data, pair = ", ".join(f"d_{p}" for p in self.pair), ", ".join(self.pair)
            return [f"    {data}, = _promote(({pair},), {self.floating})"]
        return ["    if d_self.dtype.kind != 'f': d_self, = _promote((self,), True)"] if self.floating else []

    def linked(self, v: str, r: str) -> list[str]:
        """The node, if any input needs a gradient, and the fact of it all."""
        op = self.op
        lines = []
        for p in op.inputs:
            indent = "    "
            if p in op.optional:
                lines += [f"    if {p} is None: n_{p} = m_{p} = None; k_{p} = 0", "    else:"]
                indent = "        "
            lines += edge_lines(p, indent)
        some = " or ".join(f"n_{p} is not None" for p in op.inputs)
        apart = " or ".join(f"(m_{p} is not None and {p}.requires_grad)" for p in op.inputs)
        lines.append(f"    if {some} or {apart}:")
        return lines + [f"    {line}" for line in self.node_made(v, r)]

    def node_made(self, v: str, r: str) -> list[str]:
        op = self.op
        nexts, nrs = (", ".join(f"{letter}_{p}" for p in op.inputs) for letter in "nk")
        many = " or ".join(f"k_{p}" for p in op.inputs)
        lines = [
            "    node = _Node(); node.hooks = None; node.freed = False",
            f"    node.sequence_nr = nr = tape.next_sequence(); node.next = ({nexts},)",
            "    if _late: _number()",
            f"    node.nrs = nrs = ({nrs},) if {many} else _Z{len(op.inputs)}",
            f"    node.outs = _SCALAR if {v}.__class__ is _float32 else _outs[{v}.shape, {v}.dtype]",
            f"    {r}.node = node",
            *self.save_lines(usual=True),
            "    base = tape.base; add = tape.add",
            *self.told("t", op.tensors, "met", r),
            *self.told("e", [f"n_{p}" for p in op.inputs], "joined", r),
            f"    {r}.told = at = tape.next_told(); node.told = here = tape.next_joined()",
        ]
        if any(name in op.outputs for name in op.kept()):
            lines.append(f"    if {r}.storage_ is not None: {r}.storage_.told = at")
        facts = [f"t_{p}" for p in op.tensors] + [f"e_n_{p}" for p in op.inputs]
        facts += [f"node.version_{name}" for name in op.kept() if op.is_tensor(name)]
        facts += [f"node.saved_{name}" for name in op.kept() if not op.is_tensor(name)]
        raw = f"float({v}) if {v}.__class__ is _float32 else (node.outs[0], {v}.tobytes())"
        lines.append(
            f"    add((_OP, at, _proxy({r}, add), here, _proxy(node, add), nr, {raw}, nrs, {', '.join(facts)},))"
        )
        if len(op.inputs) > 2:
            lines.append("    if tape.plain and _many_leaves(node): tape.plain = False")
        return [*lines, f"    return {r}"]

    def told(self, letter: str, things: list[str], otherwise: str, result: str) -> list[str]:
        """`told` of each of `things`, as `<letter>_<thing>`; the tape is asked where any has none of this tape's."""
        names = [f"{letter}_{thing}" for thing in things]
        lines = ["    try:"]
        late = []
        for name, thing in zip(names, things, strict=True):
            lacks = thing.startswith("n_") or thing in self.op.optional
            lines.append(f"        {name} = " + (f"None if {thing} is None else " if lacks else "") + f"{thing}.told")
            late.append(f"({name} is not None and {name} < base)" if lacks else f"{name} < base")
        lines.append(f"        if {' or '.join(late)}: raise AttributeError")
        lines.append("    except AttributeError:")
        lines.append(f"        found = tape.{otherwise}({', '.join(things)})")
        if otherwise == "met":
            lines.append(f"        if found is None: return tape.both({result}, {self.op.name!r}, {self.involved()})")
        return [*lines, f"        {', '.join(names)}, = found"]

    # ---- backward

    step_name, nothing, hand_on = "_heard_step", "_heard_nothing", "_heard_hand_on"

    def set_apart(self) -> list[str]:
        return []

    def array_lines(self) -> list[str]:
        """The gradients as arrays, each as its edge expects it, and as the fact has it."""
        lines = []
        for i, p in enumerate(self.op.inputs):
            fit = f"g_{p} = _fitted(self, {i}, g_{p}, n_{p}, self.nrs[{i}]); f_{p} = _noted(g_{p})"
            lines += [
                f"    if n_{p} is None: f_{p} = None",
                "    else:",
                f"        g_{p} = {self.formula('raw', p, 'grad')}",
                f"        c = g_{p}.__class__",
                "        if c is _float32:",
                f"            if n_{p}.outs is _SCALAR: f_{p} = float(g_{p})",
                f"            else: {fit}",
                "        else:",
                f"            e = n_{p}.outs[self.nrs[{i}]]",
                f"            if c is not _ndarray or g_{p}.shape != e[0] or g_{p}.dtype is not e[1]: {fit}",
                f"            else: f_{p} = e, g_{p}.tobytes()",
            ]
        return lines

    def told_of_step(self) -> list[str]:
        return [f"    _t = None; this.add((self.told, {', '.join(f'f_{p}' for p in self.op.inputs)},))"]

    def told_of_leaf(self, p: str) -> list[str]:
        return [f"            this.arrived.append(n_{p})"]

    def quick_load(self, mode: str, name: str, load: str) -> str:
        return super().quick_load(mode, name, "_quiet")
