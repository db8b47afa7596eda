"""From an entry of the table to straight-line code: what is constant for an operator is not decided at each call.

An operator becomes a handful of functions. `general` runs it whatever is on: listeners, grad modes, hooks on saved
tensors, budgets, lists of tensors, views. The operator itself does the same for the usual case in as few steps as can
be, and leaves all others to `general` (Note [Usual threads] in engine/state.py), or to `heard` if a tape listens
(events/recording.py). `link` makes the node. `raw` and `graph` apply the formulas to arrays and to tensors; `step` and
`graph_step` are these with what the quick engine does before and after (fast_engine.py), `heard_step` is the `step` of
nodes whose facts are on a tape.

Names that begin with an underscore belong to this module; all others are those of the table.
"""

from __future__ import annotations

import linecache
import sys
import weakref
import zlib
from collections.abc import Sequence
from functools import partial
from threading import get_ident
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import fast_engine, pending_grads
from ...engine.grad_validation import fitted_tensor, shows, validate_grad
from ...engine.state import next_usual, singular, special, state
from ...events.limits import LARGE, SMALL, freeze_value, many_leaves
from ...events.recorded_engine import apart, heard_hand_on, heard_nothing, told_step
from ...graph.accumulate_grad import accumulator, new_accumulator
from ...graph.anomaly import remember
from ...graph.edges import late, number_late, operand_edge
from ...graph.node import FLOAT, LAST, SCALAR, Dim, known_floats, outs_of
from ...graph.saved_tensor import SavedResult, save_result, unpack_slot
from ...tensor import arithmetic
from ...tensor.bfloat16 import settled, short_numbers
from ...tensor.storage import Storage
from ...tensor.tensor import Tensor, blank, wrapped_number
from .. import operands
from ..autocast import way_of
from ..not_differentiable import make_node
from ..registry import callbacks
from .backward import Backward
from .cache import kept
from .forward import Forward
from .real_kernels import UNSUPPORTED, WITHOUT_GRADIENT, check_outs, real_outs, refuse_complex
from .recorded import Heard

if TYPE_CHECKING:
    from ..op import Op

Namespace = dict[str, Any]


def call_batched(op: Op, args: tuple[Any, ...]) -> Any:
    """What `op` gives while vmap hides a dimension of one of `args`, None if it does not: functorch/batching_rules."""
    return callbacks.batched(op, args)


PLUMBING: Namespace = {
    "_Tensor": Tensor, "_SavedResult": SavedResult, "_Storage": Storage,
    "_LAST": LAST, "_SCALAR": SCALAR, "_FLOAT": FLOAT, "_outs": outs_of, "_floats": known_floats,
    "_numbers": arithmetic.numbers,
    "_special": special, "_singular": singular, "_thread": get_ident, "_state": state, "_next": next_usual,
    "_new": blank, "_float32": np.float32, "_ndarray": np.ndarray, "_edge": operand_edge,
    "_leaf_of": accumulator, "_new_leaf": new_accumulator, "_Dim": Dim,
    "_fitted": validate_grad, "_fitted_tensor": fitted_tensor, "_shows": shows, "_unpack": unpack_slot,
    "_result": save_result,
    "_operand": operands.operand, "_late": late, "_number": number_late,
    "_promote": operands.promote, "_array": operands.array, "_loaded": operands.load_saved,
    "_strides": operands.strides,
    "_in_floats": operands.in_floats,
    "_list": operands.kept_list, "_arrays": operands.list_arrays, "_pack": operands.pack_all,
    "_finish": operands.finish, "_leaf": pending_grads.leaf, "_holders": sys.getrefcount, "_add": fast_engine.add,
    "_hand_on": fast_engine.hand_on, "_any_step": fast_engine.step,
    "_nothing": fast_engine.nothing, "_squared": fast_engine.square_grads,
    "_counted_on": fast_engine.counted_on, "_remember": remember, "_version": operands.version_of,
    "_batched": call_batched, "_proxy": weakref.proxy, "_noted": freeze_value, "_LARGE": LARGE, "_SMALL": SMALL,
    "_quiet": operands.loaded_quietly, "_wrapped": wrapped_number, "_many_leaves": many_leaves, "_underived": make_node,
    "_no_complex": refuse_complex, "_several": tuple,
    "_settled": settled, "_short": short_numbers,
    "_heard_hand_on": heard_hand_on, "_heard_nothing": heard_nothing, "_told_step": told_step, "_apart": apart,
}  # fmt: skip


PLUMBING |= {f"_Z{n}": (0,) * n for n in range(24)}


class Code(Forward, Backward):
    """The source of the functions of one operator."""

    # ---- putting it together

    def source(self) -> str:
        """All functions, inside one that gives them the names of this module."""
        op = self.op
        lines = self.general()
        made = ["_general", "_usual"]
        heard = Heard(op)
        if heard.may_be:
            lines += heard.heard() + heard.plain()
            made.append("_aside")
            if heard.has_step():
                lines += heard.step()
                made.append("_heard_step")
        aside = "return _aside" if heard.may_be else "return _general"
        if self.is_quick and op.node_class is not None:
            lines += self.oddly()
        lines += self.usual("_usual", aside, heard.may_be) if self.is_quick else ["_usual = _general"]
        if self.is_quick and (self.chooses or (len(self.pair) == 2 and self.pair == self.given[:2])):
            lines += self.usual("_operator", "return _refused", heard.may_be)
            made.append("_operator")
        if op.node_class is not None:
            lines += self.link() + self.run("raw") + self.run("graph")
            made += ["_link", "_raw", "_graph"]
            if self.has_step():
                lines += self.step() + self.step(graph=True)
                made += ["_step", "_graph_step"]
        names = ", ".join(
            [*PLUMBING, "_Node", "_OP", "_forward", "_refused", "_over", "_lie", "_cast", *self.formula_names]
        )
        body = "\n".join(f"    {line}" for line in lines)
        return f"def _make({names}):\n{body}\n    return dict({', '.join(f'{n}={n}' for n in made)})\n"

    def functions(self, raw: Namespace, graph: Namespace, formulas: Namespace) -> Namespace:
        """The functions: formulas over arrays look their names up in `raw`, formulas over tensors in `graph`."""
        given = dict(PLUMBING, _Node=self.op.node_class, _OP=self.op, _forward=self.op.forward)
        for p, (on_arrays, on_tensors) in formulas.items():
            given[f"_raw_{p}"], given[f"_graph_{p}"] = on_arrays, on_tensors
        given["_lie"] = self.rule
        given["_cast"] = way_of(self.op.name)
        given["_over"] = self.op.traits.get("over")
        given["_refused"] = self.op.traits.get("operator") or refuse_operands(self.op)
        given["_promote"] = self.op.traits.get("promotion", operands.promote)
        if self.op.name in WITHOUT_GRADIENT | UNSUPPORTED:
            given["_outs"], given["_several"] = real_outs(self.op.name), partial(check_outs, self.op.name)
        file = f"<operator {self.op.name}>"
        self.op.packed_source, code = kept.get("code", self.op.name, lambda: compile_source(self.source(), file))
        linecache.cache[file] = (len(self.op.packed_source), None, Lines(self.op), file)  # type: ignore[assignment]
        made = run_in(raw, code, given)
        if self.op.node_class is not None:
            on_tensors = run_in(graph, code, given)
            made |= {name: on_tensors[name] for name in ("_graph", "_graph_step") if name in on_tensors}
        return made


class Lines(Sequence[str]):
    """The lines of the source of an operator, for tracebacks, taken apart when somebody asks."""

    def __init__(self, op: Op) -> None:
        self.op = op

    def __len__(self) -> int:
        return len(self.op.source.splitlines())

    def __getitem__(self, at: Any) -> Any:
        return self.op.source.splitlines(True)[at]


def compile_source(source: str, file: str) -> tuple[bytes, CodeType]:
    """`source`, packed, and the code of it."""
    return zlib.compress(source.encode(), 1), compile(source, file, "exec")


def run_in(names: Namespace, code: CodeType, given: Namespace) -> Namespace:
    """The functions that `code` makes of what is `given`, their other names looked up in `names`."""
    place: Namespace = {}
    exec(code, names, place)
    made: Namespace = place["_make"](**given)
    return made


def refuse_operands(op: Op) -> Any:
    """What the operator form (`a * b`) does with other operands: Python asks the other side, or refuses."""

    def operator(self: Tensor, other: Any, *rest: Any) -> Any:
        if isinstance(other, Tensor | bool | int | float | complex | np.generic):
            return op.aside(self, other, *rest)
        return NotImplemented

    return operator
