"""The code of an operator that is recorded: as it usually is, and a fact for the tape (events/recording.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .backward import Backward, is_exact
from .entry import ERRORS, edge_lines
from .forward import Forward

if TYPE_CHECKING:
    from ..op import Op

# ---- what the reader of a tape computes again, so that a fact need not have it; see Note [Facts] (events/recording.py)
#
# Note [Same bits]. Element by element, + - * / and what is made of them alone give the same bits wherever they are
# computed. Sums, products of matrices and curves do where what goes in is laid out in memory alike: of those, what is
# made of arrays in C order is computed again, as the reader has all contents in C order. Nothing that draws random
# numbers is, nor what takes more than LARGE elements, for of those no contents are noted.


PLAIN = "{0}.__class__ is _ndarray and {0}.flags.c_contiguous and {0}.size <= _LARGE"


class Again:
    """When results of an operator, and what its formulas give, are computed again: conditions over compiled names.

    `alike` says that all operands are computed with as they were given.
    """

    def __init__(self, op: Op) -> None:
        self.op = op
        self.exact = is_exact(op.body)
        self.exact_step = all(map(is_exact, map(op.texts.get, op.inputs)))
        """Whether the reader computes all gradients again, so that the fact has none but those that were fitted."""

    @property
    def may_be(self) -> bool:
        """Whether results can be: the forward is an expression of its arguments, and all but tensors have defaults."""
        op = self.op
        plain = [q for p, q in op.signature.parameters.items() if p not in op.tensors]
        written = op.body is not None or op.shortcut is not None
        return written and all(q.name != "generator" and q.default is not q.empty for q in plain)

    def given(self) -> list[str]:
        """That the operands are as they were given, and all else as it is by default."""
        defaults = {p: q.default for p, q in self.op.signature.parameters.items() if p not in self.op.tensors}
        return [
            "alike",
            *(f"{p} {'is' if q is None or q.__class__ is bool else '=='} {q!r}" for p, q in defaults.items()),
        ]

    def of_number(self, otherwise: str) -> str:
        """None if a result that is a single number is computed again, else what the fact has of it."""
        return f"None if {' and '.join(self.given())} else {otherwise}" if self.may_be and self.exact else otherwise

    def of_array(self, v: str, otherwise: str) -> str:
        """The same for the array `v` of at most LARGE elements. (One without any may be made of large ones.)"""
        if not self.may_be:
            return otherwise
        laid_out = [f"{v}.size"] if self.exact else [PLAIN.format(f"d_{p}") for p in self.op.tensors]
        return f"None if {' and '.join([*self.given(), *laid_out])} else {otherwise}"

    def of_gradient(self, p: str) -> str:
        """Whether what the formula of the input `p` gives is computed again, where `laid_out` says it of `grad`."""
        kept = [name for name in self.op.needs[p] if self.op.is_tensor(name)]
        return " and ".join(["laid_out", *(PLAIN.format(f"x_{name}") for name in kept)])


# ---- the code


class Heard(Forward, Backward):
    """Lines of `_heard`, which `_general` gives way to while a tape listens, and of `_heard_step`."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.bare_numbers, self.numbers = self.numbers, []
        # Beside a node numbers are wrapped, for what it keeps is a tensor that is told of.
        self.again = Again(op)

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
            *self.as_given(),
        ]
        for p in op.tensors:
            if p in self.bare_numbers:
                lines += self.perhaps_a_number(p)
            elif p in op.optional:
                lines.append(
                    f"    if {p} is not None and {p}.__class__ is not _Tensor: {p} = _operand({p}, _OP, {p!r})"
                )
                lines.append(f"    d_{p} = None if {p} is None else {p}.data_")
            else:
                lines.append(f"    try: d_{p} = {p}.data_")
                lines.append(f"    except AttributeError: {p} = _operand({p}, _OP, {p!r}); d_{p} = {p}.data_")
        lines += [] if self.bare_numbers else self.brought_together()
        lines += self.computed(v, r)
        lines += [
            f"    if {v}.__class__ is _float32: outs = _SCALAR; raw = {self.again.of_number(f'float({v})')}",
            f"    elif (n_ := {v}.size) > _LARGE or (kind_ := {v}.dtype) is not _FLOAT and kind_.kind == 'c':",
            f"        _link({self.everything}, ({r},))",
            f"        tape.result({r}, {op.name!r}, {self.names_involved()})",
            f"        return {r}",
            "    else:",
            f"        try: outs = _floats[{v}.shape] if kind_ is _FLOAT else _outs({v}.shape, kind_)",
            f"        except KeyError: outs = _outs({v}.shape, _FLOAT)",
            f"        raw = {self.again.of_array(v, f'float({v}) if outs is _SCALAR else {v}.tobytes()')}",
            f"        if n_ > _SMALL and tape.weigh is not None: tape.weigh({r})",
        ]
        lines += self.link_and_record(v, r)
        wrapped = {p: f"{p}.meta is not None and {p}.meta.wrapped" for p in self.pair[1:]}
        bare = {p: f"d_{p}" for p in self.bare_numbers}
        return lines + self.noted_plain(r, "raw if outs is _SCALAR or raw is None else (outs[0], raw)", wrapped, bare)

    def as_given(self) -> list[str]:
        """Until an operand is brought to another dtype, the reader has it as it is computed with."""
        return ["    alike = True"] if self.again.may_be else []

    def promote_lines(self, indent: str, otherwise: str = "") -> list[str]:
        return self.changed(super().promote_lines(indent))

    def changed(self, lines: list[str]) -> list[str]:
        """The `lines`, of which the last brings operands to another dtype, and that it does."""
        return [*lines[:-1], f"{lines[-1]}; alike = False"] if self.again.may_be else lines

    def perhaps_a_number(self, p: str) -> list[str]:
        """The operand `p` and its data, which is a bare number where that is all that the first one needs."""
        first = self.pair[0]
        return [
            f"    if {p}.__class__ is _Tensor:",
            f"        d_{p} = {p}.data_",
            *self.promote_lines("        "),
            f"    elif ({p}.__class__ is float or {p}.__class__ is int and -9999999 < {p} < 9999999) "
            f"and d_{first}.dtype.kind == 'f':",
            f"        d_{p} = {p}" if self.op.body else f"        d_{p} = d_{first}.dtype.type({p})",
            f"        {p} = _wrapped({p})",
            "    else:",
            f"        {p} = _operand({p}, _OP, {p!r})",
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
            *self.laid_lines("    "),
            f"    {r} = _new(); {r}.data_ = {v}; {r}.storage_ = {r}.meta = {r}.node = None",
        ]

    def plain(self) -> list[str]:
        """`_plain`, for threads in which grad mode is off: a result without a graph, and its fact."""
        op = self.op
        (name,) = op.outputs
        v, r = f"v_{name}", f"r_{name}"
        self.numbers = self.bare_numbers
        lines = [f"def _plain(tape, {self.everything}):", *self.as_given()]
        for p in op.tensors:
            lines += self.operand_lines(p, p in self.numbers, "return _general")
        lines += [] if self.numbers else self.brought_together()
        lines += self.computed(v, r)
        numbers = {p: f"{p}.__class__ is float or {p}.__class__ is int" for p in self.numbers}
        self.numbers = []
        lines.append(f"    if {v}.__class__ is _float32 or {v}.size <= _LARGE:")
        lines.append(f"        if {v}.__class__ is not _float32 and {v}.size > _SMALL and tape.weigh is not None:")
        lines.append(f"            tape.weigh({r})")
        number, array = self.again.of_number(f"float({v})"), f"(({v}.shape, {v}.dtype), {v}.tobytes())"
        raw = f"({number}) if {v}.__class__ is _float32 else {self.again.of_array(v, array)}"
        lines += [f"    {line}" for line in self.noted_plain(r, raw, numbers, {p: p for p in numbers})]
        return [*lines, f"    tape.result({r}, {op.name!r}, {self.names_involved()})", f"    return {r}"]

    def noted_plain(self, r: str, raw: str, unseen: dict[str, str], bare: dict[str, str]) -> list[str]:
        """The fact of a result without a graph, with `raw` for its contents.

        Nothing is told of operands for which a condition of `unseen` holds; of those in `bare`, the number they are.
        """
        op = self.op
        lines, late = ["    try:", "        base = tape.base"], []
        for p in op.tensors:
            absent = [f"{p} is None"] if p in op.optional else []
            absent += [unseen[p]] if p in unseen else []
            lines.append(f"        t_{p} = {'None if ' + ' or '.join(absent) + ' else ' if absent else ''}{p}.told")
            late.append(f"(t_{p} is not None and t_{p} < base)" if absent else f"t_{p} < base")
        told = ", ".join([f"t_{p}" for p in op.tensors] + [f"{bare[p]} if t_{p} is None else None" for p in bare])
        return [
            *lines,
            f"        if {' or '.join(late)}: raise AttributeError",
            f"    except AttributeError: tape.result({r}, {op.name!r}, {self.names_involved()})",
            "    else:",
            f"        {r}.told = at = tape.next_told()",
            f"        tape.add((_OP, at, _proxy({r}, tape.add), None, {raw}, {told},))",
            f"    return {r}",
        ]

    def brought_together(self) -> list[str]:
        """The operands in one dtype."""
        if len(self.pair) > 1:
            return self.promote_lines("    ")
        if self.pair:
            data, pair = ", ".join(f"d_{p}" for p in self.pair), ", ".join(self.pair)
            return self.changed([f"    {data}, = _promote(({pair},), {self.floating})"])
        if not self.floating:
            return []
        return ["    if d_self.dtype.kind != 'f':", *self.changed(["        d_self, = _promote((self,), True)"])]

    def link_and_record(self, v: str, r: str) -> list[str]:
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
        nrs = ", ".join(f"k_{p}" for p in op.inputs)
        many = " or ".join(f"k_{p}" for p in op.inputs)
        lines = [
            "    node = _Node(); node.hooks = None; node.freed = False",
            f"    node.sequence_nr = nr = tape.next_sequence(); {self.next_lines()}",
            "    if _late: _number()",
            f"    node.nrs = nrs = ({nrs},) if {many} else _Z{len(op.inputs)}",
            f"    node.outs = outs; {r}.node = node",
            *self.save_lines(usual=True),
            "    base = tape.base; add = tape.add",
            *(f"    if m_{p} is not None and m_{p}.wrapped: tape.wrapped({p})" for p in self.bare_numbers),
            "    try:",
        ]
        lines += self.told(r)
        lines.append(f"    at, here = tape.next_both(); {r}.told = at; node.told = here")
        if any(name in op.outputs for name in op.kept()):
            lines.append(f"    if {r}.storage_ is not None: {r}.storage_.told = at")
        facts = [f"t_{p}" for p in op.tensors] + [f"e_{p}" for p in op.inputs]
        facts += [f"node.version_{name}" for name in op.kept() if op.is_tensor(name)]
        facts += [f"node.saved_{name}" for name in op.kept() if not op.is_tensor(name)]
        lines.append(f"    add((_OP, at, _proxy({r}, add), here, nr, outs, raw, nrs, {', '.join(facts)},))")
        if len(op.inputs) > 2:
            lines.append("    if tape.plain and _many_leaves(node): tape.plain = False")
        return [*lines, f"    return {r}"]

    def told(self, result: str) -> list[str]:
        """`told` of each operand and of each edge; the tape is asked where one has none of this tape's.

        The node of a plain result was told of with it.
        """
        op = self.op
        lines, late = [], []
        for p in op.tensors:
            lacks = p in op.optional
            lines.append(f"        t_{p} = " + (f"None if {p} is None else " if lacks else "") + f"{p}.told")
            late.append(f"(t_{p} is not None and t_{p} < base)" if lacks else f"t_{p} < base")
        for p in op.inputs:
            lines.append(f"        e_{p} = None if n_{p} is None else n_{p}.told")
            late.append(f"(m_{p} is not None and n_{p} is not None and e_{p} < base)")
        operands, nodes = ", ".join(op.tensors), ", ".join(f"n_{p}" for p in op.inputs)
        return [
            *lines,
            f"        if {' or '.join(late)}: raise AttributeError",
            "    except AttributeError:",
            f"        found = tape.met({operands})",
            f"        if found is None: return tape.both({result}, {op.name!r}, {self.names_involved()})",
            f"        {', '.join(f't_{p}' for p in op.tensors)}, = found",
            f"        {', '.join(f'e_{p}' for p in op.inputs)}, = tape.joined({nodes})",
        ]

    # ---- backward

    step_name, nothing, hand_on = "_heard_step", "_heard_nothing", "_heard_hand_on"

    def set_apart(self) -> list[str]:
        return [f"    if self.nrs is not {self.first_outputs}: return _told_step(self, grad, wanted, this)"]

    def array_lines(self) -> list[str]:
        """The gradients as arrays, each as its edge expects it, and as the fact has it."""
        if self.again.exact_step:
            fitted = [] if self.op.traits.get("fitting") else ["    apart = None"]
            return fitted + super().array_lines()
        lines = [f"    laid_out = {PLAIN.format('grad')}"]
        for i, p in enumerate(self.op.inputs):
            loads = self.own_load_lines(p)
            value = f"float(g_{p}) if g_{p}.__class__ is _float32 else None if g_{p} is None else "
            value += f"(n_{p}.outs[0], g_{p}.tobytes())"
            lines += [
                f"    if n_{p} is None:",
                f"        f_{p} = None",
                *(["        if wanted is not None:", *(f"    {line}" for line in loads)] if loads else []),
                "    else:",
                *loads,
                f"        g_{p} = {self.formula('raw', p, 'grad')}",
                f"        again = {self.again.of_gradient(p)}",
                *super().fitting_lines(p, f"g_{p} = _fitted(self, {i}, g_{p}, n_{p}, 0); again = False"),
                f"        f_{p} = True if again else {value}",
            ]
        return lines

    def fitting_lines(self, p: str, fit: str) -> list[str]:
        return super().fitting_lines(p, f"{fit}; apart = _apart(apart, {self.op.inputs.index(p)}, g_{p})")

    def square_lines(self) -> list[str]:
        return []  # each gradient is told of

    def told_of_step(self) -> list[str]:
        if not self.again.exact_step:
            fact = f"(self.told, {', '.join(f'f_{p}' for p in self.op.inputs)},)"
        elif self.op.traits.get("fitting"):
            fact = "self.told"
        else:
            fact = "self.told if apart is None else (self.told, apart)"
        kept = any(self.op.is_tensor(name) for name in self.op.kept())
        return [f"    {'_t = None; ' if kept else ''}this.add({fact})"]

    def told_of_leaf(self, p: str) -> list[str]:
        return [f"            this.arrived.append(n_{p})"]

    def quick_load(self, mode: str, name: str, load: str) -> str:
        return super().quick_load(mode, name, "_quiet")
