"""The code that runs an operator: `_general` whatever is on, `_usual` in as few steps as can be."""

from __future__ import annotations

from ...tensor.strides import elementwise_layout
from ..autocast import way_of
from .backward import is_exact
from .entry import ERRORS, KNOWN, free_names, plain_edge_lines, rename_names
from .make_node import Making

EXACT_NUMBERS = {"mul.Tensor": ("self", "other"), "div.Tensor": ("other",)}
"""Operands that stay as exact as they are where they are numbers beside bfloat16: others go as bfloat16, too."""
SHORT_NUMBERS = {
    **dict.fromkeys(("add.Tensor", "sub.Tensor"), ("alpha",)),
    **dict.fromkeys(("add.Scalar", "sub.Scalar", "rsub.Scalar", "remainder.Scalar", "fmod.Scalar"), ("other",)),
    "pow.Tensor_Scalar": ("exponent",),
    "pow.Scalar": ("self",),
    "lerp.Tensor": ("weight",),
}
"""What else goes as bfloat16 beside it."""
SIMPLE = ("_Tensor", "float", "int")
"""What the other operand of `a * b` mostly is."""


class Forward(Making):
    """Lines of `_general`, `_usual` and `_operator`."""

    # ---- forward, whatever is on

    def general(self) -> list[str]:
        op = self.op
        arrays = {p: f"d_{p}" for p in op.tensors + op.lists}
        lines = [f"def _general({self.parameters()}):"]
        lines.append("    if _state.mapped:")
        lines.append(f"        hidden = _batched(_OP, ({self.everything},))")
        lines.append("        if hidden is not None: return hidden")
        if way_of(op.name) is not None:
            given = ", ".join(p for p in op.tensors)
            lines.append("    if _state.autocast is not None:")
            lines += [f"        {given}, = _cast(({given},))"] if given else []
            lines += [f"        {p} = _cast({p})" for p in op.lists]
        for p in op.tensors:
            lines.append(f"    if {p}.__class__ is not _Tensor: {p} = _operand({p}, _OP, {p!r})")
            lines.append(f"    d_{p} = {p}.data_" + (f" if {p} is not None else None" if p in op.optional else ""))
        for p in op.lists:
            lines.append(f"    {p}, d_{p} = _arrays({p}, _OP, {p in op.gaps})")
        if self.pair:
            data, pair = ", ".join(f"d_{p}" for p in self.pair), ", ".join(self.pair)
            same = " is ".join(f"d_{p}.__class__" for p in self.pair) + " is _float32"
            lines.append(f"    if not ({same}): {data}, = _promote(({pair},), {self.floating})")
            short = ", ".join(f"d_{p}" for p in self.pair if p not in EXACT_NUMBERS.get(op.name, ()))
            lines += (
                [f"    if _state.bfloat16: {short}, = _short(({short},), {data.partition(',')[0]})"] if short else []
            )
        elif self.floating:
            lines.append("    if d_self.dtype.kind != 'f': d_self, = _promote((self,), True)")
        if op.view:
            lines.append("    d_self = self.array()")
        for p in SHORT_NUMBERS.get(op.name, ()):
            beside, number = f"d_{op.tensors[0]}", arrays.get(p, p)
            lines.append(f"    n_{p}, = _short(({number},), {beside}) if _state.bfloat16 else ({number},)")
            arrays[p] = f"n_{p}"
        call = ", ".join(arrays.get(p, p) for p in self.given)
        lines.append(f"    if _state.reserve is not None: _state.reserve({op.name!r}, ({call},))")
        lines += [*(f"    {line}" for line in self.real_lines()), "    try:"]
        lines.append(f"        given_back = _forward({call})")
        lines += [f"    except {ERRORS} as error:", f"        raise _OP.failure(error, ({self.everything},)) from None"]
        results = [f"r_{name}" for name in op.outputs]
        if op.many or op.view:
            if not op.view:
                given = ", ".join(f"d_{p}" for p in op.tensors + op.lists)
                lines.append(f"    if _state.bfloat16: given_back = _settled({op.name!r}, ({given},), given_back)")
            lines.append(f"    results = _finish(_OP, self, given_back, ({''.join(f'{p}, ' for p in self.given[1:])}))")
            lines += [] if op.many else [f"    {results[0]}, = results"]
        else:
            lines.append(f"    {', '.join('v_' + name for name in op.outputs)} = given_back")
            lines += self.laid_lines("    ")
            made = ", ".join(f"v_{name}" for name in op.outputs)
            given = ", ".join(f"d_{p}" for p in op.tensors + op.lists)
            lines.append(f"    if _state.bfloat16: {made}, = _settled({op.name!r}, ({given},), ({made},))")
            for name in op.outputs:
                lines += self.result_lines(name)
                lines.append(f"    r_{name}.node = None")
            lines.append("    if _state.inference:")
            lines += [f"        {r}.as_inference()" for r in results]
        back = "results" if op.many else results[0] if len(results) == 1 else f"({', '.join(results)})"
        passed = "results" if op.many else f"({', '.join(results)},)"
        if op.node_class is not None:
            apart = (" and results" if op.many else "") + (" and not self.storage_.inference" if op.view else "")
            lines.append(f"    if _state.grad_enabled{apart}: _link({self.everything}, {passed})")
        lines.append("    if _state.session is not None:")
        lines.append(f"        for r in {passed}: _state.session.result(r, {op.name!r}, {self.names_involved()})")
        lines.append(f"    return {back}")
        return lines

    def result_lines(self, name: str) -> list[str]:
        """A plain result tensor, all but its node."""
        r = f"r_{name}"
        return [f"    {r} = _new(); {r}.data_ = v_{name}; {r}.storage_ = {r}.meta = None"]

    # ---- forward, as it usually is

    def usual(self, name: str, otherwise: str, heard: bool = False) -> list[str]:
        """The operator for a usual thread; `otherwise` is what to do with operands that are not for this path.

        If it can be `heard`, a tape that listens is at once asked to.
        """
        op = self.op
        lines = [f"def {name}({self.parameters()}):"]
        chosen = name == "_operator" and not self.pair
        lines += ["    if _singular:", "        way = _singular.get(_thread())", "        if way is not None:"]
        if heard:
            noted = " and ".join(["way is not False", *self.noted_where(name)])
            lines.append(f"            if {noted}: return _heard(way, {self.everything})")
        lines.append(f"            {otherwise}({self.everything})")
        for p in op.tensors:
            lines += self.operand_lines(p, p in self.numbers, otherwise)
        if len(self.pair) > 1 and not self.numbers:
            lines += self.promote_lines("    ")
        if self.floating and not self.numbers:
            only = self.pair[0] if self.pair else "self"
            lines.append(f"    if d_{only}.dtype is not _FLOAT and d_{only}.dtype.kind != 'f':")
            lines.append(f"        d_{only}, = _promote(({only},), True)")
        lines += ["    try:"]
        lines += [f"        {line}" for line in (self.chosen_lines(otherwise) if chosen else self.forward_lines())]
        lines += [f"    except {ERRORS} as error:", f"        raise _OP.failure(error, ({self.everything},)) from None"]
        lines += [] if self.numbers and self.rule is elementwise_layout else self.laid_lines("    ")
        for output in op.outputs:
            lines += self.result_lines(output)
        results = [f"r_{output}" for output in op.outputs]
        back = f"    return {', '.join(results)}"
        if op.node_class is None:
            return [*lines, *(f"    {r}.node = None" for r in results), back]
        return lines + self.usual_link(results) + [back]

    def noted_where(self, name: str) -> list[str]:
        """For which operands a tape notes `name` at once: for the operator form, those that it is sure to compute."""
        op = self.op
        if name != "_operator":
            return []
        if self.pair:
            kinds = (f"{p}.__class__ is {kind}" for p in self.pair[1:] for kind in SIMPLE)
            return [f"({' or '.join(kinds)})"]
        assert op.shortcut is not None
        tensors = [f"{p}.__class__ is _Tensor" for p in op.tensors[1:]]
        return [*tensors, rename_names(op.shortcut[0], {p: f"{p}.data_" for p in op.tensors})]

    def operand_lines(self, p: str, may_be_number: bool, otherwise: str) -> list[str]:
        kind, is_tensor = f"{p}.__class__ is _Tensor", f"{p}.__class__ is _Tensor or isinstance({p}, _Tensor)"
        if p in self.op.optional:
            return [
                f"    if {p} is None: d_{p} = None",
                f"    elif {is_tensor}: d_{p} = {p}.data_",
                f"    else: {otherwise}({self.everything})",
            ]
        if not may_be_number:
            return [f"    try: d_{p} = {p}.data_", f"    except AttributeError: {otherwise}({self.everything})"]
        first = self.pair[0]
        small = f"{p}.__class__ is float or {p}.__class__ is int and -9999999 < {p} < 9999999"
        taken = [f"        d_{p} = {p}.data_", *self.promote_lines("        ", otherwise)]
        return [
            f"    if {kind}:",
            *taken,
            *self.number_lines(p, f"d_{first}"),
            f"    elif ({small}) and d_{first}.dtype.kind == 'f':",
            f"        d_{p} = {self.number(p, f'd_{first}') if self.op.body else f'd_{first}.dtype.type({p})'}",
            f"    elif isinstance({p}, _Tensor):",
            *taken,
            "    else:",
            f"        {otherwise}({self.everything})",
        ]

    def number_lines(self, p: str, beside: str) -> list[str]:
        """The commonest number beside the commonest array."""
        if not self.op.body or self.given != self.pair:
            return []
        common = f"{beside}.dtype is _FLOAT and {beside}.__class__ is _ndarray"
        return [f"    elif {p}.__class__ is float and {common}: d_{p} = _numbers[{p}]"]

    def promote_lines(self, indent: str, otherwise: str = "") -> list[str]:
        """Operands of several dtypes in one; `otherwise` says what to do where a layout is to be chosen."""
        pair = [f"d_{p}" for p in self.pair]
        arrays = " or ".join(f"{d}.__class__ is not _float32" for d in pair)
        differ = " or ".join(f"{pair[0]}.dtype is not {d}.dtype" for d in pair[1:]) or "False"
        if self.floating:
            differ += f" or {pair[0]}.dtype.kind != 'f'"
        if self.pair[0] != self.given[0] and not self.op.traits.get("tensors_only"):
            differ += f" or {pair[0]}.dtype is not _FLOAT"  # all may be numbers, which are float64 for numpy
        given = ", ".join(self.pair)
        chosen = otherwise and self.rule is elementwise_layout
        turned = [f"{indent}    if {self.may_lie_otherwise('')}: {otherwise}({self.everything})"] if chosen else []
        return [
            f"{indent}if {arrays}:",
            *turned,
            f"{indent}    if {differ}: {', '.join(pair)}, = _promote(({given},), {self.floating})",
        ]

    def forward_lines(self) -> list[str]:
        """The forward: in place of a call the expression itself, if it is one that speaks of its arguments alone.

        A shortcut at its head is taken here, too.
        """
        return [*self.real_lines(), *self.computing_lines()]

    def computing_lines(self) -> list[str]:
        op = self.op
        results = ", ".join(f"v_{name}" for name in op.outputs)
        names = {p: f"d_{p}" for p in op.tensors}
        if op.body is not None and self.speaks_of_arguments(op.body):
            plain = self.plain_numbers() if is_exact(op.body) else []
            return [
                *(f"n_{p} = {self.float_beside(p, 'd_self')}" for p in plain),
                f"{results} = {rename_names(op.body, names | {p: f'n_{p}' for p in plain})}",
            ]
        call = f"_forward({', '.join(names.get(p, p) for p in self.given)})"
        if op.shortcut is not None and all(map(self.speaks_of_arguments, op.shortcut)):
            condition, short = (rename_names(text, names) for text in op.shortcut)
            return [f"{results} = {short} if {condition} else {call}"]
        return [f"{results} = {call}"]

    def plain_numbers(self) -> list[str]:
        """The numbers that stand beside the only tensor of an operator."""
        op = self.op
        return [p for p in self.given if op.forward.__annotations__.get(p) == "float"] if op.tensors == ["self"] else []

    def float_beside(self, p: str, beside: str) -> str:
        """The number `p`, which may be of any kind, as numpy takes it soonest beside the array `beside`."""
        kinds = f"{beside}.__class__ is _ndarray and {beside}.dtype is _FLOAT and {p}.__class__ is float"
        return f"_numbers[{p}] if {kinds} else {p}"

    @property
    def chooses(self) -> bool:
        """Whether the operator form is this operator only for some operands: those that its shortcut is for."""
        op = self.op
        return op.shortcut is not None and op.tensors == self.given and bool(op.traits.get("operator"))

    def chosen_lines(self, otherwise: str) -> list[str]:
        """The shortcut; what it is not for is left to others."""
        assert self.op.shortcut is not None
        names = {p: f"d_{p}" for p in self.op.tensors}
        condition, short = (rename_names(text, names) for text in self.op.shortcut)
        return [f"if not ({condition}): {otherwise}({self.everything})", f"v_{self.op.outputs[0]} = {short}"]

    def speaks_of_arguments(self, text: str) -> bool:
        return free_names(text) <= {*self.given, *KNOWN}

    def usual_link(self, results: list[str]) -> list[str]:
        """The node, if any input needs a gradient; all names are those of `usual`."""
        op = self.op
        without = "; ".join(f"{r}.node = None" for r in results) + f"; return {', '.join(results)}"
        lines = [f"    if _special and not _state.grad_enabled: {without}"]
        for p in op.inputs:
            absent = self.absent(p)
            lines += [f"    if {absent}: n_{p} = None", "    else:"] if absent else []
            oddly = f"return _oddly({self.everything}, {', '.join(results)})"
            lines += plain_edge_lines(p, "        " if absent else "    ", oddly)
        lines.append(f"    if {' is None and '.join(f'n_{p}' for p in op.inputs)} is None: {without}")
        lines += [
            "    node = _Node(); node.hooks = None; node.freed = False; node.sequence_nr = _next()",
            f"    {self.next_lines()}; node.nrs = _Z{len(op.inputs)}",
        ]
        outs = [f"v_{name}" for name in op.differentiable]
        told = ", ".join(f"({v}.shape, {v}.dtype)" for v in outs)
        lines += outs_lines(outs[0]) if len(outs) == 1 else [f"    node.outs = ({told},)"]
        for i, name in enumerate(op.outputs):
            attached = name in op.differentiable
            nr = f"; r_{name}.output_nr = {i}" if attached and i else ""
            lines.append(f"    r_{name}.node = {'node' if attached else None}{nr}")
        return lines + self.save_lines(usual=True)

    def oddly(self) -> list[str]:
        """The end of `usual` for operands that are neither results nor leaves like most: views, later outputs."""
        results = ", ".join(f"r_{name}" for name in self.op.outputs)
        numbers = [f"    if not isinstance({p}, _Tensor): {p} = _wrapped({p})" for p in self.numbers]
        return [
            f"def _oddly({self.everything}, {results}):",
            *numbers,
            *(f"    r_{name}.node = None" for name in self.op.outputs),
            f"    _link({self.everything}, ({results},))",
            f"    return {results}",
        ]


def outs_lines(v: str) -> list[str]:
    """`outs` of a node whose one result is the array `v`."""
    return [
        f"    if {v}.__class__ is _float32: node.outs = _SCALAR",
        "    else:",
        f"        try: node.outs = _floats[{v}.shape] if {v}.dtype is _FLOAT else _outs({v}.shape, {v}.dtype)",
        f"        except KeyError: node.outs = _outs({v}.shape, _FLOAT)",
    ]
