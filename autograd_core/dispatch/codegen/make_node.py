"""The code that makes the node of an operator and keeps in it what its formulas ask for."""

from __future__ import annotations

from .entry import Entry

FACTS: dict[str, str] = {
    "_sym_sizes": "{0}.shape",
    "_sym_numel": "{0}.size",
    "_sym_strides": "_in_floats[{0}.strides] if {0}.itemsize == 4 else _strides({0})",
    "_sym_argsize_0": "{0}.shape[0]",
    "_sym_argsize_1": "{0}.shape[1]",
    "_sym_argsize_2": "{0}.shape[2]",
    "_sym_argsize_minus_1": "{0}.shape[-1]",
    "_sym_argsize_minus_2": "{0}.shape[-2]",
    "_sym_argsize_minus_3": "{0}.shape[-3]",
    "_sym_sizes_opt": "{1}.data_.shape if {1} is not None else (0,)",
    "_dim": "{0}.ndim",
    "_dtype_": "{0}.dtype",
    "_sizes_": "[t.data_.shape for t in {1}]",
    "_shape_": "{0}.shape",
    "_strides_": "_strides({0})",
}
"""What a formula may ask about an input without keeping it: the ending of the name, and how to compute it from the
array {0} of the input {1}."""


class Making(Entry):
    """Lines of `_link`, and of the end of `_usual`."""

    # ---- the node

    def link(self) -> list[str]:
        """The code that makes the node, if any input needs a gradient."""
        op = self.op
        lines = [f"def _link({self.everything}, results, inplace=None):"]
        if op.underived:
            return lines + self.underived_lines()
        for p in op.inputs:
            if p in op.lists:
                lines.append(f"    e_{p} = [_edge(t) for t in {p}]")
                lines.append(f"    n_{p} = True if any(n is not None for n, _ in e_{p}) else None")
                continue
            if p in op.optional:
                lines.append(f"    if {p} is None: n_{p}, k_{p} = None, 0")
            word = "elif" if p in op.optional else "if"
            lines.append(f"    {word} {p}.meta is None: n_{p} = {p}.node; k_{p} = 0")
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
            "    node = _Node(); node.hooks = None; node.freed = False",
            "    node.sequence_nr = _state.next_sequence()",
            "    if _late: _number()",
            f"    {self.next_lines() or 'node.next = ' + ' + '.join(nexts)}; nrs = {' + '.join(nrs)}",
            f"    node.nrs = _Z{len(op.inputs)} if nrs == _Z{len(op.inputs)} else nrs",
            f"    outs = tuple([(r.data_.shape, r.data_.dtype) for r in {counted}])",
            "    node.outs = _outs(*outs[0]) if len(outs) == 1 else _several(outs)",
        ]
        for i, name in enumerate(op.outputs if not op.many else ()):
            if name in op.differentiable:
                nr = f"; r.output_nr = {i}" if i else ""
                lines.append(f"    r = results[{i}] if inplace is None else inplace; r.node = node{nr}")
        if op.many:
            lines.append("    for i, r in enumerate(results): r.node = node; r.output_nr = i")
        lines += self.save_lines(usual=False)
        lines.append("    if _state.saved_hooks: _pack(node)")
        lines.append("    if _state.anomaly: _remember(node)")
        lines.append("    if _state.session is not None:")
        told = f"[t for t in {self.names_involved()} if t is not None]"
        lines.append(f"        _state.session.node_made(node, {op.name!r}, {told})")
        lines.append("    return node")
        return lines

    def underived_lines(self) -> list[str]:
        """The node of an operator without a derivative: it takes no number, and knows only of what requires grad."""
        operands = f"({', '.join(self.op.inputs)},)"
        return [f"    return _underived({self.op.name!r}, {operands}, results, inplace)"]

    def save_lines(self, usual: bool) -> list[str]:
        op = self.op
        lines = []
        for name, users in op.kept().items():
            alone = self.only_user(name)
            when = f"n_{alone} is not None" if alone else "True"
            if op.traits.get("sparing") and name in op.tensors:
                when = " or ".join(f"n_{p} is not None" for p in users)
            if name in op.outputs:
                lines += self.save_result_lines(name, when, usual)
            elif name in op.lists:
                lines.append(f"    node.saved_{name}, node.version_{name} = _list({name}) if {when} else (None, None)")
            elif name in op.tensors:
                number = usual and name in self.numbers
                if number:
                    bare = f"n_{name} is None and {self.absent(name)}" if name in op.inputs else self.absent(name)
                    lines.append(f"    if {bare}: node.saved_{name} = {name}; node.version_{name} = 0")
                there = f" and {name} is not None" if name in op.optional else ""
                lines.append(f"    {'elif' if number else 'if'} ({when}){there}:")
                version = f"0 if {name}.storage_ is None else {name}.storage_.version"
                lines.append(f"        node.saved_{name} = {name}; node.version_{name} = {version}")
                lines.append(f"    else: node.saved_{name} = node.version_{name} = None")
            else:
                value = self.value_of(name, usual)
                if name.endswith("_sym_strides"):  # torch looks at the strides only of inputs that need a gradient
                    value = f"({value}) if n_{name.removesuffix('_sym_strides')} is not None else ()"
                lines.append(f"    node.saved_{name} = {value}")
        return lines

    def absent(self, p: str) -> str:
        """When the input `p` is no tensor at all, by the names of `usual`; empty if it always is."""
        if p in self.op.optional:
            return f"{p} is None"
        if p in self.numbers:
            return f"{p}.__class__ is not _Tensor and not isinstance({p}, _Tensor)"
        return ""

    def save_result_lines(self, name: str, when: str, usual: bool) -> list[str]:
        op = self.op
        at = op.outputs.index(name)
        if name not in op.differentiable:
            kept = f"r_{name}" if usual else f"results[{at}]"
            return [f"    node.saved_{name} = {kept} if {when} else None", f"    node.version_{name} = 0"]
        if usual and when == "True":
            return [
                f"    s = r_{name}.storage_ = _Storage(); s.version = 0; s.boxed = s.address_ = None; s.counts = True",
                f"    r = node.saved_{name} = _SavedResult(); r.storage_ = s; r.data_ = v_{name}; r.output_nr = {at}",
                f"    node.version_{name} = 0",
            ]
        lines = [f"    if {when}:"]
        lines.append(f"        r = r_{name}" if usual else f"        r = results[{at}] if inplace is None else inplace")
        lines.append(f"        node.saved_{name} = _result(r); node.version_{name} = r.storage_.version")
        return [*lines, f"    else: node.saved_{name} = node.version_{name} = None"]

    def value_of(self, name: str, usual: bool) -> str:
        """How to compute a plain value that a formula asks for."""
        if name in self.op.signature.parameters:
            return f"_Dim({name}) if {name}.__class__ is int else {name}" if name.startswith("dim") else name
        for ending, how in FACTS.items():
            if name.endswith(ending):
                p = name.removesuffix(ending)
                at_hand = usual and p in self.op.tensors and not (self.pair or self.floating)
                return how.format(f"d_{p}" if at_hand else f"{p}.data_", p)
        raise TypeError(f"the formulas of {self.op.name} ask for {name}, which is no input, argument or result")
