"""The attribute tables: for each type of value of the engine, what the names on it mean.

Made once, at import, from our own lists of names; a program's name is only ever looked up in the finished tables.
"""

from __future__ import annotations

import operator
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any

from autograd_core.nn.module import AROUND
from autograd_core.ordered_dict import OrderedDict
from gradreel.trace.events import NumbersTaken, OptimizerStepped

from ..engine.bridge import from_engine, to_engine
from ..engine.engine import CONTEXT_CLASSES, ENGINE_CLASSES, NAMED_TUPLES, tensor_id, torch
from ..engine.subclasses import PARAMETERS
from ..limits import extent
from ..machine import Machine
from ..numpy_module.sharing import mirror_tensor
from ..pausing import Loop
from ..torch_module.namespace import NAMES, SAVED, SPACES
from .allowed_types import ENGINE_TYPES, admit
from .type_names import kind_name
from .type_tables import TypeTable
from .values import ATTRIBUTES, MISSING, Attribute, Builtin, ClassMethod, Foreign, StaticMethod, Value

# ---- the `__dict__` of a layer: plain values, and copies of what it registered

REGISTERED = ("_parameters", "_buffers", "_modules")
PLAIN = (bool, int, float, str, type(None))


def fields_of(layer: Any) -> dict[str, Value]:
    held = {name: dict(part) if name in REGISTERED else part for name, part in layer.__dict__.items()}
    return {name: part for name, part in held.items() if name in REGISTERED or isinstance(part, PLAIN)}


Entry = Attribute | Foreign | Builtin


def _table(host: type, names: list[str], settable: str = "") -> dict[str, Entry]:
    table: dict[str, Entry] = {}
    for name in names:
        found = getattr(host, name, MISSING)  # a name of torch_names.txt or of this file, never of a program
        if found is MISSING:
            continue
        if callable(found) and not isinstance(found, property):
            table[name] = Foreign(name, _late(host, name) if host in OVERRIDDEN else found)
        else:
            setter = (lambda owner, value, name=name: setattr(owner, name, value)) if name in settable.split() else None
            get = _unshared(name) if isinstance(found, (dict, list, set)) else operator.attrgetter(name)
            table[name] = Attribute(get, setter)
    return table


def _unshared(name: str) -> Callable[[Any], Any]:
    """Reads what an object may have of its class: that belongs to all runs of a process, so a copy is given."""
    read = operator.attrgetter(name)

    def get(owner: Any) -> Any:
        value = read(owner)
        return copy(value) if any(vars(kind).get(name) is value for kind in type(owner).__mro__) else value

    return get


OVERRIDDEN = (
    torch.nn.Module,
    torch.optim.Optimizer,
    torch.optim.lr_scheduler.LRScheduler,
    torch.distributions.Distribution,
    torch.distributions.Transform,
)
"""Types of the engine whose methods its subclasses override."""


def _late(host: type, name: str) -> Callable[..., Any]:
    """Calls the method `name` (of ours) of the class of a `host` object."""

    def run(owner: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(owner, host):
            asked = f"descriptor '{name}' for '{host.__name__}' objects"
            raise TypeError(f"{asked} doesn't apply to a '{kind_name(owner)}' object")
        if name in getattr(owner, "__dict__", ()):  # `layer.forward = …` leaves the method of the class as it was
            return getattr(type(owner), name)(owner, *args, **kwargs)
        return getattr(owner, name)(*args, **kwargs)

    return run


def _reads(names: str, settable: bool = False) -> dict[str, Entry]:
    """Attributes that objects have without their class saying so."""

    def one(name: str) -> Attribute:
        return Attribute(
            operator.attrgetter(name), (lambda owner, value: setattr(owner, name, value)) if settable else None
        )

    return {name: one(name) for name in names.split()}


NEEDED = operator.attrgetter("needs_input_grad")


def set_needed(context: Any, value: Value) -> None:
    """Which inputs a gradient is wanted for, as `ctx.needs_input_grad` says it from here on.

    Raises:
        TypeError: these are no truth values in a tuple.
    """
    if type(value) is not tuple or any(type(part) is not bool for part in value):
        raise TypeError("needs_input_grad is a tuple of truth values")
    context.needs_input_grad = value


def make_hooks_reader(name: str) -> Attribute:
    """The table of hooks `name` of a module, in which a program finds its own functions, and may put others."""

    def get(owner: Any) -> Any:
        table = getattr(owner, name)  # a name of this file
        for key, hook in list(dict.items(table)):
            dict.__setitem__(table, key, from_engine(hook))
        return table

    return Attribute(get)


SETTINGS = (
    "training in_features out_features reduction p inplace negative_slope alpha dim eps momentum affine num_features "
    "num_embeddings embedding_dim padding_idx in_channels out_channels kernel_size stride padding dilation groups "
    "hidden_size input_size num_layers batch_first bidirectional normalized_shape track_running_stats start_dim "
    "end_dim in1_features in2_features mode scale_factor size output_size upscale_factor downscale_factor "
    "num_groups num_channels transposed output_padding padding_mode ceil_mode return_indices count_include_pad "
    "divisor_override include_last_offset align_corners unflattened_size bias nonlinearity dropout proj_size "
    "num_heads embed_dim head_dim margin delta beta ignore_index swap norm label_smoothing log_target "
    "num_parameters lambd threshold value min_val max_val elementwise_affine norm_first device_ids "
    "n_classes cutoffs div_value head_bias shortlist_size n_clusters head_size"
)
"""What layers keep of what they were given, each some of it."""
RARER_SETTINGS = {
    "Embedding EmbeddingBag": "max_norm norm_type scale_grad_by_freq sparse",
    "MultiheadAttention": "kdim vdim bias_k bias_v add_zero_attn",
    "Transformer": "d_model nhead",
    "TransformerEncoder": "enable_nested_tensor use_nested_tensor mask_check",
    "Upsample UpsamplingNearest2d UpsamplingBilinear2d": "name recompute_scale_factor",
    "CTCLoss": "blank zero_infinity",
    "PoissonNLLLoss GaussianNLLLoss": "full log_input",
    "GELU": "approximate",
    "RReLU": "lower upper",
    "PReLU": "init",
    "LocalResponseNorm": "k",
    "PairwiseDistance": "keepdim",
    "LPPool1d LPPool2d": "norm_type",
}
"""The same by layers: names that programs give modules of their own, too."""
CONTEXT = "save_for_backward save_for_forward saved_tensors saved_variables mark_dirty"
CONTEXT += " mark_non_differentiable set_materialize_grads materialize_grads next_functions name metadata"
RATES = (
    "optimizer last_epoch base_lrs _last_lr _step_count lr_lambdas step_size gamma milestones factor total_iters "
    "start_factor end_factor power T_max eta_min T_0 T_i T_mult T_cur max_lrs min_lrs total_steps total_size "
    "step_ratio mode patience threshold threshold_mode cooldown cooldown_counter num_bad_epochs best mode_worse "
    "default_min_lr eps _schedulers _milestones swa_lrs anneal_epochs"
)
"""What schedulers hold, each some of it."""
NOT_STORED = ("optimizer", "lr_lambdas", "_schedulers", "_scale_fn_custom")
SLOTS = [prefix + name for name in SAVED for prefix in ("_saved_", "_raw_saved_")]
NODE = getattr(torch.autograd.graph, "Node", None)


PACKED = ["to", "cpu", "double", "float", "half", "long", "int", "short", "char", "byte", "is_pinned"]
"""What packed sequences can be turned into."""
CONTAINING = "append extend insert pop keys values items update get popitem clear setdefault copy fromkeys".split()
"""What lists and dictionaries of modules and parameters add to a module, each some of it."""
RESETTING = tuple(
    kind for kind in vars(torch.nn).values() if isinstance(kind, type) and hasattr(kind, "reset_parameters")
)
"""Layers whose numbers can be drawn anew."""

RESETS = ("reset_parameters", "reset_running_stats", "flatten_parameters", "has_uninitialized_params")


def step_optimizer(machine: Machine, optimizer: Any, /, *args: Value, **kwargs: Value) -> Value:
    """`optimizer.step()`, told when it begins and ends: the writes between belong to it."""
    name = type(optimizer).__name__
    machine.emit((OptimizerStepped, name, "began"))
    with turns_of(machine) as turn:

        def given(arg: Value) -> Any:
            made = to_engine(machine, arg)
            return partial(counted, turn, made) if isinstance(optimizer, torch.optim.LBFGS) and callable(made) else made

        result = optimizer.step(*map(given, args), **{key: given(arg) for key, arg in kwargs.items()})
    machine.emit((OptimizerStepped, name, "ended"))
    return from_engine(result)


def counted(turn: Callable[[], None], closure: Callable[[], Value]) -> Value:
    """What a closure gives that an optimizer calls again and again: each call is a turn."""
    turn()
    return closure()


@contextmanager
def turns_of(machine: Machine) -> Iterator[Callable[[], None]]:
    """A loop that is no statement of the program's, but goes on within one: what is to be called as a turn begins."""
    run = Loop(machine.line, machine.line, None, machine.frame, machine.frames, machine.loops)
    turns = 0

    def turn() -> None:
        nonlocal turns
        turns += 1
        machine.begin_turn(run, turns)

    try:
        yield turn
    finally:
        machine.end_turns(run, turns)


AS_OBJECTS = 8
"""What it takes to make an element a number of Python's, in additions."""


def make_number_reader(name: str) -> Builtin:
    """`tensor.item()` and its like, told once it has given the numbers."""
    take = getattr(torch.Tensor, name)  # a name of this file, never of a program

    def run(machine: Machine, tensor: Any, /, *args: Value, **kwargs: Value) -> Value:
        machine.meter.charge()
        if name == "tolist":
            machine.meter.elements(extent(tensor.shape), AS_OBJECTS)
        taken = from_engine(take(tensor, *args, **kwargs))
        if machine.records:
            machine.emit((NumbersTaken, tensor_id(tensor), name))
        if name == "numpy":
            mirror_tensor(machine, tensor)
        return taken

    return Builtin(name, run, machine=True)


def from_numpy(machine: Machine, array: Value) -> Value:
    """`torch.from_numpy`: the array goes on showing the tensor's memory."""
    tensor = torch.from_numpy(to_engine(machine, array))
    mirror_tensor(machine, tensor)
    return from_engine(tensor)


SPACES["torch"].table["from_numpy"] = Builtin("from_numpy", from_numpy, machine=True)


def scheduler_state(machine: Machine, scheduler: Any) -> dict[str, Value]:
    """`scheduler.state_dict()`, with what the program has put on it."""
    held: dict[str, Value] = from_engine(scheduler.state_dict())
    own: dict[str, Value] = scheduler.__dict__.get(ATTRIBUTES, {})
    return held | own


def load_scheduler_state(machine: Machine, scheduler: Any, state_dict: Value) -> None:
    """`scheduler.load_state_dict(...)`: what the engine does not know is the program's own."""
    if not isinstance(state_dict, dict):
        raise TypeError(f"'{kind_name(state_dict)}' object is not iterable")
    given = to_engine(machine, dict(state_dict))
    known = {*scheduler.__dict__, *NOT_STORED}
    scheduler.load_state_dict(given)
    own = scheduler.__dict__.setdefault(ATTRIBUTES, {})
    own.update({name: value for name, value in dict(state_dict).items() if name not in known})


def _tables() -> dict[type, dict[str, Entry]]:
    tables: dict[type, dict[str, Entry]] = {}
    tables[torch.Tensor] = _table(torch.Tensor, NAMES["torch.Tensor"], "requires_grad grad data real imag")
    tables[torch.Tensor] |= {name: make_number_reader(name) for name in ("item", "tolist", "numpy")}
    for kind in (torch.nn.UninitializedParameter, torch.nn.UninitializedBuffer):
        tables[kind] = _table(kind, [*NAMES["torch.Tensor"], "materialize"], "requires_grad grad data real imag")
    tables[torch.nn.Module] = _table(torch.nn.Module, NAMES["torch.nn.Module"]) | _reads(SETTINGS, settable=True)
    tables[torch.nn.Module] |= _reads("_parameters _modules _buffers is_tensor ntensors")
    tables[torch.nn.Module] |= {name: make_hooks_reader(name) for name in AROUND}
    optimizer = getattr(torch.optim, "Optimizer", None)
    if optimizer is not None:
        tables[optimizer] = _table(optimizer, NAMES["torch.optim.Optimizer"]) | _reads(
            "param_groups state defaults", settable=True
        )
        tables[optimizer]["step"] = Builtin("step", step_optimizer, machine=True)
    scheduler = torch.optim.lr_scheduler.LRScheduler
    tables[scheduler] = _table(scheduler, NAMES["torch.optim.lr_scheduler.LRScheduler"]) | _reads(RATES, settable=True)
    tables[scheduler] |= {
        "state_dict": Builtin("state_dict", scheduler_state, machine=True),
        "load_state_dict": Builtin("load_state_dict", load_scheduler_state, machine=True),
    }
    distribution = torch.distributions.Distribution
    tables[distribution] = _table(distribution, NAMES["torch.distributions.Distribution"])
    tables[distribution] |= _table(distribution, "_extended_shape _validate_sample".split())
    tables[distribution] |= _reads(
        " ".join(sorted(PARAMETERS)) + " _validate_args _batch_shape _event_shape", settable=True
    )
    transform = torch.distributions.Transform
    tables[transform] = _table(transform, NAMES["torch.distributions.Transform"]) | _reads(
        "bijective codomain domain event_dim inv sign loc scale exponent parts base_transform "
        "transforms lengths dim in_shape out_shape distribution"
    )
    packed = torch.nn.utils.rnn.PackedSequence
    tables[packed] = _table(packed, PACKED) | _reads("is_cuda")
    for kind in RESETTING:
        names = [name for name in RESETS if hasattr(kind, name)]
        tables[kind] = {name: Foreign(name, _late(kind, name)) for name in names}
    for layers, settings in RARER_SETTINGS.items():
        for kind in (getattr(torch.nn, layer) for layer in layers.split()):
            tables[kind] = tables.get(kind, {}) | _reads(settings, settable=True)
    for kind in (torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU):
        tables[kind]["all_weights"] = Attribute(lambda owner: owner.all_weights)
    for name in ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"):
        container = getattr(torch.nn, name)
        tables[container] = _table(container, CONTAINING)
    tables[torch.Size] = _table(torch.Size, NAMES["torch.Size"])
    tables[torch.dtype] = _reads("is_complex is_floating_point is_signed itemsize")
    if NODE is not None:
        tables[NODE] = _table(NODE, NAMES["torch.autograd.graph.Node"]) | _reads(
            "next_functions metadata variable " + " ".join(SLOTS)
        )
        tables[NODE]["name"] = Foreign("name", lambda node: node.name())
        tables[NODE]["register_hook"] = Foreign("register_hook", lambda node, hook: node.register_hook(hook))
        tables[NODE]["register_prehook"] = Foreign("register_prehook", lambda node, hook: node.register_prehook(hook))
    for kind in (int, float, complex):
        tables[kind] = _reads("real imag")
    tables[int] |= _reads("numerator denominator")
    tables[range] = _reads("start stop step")
    tables[slice] = _reads("start stop step")
    for kind in (ClassMethod, StaticMethod):
        tables[kind] = dict.fromkeys(("__func__", "__wrapped__"), Attribute(operator.attrgetter("function")))
    tables[deque] = _reads("maxlen")
    tables[OrderedDict] = _reads("_metadata", settable=True)
    tables[defaultdict] = {"default_factory": Attribute(lambda this: getattr(this.default_factory, "function", None))}
    return tables


TABLES = _tables()
"""More is put in by modules that bring types of their own."""
HANDLE = "remove"
FINFO = " ".join(NAMES["torch.finfo"])


def table_of(kind: type) -> dict[str, Entry]:
    """Every attribute of values of the host's type `kind`."""
    return MERGED[kind]


def _merge_tables(kind: type) -> dict[str, Entry]:
    merged: dict[str, Entry] = {}
    for base in reversed(kind.__mro__):
        merged |= TABLES.get(base, {})
    if issubclass(kind, NAMED_TUPLES):
        merged |= {name: Attribute(operator.itemgetter(at)) for at, name in enumerate(named_tuple(kind)._fields)}
    if issubclass(kind, CONTEXT_CLASSES):
        merged |= _reads(CONTEXT) | {"needs_input_grad": Attribute(NEEDED, set_needed)}
    return merged


MERGED = TypeTable("table", _merge_tables)


def named_tuple(kind: Any) -> Any:
    """The class of the engine that has said the names of the items of `kind`."""
    return next(base for base in kind.__mro__ if base in NAMED_TUPLES)


def _others(kind: type) -> dict[str, Entry]:
    """Small types of the engine that programs meet but do not name."""
    if kind.__name__.endswith("Handle"):
        return {HANDLE: Foreign(HANDLE, lambda handle: handle.remove())} | _reads("id")
    if kind.__name__ in ("finfo", "iinfo"):
        return _reads(FINFO)
    if kind.__name__ == "SavedTensor":
        return _table(kind, ["register_hooks"])
    if kind.__name__ == "device":
        return _reads("type index")
    if kind.__name__ == "Generator":
        return _table(kind, NAMES["torch.Generator"]) | _reads("device")
    return {}


TABLES |= {kind: table for kind in ENGINE_CLASSES - TABLES.keys() if (table := _others(kind))}
admit(*TABLES, *ENGINE_TYPES)


def register(tables: Mapping[type, Mapping[str, Entry]]) -> None:
    """Put in what names mean on types that other modules bring; programs may hold values of these."""
    for kind, table in tables.items():
        TABLES[kind] = {**table, **TABLES.get(kind, {})}
    MERGED.clear()
    admit(*tables)
