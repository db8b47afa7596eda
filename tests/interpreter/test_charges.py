"""Work is charged before it is done, whatever it is called by: an operator, its methods, or a function of that name."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import replace

import pytest

from gradreel.interpreter import Limits, run
from gradreel.trace.events import Printed

LIMITS = Limits(seconds=60.0, product=10_000_000)

HEAD = "import functools, itertools, operator\nfrom collections import *\nimport numpy as np\nimport torch\n"
DEEP = """\
t, u = (1, 2), (1, 2)
a, b = [1], [1]
for i in range(40): t, u, a, b = (t, t), (u, u), [a, a], [b, b]
"""


def outcome(source: str, steps: int = 20_000) -> tuple[str, str | None]:
    trace = run(HEAD + source, limits=replace(LIMITS, steps=steps))
    return trace.outcome.kind, trace.outcome.type


LARGE: dict[str, tuple[str, str, str, str]] = {
    "lists joined": ("+", "add", "[0] * 60_000", "[0] * 60_000"),
    "tuples joined": ("+", "add", "(0,) * 60_000", "(0,) * 60_000"),
    "text joined": ("+", "add", "'a' * 60_000", "'a' * 60_000"),
    "text repeated": ("*", "mul", "'a' * 9", "10**6"),
    "a list repeated by numpy's number": ("*", "mul", "[0]", "np.int64(10**8)"),
    "a tuple repeated by a tensor": ("*", "mul", "(0,)", "torch.tensor(10**8)"),
    "dicts joined": ("|", "or", "dict.fromkeys(range(60_000))", "dict.fromkeys(range(60_000, 120_000))"),
    "powers": ("**", "pow", "10", "10**6"),
    "shifts": ("<<", "lshift", "1", "10**9"),
    "arrays": ("-", "sub", "np.zeros((10_000, 1))", "np.zeros((1, 10_000))"),
    "products of arrays": ("@", "matmul", "np.zeros((3000, 1, 2, 2))", "np.zeros((1, 3000, 2, 2))"),
    "tensors": ("*", "mul", "torch.zeros(10_000, 1)", "torch.zeros(1, 10_000)"),
}
"""Operands whose result is too large, by the operator."""

SPELLINGS = (
    "x {sign} y",
    "operator.{name}(x, y)",
    "type(x).__{name}__(x, y)",
    "x.__{name}__(y)",
    "functools.reduce(operator.{name}, [x, y])",
    "x {sign}= y",
    "operator.i{name}(x, y)",
)


@pytest.mark.parametrize("case", LARGE)
def test_an_operator_is_charged_however_it_is_called(case: str) -> None:
    sign, name, left, right = LARGE[case]
    name = {"or": "or_"}.get(name, name)
    for spelling in SPELLINGS:
        way = spelling.format(sign=sign, name=name.rstrip("_") if "__" in spelling or ".i" in spelling else name)
        kind, budget = outcome(f"x = {left}\ny = {right}\n{way}", 300_000)
        assert (kind, budget in ("length", "bits", "elements", "product")) == ("stopped", True), (way, kind, budget)


ENDLESS = {
    "hashing": (
        "hash(t)", "t.__hash__()", "{t: 1}", "{t}", "t in {1}", "{}.get(t)", "set([t])", "dict([(t, 1)])", "{1} - {t}",
        "dict.fromkeys([t])", "Counter([t])", "functools.lru_cache(lambda x: x)(t)", "{1: 2}.pop(t, 0)",
        "OrderedDict([(t, 1)])", "set().add(t)", "{k: 1 for k in [t]}", "namedtuple('P', 'a b')(t, t).__hash__()",
    ),
    "comparing": (
        "a == b", "a != b", "a < b", "a.__eq__(b)", "operator.eq(a, b)", "t == u", "b in [a]", "[a].index(b)",
        "[a].count(b)", "[a].remove(b)", "deque([a]) == deque([b])", "deque([a]) < deque([b])", "b in deque([a])",
        "slice(a) == slice(b)", "slice(a) != slice(b)", "{1: a} == {1: b}", "{1: a}.items() == {1: b}.items()",
        "{1: a}.items() <= {1: b}.items()", "{1: a}.items() & {1: b}.items()", "(1, b) in {1: a}.items()",
        "b in {1: a}.values()", "max([a, b])", "sorted([b, a])", "OrderedDict(k=a) == OrderedDict(k=b)",
    ),
    "numpy": ("np.zeros(2) + a", "np.float64(2) == a", "np.zeros(3)[a]", "np.array(a)", "torch.tensor(a)"),
    "growing": (
        "x = []; x += itertools.count()", "[].extend(itertools.repeat(0))", "x = deque([]); x += itertools.count()",
        "x = {}; x |= itertools.repeat((1, 2))", "{}.update(itertools.repeat((1, 2)))", "set(itertools.repeat(1))",
        "x = Counter(); x.update(itertools.repeat(1))", "[].__iadd__(range(10**8))", "x = [0]; x[:] = range(10**8)",
        "operator.iadd([], range(10**8))", "deque(itertools.repeat(1), maxlen=0)", "[*itertools.count()]",
    ),
    "iterators": (
        "next(itertools.islice(itertools.count(), 10**12, None))", "next(itertools.compress(itertools.count(), [0] * 9)"
        " if 0 else itertools.compress(itertools.count(), itertools.repeat(0)))", "itertools.tee(itertools.count())",
        "next(itertools.product([0], repeat=10**7))", "next(itertools.islice(range(10**13), 10**12, None))",
        "list(itertools.islice(itertools.permutations(range(90_000)), 3000))", "itertools.tee([1] * 90_000, 10**6)",
        "sum(itertools.repeat(1))", "-1 in itertools.count()", "max(itertools.cycle([1]))", "[*zip(itertools.count())]",
    ),
    "text": (
        "print(*['a' * 99_999] * 99_999)", "print(*range(90_000), sep='x' * 90_000)", "repr(['a' * 99_999] * 99)",
        "','.join(map(str, torch.ones(10**6)))", "np.set_printoptions(threshold=10**9); str(np.ones(10**5))",
        "torch.set_printoptions(threshold=10**9); str(torch.ones(10**5))",
        "torch.set_printoptions(precision=10**9); str(torch.ones(3))",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_would_take_for_ever_is_stopped(kind: str) -> None:
    for line in ENDLESS[kind]:
        assert outcome(f"{DEEP}{line}")[0] == "stopped", line


WIDE = ("(5).__format__('{n}')", "int.__format__(5, '{n}')", "np.int64(5).__format__('{n}')", "format(5, '{n}')")
WIDE += ("f'{{5:{n}}}'", "'%{n}d' % 5", "'{{:{n}}}'.format(5)", "(1.5).__format__('.{n}f')", "'a'.__format__('{n}')")
WIDE += ("torch.tensor(1.).__format__('{n}')", "'%{n}d'.__mod__(5)", "str.__format__('a', '{n}')")


def test_a_width_that_fills_memory_is_refused_however_it_is_asked_for() -> None:
    for way in WIDE:
        assert outcome(way.format(n=10**9)) == ("raised", "ValueError"), way
        assert outcome(way.format(n=9))[0] == "finished", way


MADE = """\
np.linspace(np.zeros(10**6), np.ones(10**6), 120)
np.logspace(np.zeros(10**6), np.ones(10**6), 120)
np.percentile(np.zeros((1, 10**6)), list(range(100)), axis=0)
np.quantile(np.zeros((10**6, 1)), np.linspace(0, 1, 100), axis=1)
np.inner(np.zeros((12000, 1)), np.zeros((12000, 1)))
np.outer(np.zeros(10**4), np.zeros(10**4))
np.dot(np.zeros((10**4, 1)), np.zeros((1, 10**4)))
np.matmul(np.zeros((1000, 1, 10, 10)), np.zeros((1, 1000, 10, 10)))
np.random.binomial(np.full((1000, 1), 5), np.full((1, 100000), .5))
np.random.normal(np.zeros((10**4, 1)), np.ones((1, 10**4)))
np.random.default_rng(0).uniform(np.zeros((10**4, 1)), np.ones((1, 10**4)))
np.random.multivariate_normal(np.zeros(900), np.eye(900), 10**5)
np.tril(np.zeros(10**5))
np.cov(np.zeros((10**5, 2)))
np.corrcoef(np.zeros((30000, 2)), np.zeros((30000, 2)))
np.linalg.svd(np.zeros((10**5, 1)))
np.einsum('i,j,k->ijk', np.zeros(1000), np.zeros(1000), np.zeros(1000))
np.meshgrid(np.zeros(10**4), np.zeros(10**4))
np.tile(np.zeros(10**6), (100, 1))
np.repeat(np.zeros(10**6), 100)
np.repeat(np.zeros((10, 10)), [10**6] * 10, axis=0)
np.pad(np.zeros((2, 2)), ((0, 10**4), (0, 10**4)))
np.histogram(np.zeros(3), bins=10**8)
np.bincount(np.array([10**8]))
np.stack([np.zeros(10**6)] * 100)
np.array([np.ones(10**6)] * 100)
np.array_split(np.zeros(1), 10**7)
np.where(np.zeros((10**4, 1)) > 0, np.zeros((1, 10**4)), 0)
np.zeros((10**4, 1)) == np.zeros((1, 10**4))
np.zeros((10**4, 1)).__lt__(np.zeros((1, 10**4)))
np.zeros((1, 10**4)) in np.zeros((10**4, 1))
np.zeros((1000, 1000))[[0] * 10**5]
np.zeros((1000, 1000))[np.zeros((1000, 1), dtype=int), np.zeros((1, 10**5), dtype=int)]
torch.linalg.qr(torch.ones(10**4, 1), mode='complete')
torch.linalg.svd(torch.ones(10**4, 1))
torch.func.jacrev(lambda x: x)(torch.ones(20000))
torch.func.jacfwd(lambda x: x)(torch.ones(20000))
torch.func.hessian(lambda x: (x * x).sum())(torch.ones(20000))
torch.autograd.functional.jacobian(lambda x: x, torch.ones(20000))
torch.ones(1000, 1000).unfold(0, 500, 1).unfold(1, 500, 1).contiguous()
torch.ones(1000, 1000).expand(10**3, 1000, 1000).clone()
list(torch.ones(10**6))
torch.ones(10**6).split(1)
torch.tensor_split(torch.ones(3), 10**8)
torch.Tensor(10**4, 10**5)
torch.ones(2).new(10**4, 10**5)
torch.ones(2).resize_(10**9)
torch.diag_embed(torch.ones(10**5))
torch.nn.functional.one_hot(torch.zeros(100, dtype=torch.long), 10**7)
torch.ones(1000, 1, 9, 9) @ torch.ones(1, 1000, 9, 9)
torch.bincount(torch.tensor([3]), minlength=10**9)
torch.combinations(torch.ones(10**5))
torch.cartesian_prod(torch.ones(10**4), torch.ones(10**4))
torch.block_diag(*[torch.ones(100, 1)] * 1000)
torch.tril_indices(10**4, 10**4)
torch.cov(torch.ones(10**5, 2))
torch.kron(torch.ones(1000, 1000), torch.ones(1000, 1000))
torch.repeat_interleave(torch.ones(10**6), 100)
torch.nn.RNN(1, 1, num_layers=10**6)
torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2), 10**6)
torch.vmap(lambda a: torch.vmap(lambda b: a * b)(torch.ones(10**5)))(torch.ones(10**5))
torch.ones(200, 200).half() @ torch.ones(200, 200).half()
torch.ones(200, 200, dtype=torch.long) @ torch.ones(200, 200, dtype=torch.long)
np.dot(np.ones((200, 200), np.float16), np.ones((200, 200), np.float16))
np.ones((200, 200), int) @ ([[1] * 200] * 200)
([[1] * 200] * 200) @ np.ones((200, 200), int)
np.einsum('ij,jk->ik', np.ones((200, 200), int), np.ones((200, 200), int))
torch.zeros(0, 2 * 10**7).sum(0)
torch.zeros(2 * 10**7, 0).tolist()
torch.nn.functional.linear(torch.zeros(2 * 10**7, 0), torch.zeros(1, 0))
torch.ones(1, 0).repeat(2 * 10**7, 1)
torch.ones(0).view(2 * 10**7, 0)
torch.nn.functional.pad(torch.zeros(0, 2), (0, 2 * 10**7)).any(0)
torch.zeros(1000, 1000)[:0].reshape(0, 1000, 1000, 1000).prod(0)
torch.empty_strided((2 * 10**7, 0), (1, 1))
torch.zeros(0, 5).unsafe_chunk(10**7)
torch.zeros(0, 5).chunk(10**7)
torch.zeros(0, 5).tensor_split(10**7)
np.zeros((0, 2 * 10**7)).sum(0)
np.all(np.zeros(0).reshape(0, 2 * 10**7), axis=0)
np.zeros(0).reshape(2 * 10**7, 0).tolist()
np.linalg.norm(np.zeros(0).reshape(2 * 10**7, 0), axis=1)
np.dot(np.zeros((0, 1)).reshape(2 * 10**7, 0), np.zeros((0, 1)))
np.tile(np.zeros((0, 1)), (1, 2 * 10**7)).max(0)
np.random.rand(0, 2 * 10**7).sum(0)
np.linalg.solve(np.eye(300), np.ones((100, 300, 1)))
np.linalg.solve(np.ones((1000, 1, 30, 30)), np.ones((1, 1000, 30, 1)))
np.linalg.matrix_rank(np.ones((1000, 1, 2, 2)), np.ones(500000))
np.linalg.matrix_rank(np.ones((1000, 1, 2, 2)), rtol=np.ones(500000))
np.linalg.pinv(np.ones((1000, 1, 2, 2)), np.ones(100000))
np.linalg.norm(np.ones((1000, 1000)), 2)
np.linalg.norm(np.ones((1000, 1000, 1)), ord=2, axis=(0, 1))
np.random.multivariate_normal(np.zeros(1000), np.eye(1000), tol=np.ones((1000, 1, 1)))
np.random.default_rng(0).multinomial(np.ones((1000, 1), int), np.ones((1, 1000, 1000)) / 1000)
np.linspace(np.zeros((10**5, 1)), np.zeros((1, 10**5)), 0)
np.logspace(np.zeros((10**5, 1)), np.zeros((1, 10**5)), 0)
np.where(np.ones([1] * 44 + [2] * 20, dtype=bool))
np.tile(np.ones(1), (10**8, 0))
np.tile(np.zeros((1, 0)), (10**8, 1))
np.triu(np.zeros(0).reshape(0, 30000, 30000))
np.tril(np.zeros((2, 3))[:0].reshape(30000, 0, 30000), 1)
np.reshape(np.zeros(0), np.array([0, 30000, 30000]))
np.zeros((1000, 0))[np.zeros((1000, 1), dtype=int), np.zeros((1, 10**5), dtype=int)]
np.dot(np.zeros((0, 1000, 1)), np.zeros((1, 10**6)))
np.einsum('ij,k->ijk', np.zeros((0, 1000)), np.zeros(10**6))
np.array([np.ones((1, 10**6))] + [[np.ones(10**6)]] * 100)
np.stack([[[np.ones(1000)] * 1000]] * 2)
torch.tensor([np.ones(10**6)] * 100)
torch.as_tensor([[np.ones(10**6)]] * 100)
torch.FloatTensor([np.ones(10**6)] * 100)
torch.ones(2).new_tensor([np.ones(10**6)] * 100)
torch.tensor([[range(10**5)] * 100] * 100)
torch.ones(2, 2, 1000)[torch.zeros(1000, 1, dtype=torch.long), torch.zeros(1, 1000, dtype=torch.long)]
torch.ones(1000, 2, 2)[:, torch.zeros(300, 1, dtype=torch.long), torch.zeros(1, 300, dtype=torch.long)]
torch.ones(2, 9, 9)[torch.ones(2, dtype=torch.bool), torch.zeros(10**6, 1, dtype=torch.long)]
i = torch.zeros(1000, 1, dtype=torch.long); torch.ones(2, 9, 9).index_put_([i, i.T], torch.ones(1))
torch.masked_scatter(torch.ones(10**5, 1), torch.zeros(1, 1000, dtype=torch.bool), torch.ones(5))
np.linalg.eig(np.ones((300, 300)))
torch.linalg.pinv(torch.ones(200, 200))
torch.linalg.svd(torch.ones(200, 200), full_matrices=False)
np.repeat(np.zeros((1, 0)), 10**9, axis=0)
torch.from_numpy(np.zeros(0).reshape(10**12, 0))
""".splitlines()
"""Calls whose result, or what it takes to make it, is hundreds of megabytes and more."""


@pytest.mark.parametrize("line", MADE)
def test_nothing_is_laid_out_before_it_is_charged(line: str) -> None:
    gc.collect()
    tracemalloc.start()
    try:
        result = outcome(line)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result[0] == "stopped" and peak < 40_000_000, (result, peak)


ORDINARY = {
    "rows of a large table": "x = torch.rand(1000, 1000)\nfor i in range(2500): x[i % 1000].numel()",
    "views": "x = torch.rand(1000, 1000)\nfor i in range(40): x.T, x.view(-1), x[:, 3], x.unsqueeze(0)",
    "examples of a data set": (
        "from torch.utils.data import *\nd = TensorDataset(torch.rand(1280, 784), torch.zeros(1280))\n"
        "for i in range(2):\n    for x, y in DataLoader(d, batch_size=128): pass"
    ),
    "arrays of some length": "x = np.linspace(0, 1, 1100)\ny = 3 * x + 0.1 * np.random.randn(1100)",
    "arrays of bits": "x = np.ones((64, 64), dtype=int)\nx |= x\nx &= x\nx += x - x",
    "rows of an array": "x = np.zeros((1000, 1000))\nfor i in range(3000): x[i % 1000], x[:, 3], x[3, 4]",
    "products": "x = np.ones((200, 200))\nx @ x, x @ ([1.0] * 200), np.ones((99, 99), int) @ np.ones((99, 99), int)",
    "norms": "x = np.ones((99, 99))\nnorm = np.linalg.norm\nnorm(x, 'fro'), norm(x, None, 1), norm(x, 2, (0, 1))",
    "solving": "np.linalg.solve(np.eye(300), np.ones((300, 300))), np.linalg.svd(np.eye(300), False)",
    "many at once": "np.random.multivariate_normal(np.zeros(200), np.eye(200), 99), np.random.dirichlet((9, 5), 99)",
    "places": "np.where(np.eye(300)), np.where(np.eye(300) > 0, np.ones(300), 0)",
    "products by letters": "x = np.ones((100, 100))\nnp.einsum('ij,jk->ik', x, x)",
    "each so often": "np.repeat(np.arange(2000), np.full(2000, 2))",
    "the norm of many numbers": "np.linalg.norm(np.ones(10**6))",
    "a thin matrix": "torch.linalg.qr(torch.ones(3000, 9))\ntorch.linalg.pinv(torch.ones(3000, 9))",
    "what is in what": "print(np.isin([1, 2, 3], [1, 2]), np.array_equal([1], [1, 2]))",
    "a tensor gone through": "n = 0\nfor v in torch.arange(9_000): n += 1",
    "keys of pairs": "d = {}\nfor i in range(900):\n    d[i, (i, i)] = i\n    d[i, (i, i)] += (i, (i, i)) in d",
    "strides": "x = torch.empty_strided((100, 100), (100, 1))",
    "what is empty": "torch.zeros(0, 3, 224, 224).sum(0)\nprint(np.zeros((3, 0)).tolist(), np.arange(0))",
    "choices": "n = sum(1 for pair in itertools.combinations(range(300), 2))",
}


@pytest.mark.parametrize("case", ORDINARY)
def test_what_people_write_is_not_stopped(case: str) -> None:
    trace = run(HEAD + ORDINARY[case], limits=replace(Limits(), seconds=60.0))
    assert trace.outcome.kind == "finished", trace.outcome


SAME = """\
print(type(itertools.count()), itertools.count(3), itertools.repeat(5), type(itertools.product([1])))
x = [1]; x += 'ab'; print(x, x.__iadd__((2,)), operator.iadd(x, {3: 4}))
d = {1: 2}; d |= [(3, 4)]; print(d, d.items() & {(1, 2)}, d.items() - {(1, 2)}, d.items() == {(1, 2), (3, 4)})
q = deque([1], maxlen=2); q += [2, 3]; print(q, q == deque([2, 3]), q < deque([2, 4]), q != deque([2, 3]))
print(slice(1, 2) == slice(1, 2), slice(1) != slice(2), (1, 2) in {1: 2}.items(), {1: 2}.keys() == {1})
print({1: 2}.items() <= {1: 2, 3: 4}.items(), {1: 2}.keys() < {1, 2}, (5).__lt__(6), [1].__lt__([2]), 'a'.__lt__(3))
print([*itertools.islice('abcdef', 1, None, 2)], [*itertools.compress('abc', [1, 0, 1])])
try: x += 5
except TypeError as e: print(e)
print(x)
"""


def test_results_are_those_of_python() -> None:
    trace = run(HEAD + SAME)
    printed = "".join(event.text for event in trace.events if isinstance(event, Printed))
    assert printed == PYTHON


PYTHON = """\
<class 'itertools.count'> count(3) repeat(5) <class 'itertools.product'>
[1, 'a', 'b', 2, 3] [1, 'a', 'b', 2, 3] [1, 'a', 'b', 2, 3]
{1: 2, 3: 4} {(1, 2)} {(3, 4)} True
deque([2, 3], maxlen=2) True True False
True True True True
True True True True NotImplemented
['b', 'd', 'f'] ['a', 'c']
'int' object is not iterable
[1, 'a', 'b', 2, 3]
"""


NUL = """\
np.einsum('i,j\\0->', np.ones(3), np.ones(3))
np.convolve([1, 2], [1, 2], 'full\\0')
np.ones((2, 2)).copy('C\\0')
np.sort([1, 2], kind='quicksort\\0')
np.searchsorted([1, 2], 1, side='left\\0')
np.linalg.norm(np.ones((2, 2)), 'fro\\0')
np.pad(np.ones(2), 1, mode='edge\\0')
""".splitlines()


@pytest.mark.parametrize("line", NUL)
def test_no_text_ends_for_numpy_before_its_end(line: str) -> None:
    found = run(HEAD + line).outcome
    assert (found.type, found.message) == ("ValueError", "embedded null character")


def test_numbers_of_a_tensor_are_charged_one_by_one() -> None:
    for numbers in ("torch.ones(10**6)", "np.ones(10**6)"):
        assert outcome(f"x = {numbers}\n[x.tolist() for i in range(99)]", 30_000)[0] == "stopped"


COPIES = ("a.T.reshape(-1)", "a.T.ravel()", "np.reshape(a.T, -1)", "np.ascontiguousarray(a.T)", "a[True]", "a[b[0]]")


@pytest.mark.parametrize("copy", COPIES)
def test_what_mostly_is_a_view_is_charged_where_it_copies(copy: str) -> None:
    head = "a = np.ones((1000, 1000)); b = np.ones(1) > 0\n"
    assert outcome(f"{head}for i in range(9): {copy}", 5_000) == ("stopped", "steps")


NEVER = """\
torch.binomial(torch.tensor(float('nan')), torch.tensor(0.1))
torch.distributions.Binomial(torch.tensor(float('nan')), probs=torch.tensor(0.1), validate_args=False).sample()
torch.distributions.VonMises(torch.tensor(0.), torch.tensor(1e30), validate_args=False).sample()
torch.nn.init.trunc_normal_(torch.zeros(2), 0.0, 1.0, 3.0, 1e30)
""".splitlines()


@pytest.mark.parametrize("line", NEVER)
def test_who_draws_until_it_is_accepted_looks_at_the_clock(line: str) -> None:
    assert outcome(line)[0] in ("stopped", "refused")


@pytest.mark.parametrize("number", ("inf", "nan"))
def test_no_singular_values_are_looked_for_where_lapack_never_finds_them(number: str) -> None:
    head = f"a = np.eye(3); a[0, 0] = np.{number}; t = torch.from_numpy(a)\n"
    for way in ("np.linalg.svd(a)", "np.linalg.pinv(a)", "np.linalg.norm(a, 2)", "torch.linalg.svd(t)"):
        assert outcome(head + way)[0] == "raised", way
    assert outcome(head + "np.linalg.norm(a), np.linalg.inv(a)")[0] == "finished"


def test_nothing_far_behind_takes_no_memory() -> None:
    kind, _ = outcome(
        "x = torch.ones(3, requires_grad=True)\nx.as_strided((0,), (1,), 10**8).sum().backward()\n"
        "assert x.grad.tolist() == [0, 0, 0] and x.grad.untyped_storage().size() == 12"
    )
    assert kind == "finished"


def test_angles_are_drawn_only_where_numpy_comes_to_an_end() -> None:
    """For a kappa that is huge its draw goes on for ever, and nobody can look at the clock."""
    for given in ("0.0, float('inf')", "0.0, 1e300", "1e300, 1.0", "mu=0.0, kappa=[1.0, 1e300]", "float('nan'), 1.0"):
        for stream in ("np.random", "np.random.default_rng(0)"):
            assert outcome(f"{stream}.vonmises({given})") == ("raised", "ValueError"), given
    assert outcome("np.random.vonmises(0.0, 4.0, 9), np.random.vonmises(0, [1e-9, 1e7]), np.random.vonmises(1, 0)")[
        0
    ] == ("finished")
