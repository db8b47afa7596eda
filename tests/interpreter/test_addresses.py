"""What programs see of where tensors lie: who shares memory with whom, and nothing of this machine's."""

from __future__ import annotations

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed

PROGRAMS = {
    "x = torch.ones(2, 3)\ny = x.clone()\nprint(*(x.data_ptr() == z.data_ptr() for z in (x[:1], y)))": "True False",
    "x = torch.ones(2, 3)\nprint(x[1].data_ptr() - x.data_ptr(), x[1].storage_offset(), x[0, 2].storage_offset())": (
        "12 3 2"
    ),
    "x = torch.ones(2)\nprint(len({y.untyped_storage().data_ptr() for y in (x, x.detach(), x.data)}))": "1",
    "x = torch.ones(4)\nprint(x[2:].untyped_storage().nbytes(), x[2:].untyped_storage().size())": "16 16",
    "x = torch.ones(4)\na = x.data_ptr()\nx += 1\nprint(a == x.data_ptr(), x.t().data_ptr() == a)": "True True",
    "x = torch.ones(2)\nx.data = torch.zeros(2)\nprint(x.data_ptr() == x.data.data_ptr())": "True",
    "print(torch.empty(0).data_ptr())": "0",
    "print(torch.tensor([1, 255], dtype=torch.uint8).untyped_storage())": (
        "1\n 255\n[torch.storage.UntypedStorage(device=cpu) of size 2]"
    ),
    "a = torch.tensor([1.0])\nb = torch.nn.Parameter(a)\nprint(a.data_ptr() == b.data_ptr())": "True",
    "print(torch.float32.is_complex, torch.uint8.is_signed, torch.int8.is_signed)": "False False True",
    "print(torch.zeros(3).index_copy(0, torch.tensor([1]), torch.ones(1)))": "tensor([0., 1., 0.])",
    "print(torch.linalg.cond(torch.diag(torch.tensor([4.0, 2.0]))))": "tensor(2.)",
}


def printed(source: str) -> str:
    trace = run(f"import torch\n{source}")
    assert trace.outcome.kind == "finished", trace.outcome.message
    return "".join(event.text for event in trace.events if isinstance(event, Printed)).strip()


@pytest.mark.parametrize("source", PROGRAMS)
def test_memory_is_shared_as_in_torch(source: str) -> None:
    assert printed(source) == PROGRAMS[source]


def test_bytes_are_charged_before_they_are_written() -> None:
    outcome = run("import torch\nprint(torch.ones(1000, 1000).untyped_storage())").outcome
    assert (outcome.kind, outcome.type) == ("stopped", "length")


def test_addresses_are_the_same_from_run_to_run() -> None:
    source = "x, y = torch.ones(2), torch.ones(3)\nprint(y.data_ptr(), x.data_ptr(), y[1:].data_ptr())"
    assert printed(source) == printed(source)


ASKING = """
import copy, torch
from dataclasses import dataclass
from torch import nn
def f(): pass
class C:
    def g(self): pass
    def __deepcopy__(self, memo):
        print(len(memo))
        return C()
@dataclass(frozen=True)
class Pair:
    a: object
def it():
    return [(yield 1), (yield 2), (yield 3) and (yield 4)]
c, gen, e = C(), it(), ValueError("a")
m, x = nn.Linear(1, 1), torch.ones(1, requires_grad=True)
y = x * 2
list(gen)
print(hash(f), hash(float("nan")), hash(object()), hash(None), hash(...), hash(len), hash(torch.sin), hash(C))
print(hash(torch), hash(torch.float32), hash(x), hash(m), hash(c), hash(c.g), hash((f, 1)), hash(frozenset([f])))
print(hash(m.forward), hash(y.grad_fn), hash(e), hash(ValueError), hash(gen), hash(Pair(f)))
print(id(f), id(x), id(None), x.data_ptr(), hash(f) == hash(f), hash((1, 2)) == hash((1, 2)), object.__hash__(f))
copy.deepcopy([c, [1], {"a": C()}, (f, C())])
print(f, c, gen, e, m.forward, y.grad_fn, [f, c], f"{c}", "%s" % c, object(), torch.Generator(), torch.no_grad())
"""


def test_no_address_of_this_machine_reaches_a_program_or_its_trace() -> None:
    first = run(ASKING)
    assert first.outcome.kind == "finished", first.outcome.message
    moved = [object() for _ in range(100_000)]  # what is made from now on lies elsewhere
    second = run(ASKING)
    del moved
    assert [str(event) for event in second.events] == [str(event) for event in first.events]


ORDERED = """
import random, torch
class C: pass
class It:
    def m(self): yield
made = [lambda: i for i in range(200)] + [type("K", (), {}) for i in range(50)] + [It().m() for i in range(50)]
made += [(lambda: i, 1) for i in range(50)] + [C().__init__ for i in range(50)] + [ValueError() for i in range(50)]
names = {each: nr for nr, each in enumerate(made)}
print([names[each] for each in set(made)], [names[each] for each in frozenset(reversed(made))])
for nan in (float("nan"), float("inf") * 0):
    random.seed(nan)
    print(random.random(), random.Random(nan).random(), random.seed(1.5), random.random())
    r = random.Random(3)
    r.seed(nan)
    print(r.random(), random.Random("a").random(), random.Random(-1.5).random())
"""


def test_neither_the_order_of_a_set_nor_a_seed_tells_an_address() -> None:
    kept, told = [], []
    for moved in (0, 1, 50_001):
        kept += [object() for _ in range(moved)]
        trace = run(ORDERED)
        assert trace.outcome.kind == "finished", trace.outcome.message
        told.append([event.text for event in trace.events if isinstance(event, Printed)])
    assert told[0] == told[1] == told[2] and len(told[0]) == 5


SETS = {
    "None, 1.5, 3": "2 1 0",
    "*(float('nan') for _ in range(9)), 12, 4": "10 9 0 1 2 3 4 5 6 7 8",
    "*(torch.ones(1) * i for i in range(9))": "0 1 2 3 4 5 6 7 8",
    "*(nn.Linear(1, 1) for _ in range(9)), 7": "9 0 1 2 3 4 5 6 7 8",
    "float('nan'), torch.float64, torch.float32, torch.int64, torch.bool": "0 1 2 3 4",
    "..., NotImplemented, None, 1": "3 0 1 2",
    "*((lambda: at) for at in range(9)), 7, print": "9 0 1 2 3 4 5 6 7 8 10",
}
"""What is put into a set, and the order in which it comes out: what hashes by its numbers first."""
ORDER = """
import torch
from torch import nn
def one_by_one(given):
    s = set()
    for g in given:
        s.add(g)
    return s
def pop_all(s):
    return [s.pop() for _ in range(len(s))]
def order(found):
    return [at for item in found for at, g in enumerate(given) if g is item]
given = [SET]
d = {}
for g in given:
    d[g] = 0
for found in (d.keys() - {0}, d.keys() & given, d.keys() | (g for g in given), set() | d.keys(), [0] ^ d.keys() ^ {0}):
    print(*order(found))
for s in ({*given}, set(given), frozenset(given), {g for g in given}, set().union(given), one_by_one(given)):
    for found in (list(s), [g for g in s], [*s], pop_all(set(s)), list(s | {0}), list(s - {0}), dict.fromkeys(s)):
        print(*order(found))
    assert repr(s) in ("{" + ", ".join(map(repr, s)) + "}", "frozenset({" + ", ".join(map(repr, s)) + "})")
"""


@pytest.mark.parametrize("given", SETS)
def test_the_order_of_a_set_tells_no_address(given: str) -> None:
    assert set(printed(ORDER.replace("SET", given)).splitlines()) == {SETS[given]}


COPIED = """
import copy, torch
class Own(set): pass
made = []
class C:
    def __deepcopy__(self, memo):
        made.append(self.at)
        return torch.ones(1) * self.at
def c(at):
    found = C()
    found.at = at
    return found
for kind in (set, frozenset, Own):
    print([int(one) for one in copy.deepcopy(kind(torch.ones(1) * at for at in range(9)))])
    print([int(one) for one in copy.deepcopy(kind([c(at) for at in range(9)] + [None])) if one is not None], made)
    made.clear()
"""


def test_copies_of_a_set_are_made_in_its_order() -> None:
    numbers = [str([*range(9)])]
    assert printed(COPIED).splitlines() == [line for _ in range(3) for line in (*numbers, " ".join(numbers * 2))]


CHANGED = """
s = {None, 1.5}
i = iter(s)
print(next(i), type(i).__name__)
CHANGE
for _ in range(2):
    try: next(i)
    except RuntimeError as error: print(error)
    s.clear(); s |= {1, 2}
done = iter(s := {None, 1.5})
print(len(list(done)))
s.add(2)
print(next(done, "done"))
"""


@pytest.mark.parametrize("change", ["s.add(4)", "s.pop()", "s.add(4); s.pop(); s.add(5)"])
def test_a_set_in_an_order_of_ours_ends_where_it_changes_its_size(change: str) -> None:
    told = ["1.5 set_iterator", *["Set changed size during iteration"] * 2, "2", "done"]
    assert printed(CHANGED.replace("CHANGE", change)).splitlines() == told


@pytest.mark.parametrize("made", ["torch.ones(1)", "lambda: 0", "C().m", "iter_of()", "nn.ReLU()", "C"])
def test_what_lies_where_something_else_lay_is_another_thing(made: str) -> None:
    source = "from torch import nn\nclass C:\n    def m(self): pass\ndef iter_of(): yield\n"
    source += f"numbers = []\nfor _ in range(9):\n    numbers += [id({made})]\nprint(len(set(numbers)))"
    assert printed(source) == ("1" if made == "C" else "9")


def test_tuples_of_what_has_no_value_come_in_one_order() -> None:
    source = "print([i for _, i in {(float('nan'), i) for i in range(9)}], {(None, 1), (None, 2), (..., 3)})"
    assert len({printed(source + f"\na = [0.0] * {nr}") for nr in range(4)}) == 1
