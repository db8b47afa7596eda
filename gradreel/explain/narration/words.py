"""Plain words for values, names and lists, as every sentence uses them.

Text carries two marks: `code` in backticks and **bold**.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from gradreel.trace.events import Value

from ..calls import callee, keyword
from ..replay.states import NodeState, Place, Seen, TensorState
from ..replay.world import World

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "pow": "**",
    "mm": "@",
    "mv": "@",
    "dot": "@",
    "bmm": "@",
    "matmul": "@",
    "gt": ">",
    "lt": "<",
    "ge": ">=",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
}
COMPARED = frozenset(("gt", "lt", "ge", "le", "eq", "ne"))
ATTRIBUTES = {
    "data": ".data",
    "detach": ".detach()",
    "t": ".t()",
    "transpose": ".T",
    "permute": ".permute(…)",
    "slice": "[…]",
    "index": "[…]",
    "view": ".view(…)",
    "reshape": ".reshape(…)",
    "unsqueeze": ".unsqueeze(…)",
    "squeeze": ".squeeze()",
    "expand": ".expand(…)",
    "clone": ".clone()",
    "sum": ".sum()",
    "mean": ".mean()",
}
"""Operators that a program writes behind their operand."""

FEW, SHORT = 6, 40
"""A value with at most so many numbers, in at most so many letters, is written out."""

DIGITS = (4, 3, 2)
"""With so many significant digits; fewer where the letters would not suffice for more."""

BINDING = {
    **dict.fromkeys((">", "<", ">=", "<=", "==", "!="), 0),
    **dict.fromkeys("+-", 1),
    **dict.fromkeys("*/@", 2),
    "-a": 3,
    "**": 4,
    "a": 5,
}
"""How tightly what Python writes between its operands binds them; a name, a call or a bracket most tightly."""

WRITTEN = {
    "addmm": "{1} @ {2} + {0}",
    "addmv": "{1} @ {2} + {0}",
    "baddbmm": "{1} @ {2} + {0}",
    "unsafe_view": "{0}.view(…)",
    "reshape_alias": "{0}.reshape(…)",
    "to_copy": "{0}.to(…)",
    "convolution": "conv({0}, {1})",
    "native_layer_norm": "layer_norm({0})",
    "native_batch_norm": "batch_norm({0})",
    "native_group_norm": "group_norm({0})",
    "max_pool2d_with_indices": "max_pool2d({0})",
    "linalg_vector_norm": "norm({0})",
    "nll_loss_forward": "nll_loss({0}, {1})",
    "cdist_forward": "cdist({0}, {1})",
    "euclidean_dist": "cdist({0}, {1})",
    "multilabel_margin_loss_forward": "multilabel_margin_loss({0}, {1})",
    "pdist_forward": "pdist({0})",
    "CheckpointFunction": "checkpoint(…, {0})",
}
"""Operators that a program writes otherwise than they are called inside."""

VOWEL = re.compile(r"8|1[18](?!\d)")
"""Numbers that are spoken with a vowel first: eight, eleven, eighteen, eighty."""

SPANS = re.compile(r"`[^`]*`|\[[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*\]|\([^()`]*\)")
MOST_WORDS = 25
"""So many words are read at once; what more there is to a step is told to who asks for it."""

NUMBER = re.compile(r"-?\d[\d.e+-]*")

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number(data: Any, digits: int = 4) -> str:
    """One number, short."""
    if isinstance(data, complex):
        sign = "" if data.imag < 0 else "+"
        return f"{number(data.real, digits)}{sign}{number(data.imag, digits)}j"
    if isinstance(data, bool) or not isinstance(data, float):
        return str(data)
    if not math.isfinite(data):
        return str(data)
    if 1000 <= abs(data) < 1e6:
        return f"{data:.1f}".removesuffix(".0")
    return f"{data:.{digits if abs(data) < 100 else max(digits, 3)}g}"


@lru_cache(4096, typed=True)
def scalar(data: Any) -> str:
    """A number that stands alone, a whole float with `.0`. Not for zeros: to a cache, -0.0 and 0.0 are one."""
    text = number(data)
    return text + ".0" if isinstance(data, float) and text.lstrip("-").isdigit() else text


def array(data: Any, digits: int = 4) -> str:
    if not isinstance(data, list):
        return number(data, digits)
    return "[" + ", ".join([array(part, digits) for part in data]) + "]"


def size(shape: Sequence[int]) -> int:
    return math.prod(shape)


def value(thing: Value | None) -> str:
    """A value in a sentence: 3.0, [0.5, 0.5], or what it is like when it is larger."""
    if thing is None:
        return "nothing"
    text = numbers(thing)
    if text is not None:
        return text
    dims = shape(thing.shape)
    return f"{'an' if VOWEL.match(dims) else 'a'} {dims} tensor"


def aside(thing: Value | None) -> str:
    """A value in brackets: as `value`, and of a larger one the shape alone, 16×8 or 8 elements."""
    text = numbers(thing) if thing is not None else "nothing"
    if text is not None or thing is None:
        return text or "nothing"
    return shape(thing.shape) if len(thing.shape) != 1 else f"{thing.shape[0]} elements"


def numbers(thing: Value) -> str | None:
    """The numbers of a small value; None for a larger one."""
    if not thing.whole:
        return None
    if not thing.shape:
        return scalar(thing.data) if thing.data else scalar.__wrapped__(thing.data)
    if size(thing.shape) > FEW:
        return None
    return next((text for digits in DIGITS if len(text := array(thing.data, digits)) <= SHORT), None)


def shape(dims: Sequence[int]) -> str:
    return "×".join(map(str, dims)) if len(dims) != 1 else f"{dims[0]}-element"


def listing(parts: Iterable[str]) -> str:
    """`a`, `b` and `c`."""
    *rest, last = parts
    return f"{', '.join(rest)} and {last}" if rest else last


def some(parts: Sequence[str], most: int = 4) -> str:
    """As `listed`, with the tail of a long list counted."""
    if len(parts) <= most:
        return listing(parts)
    return listing([*parts[: most - 1], f"{count(len(parts) - most + 1)} more"])


def count(many: int) -> str:
    return COUNTS[many] if many < len(COUNTS) else str(many)


def nth(place: int) -> str:
    return ORDINALS[place - 1] if 1 <= place <= len(ORDINALS) else f"{place}th"


def code(text: str) -> str:
    return f"`{text}`"


def plural(many: int, noun: str) -> str:
    return f"{count(many)} {noun}" if many == 1 else f"{count(many)} {noun}s"


def words_in(text: str) -> int:
    """How many words there are to read in `text`; code, and a value in brackets, is one."""
    return sum(any(map(str.isalnum, word)) for word in SPANS.sub("x", text).split())


def short(text: str) -> bool:
    """Whether `text` is read at once."""
    return len(text) <= MOST_WORDS * 3 or words_in(text) <= MOST_WORDS


def upper(text: str) -> str:
    """`text` with its first letter raised, past any mark."""
    return text[:1].upper() + text[1:]


# ---- names of things


def name_of(world: World, tensor: TensorState) -> str | None:
    """What the program calls `tensor`: by a name in sight first, a plain name before a path, else by a past name."""
    if len(tensor.names) == 1:
        return tensor.names[0][1]
    if tensor.names:
        return best_name(tensor.names, world.scope)
    return tensor.called


def best_name(names: list[tuple[int, str]], here: int) -> str:
    """A name in scope `here` before others, then a plain name before a path, then one of the program itself."""
    found, best = "", 4
    for scope, name in [pair for pair in names if pair[0] == here] or names:
        rank = (scope != 0) if name.isidentifier() else 2 + (scope != 0)
        if rank < best:
            found, best = name, rank
    return found


def label(world: World, number: int | None, depth: int = 2) -> str | None:
    """The name of a tensor, or the expression it came from in terms of names; None if that would be long."""
    tensor = world.tensors.get(number) if number is not None else None
    if tensor is None:
        return None
    name = name_of(world, tensor)
    if name is not None:
        return name
    if tensor.number in world.owners and (owner := grad_owner(world, tensor)) is not None:
        return owner
    if not tensor.inputs:
        return None if tensor.requires_grad else plain(tensor.value)
    parts: list[str] = []
    for number in tensor.inputs if depth else (None,):
        part = label(world, number, depth - 1)
        if part is None:
            return None
        parts.append(part)
    node = world.nodes.get(tensor.node) if tensor.node is not None else None
    return expression(tensor.op, parts, node.values if node is not None else {})


def plain(thing: Value | None) -> str | None:
    """A number that a program may have written; None for what is none."""
    return value(thing) if thing is not None and thing.whole and not thing.shape else None


@lru_cache(4096)
def binding(text: str) -> int:
    """How tightly `text` holds together: as the loosest operator that stands in it outside of brackets."""
    if NUMBER.fullmatch(text):
        return BINDING["a"]
    depth, words = 0, [""]
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and not depth:
            words.append("")
        else:
            words[-1] += letter
    least = min((BINDING.get(word, BINDING["a"]) for word in words[1::2]), default=BINDING["a"])
    return min(least, BINDING["-a"]) if text.startswith("-") else least


def operand(text: str, least: int) -> str:
    """`text`, in brackets if it binds less tightly than `least`."""
    return text if binding(text) >= least else f"({text})"


@lru_cache(4096)
def between(left: str, op: str, right: str) -> str:
    """`left op right` with the brackets that Python needs; only a power groups from the right."""
    here = BINDING[op]
    return f"{operand(left, here + (op == '**'))} {op} {operand(right, here + (op != '**'))}"


@lru_cache(1024)
def bare(op: str) -> str:
    """`mul` of `mul.Tensor`, `add` of `add_.Scalar`."""
    return op.partition(".")[0].strip("_")


def expression(op: str, parts: list[str], values: dict[str, str]) -> str | None:
    """How a program writes `op` of `parts`; `values` are the plain values that its node keeps, if it has one."""
    op = bare(op)
    if op in INFIX and len(parts) == 2:
        return between(parts[0], INFIX[op], parts[1])
    inner = [operand(part, BINDING["a"]) for part in parts]
    if op in WRITTEN and len(parts) >= WRITTEN[op].count("{"):
        return WRITTEN[op].format(*(parts if "({" in WRITTEN[op] else inner))
    if op == "rsub" and len(parts) == 1:
        return f"{values['other']} - {inner[0]}" if "other" in values else None
    if op[:1].isupper():
        return f"{op}.apply({', '.join(parts)})" if len(parts) <= 3 else None
    if (
        op.endswith("_backward")
        or op == "copy_slices"
        or op in ATTRIBUTES
        and any(NUMBER.fullmatch(part) for part in parts)
    ):
        return None
    if op in INFIX:
        number = values.get("exponent") or values.get("other") or ("…" if op in COMPARED else None)
        return between(parts[0], INFIX[op], number) if number is not None and len(parts) == 1 else None
    if op in ATTRIBUTES and len(parts) == 1:
        return inner[0] + ATTRIBUTES[op]
    if op == "select" and len(parts) == 1:
        index, dim = values.get("index", "…"), values.get("dim", "0")
        before = ":, " * int(dim) if dim in ("0", "1", "2", "3") else "…, "
        return f"{inner[0]}[{before}{index}]"
    if op == "neg":
        return f"-{inner[0]}"
    return f"{op}({', '.join(parts)})" if op.isidentifier() and len(parts) <= 3 else None


def grad_owner(world: World, tensor: TensorState) -> str | None:
    """`w.grad`, if that is what the tensor is."""
    owner = world.owner_of(tensor.number)
    name = name_of(world, owner) if owner is not None else None
    return None if name is None else f"{name}.grad"


def code_label(world: World, number: int | None) -> str:
    """As `label`, in backticks; "an unnamed tensor" for what has no name."""
    text = label(world, number)
    tensor = world.tensors.get(number) if number is not None else None
    leaf = tensor is not None and tensor.requires_grad and tensor.node is None
    if text is None or (leaf and NUMBER.fullmatch(text)):
        return "an unnamed leaf" if leaf else "an unnamed tensor"
    return code(text)


def node(world: World, number: int) -> str:
    """**MulBackward0 #3**, or of a leaf: `w`."""
    state = world.nodes[number]
    return f"**{state.title}**" if state.variable is None else code_label(world, state.variable)


def feeds(world: World, state: NodeState, target: int) -> str:
    """Where a gradient that `state` hands to the node `target` goes: the tensor by its name, else the node."""
    goal = world.nodes[target]
    if goal.variable is not None:
        return code_label(world, goal.variable)
    for tensor in goal.outputs:
        made = world.tensors[tensor]
        if tensor in state.inputs and made.node == target and (name := name_of(world, made)) is not None:
            return code(name)
    return goal.title


def during(place: Place) -> str:
    """` in **iteration 1**`, if `place` is in a loop."""
    return f" in **iteration {place.turns[-1].number}**" if place.turns else ""


def without_graph(world: World, place: Place) -> str:
    """How a backward at `place` was asked to record nothing: by no word of it, or by an expression that is False."""
    for node in world.source.nodes:
        if callee(node) in ("grad", "backward") and place.line <= node.lineno <= place.end_line:  # type: ignore[attr-defined]
            word = keyword(node, "create_graph")  # type: ignore[arg-type]
            if word is not None and not isinstance(word.value, ast.Constant):
                return f"with {code(f'create_graph={ast.unparse(word.value)}')}, which is False"
    return "without `create_graph`"


def on(line: int) -> str:
    return f"on **line {line}**"


def taking(taken: Seen) -> str:
    """How plain numbers were taken: `.item()`, or `float()`, which is no method."""
    return "`float()`" if taken.how == "float" else f"`.{taken.how}()`"
