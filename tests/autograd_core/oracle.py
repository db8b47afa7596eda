"""What torch recorded of each operator call, and whether this engine does the same."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Iterator
from typing import Any

import autograd_core as torch

from .stored import load

Entry = dict[str, Any]

DTYPES = {"bool": torch.bool, "int": torch.int64, "f32": torch.float32}
NUMBER = re.compile(r"scalar (\S+) \((\w+)\)")
NEW = re.compile(r"new tensor \((.*)\) (\w+)")


def entries() -> list[Entry]:
    return list(load("ops")["ops"])


def title(entry: Entry) -> str:
    return entry["code"] + (f" ({entry['note']})" if entry["note"] else "")


# ---- running a call


def constant(value: Any) -> Any:
    if isinstance(value, str):
        kind, _, text = value.partition(":")
        return torch.tensor(eval(text), dtype=DTYPES[kind])
    return torch.tensor(value, dtype=torch.float64)


def run(entry: Entry, requiring: list[str]) -> tuple[dict[str, Any], Any]:
    """The names of the call and its result, with gradients wanted for the leaves `requiring`."""
    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    for name, value in entry["leaves"].items():
        names[name] = torch.tensor(value, dtype=torch.float64, requires_grad=name in requiring)
    for name, value in entry["consts"].items():
        names[name] = constant(value)
    if entry["group"] == "inplace" and re.search(r"\bx\b", entry["code"]):
        names["x"] = names["a"].clone()
    out = eval(entry["code"], names)
    if entry["code"].split(".__")[-1].startswith("setitem"):
        out = names[entry["code"][0]]
    return names, out


def weights(tensor: Any) -> Any:
    """A gradient that tells elements apart."""
    numbers = [1.0 + 0.5 * ((i * 7) % 5) - 0.25 * (i % 3) for i in range(tensor.numel())]
    return torch.tensor(numbers, dtype=torch.float64).reshape(tensor.shape).to(tensor.dtype)


# ---- comparing


def alike(got: Any, expected: Any, close: float = 1e-9) -> bool:
    """Whether nested numbers agree; nan and infinities travel as strings."""
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(alike, got, expected))
    if isinstance(expected, str):
        expected = float(expected)
    if isinstance(got, bool) or isinstance(expected, bool):
        return got == expected
    if got is None or expected is None:
        return got is expected
    if math.isnan(got) or math.isnan(expected):
        return math.isnan(got) and math.isnan(expected)
    return got == expected or abs(got - expected) <= close * max(1.0, abs(expected))


def numbers(tensor: Any) -> Any:
    return None if tensor is None else tensor.detach().tolist()


def type_name(node: Any) -> str | None:
    return None if node is None else type(node).__name__


def nodes_of(root: Any) -> list[Any]:
    """The nodes below `root`, in depth-first order."""
    order: dict[int, Any] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in order:
            order[id(node)] = node
            stack.extend(below for below, _ in reversed(node.next_functions))
    return list(order.values())


def complaints(entry: Entry) -> Iterator[str]:
    """What differs from the recording, one sentence each; nothing if all is the same."""
    every = list(entry["leaves"])
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            names, out = run(entry, every)
        except Exception as error:
            if not same_error(entry.get("forward_error"), error):
                yield f"forward: {type(error).__name__}: {error}"
            return
        yield from about_result(entry, names, out)
        if out.grad_fn is None or entry.get("grad_fn") is None:
            return
        yield from about_nodes(entry, names, out)
        yield from about_conditions(entry, every)
        yield from about_gradients(entry, every)


def same_error(recorded: str | None, error: Exception) -> bool:
    return recorded is not None and f"{type(error).__name__}: {str(error)[:220]}" == recorded


def about_result(entry: Entry, names: dict[str, Any], out: Any) -> Iterator[str]:
    expected = entry["out"]
    if list(out.shape) != expected["shape"] or str(out.dtype)[6:] != expected["dtype"]:
        yield f"out: {list(out.shape)} {out.dtype}, expected {expected['shape']} {expected['dtype']}"
    elif not alike(numbers(out), expected["value"], 1e-7 if expected["dtype"] == "float32" else 1e-9):
        yield f"value: {numbers(out)}, expected {expected['value']}"
    facts = {"requires_grad": out.requires_grad, "version": out._version, "is_view": out._is_view()}
    facts["same_object_as"] = [name for name, value in names.items() if value is out]
    for name, got in facts.items():
        if got != expected[name]:
            yield f"{name}: {got}, expected {expected[name]}"
    if type_name(out.grad_fn) != entry["grad_fn"]:
        yield f"grad_fn: {type_name(out.grad_fn)}, expected {entry['grad_fn']}"
    for name in ("x", "k"):
        if f"{name}_version" in entry and names[name]._version != entry[f"{name}_version"]:
            yield f"{name}._version: {names[name]._version}, expected {entry[f'{name}_version']}"
        if f"{name}_grad_fn" in entry and type_name(names[name].grad_fn) != entry[f"{name}_grad_fn"]:
            yield f"{name}.grad_fn: {type_name(names[name].grad_fn)}, expected {entry[f'{name}_grad_fn']}"


def about_nodes(entry: Entry, names: dict[str, Any], out: Any) -> Iterator[str]:
    order = nodes_of(out.grad_fn)
    got, expected = [type_name(n) for n in order], [n["type"] for n in entry["nodes"]]
    if got != expected:
        yield f"nodes: {got}, expected {expected}"
        return
    at = {id(node): i for i, node in enumerate(order)}
    for node, recorded in zip(order, entry["nodes"], strict=True):
        if recorded["type"] == "AccumulateGrad":
            if node.variable is not names[recorded["variable"]]:
                yield f"an AccumulateGrad is not that of {recorded['variable']}"
            continue
        edges = [None if n is None else [at[id(n)], nr] for n, nr in node.next_functions]
        if edges != recorded["next"]:
            yield f"{recorded['type']} edges: {edges}, expected {recorded['next']}"
        if node.name() != recorded["name"]:
            yield f"name(): {node.name()}, expected {recorded['name']}"
        if [list(m.shape) for m in node._input_metadata] != recorded["output_metadata"]:
            yield f"{recorded['type']} metadata: {[list(m.shape) for m in node._input_metadata]}"
        yield from about_saved(node, recorded, names, out)


def slots(node: Any) -> list[str]:
    return sorted(name[7:] for name in dir(node) if name.startswith("_saved_"))


def about_saved(node: Any, recorded: Any, names: dict[str, Any], out: Any) -> Iterator[str]:
    if slots(node) != sorted(recorded["saved"]):
        yield f"{recorded['type']} saves {slots(node)}, expected {sorted(recorded['saved'])}"
        return
    for slot, kept in recorded["saved"].items():
        try:
            value = getattr(node, f"_saved_{slot}")
        except RuntimeError as error:
            if not str(kept["what"]).startswith("unreadable: " + str(error)[:60]):
                yield f"{recorded['type']}._saved_{slot}: {error}"
            continue
        if not is_what(value, kept["what"], names, out):
            shown = numbers(value) if isinstance(value, torch.Tensor) else value
            yield f"{recorded['type']}._saved_{slot}: {shown}, expected {kept['what']}"


def is_what(value: Any, what: Any, names: dict[str, Any], out: Any) -> bool:
    """Whether a saved value is what torch's description says of it."""
    if isinstance(value, torch.Tensor):
        return isinstance(what, str) and describes(what, value, names, out)
    if isinstance(value, tuple | list):
        return (
            isinstance(what, list)
            and len(value) == len(what)
            and all(is_what(v, w, names, out) for v, w in zip(value, what, strict=True))
        )
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63:
        value -= 2**64
    if isinstance(value, float) and isinstance(what, str):
        return str(value) == what
    return value == what if not isinstance(what, float) else alike(value, what)


def describes(what: str, value: Any, names: dict[str, Any], out: Any) -> bool:
    if what in names:
        return value is names[what]
    if what == "result":
        return value.untyped_storage().data_ptr() == out.untyped_storage().data_ptr()
    if found := NUMBER.match(what):
        return value.shape == () and str(value.dtype)[6:] == found[2] and value.item() == eval(found[1])
    if found := NEW.match(what):
        return f"({found[1]})" == str(tuple(value.shape)) and str(value.dtype)[6:] == found[2]
    if found := re.match(r"(view|alias) of (\w+)", what):
        return value.untyped_storage().data_ptr() == names[found[2]].untyped_storage().data_ptr()
    if found := re.match(r"intermediate <(\w+)> \((.*)\)", what):
        return type_name(value.grad_fn) == found[1] and f"({found[2]})" == str(tuple(value.shape))
    return False


def about_conditions(entry: Entry, every: list[str]) -> Iterator[str]:
    """What is saved when only some of the leaves need a gradient."""
    for count in range(1, len(every) + 1):
        for requiring in itertools.combinations(every, count) if len(every) > 1 else ():
            recorded = entry["by_requires_grad"]["+".join(requiring)]
            if not isinstance(recorded, list):
                continue
            _, out = run(entry, list(requiring))
            got = [n for n in nodes_of(out.grad_fn) if type_name(n) != "AccumulateGrad"]
            if [type_name(n) for n in got] != [n["type"] for n in recorded]:
                yield f"with {requiring}: {[type_name(n) for n in got]}"
                continue
            for node, expected in zip(got, recorded, strict=True):
                held = sorted(slot for slot in slots(node) if holds(node, slot))
                if held != sorted(expected["saved_tensors"]):
                    wanted = sorted(expected["saved_tensors"])
                    yield f"with {requiring}: {expected['type']} holds {held}, expected {wanted}"
                below = [type_name(n) for n, _ in node.next_functions]
                if below != expected["next"]:
                    yield f"with {requiring}: {expected['type']} leads to {below}, expected {expected['next']}"


def holds(node: Any, slot: str) -> bool:
    try:
        value = getattr(node, f"_saved_{slot}")
    except RuntimeError:
        return True
    some = value if isinstance(value, tuple | list) else [value]
    return any(isinstance(v, torch.Tensor) for v in some)


def about_gradients(entry: Entry, every: list[str]) -> Iterator[str]:
    try:
        names, out = run(entry, every)
        torch.autograd.backward(out, weights(out))
    except Exception as error:
        if not same_error(entry.get("backward_error"), error):
            yield f"backward: {type(error).__name__}: {error}"
        return
    if "backward_error" in entry:
        yield f"backward should raise {entry['backward_error']}"
        return
    for name, expected in entry["grads"].items():
        if not alike(numbers(names[name].grad), expected):
            yield f"{name}.grad: {numbers(names[name].grad)}, expected {expected}"
    try:
        torch.autograd.backward(out, weights(out))
        twice = True
    except RuntimeError:
        twice = False
    if twice != entry["twice_without_retain"]:
        yield f"a second backward {'works' if twice else 'fails'}"
    yield from about_derivatives(entry, every, False, entry["create_graph"])
    yield from about_derivatives(entry, every, True, entry["create_graph_grad_output_requires_grad"])


def about_derivatives(entry: Entry, every: list[str], with_grad: bool, expected: Any) -> Iterator[str]:
    """First derivatives as graphs, and their derivatives."""
    label = "g requires grad: " if with_grad else ""
    names, out = run(entry, every)
    grad = weights(out).requires_grad_(with_grad)
    inputs = [names[name] for name in every]
    try:
        first = torch.autograd.grad(out, inputs, grad, create_graph=True, allow_unused=True)
    except Exception as error:
        if not same_error(expected.get("error"), error):
            yield f"{label}grad: {type(error).__name__}: {error}"
        return
    for name, got in zip(every, first, strict=True):
        kind = None if got is None else type_name(got.grad_fn)
        if kind != expected["grad_fn"][name]:
            yield f"{label}derivative by {name} is a {kind}, expected {expected['grad_fn'][name]}"
            continue
        below = None if kind is None else [type_name(n) for n in nodes_of(got.grad_fn)]
        if below != expected["chain"][name]:
            yield f"{label}derivative by {name} is made of {below}, expected {expected['chain'][name]}"
    followed = [g for g in first if g is not None and g.requires_grad]
    targets = every + (["grad_output"] if with_grad else [])
    if not followed:
        return
    try:
        second = torch.autograd.grad(
            followed, inputs + [grad] * with_grad, [weights(g) for g in followed], allow_unused=True
        )
    except Exception as error:
        if not same_error(str(expected["double_backward"]), error):
            yield f"{label}second: {type(error).__name__}: {error}"
        return
    for name, got in zip(targets, second, strict=True):
        if not alike(numbers(got), expected.get("second", {}).get(name), 1e-8):
            yield f"{label}second by {name}: {numbers(got)}, expected {expected.get('second', {}).get(name)}"
