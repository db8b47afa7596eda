"""torch.save and torch.load, without files: what is saved under a name lasts until the program ends.

Tensors are saved as torch saves them: without their graph and gradient, `requires_grad` kept. Unlike there, two views
of one storage come back as tensors of their own.
"""

from __future__ import annotations

import pickle
from typing import Any

from ..engine.engine import TENSORS, elements_of, torch
from ..machine import Machine
from ..refusal import Refusal
from ..runtime.type_names import kind_name
from ..runtime.values import Class, Function, Instance, Own, Value
from ..stdlib.copy import Copies, deep_copy
from ..stdlib.files import key

REMARK = "Nothing is written to disk here: what `torch.save` keeps lasts until the program ends."
BUFFER = "<buffer "
"""How the name of an `io.BytesIO` begins."""
UNSAFE = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, "
    "\x1b[1mdo those steps only if you trust the source of the checkpoint\x1b[0m. \n"
    "\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source.\n"
    "\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error "
    "message.\n"
    "\tWeightsUnpickler error: Unsupported global: GLOBAL {name} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` context "
    "manager to allowlist this global if you trust this class/function.\n\n"
    "Check the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


def save(machine: Machine, /, *given: Value, **named: Value) -> None:
    what = dict(zip(("obj", "f"), given, strict=False)) | named
    absent = [name for name in ("obj", "f") if name not in what]
    if absent:
        names = " and ".join(map(repr, absent))
        raise TypeError(f"save() missing {len(absent)} required positional argument{'s'[: len(absent) - 1]}: {names}")
    obj, f = what["obj"], what["f"]
    name = key(machine, f)
    if not name.startswith(BUFFER):
        machine.remark(REMARK)
    machine.texts.pop(name, None)
    machine.files[name] = copy_detached(machine, obj)


def load(
    machine: Machine, /, f: Value, map_location: Value = None, pickle_module: Value = None, **named: Value
) -> Value:
    """What was saved under that name.

    Raises:
        FileNotFoundError: nothing was.
        EOFError: nothing was put into that buffer.
        UnpicklingError: there is more in it than tensors, plain values and containers, and `weights_only` is not False.
    """
    name = key(machine, f)
    if name in machine.texts:
        raise Refusal(f"`{name}` was written as text, and `torch.load` reads what `torch.save` kept.")
    if name not in machine.files and name.startswith(BUFFER):
        raise EOFError
    if name not in machine.files:
        raise FileNotFoundError(2, "No such file or directory", f if isinstance(f, str) else name)
    value = machine.files[name]
    if named.get("weights_only", True) in (True, None) and (unsafe := unsafe_class(value, set())) is not None:
        raise pickle.UnpicklingError(UNSAFE.format(name=unsafe))
    return copy_detached(machine, value)


def copy_detached(machine: Machine, value: Value) -> Value:
    """A copy in which every tensor is a leaf without a gradient."""
    memo = Copies()
    for tensor in tensors_in(value, set()):
        machine.meter.elements(elements_of(tensor))
        memo[tensor] = leaf(tensor)
    return deep_copy(machine, value, memo)


def leaf(tensor: Any) -> Any:
    with torch.no_grad():
        data = tensor.detach().clone()
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(data, requires_grad=tensor.requires_grad)
    return data.requires_grad_(tensor.requires_grad)


def tensors_in(value: Any, seen: set[int]) -> list[Any]:
    """The tensors that a value holds, however deep."""
    if isinstance(value, TENSORS):
        return [value]
    if id(value) in seen:
        return []
    seen.add(id(value))
    return [tensor for part in parts(value) for tensor in tensors_in(part, seen)]


def parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    if isinstance(value, torch.nn.Module):
        return list(value.__dict__.values())
    return list(value.attributes.values()) if isinstance(value, Instance) else []


def unsafe_class(value: Any, seen: set[int]) -> str | None:
    """The class of the first thing in a value that is neither tensor nor plain value nor container, nor in `seen`."""
    if id(value) in seen:
        return None
    seen.add(id(value))
    if isinstance(value, (torch.nn.Module, Instance, Own, Class, Function)):
        kind = getattr(value, "kind", None)
        return kind.title if isinstance(kind, Class) else f"{type(value).__module__}.{kind_name(value)}"
    if isinstance(value, TENSORS):
        return None
    return next((found for part in parts(value) if (found := unsafe_class(part, seen)) is not None), None)
