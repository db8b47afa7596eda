"""Devices and speed: what would run on a GPU, in parallel or compiled runs here, on the CPU, with the same result.

Each is taken with a remark. `torch.cuda.is_available()` is False, so programs that ask first need none.
"""

from __future__ import annotations

from ..engine.bridge import from_engine
from ..engine.engine import torch
from ..machine import Machine
from ..runtime.attribute_tables import TABLES
from ..runtime.values import Builtin, Namespace, Value
from .namespace import SPACES, present, without_card

NO_GPU = "There is no GPU here: everything stays on the CPU. Random numbers drawn on a GPU would be others."
NO_EFFECT = "`{name}` has no effect here: it changes how fast PyTorch is, not what it gives."
GPU = ("cuda", "mps", "xpu")


def stay_on_cpu(machine: Machine, this: Value, /, *args: Value, **kwargs: Value) -> Value:
    """`.cuda()`"""
    machine.remark(NO_GPU)
    return this


def is_gpu(value: Value) -> bool:
    if isinstance(value, str):
        return value.partition(":")[0] in GPU
    return isinstance(value, torch.device) and value.type in GPU


def replace_gpu_arguments(machine: Machine, name: str, args: list[Value], kwargs: dict[str, Value]) -> dict[str, Value]:
    """The arguments of a function of the engine, with the CPU in place of a GPU. `args` is changed where it is."""
    if "device" in kwargs and (is_gpu(kwargs["device"]) or isinstance(kwargs["device"], int)):
        machine.remark(NO_GPU)
        kwargs = {**kwargs, "device": "cpu"}
    if name == "to":
        for nr, value in enumerate(args):
            if is_gpu(value):
                machine.remark(NO_GPU)
                args[nr] = "cpu"
    return kwargs


def make_switch(name: str) -> Builtin:
    """A switch that is turned and can be asked for again, but does nothing."""
    turn = getattr(torch, name)  # a name of this file, never of a program

    def run(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        machine.remark(NO_EFFECT.format(name=f"torch.{name}"))
        return turn(*args, **kwargs)

    return Builtin(name, run, machine=True)


def set_default_device(machine: Machine, device: Value) -> None:
    if is_gpu(device):
        machine.remark(NO_GPU)
    else:
        torch.set_default_device(device)


def answer_quietly(name: str, answer: Value) -> Builtin:
    return Builtin(name, lambda machine, /, *args, **kwargs: answer, machine=True)


def skip_compile(machine: Machine, /, model: Value = None, **options: Value) -> Value:
    """`torch.compile`, as a call or a decorator: what it is given."""
    machine.remark(NO_EFFECT.format(name="torch.compile"))
    return Builtin("compile", lambda function: function) if model is None else model


def skip_script(machine: Machine, /, obj: Value, *args: Value, **options: Value) -> Value:
    """`torch.jit.script` and `torch.jit.trace`: what they are given, which runs as Python."""
    machine.remark(NO_EFFECT.format(name="torch.jit"))
    return obj


def parallel(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
    machine.remark(NO_EFFECT.format(name="DataParallel"))
    return from_engine(torch.nn.DataParallel(*args, **kwargs))


TUNING = (
    "set_num_threads set_num_interop_threads use_deterministic_algorithms set_float32_matmul_precision "
    "set_flush_denormal"
).split()


def install() -> None:
    """Put these into the tables of torch's names and attributes."""
    for kind in (torch.Tensor, torch.nn.Module, torch.nn.utils.rnn.PackedSequence):
        table = TABLES[kind]
        table["cuda"] = Builtin("cuda", stay_on_cpu, machine=True)
        for name in ("pin_memory", "share_memory_", "share_memory"):
            table[name] = Builtin(name, same, machine=True)
    top = SPACES["torch"].table
    top["compile"] = Builtin("compile", skip_compile, machine=True)
    jit = {name: Builtin(name, skip_script, machine=True) for name in ("script", "trace", "ignore", "export", "unused")}
    SPACES["torch.jit"] = top["jit"] = Namespace("torch.jit", jit)
    for name in TUNING:
        top[name] = make_switch(name)
    top["set_default_device"] = Builtin("set_default_device", set_default_device, machine=True)
    top["get_num_threads"] = answer_quietly("get_num_threads", 1)
    cuda = SPACES["torch.cuda"].table
    for name in ("synchronize", "empty_cache", "set_device", "init", "reset_peak_memory_stats"):
        cuda[name] = answer_quietly(name, None)
    for name in ("memory_allocated", "max_memory_allocated", "current_device", "memory_reserved"):
        cuda[name] = answer_quietly(name, 0)
    for name in ("FloatTensor", "DoubleTensor", "LongTensor", "IntTensor"):
        if name in top:
            cuda[name] = top[name]
    wrapper = present("DataParallel", "torch.nn.parallel", torch.nn.DataParallel)
    wrapper.make = Builtin("DataParallel", parallel, machine=True)
    SPACES["torch.nn.parallel"] = Namespace("torch.nn.parallel", {"DataParallel": wrapper})
    SPACES["torch.nn"].table |= {"DataParallel": wrapper, "parallel": SPACES["torch.nn.parallel"]}
    backends = SPACES["torch.backends"]
    for name in torch.backends.__all__:
        inner = without_card(f"torch.backends.{name}")
        inner.table.update({word: getattr(getattr(torch.backends, name), word, False) for word in SETTINGS})
        SPACES[inner.name] = backends.table[name] = inner
    for way in ("flash", "math", "mem_efficient", "cudnn"):
        for name in (f"enable_{way}_sdp", f"{way}_sdp_enabled"):
            SPACES["torch.backends.cuda"].table[name] = Builtin(name, getattr(torch.backends.cuda, name))
    SPACES["torch.backends.cuda"].table["matmul"] = Namespace("torch.backends.cuda.matmul", {"allow_tf32": False})


SETTINGS = ("benchmark", "deterministic", "enabled", "allow_tf32")
"""Switches of the backends: they can be set, and do nothing."""


def same(machine: Machine, this: Value, /, *args: Value, **kwargs: Value) -> Value:
    """`.pin_memory()`"""
    return this


def is_backend_switch(machine: Machine, owner: Namespace, name: str) -> bool:
    """Whether `owner.name = ...` is such a switch; it is left as it is."""
    found = owner.name.startswith("torch.backends.") and name in (*SETTINGS, "verbose")
    if found:
        machine.remark(NO_EFFECT.format(name=f"{owner.name}.{name}"))
    return found
