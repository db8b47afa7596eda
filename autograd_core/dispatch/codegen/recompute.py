"""What the reader of a tape computes again, so that a fact need not have it; see Note [Facts] in events/recording.py.

Note [Same bits]. Element by element, + - * / and what is made of them alone give the same bits wherever they are
computed. Sums, products of matrices and curves do where what goes in is laid out in memory alike: so of those, what is
made of arrays in C order is computed again, as the reader has all contents in C order. Nothing that draws random
numbers is, nor what takes more than LARGE elements, for of those no contents are noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .backward import is_exact

if TYPE_CHECKING:
    from ..op import Op

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
