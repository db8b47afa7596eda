"""numpy sees exact numbers, arrays and tensors: no object of the host is asked for an array, a number, items.

`Poison` notes what it is asked. It goes as an argument into everything that programs can call, alone and in a list,
in each of the first places.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from gradreel import run
from gradreel.interpreter.builtins.operators import BINARY, COMPARE, make_binary
from gradreel.interpreter.builtins.subscripts import assign, fetch
from gradreel.interpreter.engine.bridge import HOMES
from gradreel.interpreter.engine.engine import torch
from gradreel.interpreter.engine.gate import COMPUTING, LAYERS, NUMPY_MODULE, OPEN, computes
from gradreel.interpreter.limits import Limits, Spent
from gradreel.interpreter.machine import Machine
from gradreel.interpreter.numpy_module.namespace import NUMPY
from gradreel.interpreter.numpy_module.random import RANDOM
from gradreel.interpreter.refusal import Refusal
from gradreel.interpreter.runner import prepare_engine
from gradreel.interpreter.runtime.attribute_tables import table_of
from gradreel.interpreter.runtime.calls import call
from gradreel.interpreter.runtime.values import Builtin, Foreign, Namespace, Type
from gradreel.interpreter.torch_module.namespace import SPACES
from gradreel.trace import Recorder

ASKED: list[str] = []
ARRAYS = frozenset(f"__array_{name}__" for name in ("interface", "struct", "ufunc", "function", "wrap", "finalize")) | {
    "__array__",
    "__buffer__",
}
NUMBERS = {"__float__": 1.0, "__index__": 1, "__int__": 1, "__complex__": 1j, "__len__": 2, "__getitem__": 1.0}


def noting(name: str, answer: Any) -> Any:
    def method(self: Any, *args: Any) -> Any:
        ASKED.append(name)
        return answer() if callable(answer) else answer

    return method


def attribute(self: Any, name: str) -> Any:
    if name in ARRAYS:
        ASKED.append(name)
        raise AttributeError(name)
    return object.__getattribute__(self, name)


class Noting(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in ARRAYS:
            ASKED.append(name)
        return super().__getattribute__(name)


METHODS = {name: noting(name, answer) for name, answer in NUMBERS.items()}
METHODS |= {"__iter__": noting("__iter__", lambda: iter([1.0, 2.0])), "__getattribute__": attribute}
POISONS: tuple[Any, ...] = (Noting("Poison", (), METHODS), Noting("PoisonedModule", (torch.nn.Module,), METHODS))

BY_PYTHON = {
    "torch.nn.Transformer torch.nn.TransformerEncoder torch.nn.TransformerDecoder": {"__index__"},
    "ModuleList.insert ModuleList.pop Sequential.pop Sequential.insert Size.index": {"__index__"},
    "torch.nn.modules.instancenorm._InstanceNorm torch.nn.modules.utils._reverse_repeat_tuple": {"__index__"},
    "torch.nn.utils.get_total_norm": {"__float__"},
}
"""What functions written in Python ask as PyTorch's do: `range(n)`, `float(p)`. No array comes of it."""
ALLOWED = {name: asked for names, asked in BY_PYTHON.items() for name in names.split()}

Called = tuple[str, Any, tuple[Any, ...]]


def offered(space: Namespace, path: str, seen: set[int]) -> Iterator[Called]:
    for name, value in space.table.items():
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Namespace):
            yield from offered(value, f"{path}.{name}", seen)
        elif isinstance(value, (Builtin, Foreign)) or (isinstance(value, Type) and value.make is not None):
            yield f"{path}.{name}", value, ()


def everything() -> Iterator[Called]:
    """All that programs can call: what numpy and torch offer, and the methods of what these make."""
    seen: set[int] = set()
    for path, space in {"np": NUMPY, "np.random": RANDOM, **SPACES}.items():
        yield from offered(space, path, seen)
    nn, x = torch.nn, torch.ones(2, 2, requires_grad=True)
    layer, optimizer = nn.Linear(2, 2), torch.optim.SGD([x], 0.1)
    arrays = (np.ones((2, 2)), np.float64(1), np.int64(1), np.random.RandomState(0), np.random.default_rng(0))
    tensors = (x.detach(), torch.Generator(), x.untyped_storage(), (x * 2).grad_fn, torch.Size([2]))
    holders = (nn.ParameterList([]), nn.ParameterDict(), nn.ModuleList([layer]), nn.ModuleDict(), nn.Sequential(layer))
    others = (optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 1), torch.distributions.Normal(0.0, 1.0))
    for owner in (*arrays, *tensors, layer, *holders, *others):
        for name, entry in table_of(type(owner)).items():
            if isinstance(entry, (Builtin, Foreign)):
                yield f"{type(owner).__name__}.{name}", entry, (owner,)


def arguments() -> Iterator[list[Any]]:
    """A poison in each of three places, among tensors and among numbers."""
    for kind in POISONS:
        for poison in (kind(), [kind()], [[1, kind()]], slice(kind(), kind())):
            yield [poison]
            for fill in (torch.ones(2, 2), 1):
                yield from ([poison, fill], [fill, poison], [fill, poison, fill], [fill, fill, poison])


def new_machine() -> Machine:
    machine = Machine(Limits(), {}, Recorder())
    machine.call = call
    machine.meter.check = lambda: None  # type: ignore[method-assign]
    return machine


def asked_by(way: Any) -> set[str]:
    """What a poison is asked while `way` runs, whatever comes of it."""
    ASKED.clear()
    with contextlib.suppress(Exception, Spent, Refusal):
        way()
    return set(ASKED)


def test_nothing_that_programs_call_asks_an_object_of_the_host() -> None:
    machine = new_machine()
    with prepare_engine(machine):
        found = list(everything())
    assert len(found) > 2200
    leaks: dict[str, set[str]] = {}
    ways = list(arguments())
    for name, function, owner in found:
        make = function.make if isinstance(function, Type) else function
        all_of_it = computes(make.run)
        with prepare_engine(machine):
            warnings.simplefilter("ignore")
            for given in ways:
                asked = asked_by(partial(call, machine, function, [*owner, *given], {}))
                asked -= ALLOWED.get(name, set())
                leaks.setdefault(name, set()).update(asked if all_of_it else asked - WALKED)
    assert {name: asked for name, asked in leaks.items() if asked} == {}


WALKED = {"__len__", "__iter__", "__getitem__", "__int__"}
"""What functions that take modules and lists of them may ask: whether there are any, and which."""


@pytest.mark.parametrize("home", [NUMPY_MODULE, *COMPUTING, *LAYERS, *OPEN, *HOMES])
def test_a_module_that_the_gate_names_is_there(home: str) -> None:
    """A module that was renamed would pass the gate unseen."""
    layers = {kind.__module__ for kind in vars(torch.nn).values() if isinstance(kind, type)}
    assert any(name.startswith(home) for name in [*sys.modules, *layers])


def test_no_operator_of_numpy_asks_an_object_of_the_host() -> None:
    machine = new_machine()
    leaks: dict[str, set[str]] = {}
    with prepare_engine(machine):
        for number in (np.ones(2), np.float64(1), np.int64(1), torch.ones(2)):
            for poison in (part for kind in POISONS for part in (kind(), [kind()], (1, kind()))):
                ways: dict[str, Any] = {}
                for kind in BINARY:
                    apply, again = make_binary(machine, kind), make_binary(machine, kind, inplace=True)
                    ways[f"{kind.__name__}"] = lambda a=apply, p=poison, n=number: a(n, p)
                    ways[f"reflected {kind.__name__}"] = lambda a=apply, p=poison, n=number: a(p, n)
                    ways[f"in place {kind.__name__}"] = lambda a=again, p=poison, n=number: a(n, p)
                for sign, compare in COMPARE.items():
                    ways[sign.__name__] = lambda c=compare, p=poison, n=number: c(machine, n, p)
                    ways[f"reflected {sign.__name__}"] = lambda c=compare, p=poison, n=number: c(machine, p, n)
                for index in (poison, slice(poison), (0, poison), (slice(poison),)):
                    ways[f"index {index!r:.9}"] = lambda i=index, n=number: fetch(machine, n, i)
                    ways[f"place {index!r:.9}"] = lambda i=index, n=number: assign(machine, n, i, 1)
                ways["value"] = lambda p=poison, n=number: assign(machine, n, 0, p)
                del ways["In"], ways["NotIn"]  # walks through the poison, as through any list
                ways["contains"] = lambda p=poison, n=number: COMPARE[ast.In](machine, p, n)
                for name, way in ways.items():
                    leaks.setdefault(name, set()).update(asked_by(way))
    assert {name: asked for name, asked in leaks.items() if asked} == {}


OBJECTS = """
import torch, numpy as np
import torch.nn.functional as F
pd = torch.nn.ParameterDict()
sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], 0.1)
sch = torch.optim.lr_scheduler.StepLR(sgd, 1)
dist = torch.distributions.Normal(0., 1.)
class Own: pass
own = Own()
x = torch.ones(4)
leaky = torch.nn.LeakyReLU()
def say(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
"""

REFUSED = """
np.float64(1) + sgd                     | TypeError unsupported operand type(s) for +: 'numpy.float64' and 'SGD'
np.float64(1) == sgd                    | np.False_
np.int64(1) * pd                        | TypeError unsupported operand type(s) for *: 'numpy.int64' and 'ParameterDict'
np.zeros(2) == sgd                      | array([False, False])
np.zeros(2) != sgd                      | array([ True,  True])
np.ndarray.__add__(np.zeros(4), pd)     | NotImplemented
np.zeros(4) < dist                      | TypeError '<' not supported between instances of 'numpy.ndarray' and 'Normal'
pd in np.zeros(4)                       | False
sgd in x                                | RuntimeError Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'torch.optim.sgd.SGD'>.
torch.Tensor([sch])                     | TypeError must be real number, not StepLR
torch.Tensor([[1, own]])                | TypeError must be real number, not Own
torch.LongTensor([sch])                 | TypeError 'StepLR' object cannot be interpreted as an integer
torch.tensor([sch])                     | RuntimeError Could not infer dtype of StepLR
torch.tensor([sch], dtype=torch.half)   | TypeError must be real number, not StepLR
torch.Size([sch])                       | TypeError torch.Size() takes an iterable of 'int' (item 0 is 'StepLR')
torch.Size([1, 2.])                     | TypeError torch.Size() takes an iterable of 'int' (item 1 is 'float')
torch.Size([torch.tensor(2)])           | torch.Size([2])
x.new([sch])                            | TypeError must be real number, not StepLR
x.roll([1, sch])                        | TypeError roll(): argument 'shifts' failed to unpack the object at pos 2 with error "type must be tuple of ints,but got StepLR"
x[[sch]]                                | RuntimeError Could not infer dtype of StepLR
x[sch]                                  | IndexError only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got StepLR)
x[sch:]                                 | TypeError slice indices must be integers or None or have an __index__ method
np.ones(2)[[sch]]                       | IndexError only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices
torch.celu(x, sch)                      | TypeError celu(): argument 'alpha' (position 2) must be Number, not StepLR
F.leaky_relu_(x, sch)                   | TypeError leaky_relu_(): argument 'negative_slope' (position 2) must be Number, not StepLR
torch.nn.init.constant_(x, pd)          | TypeError constant_(): argument 'val' (position 2) must be Number, not ParameterDict
setattr(leaky, 'negative_slope', sch) or leaky(x) | TypeError leaky_relu(): argument 'negative_slope' (position 2) must be Number, not StepLR
np.sum(np.ones(2), axis=sch)            | TypeError only numbers and lists of numbers can become an array here, not StepLR
np.array([[1, own]])                    | TypeError only numbers and lists of numbers can become an array here, not Own
""".strip().splitlines()  # noqa: E501


def test_objects_are_refused_in_torchs_words_and_numpys() -> None:
    cases = [[part.strip() for part in line.split("|", 1)] for line in REFUSED]
    trace = run(OBJECTS + "\n".join(f"say(lambda: {expression})" for expression, _ in cases))
    said = "".join(event.text for event in trace.events if type(event).__name__ == "Printed").splitlines()
    assert trace.outcome.kind == "finished", trace.outcome
    assert said == [text for _, text in cases]


@pytest.mark.parametrize("name", ["ParameterDict", "StepLR", "SGD", "Normal", "AffineTransform"])
def test_what_lies_on_an_object_is_no_array_to_numpy(name: str) -> None:
    """Should a program ever put it there: the class answers first."""
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], 0.1)
    made = {
        "ParameterDict": torch.nn.ParameterDict(),
        "SGD": optimizer,
        "StepLR": torch.optim.lr_scheduler.StepLR(optimizer, 1),
        "Normal": torch.distributions.Normal(0.0, 1.0),
        "AffineTransform": torch.distributions.AffineTransform(0.0, 1.0),
    }[name]
    vars(made)["__array_interface__"] = {"shape": (1,), "typestr": "<f8", "data": (64, False), "version": 3}
    with pytest.raises(TypeError, match=f"must be real number, not {name}"):
        np.asarray([made])
    with pytest.raises(TypeError, match="unsupported operand"):
        np.float64(1) + made


# ---- what is set after an object was made: on groups of optimizers, schedulers, layers, distributions

OPTIONS = """
SGD | lr | bad operand type for unary -: 'A'
SGD | weight_decay | add(): argument 'alpha' must be Number, not A
Adam | lr | unsupported operand type(s) for /: 'A' and 'float'
Adam | betas[0] | unsupported operand type(s) for -: 'int' and 'A'
Adam | betas[1] | mul_(): argument 'other' (position 1) must be Tensor, not A
Adam | eps | add_(): argument 'other' (position 1) must be Tensor, not A
Adam | weight_decay | add(): argument 'alpha' must be Number, not A
AdamW | lr | unsupported operand type(s) for *: 'A' and 'float'
AdamW | betas[0] | unsupported operand type(s) for -: 'int' and 'A'
AdamW | betas[1] | mul_(): argument 'other' (position 1) must be Tensor, not A
AdamW | eps | add_(): argument 'other' (position 1) must be Tensor, not A
AdamW | weight_decay | unsupported operand type(s) for *: 'float' and 'A'
Adamax | lr | unsupported operand type(s) for /: 'A' and 'float'
Adamax | betas[0] | unsupported operand type(s) for -: 'int' and 'A'
Adamax | betas[1] | mul_(): argument 'other' (position 1) must be Tensor, not A
Adamax | eps | add_(): argument 'other' (position 1) must be Tensor, not A
Adamax | weight_decay | add(): argument 'alpha' must be Number, not A
NAdam | lr | bad operand type for unary -: 'A'
NAdam | betas[0] | unsupported operand type(s) for *: 'A' and 'float'
NAdam | betas[1] | unsupported operand type(s) for ** or pow(): 'A' and 'float'
NAdam | eps | add_(): argument 'other' (position 1) must be Tensor, not A
NAdam | weight_decay | add(): argument 'alpha' must be Number, not A
NAdam | momentum_decay | unsupported operand type(s) for *: 'float' and 'A'
RAdam | lr | unsupported operand type(s) for *: 'Tensor' and 'A'
RAdam | betas[0] | unsupported operand type(s) for -: 'int' and 'A'
RAdam | betas[1] | mul_(): argument 'other' (position 1) must be Tensor, not A
RAdam | weight_decay | add(): argument 'alpha' must be Number, not A
Rprop | lr | full_like(): argument 'fill_value' (position 2) must be Number, not A
Rprop | etas[0] | can't assign a A to a torch.FloatTensor
Rprop | etas[1] | can't assign a A to a torch.FloatTensor
ASGD | lr | must be real number, not A
ASGD | lambd | unsupported operand type(s) for *: 'A' and 'float'
ASGD | alpha | unsupported operand type(s) for ** or pow(): 'float' and 'A'
ASGD | t0 | unsupported operand type(s) for -: 'float' and 'A'
ASGD | weight_decay | add(): argument 'alpha' must be Number, not A
RMSprop | lr | bad operand type for unary -: 'A'
RMSprop | momentum | '>' not supported between instances of 'A' and 'int'
RMSprop | alpha | mul_(): argument 'other' (position 1) must be Tensor, not A
RMSprop | eps | add_(): argument 'other' (position 1) must be Tensor, not A
RMSprop | weight_decay | add(): argument 'alpha' must be Number, not A
Adagrad | lr | unsupported operand type(s) for /: 'A' and 'float'
Adagrad | lr_decay | unsupported operand type(s) for *: 'float' and 'A'
Adagrad | eps | add_(): argument 'other' (position 1) must be Tensor, not A
Adagrad | weight_decay | add(): argument 'alpha' must be Number, not A
Adadelta | lr | bad operand type for unary -: 'A'
Adadelta | rho | mul_(): argument 'other' (position 1) must be Tensor, not A
Adadelta | weight_decay | add(): argument 'alpha' must be Number, not A
LBFGS | lr | unsupported operand type(s) for *: 'Tensor' and 'A'
LBFGS | max_iter | '<' not supported between instances of 'int' and 'A'
LBFGS | max_eval | '>=' not supported between instances of 'int' and 'A'
LBFGS | tolerance_grad | '<=' not supported between instances of 'Tensor' and 'A'
LBFGS | tolerance_change | bad operand type for unary -: 'A'
LBFGS | history_size | can't multiply sequence by non-int of type 'A'
""".strip().splitlines()
"""What torch says of an option that was set to an object: the algorithm, the option, the message."""

STEP = """
import torch
class A: pass
def step(name, option, place):
    p = torch.ones(2, 2, requires_grad=True)
    opt = getattr(torch.optim, name)([p])
    group = opt.param_groups[0]
    for more in ("weight_decay", "momentum"):
        if more in group: group[more] = 0.1
    if place is None: group[option] = A()
    else: group[option] = tuple(A() if i == place else part for i, part in enumerate(group[option]))
    def closure():
        opt.zero_grad()
        (p * p).sum().backward()
        return p.sum()
    closure()
    try: opt.step(closure)
    except TypeError as e: print(e)
"""


def test_options_of_optimizers_are_numbers() -> None:
    cases = [[part.strip() for part in line.split("|")] for line in OPTIONS]
    places = [option.rstrip("]").partition("[")[::2] for _, option, _ in cases]
    calls = [f"step({case[0]!r}, {name!r}, {at or None})" for case, (name, at) in zip(cases, places, strict=True)]
    assert printed(STEP + "\n".join(calls)) == [message for *_, message in cases]


def printed(source: str) -> list[str]:
    trace = run(source)
    assert trace.outcome.kind == "finished", trace.outcome
    return "".join(event.text for event in trace.events if type(event).__name__ == "Printed").splitlines()


SET_LATER = """
sgd.param_groups[0]['lr'] = np.ones((1000, 1000))           | sgd.step()
sgd.param_groups[0]['lr'] = [own, own]                      | sgd.step()
sgd.param_groups[0]['params'] = [own]                       | sgd.step()
adam.state[p]['exp_avg'] = torch.ones(1000, 1000)           | adam.step()
sch.gamma = np.ones((1000, 1000))                           | sch.step()
sch.gamma = 'a' * 100000                                    | sch.step()
sch.base_lrs = [np.ones((1000, 1000))]                      | sch.step(3)
sch.base_lrs[0] = 'a' * 100000                              | sch.step(3)
sch.load_state_dict({'gamma': 'a' * 100000})                | sch.step()
sgd.param_groups[0]['lr'] = 'a' * 100000                    | sch.step()
sch.last_epoch = own                                        | sch.step()
lam.lr_lambdas = [lambda e: 'a' * 100000]                   | lam.step()
lam.lr_lambdas = [lambda e: np.ones((1000, 1000))]          | lam.step()
plateau.min_lrs[0] = 'a'                                    | [plateau.step(1.) for i in range(20)]
cyclic.max_lrs[0] = np.ones((1000, 1000))                   | cyclic.step()
once.optimizer.param_groups[0]['max_lr'] = 'a'              | once.step()
dist.scale = [1.0]                                          | dist.log_prob(x)
dist.loc = own                                              | dist.log_prob(x)
inorm.eps = np.ones((1000, 1000))                           | inorm(torch.ones(2, 3, 4))
inorm.eps = 'a'                                             | inorm(torch.ones(2, 3, 4))
gaussian.eps = np.ones((1000, 1000))                        | gaussian(x, x, x)
emb.max_norm = 'a'                                          | emb(torch.zeros(1, dtype=torch.long))
emb.norm_type = 'fro'                                       | emb(torch.zeros(1, dtype=torch.long))
""".strip().splitlines()
MORE = """
p = torch.ones(400, 1, 1, requires_grad=True)
p.sum().backward()
sgd = torch.optim.SGD([p], 0.1)
adam = torch.optim.Adam([p])
adam.step()
S = torch.optim.lr_scheduler
sch, lam = S.StepLR(sgd, 1), S.LambdaLR(sgd, lambda e: 1.0)
plateau, cyclic = S.ReduceLROnPlateau(sgd), S.CyclicLR(sgd, 0.1, 1.0, cycle_momentum=False)
once = S.OneCycleLR(torch.optim.SGD([p], 0.1, momentum=0.9), 1.0, 10)
inorm, gaussian = torch.nn.InstanceNorm1d(3), torch.nn.GaussianNLLLoss()
emb = torch.nn.Embedding(3, 2, max_norm=1.0)
"""


@pytest.mark.parametrize("line", SET_LATER, ids=range(len(SET_LATER)))
def test_what_is_set_later_is_looked_at_too(line: str) -> None:
    change, use = (part.strip() for part in line.split("|"))
    said = printed(f"{OBJECTS}{MORE}try:\n    {change}\n    {use}\nexcept Exception as e:\n    print(e)")
    assert said
    assert not [word for word in ("ufunc", "UFunc", "Instance", "data_", "broadcast together") if word in said[0]]


ALLOWED_LATER = """
dist.scale = np.ones((1, 2)) | print(dist.log_prob(torch.zeros(2)).shape)      | torch.Size([1, 2])
dist.scale = 2               | print(dist.stddev)                              | 2
sch.gamma = np.float64(0.5)  | sgd.step(); sch.step(); print(sch.get_last_lr())| [0.05]
sgd.param_groups[0]['lr'] = np.float64(0.5) | sgd.step(); print(p.dtype) | torch.float32
sgd.param_groups[0]['lr'] = torch.tensor(0.5) | sgd.step(); print(p[0].tolist()) | [[0.49900001287460327]]
sch.own = [1, 'a']           | print(sch.own)                                  | [1, 'a']
""".strip().splitlines()


def test_numbers_may_be_set_later() -> None:
    for line in ALLOWED_LATER:
        change, use, text = (part.strip() for part in line.split("|"))
        assert printed(f"{OBJECTS}{MORE}{change}\n{use}") == [text], line


@pytest.mark.parametrize("home", (*COMPUTING, *OPEN))
def test_what_the_gate_says_of_a_module_is_said_of_one_that_is_there(home: str) -> None:
    importlib.import_module(home.rstrip("."))
