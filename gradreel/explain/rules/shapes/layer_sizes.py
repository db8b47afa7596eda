"""Layers of another width than what comes, and sizes that do not fit together: edits of what makes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...calls import callee, keyword
from ...fixes.edits import append_suffix, loads, set_keyword, with_argument
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix_kind

CONVOLVED = re.compile(r"input size per channel: \((?P<sizes>[\d x]+)\)\. Kernel size: \(")
POOLED = re.compile(r"Given input size: \(\d+x(?P<sizes>[\dx]+)\)\. Calculated output size:")
LAYERS = re.compile(r"(?P<of>[Cc]onv|[Mm]ax_?[Pp]ool|[Aa]vg_?[Pp]ool|[Ll][Pp]_?[Pp]ool)[123]d")


@fix_kind(shape=11)
def shrink_window(wanted: FixContext) -> Iterator[Proposal]:
    """The window becomes as large as the image; a pool may also hang over the edge."""
    text, message = wanted.text, wanted.found.message
    found = CONVOLVED.search(message) or POOLED.search(message)
    if found is None:
        return
    most = min(int(part) for part in re.findall(r"\d+", found["sizes"]))
    convolved = found.re is CONVOLVED
    calls = sorted(text.parts(text.tree, ast.Call), key=lambda call: (call.lineno, call.col_offset), reverse=True)
    for call in calls:  # behind the others the image is smallest
        kind = LAYERS.fullmatch(callee(call))
        if kind is None or (kind["of"].lower() == "conv") != convolved:
            continue
        at = 2 if convolved else 1 if callee(call).islower() else 0
        named = keyword(call, "kernel_size")
        given = named.value if named is not None else call.args[at] if len(call.args) > at else None
        size = written_count(given) if given is not None else None
        if given is not None and size is not None and size > most > 0:
            title = f"a window of {most} on line {call.lineno}, as large as what it slides over"
            yield wanted.proposal(title, "a smaller window", text.replaced(given, str(most)))
        if not convolved and keyword(call, "ceil_mode") is None:
            title = f"a window that may reach over the edge: ceil_mode=True on line {call.lineno}"
            yield wanted.proposal(title, "a larger result", set_keyword(text, call, "ceil_mode", "True"))


WIDTHS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (r"cannot be multiplied \(\d+x(?P<new>\d+) and (?P<old>\d+)x\d+\)", ("Linear",), "in_features"),
    (
        r"weight of size \[\d+, (?P<old>\d+),.*but got (?P<new>\d+) channels",
        ("Conv1d", "Conv2d", "Conv3d"),
        "in_channels",
    ),
    (
        r"running_mean should contain (?P<new>\d+) elements not (?P<old>\d+)",
        ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"),
        "num_features",
    ),
    (r"input_size\. Expected (?P<old>\d+), got (?P<new>\d+)", ("RNN", "LSTM", "GRU"), "input_size"),
    (
        r"inconsistent input_size: got (?P<new>\d+) expected (?P<old>\d+)",
        ("RNNCell", "LSTMCell", "GRUCell"),
        "input_size",
    ),
    (r"normalized_shape=\[(?P<old>\d+)\].*size ?\[(?:\d+, )*(?P<new>\d+)\]", ("LayerNorm",), "normalized_shape"),
)
"""What PyTorch says of a layer's first number, which layers those are, and what they call it."""


OUTPUTS = re.compile(r"size of tensor a \((?P<old>\d+)\) must match the size of tensor b \((?P<new>\d+)\)")


@fix_kind(shape=5)
def widen_layer(wanted: FixContext) -> Iterator[Proposal]:
    """The layer is made for the width that comes."""
    for pattern, layers, word in WIDTHS:
        found = re.search(pattern, wanted.found.message)
        if found is not None:
            yield from resize_layers(wanted, layers, 0, word, int(found["old"]), int(found["new"]))
    found = OUTPUTS.search(wanted.found.message)
    if found is not None:
        yield from resize_layers(wanted, ("Linear",), 1, "out_features", int(found["old"]), int(found["new"]))


def resize_layers(
    wanted: FixContext, layers: tuple[str, ...], at: int, word: str, old: int, new: int
) -> Iterator[Proposal]:
    """Where one of `layers` is made with the number `old` in its place `at`, it gets `new`."""
    text = wanted.text
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call) or callee(node) not in layers:
            continue
        named = keyword(node, word)
        given = named.value if named is not None else node.args[at] if len(node.args) > at else None
        if given is not None and written_count(given) == old:
            title = f"{callee(node)} with {word}={new} on line {node.lineno}"
            yield wanted.proposal(title, "another number of weights", text.replaced(given, str(new)))


def written_count(node: ast.expr) -> int | None:
    """The number that is written, as such or as a product or sum: `16 * 5 * 5`."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = written_count(node.left), written_count(node.right)
    if left is None or right is None or max(abs(left), abs(right)) > 1 << 31:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    return left + right if isinstance(node.op, ast.Add) else None


HIDDEN = re.compile(r"Expected hidden(?:\[\d\])? size \(([\d, ]+)\), got \[([\d, ]+)\]")


@fix_kind(shape=6)
def deepen_state(wanted: FixContext) -> Iterator[Proposal]:
    """A state is made with the layers, rows and features that the recurrent layer expects."""
    text, found = wanted.text, HIDDEN.search(wanted.found.message)
    if found is None:
        return
    sizes = [[int(number) for number in group.split(", ")] for group in found.groups()]
    made = [node for node in ast.walk(text.tree) if isinstance(node, ast.Call) and callee(node) in FACTORIES]
    made = [node for node in made if len(node.args) == len(sizes[1])]
    for at, (wants, has) in enumerate(zip(*sizes, strict=True)):
        if wants == has:
            continue
        edits = [
            text.replaced(node.args[at], str(wants)) for node in made if written_count(node.args[at]) in (has, None)
        ]
        if edits:
            title = f"{wants} for {has} in the state, in place {at} of its shape"
            yield wanted.proposal(title, "a state of another shape", *edits)


FACTORIES = ("zeros", "randn", "ones", "rand", "empty")


CHANNELS = re.compile(r"expected input\[(?P<sizes>[\d, ]+)\] to have (?P<wants>\d+) channels")
FRONT = {3: "transpose(1, 2)", 4: "permute(0, 3, 1, 2)", 5: "permute(0, 4, 1, 2, 3)"}
"""What brings the last dimension behind that of the batch."""


@fix_kind(shape=4)
def put_channels_first(wanted: FixContext) -> Iterator[Proposal]:
    """Images that come with their channels last get them in front."""
    text, found, name = wanted.text, CHANNELS.search(wanted.found.message), wanted.name("target")
    raised = wanted.at("raised")
    sizes = found["sizes"].split(", ") if found is not None else []
    if found is None or raised is None or name is None or sizes[-1] != found["wants"] or len(sizes) not in FRONT:
        return
    for use in loads(raised, name)[:1]:
        title = f"the channels in front: {name}.{FRONT[len(sizes)]} on line {use.lineno}"
        yield wanted.proposal(title, FREE, append_suffix(text, use, f".{FRONT[len(sizes)]}"))


NORMS = re.compile(r"^(?P<norm>BatchNorm|InstanceNorm|Dropout|AvgPool|MaxPool)(?P<rank>[123])d$")
COMES = re.compile(r"\(got (\d)D input\)")
RANKS = {2: 1, 3: 1, 4: 2, 5: 3}
"""Which kind of layer is for so many dimensions."""


@fix_kind(shape=14)
def use_layer_of_dimensions(wanted: FixContext) -> Iterator[Proposal]:
    """`BatchNorm1d` becomes `BatchNorm2d`, where images come."""
    text, comes = wanted.text, COMES.search(wanted.found.message)
    rank = RANKS.get(int(comes[1])) if comes is not None else None
    for node in ast.walk(text.tree):
        found = NORMS.match(callee(node)) if isinstance(node, ast.Call) else None
        if found is not None and rank is not None and isinstance(node, ast.Call) and found["rank"] != str(rank):
            made = text.get(node.func).replace(found[0], f"{found['norm']}{rank}d")
            title = f"{found['norm']}{rank}d for {found[0]} on line {node.lineno}"
            yield wanted.proposal(title, "another layer", text.replaced(node.func, made))


WINDOW = re.compile(r"Kernel size: \((\d+)")


@fix_kind(shape=15)
def pad_edges(wanted: FixContext) -> Iterator[Proposal]:
    """A convolution gets an edge around what comes, so that its window fits and nothing becomes smaller."""
    text, window = wanted.text, WINDOW.search(wanted.found.message)
    for node in ast.walk(text.tree) if window is not None else ():
        if not isinstance(node, ast.Call) or callee(node) not in ("Conv1d", "Conv2d", "Conv3d") or len(node.args) < 3:
            continue
        if window is not None and text.get(node.args[2]) == window[1] and keyword(node, "padding") is None:
            made = with_argument(text, node, f"padding={int(window[1]) // 2}")
            yield wanted.proposal(f"an edge of zeros: padding on line {node.lineno}", "a larger result", made)
