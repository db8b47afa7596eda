"""No name that a program says becomes an attribute of the host: spies stand where one could, and nobody meets them.

A marker is given, wherever a string may stand, to each callable that the attribute tables and the modules offer. The
spies are in the place of getattr, setattr, delattr, hasattr and vars for all modules of the engine and the
interpreter, on the attributes of the engine's classes, and on the `__dict__` of their objects.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from types import ModuleType
from typing import Any

import pytest

import autograd_core
from autograd_core.nn.attributes import Attributes
from gradreel.interpreter import run
from gradreel.interpreter.builtins.namespace import BUILTINS
from gradreel.interpreter.engine.bridge import Callback, Parcel
from gradreel.interpreter.engine.engine import listening, torch
from gradreel.interpreter.library import MODULES
from gradreel.interpreter.limits import Limits, Meter, Spent
from gradreel.interpreter.machine import Machine
from gradreel.interpreter.pasting import paste
from gradreel.interpreter.refusal import Refusal
from gradreel.interpreter.runner import perform, prepare_engine
from gradreel.interpreter.runtime.allowed_types import is_of_programs
from gradreel.interpreter.runtime.attribute_tables import TABLES
from gradreel.interpreter.runtime.calls import call
from gradreel.interpreter.runtime.values import ATTRIBUTES, CLASS, Builtin, Foreign, Type
from gradreel.trace import Recorder
from gradreel.trace.events import Printed

PLAIN = "marker_of_the_program"
MARKERS = tuple("".join(["__", name, "__"]) for name in ("class", "dict", "globals", "array_interface"))
"""Names of the host. Made here, none is the same object as a name that the engine's own text says."""

SPIED = (
    *(Attributes, torch.Tensor, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler),
    *(torch.distributions.Distribution, torch.distributions.Transform, torch.distributions.constraints.Constraint),
    *(Callback, Parcel, torch.Generator, torch.autograd.graph.Node),
)
"""The classes of the host whose objects programs hold."""

OWN = (CLASS, ATTRIBUTES)

met: Counter[str] = Counter()
strange: Counter[str] = Counter()
trying: list[str] = [""]


def is_marked(name: object) -> bool:
    if not isinstance(name, str) or len(name) < 8:
        return False
    return PLAIN in name or any(name is marker or (marker in name and name != marker) for marker in MARKERS)


def look(door: str, name: object) -> None:
    if is_marked(name):
        met[f"{door} by {trying[0]}"] += 1


class Spied(dict[Any, Any]):
    """The `__dict__` of an object, seen through a spy."""

    def __init__(self, real: dict[Any, Any]) -> None:
        super().__init__()
        self.real = real

    def __getitem__(self, name: Any) -> Any:
        look("__dict__[...]", name)
        return self.real[name]

    def __setitem__(self, name: Any, value: Any) -> None:
        look("__dict__[...] = ", name)
        self.real[name] = value

    def __delitem__(self, name: Any) -> None:
        look("del __dict__[...]", name)
        del self.real[name]

    def __contains__(self, name: Any) -> bool:
        look("in __dict__", name)
        return name in self.real

    def get(self, name: Any, default: Any = None) -> Any:
        look("__dict__.get", name)
        return self.real.get(name, default)

    def pop(self, name: Any, *default: Any) -> Any:
        look("__dict__.pop", name)
        return self.real.pop(name, *default)

    def setdefault(self, name: Any, default: Any = None) -> Any:
        look("__dict__.setdefault", name)
        return self.real.setdefault(name, default)

    def update(self, *given: Any, **options: Any) -> None:
        found = dict(*given, **options)
        for name in found:
            look("__dict__.update", name)
        self.real.update(found)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.real)

    def __len__(self) -> int:
        return len(self.real)

    def keys(self) -> Any:
        return self.real.keys()

    def values(self) -> Any:
        return self.real.values()

    def items(self) -> Any:
        return self.real.items()

    def copy(self) -> Any:
        return self.real.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        from copy import deepcopy

        return deepcopy(self.real, memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (dict(self.real),)


def spy(function: Any) -> Any:
    def asked(owner: Any, *given: Any) -> Any:
        if given:
            look(function.__name__, given[0])
        return function(owner, *given)

    return asked


def spied_vars(*owner: Any) -> Any:
    found = vars(*owner) if owner else sys._getframe(1).f_locals
    return Spied(found) if isinstance(found, dict) else found


def watch_class(patch: pytest.MonkeyPatch, kind: Any) -> None:
    read, write, delete = kind.__getattribute__, kind.__setattr__, kind.__delattr__

    def get(this: Any, name: str) -> Any:
        look("getattr", name)
        found = read(this, name)
        return Spied(found) if name == "__dict__" else found

    def put(this: Any, name: str, value: Any) -> None:
        look("setattr", name)
        write(this, name, value)

    def drop(this: Any, name: str) -> None:
        look("delattr", name)
        delete(this, name)

    for name, way in (("__getattribute__", get), ("__setattr__", put), ("__delattr__", drop)):
        patch.setattr(kind, name, way, raising=False)


def watch(patch: pytest.MonkeyPatch) -> None:
    for kind in SPIED:
        watch_class(patch, kind)
    for name, module in list(sys.modules.items()):
        if name.startswith((autograd_core.__name__, "gradreel.interpreter")) and isinstance(module, ModuleType):
            for function in (getattr, setattr, delattr, hasattr):
                patch.setitem(vars(module), function.__name__, spy(function))
            patch.setitem(vars(module), "vars", spied_vars)


# ---- what programs hold

PRELUDE = f"""
import collections, copy, operator, random, warnings, numpy as np, torch, torch.nn as nn, torch.nn.functional as F
import torch.distributions as D
from torch.nn.utils import parametrize, parametrizations
from torch.optim import lr_scheduler as S
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.note = 1
    def forward(self, x): return self.inner(x)
class Own:
    def __init__(self): self.a = 1
class Law(D.Distribution):
    arg_constraints = {{"loc": D.constraints.real, "{PLAIN}": D.constraints.real}}
    def __init__(self):
        self.loc = self.{PLAIN} = torch.ones(1)
        super().__init__(validate_args=False)
class Two(nn.Module):
    def forward(self, x): return x * 2
    def right_inverse(self, x): return x / 2
spare, other = nn.Linear(2, 2), nn.Linear(2, 2)
x, y = torch.ones(2, 2), torch.ones(2, 2, requires_grad=True)
p, net, linear, own = nn.Parameter(torch.ones(2, 2)), Net(), nn.Linear(2, 2), Own()
def f(x): return x
def named(module):
    module.register_parameter("{PLAIN}", nn.Parameter(torch.ones(2, 2)))
    return module
marked = named(nn.Linear(2, 2))
inside = nn.Sequential(collections.OrderedDict({PLAIN}=nn.Linear(2, 2)))
buffered = nn.Linear(2, 2)
buffered.register_buffer("{PLAIN}", torch.ones(2, 2))
normed, stretched, made = named(Net()), named(nn.Linear(2, 2)), named(nn.Linear(2, 2))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    nn.utils.weight_norm(normed, "{PLAIN}")
nn.utils.spectral_norm(stretched, "{PLAIN}")
parametrize.register_parametrization(made, "{PLAIN}", Two())
list_of, dict_of = nn.ParameterList([x]), nn.ParameterDict({{"a": x, "{PLAIN}": x}})
modules = [net, linear, marked, inside, buffered, normed, stretched, made, list_of, dict_of]
modules += [nn.ModuleList([linear]), nn.ModuleDict({{"{PLAIN}": linear}}), nn.LSTM(2, 2), nn.BatchNorm1d(2)]
modules += [nn.MultiheadAttention(2, 1), nn.Transformer(2, 1, 1, 1, 2)]
modules += [nn.LazyLinear(2), nn.Embedding(2, 2), nn.EmbeddingBag(2, 2), nn.PReLU(), nn.LazyBatchNorm1d(), Two()]
sgd = torch.optim.SGD([y], lr=0.1, momentum=0.9)
optimizers = [sgd, torch.optim.Adam(linear.parameters()), torch.optim.LBFGS([y])]
halved = lambda epoch: 0.5 ** epoch
schedulers = [S.StepLR(sgd, 2), S.LambdaLR(sgd, halved), S.LambdaLR(sgd, Two()), S.ReduceLROnPlateau(sgd)]
schedulers += [S.CyclicLR(sgd, 0.1, 0.2, scale_fn=Two()), S.ChainedScheduler([S.StepLR(sgd, 2)])]
schedulers += [S.OneCycleLR(sgd, 0.1, 10), S.SequentialLR(sgd, [S.StepLR(sgd, 2), S.StepLR(sgd, 3)], [2])]
class Rates(S.LRScheduler):
    def get_lr(self): return [0.1]
schedulers += [Rates(sgd)]
laws = [D.Normal(0.0, 1.0), D.Categorical(torch.ones(3)), D.Bernoulli(torch.tensor(0.5)), Law()]
laws += [D.Independent(D.Normal(torch.zeros(2), torch.ones(2)), 1), D.Gamma(torch.ones(1), torch.ones(1))]
laws += [D.TransformedDistribution(D.Normal(0.0, 1.0), [D.ExpTransform()])]
laws += [D.MultivariateNormal(torch.zeros(2), torch.eye(2))]
maps = [D.ExpTransform(), D.AffineTransform(0.0, 2.0), D.ComposeTransform([D.ExpTransform()])]
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        global context
        context = ctx
        return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
twice = Twice.apply(y)
nodes = [twice.grad_fn, (y * 2).grad_fn, y.sum().grad_fn, context]
def counting():
    yield 1
tensors = [x, y, p, y * 2, torch.tensor([True]), torch.arange(3), nn.Buffer(x)]
tensors += [nn.UninitializedParameter(), nn.UninitializedBuffer(), nn.utils.rnn.pack_sequence([torch.ones(2)])]
values = ["a", [1], (1,), {{1: 2}}, {{1}}, frozenset([1]), 1, 1.0, 1j, True, range(2), collections.OrderedDict(a=1)]
values += [collections.deque([1]), collections.defaultdict(list), slice(1), None, torch.Size([1]), torch.float32]
values += [np.ones(2), np.float32(1), np.int64(1), np.float64(1), np.ones(2).dtype, np.random.RandomState(1)]
values += [np.random.default_rng(1), torch.ones(2).untyped_storage(), random.Random(1)]
values += [torch.device("cpu"), torch.Generator(), torch.finfo(torch.float32), y.register_hook(f)]
values += [collections.Counter("a")]
values += [f, own, Own, Net, nn.Linear, counting(), ValueError("a"), ValueError, len, x.t, torch.sin]
values += [own.__init__, torch]
values += [torch.no_grad(), property(f), staticmethod(f), classmethod(f), net.named_parameters(), parametrize]
values += [D.constraints.real]
every = modules + optimizers + schedulers + laws + maps + nodes + tensors + values
"""


def prepared_machine() -> Machine:
    machine = Machine(Limits(steps=1 << 40, seconds=600.0, memory=1 << 40), {"__name__": "__main__"}, Recorder())
    machine.call = call
    machine.emit = lambda flight: None
    return machine


def offered(machine: Machine) -> list[tuple[str, list[Any], Any]]:
    """Each callable that programs can reach: its name, the objects that have it (or nobody), and what is called."""
    found: list[tuple[str, list[Any], Any]] = []
    for kind, table in TABLES.items():
        owners = [owner for owner in machine.names["every"] if isinstance(owner, kind)]
        for name, entry in table.items():
            if isinstance(entry, (Foreign, Builtin)):
                found.append((f"{kind.__name__}.{name}", owners or [machine.names["x"]], entry))
    for space in {id(space): space for space in MODULES.values()}.values():
        for name, entry in space.table.items():
            if isinstance(entry, (Foreign, Builtin, Type)):
                found.append((f"{space.name}.{name}", [], entry))
            if isinstance(entry, Type):
                found.extend((f"{space.name}.{name}.{way}", [], one) for way, one in entry.methods.items())
    found.extend((name, [], entry) for name, entry in BUILTINS.items() if isinstance(entry, (Foreign, Builtin, Type)))
    return found


def ways_to_say(names: dict[str, Any], said: str) -> list[tuple[list[Any], dict[str, Any]]]:
    """Arguments in which `said` stands where a name may stand."""
    x, p, spare, other, marked, f = (names[name] for name in ("x", "p", "spare", "other", "marked", "f"))
    rows: list[list[Any]] = [
        [said], [said, said], [said, x], [said, p], [said, other], [said, f], [x, said], [spare, said],
        [spare, said, x], [spare, said, other], [f, said], [[said]], [(said, x)], [[(said, x)]], [[(said, other)]],
        [{said: x}], [{said: other}], [{said: said}], [spare, {said: x}], [spare, {said: x}, x], [0, said],
        [x, 0, said],
        [{"state": {said: {said: x}}, "param_groups": [{said: x, "params": [0]}]}], [{"lr_lambdas": [{said: x}]}],
        [{"_scale_fn_custom": {said: x}}], [[(spare, said)], 0.5],
        [marked, said], [marked, said, x], [marked, {said: p}, x],
    ]  # fmt: skip
    options: list[dict[str, Any]] = [{said: x}, {"name": said}, {"mode": said}, {"dtype": said}]
    return [(row, {}) for row in rows] + [([], given) for given in options]


def attempt(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    with suppress(Exception, Spent, Refusal):
        for kind in strange_types(machine.call(machine, function, args, kwargs)):
            strange[f"{kind.__module__}.{kind.__qualname__} by {trying[0]}"] += 1


def strange_types(value: Any, around: tuple[int, ...] = ()) -> Iterator[type]:
    """The types of all in `value` that programs may not hold."""
    if type(value) is not Spied and not is_of_programs(type(value)):
        yield type(value)
    if isinstance(value, (list, tuple, set, frozenset, dict, deque)) and id(value) not in around:
        for part in [*value, *(value.values() if isinstance(value, dict) else ())]:
            yield from strange_types(part, (*around, id(value)))


def once(callables: list[tuple[str, list[Any], Any]]) -> list[tuple[str, list[Any], Any]]:
    """Each of those that differ: what several tables offer is the same function."""
    found: dict[Any, str] = {}
    for title, owners, entry in callables:
        run = entry if isinstance(entry, Type) else entry.run
        found.setdefault((id(run), *{type(owner) for owner in owners if not isinstance(owner, torch.Tensor)}), title)
    titles = set(found.values())
    return [row for row in callables if row[0] in titles]


def of_engine(row: tuple[str, list[Any], Any]) -> bool:
    """Whether it is about objects that have a `__dict__`, tensors aside."""
    title, owners, _ = row
    return title.startswith("torch.nn.utils") or any(isinstance(owner, (*SPIED[:1], *SPIED[2:])) for owner in owners)


def try_all(machine: Machine, callables: list[tuple[str, list[Any], Any]], said: str, most: int) -> None:
    for title, owners, entry in callables:
        trying[0] = title
        with listening(Recorder().tape):
            for args, kwargs in ways_to_say(machine.names, said):
                for owner in owners[:most]:
                    attempt(machine, entry, [owner, *args], dict(kwargs))
                if not owners:
                    attempt(machine, entry, list(args), dict(kwargs))
        machine.meter = Meter(machine.limits)


def test_no_name_of_a_program_becomes_an_attribute_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    met.clear()
    strange.clear()
    machine = prepared_machine()
    with prepare_engine(machine):
        with listening(Recorder().tape):
            outcome = perform(paste(PRELUDE), "script", machine, nullcontext)
        assert outcome.kind == "finished", (outcome.line, outcome.message)
        callables = offered(machine)
        with monkeypatch.context() as patch:
            watch(patch)
            try_all(machine, once(callables), PLAIN, 9)
            for module in machine.names["modules"]:
                attempt(machine, module, [machine.names["x"]], {})
            for marker in MARKERS:
                try_all(machine, [row for row in once(callables) if of_engine(row)], marker, 2)
    print(f"{len(callables)} callables tried")
    assert not met, met.most_common(40)
    assert not strange, strange.most_common(40)


# ---- what programs see at such doors; what torch answers, where it does not give its own insides away

START = """
import copy, torch
from torch import nn
from torch.nn.utils import parametrize
x, m = torch.ones(1), nn.Linear(1, 1)
opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
S = torch.optim.lr_scheduler
"""
DOORS = {
    "nn.ParameterDict()['__class__']": "AttributeError 'ParameterDict' object has no attribute '__class__'",
    "nn.ParameterDict()['zz']": "AttributeError 'ParameterDict' object has no attribute 'zz'",
    "d = nn.ParameterDict({'a': 5})\nd.a = 7\nprint(d['a'], d.a)": "7 7",
    "d = nn.ParameterDict({'a': 5})\ndel d.a\nd['a']": "AttributeError 'ParameterDict' object has no attribute 'a'",
    "nn.ParameterDict()[5]": (
        "TypeError Index given to ParameterDict cannot be used as a key as it is not a string (type is 'int'). Open an "
        "issue on github if you need non-string keys."
    ),
    "nn.ParameterDict({'keys': x})": "KeyError \"attribute 'keys' already exists\"",
    "nn.ParameterDict({'__dict__': x})": "KeyError \"attribute '__dict__' already exists\"",
    "nn.ParameterDict({'__array_interface__': {'data': (0, False)}})": (
        "AttributeError '__array_interface__' cannot be the name of a part here: Python itself looks it up on objects"
    ),
    "m.register_buffer('__dict__', x)": "KeyError \"attribute '__dict__' already exists\"",
    "m.register_parameter('__class__', nn.Parameter(x))": "KeyError \"attribute '__class__' already exists\"",
    "m.add_module('__init__', nn.ReLU())": "KeyError \"attribute '__init__' already exists\"",
    "m.get_buffer('__dict__')": "AttributeError `__dict__` is not a buffer",
    "m.get_parameter('__class__')": "AttributeError `__class__` is not an nn.Parameter",
    "m.get_submodule('__dict__')": "AttributeError `__dict__` is not an nn.Module",
    "m.set_submodule('__class__', nn.ReLU())": "AttributeError `__class__` is not an nn.Module",
    "nn.utils.weight_norm(m, '__class__')": "KeyError '__class__'",
    "nn.utils.spectral_norm(m, '__dict__')": "KeyError '__dict__'",
    "nn.utils.parametrizations.spectral_norm(m, '__class__')": (
        "ValueError Module 'Linear(in_features=1, out_features=1, bias=True)' has no parameter or buffer with name "
        "'__class__'"
    ),
    "s = S.StepLR(opt, 2)\ns.load_state_dict({'__globals__': 5, 'gamma': 0.5, 'a': 1})\nprint(s.gamma, s.a)": "0.5 1",
    "s = S.StepLR(opt, 2)\ns.foo = 3\nprint(list(s.state_dict())[-2:])": "['_last_lr', 'foo']",
    "class Two(nn.Module):\n    def forward(self, x): return x * 2\n"
    "s = S.LambdaLR(opt, Two())\nprint(s.state_dict()['lr_lambdas'])": "[None]",
    "class Rate:\n    def __init__(self): self.by = 3.\n    def __call__(self, epoch): return self.by\n"
    "s = S.LambdaLR(opt, Rate())\nstored = s.state_dict()\nprint(stored['lr_lambdas'])\ns.lr_lambdas[0].by = 7.\n"
    "s.load_state_dict(stored)\nprint(s.lr_lambdas[0].by)": "[{'by': 3.0}]\n3.0",
    "class Rate:\n    def __call__(self, epoch): return 1.\ns = S.LambdaLR(opt, Rate())\n"
    "s.load_state_dict({**s.state_dict(), 'lr_lambdas': [{'__class__': 5}]})": (
        "AttributeError '__class__' cannot be the name of a part here: Python itself looks it up on objects"
    ),
    "m._modules['x'] = 5": "TypeError cannot assign 'int' as child module (torch.nn.Module or None expected)",
    "m._buffers.update(a=[1])": (
        "TypeError cannot assign 'list' as a part that is a tensor (torch.Tensor or None expected)"
    ),
    "m._parameters.setdefault('__class__', x)": (
        "AttributeError '__class__' cannot be the name of a part here: Python itself looks it up on objects"
    ),
    "m._parameters |= {'a': nn.ReLU()}": (
        "TypeError cannot assign 'torch.nn.modules.activation.ReLU' as a part that is a tensor (torch.Tensor or None "
        "expected)"
    ),
    "m._buffers['b'] = x\nprint(type(m._buffers) is dict, m._buffers, list(m.named_buffers()), m.b)": (
        "True {'b': tensor([1.])} [('b', tensor([1.]))] tensor([1.])"
    ),
    "class R(nn.LSTM):\n    def __init__(self):\n        try: super().__init__('bad', 'worse')\n"
    "        except TypeError: pass\nr = R()\nr.a = [['__dict__']]\nr._all_weights = [['__dict__'], ['__class__']]\n"
    "print(r.all_weights)": "AttributeError 'R' object has no attribute 'all_weights'",
    "import enum\ndel enum.Enum.__hash__": "TypeError cannot set '__hash__' attribute of immutable type 'Enum'",
    "class A:\n    def __getstate__(self): return nn.ParameterDict({'a': x})\na = copy.deepcopy(A())": (
        "TypeError 'ParameterDict' object is not a mapping"
    ),
    "class Own(S.LRScheduler):\n    def get_lr(self): return [1.]\ns = Own(opt)\n"
    "s.load_state_dict({'of class': 5, 'own attributes': 7, 'last_epoch': 3})\nprint(type(s), s.last_epoch)": (
        "<class '__main__.Own'> 3"
    ),
    "import random\ntorch.distributions.Distribution.sample(random.Random(3), [1, 2, 3], 2)": (
        "TypeError descriptor 'sample' for 'Distribution' objects doesn't apply to a 'Random' object"
    ),
    "print(nn.Module.extra_repr(m), torch.optim.Optimizer.zero_grad(opt), nn.Module.eval(m).training)": (
        "in_features=1, out_features=1, bias=True None False"
    ),
    "class C: pass\nd = opt.state_dict()\nd['param_groups'][0]['c'] = C()\nopt.load_state_dict(d)\nprint(7)": "7",
    "class C: pass\nx.c = C()\nprint(type(copy.deepcopy(x).c) is C)": "True",
    "net = nn.utils.weight_norm(nn.Linear(2, 2))\ntwo = copy.copy(net)\ntwo.weight = None\nprint(net.weight.shape)": (
        "torch.Size([2, 2])"
    ),
    "class Two(nn.Module):\n    def forward(self, x): return x * 2\n    def right_inverse(self, x): return x / 2\n"
    "parametrize.register_parametrization(m, 'weight', Two())\nm.weight = torch.ones(1, 1)\n"
    "print(m.weight.item(), m.parametrizations.weight.original.item())\n"
    "print(parametrize.remove_parametrizations(m, 'weight'), m.weight.item())": (
        "1.0 0.5\nLinear(in_features=1, out_features=1, bias=True) 1.0"
    ),
    "D = torch.distributions\nclass Law(D.Distribution):\n    arg_constraints = {'mu': D.constraints.positive}\n"
    "    def __init__(self, mu):\n        self.mu = mu\n        super().__init__(mu.shape)\nprint(Law(x))": (
        "Law(mu: tensor([1.]))"
    ),
    "D = torch.distributions\nclass Law(D.Distribution):\n    arg_constraints = {'__class__': D.constraints.positive}\n"
    "Law()": "AttributeError type object 'Law' has no attribute '__class__'",
}


@pytest.mark.parametrize("source", DOORS)
def test_programs_find_their_own_names_and_no_others(source: str) -> None:
    lines = source.replace("\n", "\n    ")
    trace = run(f"{START}try:\n    {lines}\nexcept Exception as e:\n    print(type(e).__name__, e)")
    assert trace.outcome.kind == "finished", trace.outcome.message
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)).strip() == DOORS[source]


ENGINE_OBJECTS = (
    *("torch.random.fork_rng()", "torch.no_grad()", "torch.device('cpu')", "torch.strided", "torch.contiguous_format"),
    *("x.untyped_storage()", "torch.Generator()", "torch.distributions.constraints.real", "opt", "m"),
    *("torch.distributions.Normal(0., 1.)", "torch.distributions.ExpTransform()", "S.StepLR(opt, 2)", "x", "torch.add"),
    *("torch.float32", "Text('a')", "iter([1])", "map(len, [])", "warnings.catch_warnings()", "len", "f"),
    *("collections.deque([1])", "collections.OrderedDict(a=1)"),
)
RATES = """
import collections, warnings
def f(epoch): return 1.
class Text(str): pass
s = S.LambdaLR(opt, f)
s.lr_lambdas = [{given}]
print(s.state_dict()["lr_lambdas"])
before = s.lr_lambdas[0]
s.load_state_dict({{**s.state_dict(), "lr_lambdas": [{{"zz": 1, "startswith": f, "type": 2, "name": 3, "holds": f}}]}})
for name in ("zz", "startswith", "type", "name", "holds"):
    print(getattr(before, name, None) in (1, 2, 3) or getattr(before, name, None) is f)
"""


@pytest.mark.parametrize("given", ENGINE_OBJECTS)
def test_a_scheduler_stores_and_restores_attributes_of_the_programs_objects_alone(given: str) -> None:
    trace = run(START + RATES.format(given=given))
    assert trace.outcome.kind == "finished", trace.outcome.message
    printed = "".join(event.text for event in trace.events if isinstance(event, Printed)).split("\n")
    assert printed[:6] == ["[None]", *["False"] * 5]


FORGED = """
import collections, dataclasses, enum, typing
Pair = collections.namedtuple("Pair", "a")
class Hinted(typing.NamedTuple):
    a: int
@dataclasses.dataclass
class Point:
    a: int = 1
class Color(enum.Enum):
    RED = 1
class Answers(nn.Module):
    def forward(self, *given, **named): return ()
class Other: pass
fake = nn.Module()
fake._modules["find"] = Answers()
parts = dict(traits=frozenset(), exception=None, host=type(m), native=None, name="X", title="X", order=(), members=None,
    fields=(), machine=None, kind=fake, attributes={{}}, made=Answers(), own=None)
for name in parts:
    for table in (fake._buffers, fake._modules, fake.__dict__):
        try:
            table[name] = parts[name]
        except TypeError:
            pass
for kind in (fake, 5, None, "X", len, f, m, x, collections, [1]):
    try:
        print("MADE", type({make}))
    except (TypeError, AttributeError, ValueError):
        pass
"""
MAKERS = (
    *("Pair.__new__(kind, 1)", "Hinted.__new__(kind, 1)", "Pair._make.__func__(kind, [1])", "Pair._replace(kind, a=1)"),
    *("object.__new__(kind)", "tuple.__new__(kind)", "Color.__hash__(kind)", "Point.__repr__(kind)"),
    "Point.__eq__(kind, kind)",
)


@pytest.mark.parametrize("make", MAKERS)
def test_only_a_class_of_the_program_makes_objects(make: str) -> None:
    """What answers like a class, as a module does with any parts, makes none, and is none of its objects."""
    trace = run(START + "def f(): pass\n" + FORGED.format(make=make))
    assert trace.outcome.kind == "finished", trace.outcome.message
    assert [event.text for event in trace.events if isinstance(event, Printed)] == []


ANOMALY = """import warnings
import torch
class Root(torch.nn.Module):
    def forward(self, x):
        return torch.sqrt(x)
def root(x):
    return Root()(x)
x = torch.tensor([-1.0], requires_grad=True)
with warnings.catch_warnings(record=True) as said, torch.autograd.detect_anomaly():
    y = root(x)
    try:
        y.sum().backward()
    except RuntimeError as error:
        print(error)
print(said[-1].message)
print(y.grad_fn.metadata["traceback_"][-1])
"""

SAID = """Function 'SqrtBackward0' returned nan values in its 0th output.
Error detected in SqrtBackward0. Traceback of forward call that caused the error:
  File "program.py", line 10, in <module>
    y = root(x)
  File "program.py", line 7, in root
    return Root()(x)
  File "program.py", line 5, in forward
    return torch.sqrt(x)

  File "program.py", line 5, in forward
    return torch.sqrt(x)

"""


def test_anomaly_mode_tells_the_lines_of_the_program_alone() -> None:
    """As PyTorch does but for the lines of its own; those of the host were told once, with their paths."""
    trace = run(ANOMALY)
    assert trace.outcome.kind == "finished", trace.outcome.message
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)) == SAID
