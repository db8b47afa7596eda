"""What all parts of the compiler know of an entry, and how they rewrite the text of its formulas."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...tensor.strides import as_weight, elementwise_layout, rows
from .layout import rule_of
from .real_kernels import REFUSALS

if TYPE_CHECKING:
    from ..op import Op

KNOWN = ("np", "arithmetic", "len")
"""The names that mean the same in compiled code as in the modules of operators."""
ERRORS = "(ValueError, TypeError)"


class Entry:
    """An operator, and what compiled code says of it again and again."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.given = list(op.parameters)
        self.everything = ", ".join(self.given)
        self.mixed = bool(set(op.inputs) & set(op.lists))
        promoted = op.traits.get("promote") or ()
        self.pair = [p for p in op.tensors if p in promoted]
        alike = len(self.pair) == 2 and self.pair[0] == self.given[0] and not op.traits.get("tensors_only")
        self.numbers = self.pair[1:] if alike else []
        self.may_be_numbers = self.numbers
        """Operands that a node may keep as the Python number they are."""
        self.is_quick = bool(op.tensors) and not (op.view or op.many or op.lists or op.underived)
        self.floating = op.traits.get("floating", False)
        self.first = next(iter(op.tensors), None) if op.name in REFUSALS else None
        """The operand that is looked at if the operator takes real numbers alone; they are of one dtype by then."""
        self.rule = rule_of(op.name)
        self.formula_names = [f"_{mode}_{p}" for mode in ("raw", "graph") for p in op.formulas]

    def parameters(self) -> str:
        shown = []
        for p, q in self.op.signature.parameters.items():
            shown.append(p if q.default is q.empty else f"{p}={q.default!r}")
        return ", ".join(shown)

    def only_user(self, name: str) -> str | None:
        """The one input, of several, whose gradient needs `name`: without it that is not kept. None for all others."""
        op, users = self.op, self.op.kept()[name]
        alone = len(users) == 1 and len(op.inputs) > 1 and name not in op.outputs and "backward" not in op.name
        return users[0] if alone else None

    def next_lines(self) -> str:
        """Each edge into its slot, of nodes that have one for each (node.py)."""
        op = self.op
        return "" if op.lists else "; ".join(f"node.{op.edge_slots[p]} = n_{p}" for p in op.inputs)

    def edge_lines(self, indent: str = "    ") -> list[str]:
        """The edges of a step for which a gradient is wanted: by slots where all are, as no `wanted` says."""
        op = self.op
        names = [f"n_{p}" for p in op.inputs]
        own = "; ".join(f"n_{p} = self.{op.edge_slots[p]}" for p in op.inputs)
        return [f"{indent}if wanted is None: {own}", f"{indent}else: {', '.join(names)}, = wanted"]

    def number(self, p: str, beside: str) -> str:
        """The number `p` as numpy takes it soonest beside the array `beside`, if all that is done is to compute."""
        op = self.op
        only = ""
        if self.given != self.pair:
            if op.shortcut is None or not free_names(op.shortcut[0]).isdisjoint(op.tensors):
                return p
            only = f" and {op.shortcut[0]}"
        return f"_numbers[{p}] if {beside}.__class__ is _ndarray and {beside}.dtype is _FLOAT{only} else {p}"

    def real_lines(self) -> list[str]:
        """Refuse complex operands, where torch's kernel does."""
        if self.first is None:
            return []
        kind = f"d_{self.first}.dtype"
        return [f"if {kind} is not _FLOAT and {kind}.kind == 'c': _no_complex({self.op.name!r}, {kind})"]

    def laid_lines(self, indent: str) -> list[str]:
        """Move results that do not lie as torch's do: see Note [Layouts of results] in tensor/strides.py."""
        op = self.op
        if self.rule is None or op.view or op.many:
            return []
        given = ", ".join([f"d_{p}" for p in op.tensors] + [f"*d_{p}" for p in op.lists])
        lines = []
        for name in op.outputs:
            v = f"v_{name}"
            amiss = f"{v}.__class__ is _ndarray and ({self.may_lie_otherwise(v)})"
            lines.append(f"{indent}if {amiss}: {v} = _lie({v}, ({given},))")
        return lines

    def may_lie_otherwise(self, v: str) -> str:
        """Whether the result `v` may lie otherwise than in torch: in both, what is made of rows lies in rows.

        Where of what is computed element by element the last operand alone is turned, both do as the others say.
        """
        op = self.op
        if op.lists:
            return "True"
        if self.rule is rows:
            return f"not {v}.flags.c_contiguous"
        count = max(len(op.tensors) - 1, 1) if self.rule is elementwise_layout else 2 if self.rule is as_weight else 1
        return " or ".join(
            f"(d_{p} is not None and not d_{p}.flags.c_contiguous)"
            if p in op.optional
            else f"not d_{p}.flags.c_contiguous"
            for p in op.tensors[:count]
        )

    def names_involved(self) -> str:
        return " + ".join([f"({p},)" for p in self.op.tensors] + [f"tuple({p})" for p in self.op.lists]) or "()"


APART = "(look := {0}.view) is None or (base := look.base).meta is base.node is None"
"""Whether a tensor with the Meta {0} is no view, or one of a tensor that has nothing to do with any graph."""


def edge_lines(p: str, indent: str) -> list[str]:
    """Where the gradient of the operand `p` goes: for usual results and leaves at once, for all others by `_edge`."""
    plain = APART.format(f"m_{p}")
    return [
        f"{indent}m_{p} = {p}.meta",
        f"{indent}if m_{p} is None: n_{p} = {p}.node; k_{p} = 0",
        f"{indent}elif {p}.node is None and ({plain}):",
        f"{indent}    k_{p} = 0",
        f"{indent}    if not m_{p}.requires_grad: n_{p} = None",
        f"{indent}    elif (held := m_{p}.accumulator) is None or (n_{p} := held()) is None: n_{p} = _leaf_of({p})",
        f"{indent}else: n_{p}, k_{p} = _edge({p})",
    ]


def plain_edge_lines(p: str, indent: str, oddly: str) -> list[str]:
    """The same where `oddly` says what to do with all others."""
    apart = APART.format(f"m_{p}")
    return [
        f"{indent}if (m_{p} := {p}.meta) is None: n_{p} = {p}.node",
        f"{indent}elif {p}.node is None and ({apart}):",
        f"{indent}    if not m_{p}.requires_grad: n_{p} = None",
        f"{indent}    elif (held := m_{p}.accumulator) is None or (n_{p} := held()) is None:",
        f"{indent}        n_{p} = _new_leaf({p}, m_{p})",
        f"{indent}else: {oddly}",
    ]


def rename_names(text: str, names: dict[str, str]) -> str:
    """The expression `text` with its names replaced."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return ast.unparse(tree)


def free_names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
