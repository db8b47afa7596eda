"""torch's random numbers on the CPU: the same seed gives the same numbers, bit for bit.

Everything is drawn from one stream of 32-bit numbers (mt19937). What each kind of number takes from it, and how, is
that of torch's kernels: float32 takes 24 bits of one, doubles 53 bits of two, and so on. (On Intel's own processors
torch asks MKL for `bernoulli_(p)`, and dropout masks differ there.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from .. import errors
from ..engine.state import state
from ..errors import RANDOM_IN_VMAP
from ..functorch.batch import Level
from ..namespace.module_names import WrittenInC
from ..opaque import opaque
from . import box_muller

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

Array = npt.NDArray[Any]

DEFAULT_SEED: Final = 67280421310721
SINGLE: Final = np.dtype(np.float32)
DOUBLE: Final = np.dtype(np.float64)


def check_randomness(level: Level) -> None:
    """Whether random numbers may be drawn in a function that vmap runs.

    Raises:
        RuntimeError: it was not said whether they are the same for all examples.
    """
    if level.randomness == "error":
        raise RuntimeError(RANDOM_IN_VMAP)


@opaque
class Generator(metaclass=WrittenInC):
    """A stream of random numbers and, since normal numbers come in pairs, the one that is left over."""

    def __init__(self, device: str = "cpu"):
        if str(device) != "cpu":
            raise RuntimeError(f"Device type {str(device).upper()} is not supported for torch.Generator() api.")
        self.device = device
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = int(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self._bits = np.random.MT19937()
        self._stream = np.random.RandomState(self._bits)
        self._stream.seed(self._seed % 2**32)
        self.spare: float | None = None
        return self

    def initial_seed(self) -> int:
        return self._seed

    def seed(self) -> int:
        """The seed it began with: no other one is drawn, so that a run can be repeated, and the stream goes on."""
        return self.initial_seed()

    def words(self, n: int) -> npt.NDArray[np.uint32]:
        """The next `n` numbers of 32 bits."""
        if state.mapped:
            check_randomness(state.mapped[-1])
        return self._stream.randint(0, 2**32, n, dtype=np.uint32)

    def long_words(self, n: int) -> npt.NDArray[np.uint64]:
        """The next `n` numbers of 64 bits, the high half drawn first."""
        halves = self.words(2 * n).astype(np.uint64)
        return (halves[0::2] << np.uint64(32)) | halves[1::2]

    def double(self) -> float:
        """The next number of [0, 1) with 53 bits: what `units` draws, for those who draw one after the other."""
        if state.mapped:
            check_randomness(state.mapped[-1])
        draw = self._bits.random_raw
        high: int = draw()
        return (high << 32 | draw()) % 2**53 * 2.0**-53

    def get_state(self) -> Tensor:
        """The whole state, byte for byte as torch lays it out."""
        from ..api.functions.creation import make_tensor

        return make_tensor(self.state_bytes(), "get_rng_state")

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on from a state that `get_state` gave.

        Raises:
            TypeError: it is no tensor of bytes.
            RuntimeError: it is none of such a generator.
        """
        data = getattr(new_state, "data_", None)
        if data is None:
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if data.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if not data.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous")
        return self.set_state_bytes(data)

    def state_bytes(self) -> npt.NDArray[np.uint8]:
        """The whole state as bytes."""
        held = self._stream.get_state(legacy=False)["state"]
        key, position = held["key"], int(held["pos"])
        fresh = position == WORDS and int(key[0]) == self._seed % 2**32
        state = np.zeros((), STATE)
        state["seed"], state["seeded"], state["key"] = self._seed, 1, key
        state["left"], state["next"] = 625 - position, 0 if fresh else position
        state["has_spare"], state["spare"] = self.spare is not None, self.spare or 0.0
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state_bytes(self, state: npt.NDArray[np.uint8]) -> Generator:
        """
        Raises:
            RuntimeError: no generator has such a state. Numbers would be read from outside of it.
        """
        if state.size != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state size to be "
                f"{state.size}"
            )
        held = np.frombuffer(state.tobytes(), STATE)[0]
        following = int(held["next"]) % 2**32
        if not held["seeded"] or not 0 < held["left"] <= WORDS or following > WORDS:
            raise RuntimeError("Invalid mt19937 state")
        position = WORDS if held["left"] == 1 else following
        self._seed = int(held["seed"])
        self._stream.set_state(("MT19937", held["key"].astype(np.uint32), position, 0, 0.0))
        self.spare = float(held["spare"]) if held["has_spare"] else None
        return self

    def clone_state(self) -> Generator:
        return Generator().set_state_bytes(self.state_bytes())


WORDS: Final = 624
"""How many numbers a state holds."""
STATE: Final = np.dtype(
    [
        *[("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("key", "<u8", WORDS)],
        *[("x", "<f8"), ("spare", "<f8"), ("rho", "<f8"), ("has_spare", "<i4"), ("gap", "<i4")],
        *[("spare_float", "<f4"), ("has_float", "<i4")],
    ]
)


# ---- the default generator, one for each thread or context

_default: ContextVar[Generator | None] = ContextVar("default generator", default=None)


def default() -> Generator:
    """The default generator of this context, with a fixed seed at first, so that a run can be repeated."""
    generator = _default.get()
    if generator is None:
        generator = Generator()
        _default.set(generator)
    return generator


def manual_seed(seed: int) -> Generator:
    return default().manual_seed(int(seed))


def initial_seed() -> int:
    return default().initial_seed()


def _of_context(name: str) -> property:
    return property(lambda self: getattr(default(), name), lambda self, value: setattr(default(), name, value))


class ContextGenerator(Generator):
    """`torch.default_generator`: who asks it for numbers gets those of the own context. Its name is Generator."""

    _seed, spare = _of_context("_seed"), _of_context("spare")
    _bits, _stream = _of_context("_bits"), _of_context("_stream")

    def __init__(self) -> None:
        self.device = "cpu"


ContextGenerator.__module__ = "torch._C"


@contextmanager
def fork() -> Iterator[None]:
    """What is drawn in the block is not missing after it."""
    generator = default()
    state = generator.state_bytes()
    try:
        yield
    finally:
        generator.set_state_bytes(state)


# ---- continuous numbers: flat arrays of n


def uniform(
    n: int, kind: npt.DTypeLike, low: float = 0.0, high: float = 1.0, generator: Generator | None = None
) -> Array:
    """`n` numbers of [low, high)."""
    dtype = np.dtype(kind)
    most = float(np.finfo(dtype).max)
    for name, end in (("from", low), ("to", high)):
        if abs(end) > most:
            raise RuntimeError(f"{name} is out of bounds for {errors.c_name(dtype)}")
    if not low <= high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > most:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{errors.type_name(dtype)}>::max(), but found "
            f"to={high:g} and from={low:g} which result in to-from to exceed the limit"
        )
    generator = generator or default()
    if dtype.kind == "c":
        return uniform(2 * n, _part(dtype), low, high, generator).view(dtype)
    wide = _wide(dtype)
    values = units(n, wide, generator)
    if (low, high) != (0.0, 1.0):
        values = _scale(values, float(np.subtract(high, low, dtype=wide)), low)
    values = values.astype(dtype)
    values[values == np.asarray(high, dtype)] = low  # what rounding took up to the open end
    return values


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which numbers are computed: float32 for halves."""
    return SINGLE if dtype.itemsize == 2 else dtype


def _part(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the parts of a complex one."""
    return np.dtype(f"f{dtype.itemsize // 2}")


def units(n: int, dtype: np.dtype[Any], generator: Generator) -> Array:
    """`n` numbers of [0, 1) with as many bits as the type holds."""
    if dtype == np.float64:
        return (generator.long_words(n) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
    return (generator.words(n) & np.uint32(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)


def _scale(values: Array, factor: float, offset: float) -> Array:
    """`values * factor + offset`, which the processor rounds once."""
    kind = values.dtype.type
    scaled: Array = box_muller.multiply_add(values, kind(factor), kind(offset))
    return scaled


def normal(
    n: int, kind: npt.DTypeLike, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Array:
    """`n` normal numbers."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    generator = generator or default()
    dtype = np.dtype(kind)
    if dtype.kind == "c":  # the variance is that of both parts together
        return normal(2 * n, _part(dtype), mean, std / math.sqrt(2), generator).view(dtype)
    if n < box_muller.BLOCK:
        return normals(n, dtype, mean, std, generator)
    wide = _wide(dtype)
    drawn = units(n, wide, generator)
    whole = n - n % box_muller.BLOCK
    values = box_muller.blocks(drawn[:whole].reshape(-1, box_muller.BLOCK)).ravel()
    if whole < n:  # the last 16 are drawn anew, over the end of what is there
        tail = box_muller.blocks(units(box_muller.BLOCK, wide, generator)[None]).ravel()
        values = np.concatenate([values[: n - box_muller.BLOCK], tail])
    if (mean, std) != (0.0, 1.0):
        values = _scale(values, std, mean)
    return values.astype(dtype, copy=False)


def normals(
    n: int, kind: npt.DTypeLike, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Array:
    """The same, drawn one by one: so torch draws few, and those that do not lie in a row."""
    generator = generator or default()
    if np.dtype(kind).kind == "c":
        return normals(2 * n, _part(np.dtype(kind)), mean, std / math.sqrt(2), generator).view(kind)
    return _scale(np.array([next_normal(generator) for _ in range(n)], np.float64), std, mean).astype(kind)


def next_normal(generator: Generator) -> float:
    if generator.spare is not None:
        value, generator.spare = generator.spare, None
        return value
    u1, u2 = generator.double(), generator.double()
    value, generator.spare = box_muller.pair(u1, u2)
    return value


def laid_out(values: Array, like: Array) -> Array:
    """`values` in the shape of `like`, and in the order in which its elements lie in memory."""
    kind = values.astype(like.dtype, copy=False)
    if not isinstance(like, np.ndarray) or like.flags.c_contiguous:
        return kind.reshape(np.shape(like))[()]
    order = sorted(range(like.ndim), key=lambda axis: -like.strides[axis])
    return np.transpose(kind.reshape([like.shape[axis] for axis in order]), np.argsort(order))


# ---- whole numbers


def integers(n: int, low: int, high: int, generator: Generator | None = None) -> Array:
    """`n` int64 numbers of [low, high); ranges of 2**28 and more take 64 bits for each."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    generator = generator or default()
    span = high - low
    words = generator.long_words(n) if span >= 2**28 else generator.words(n).astype(np.uint64)
    if span == 2**64:
        return words.astype(np.int64)
    return (words % np.uint64(span)).astype(np.int64) + low


def permutation(n: int, generator: Generator | None = None) -> Array:
    """0 .. n-1 shuffled, by swapping each with one that follows."""
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got{n}")
    generator = generator or default()
    order = list(range(n))
    if n > 1:
        words = (generator.words if n < (2**32 - 1) // 20 else generator.long_words)(n - 1)
        for i, step in enumerate((words % np.arange(n, 1, -1, dtype=words.dtype)).tolist()):
            order[i], order[i + step] = order[i + step], order[i]
    return np.array(order, np.int64)


# ---- other distributions


def bernoulli(n: int, p: float, kind: npt.DTypeLike = np.float32, generator: Generator | None = None) -> Array:
    """`n` numbers that are 1 with probability `p`, else 0, as `bernoulli_(p)` and dropout draw them."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if np.dtype(kind).kind == "c":
        raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{errors.type_name(np.dtype(kind))}'")
    return (units(n, DOUBLE, generator or default()) < p).astype(kind)


def bernoulli_each(p: Array, generator: Generator | None = None) -> Array:
    """0 or 1 for each probability of `p`, as `torch.bernoulli(p)` draws them.

    Raises:
        RuntimeError: one is no probability; those before it are drawn.
    """
    wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if wrong.size:
        units(int(wrong[0]), _wide(p.dtype), generator or default())
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If "
            "so, please report an enhancement request to PyTorch.)"
        )
    drawn = units(p.size, _wide(p.dtype), generator or default()).reshape(p.shape)
    return (drawn < p).astype(p.dtype)


def exponential(n: int, kind: npt.DTypeLike, rate: float = 1.0, generator: Generator | None = None) -> Array:
    """`n` exponential numbers of the given rate."""
    if rate <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    drawn = units(n, DOUBLE, generator or default()).tolist()
    return np.array([-1.0 / rate * math.log1p(-u) for u in drawn], np.float64).astype(kind)


def multinomial(weights: Array, n: int, replacement: bool = False, generator: Generator | None = None) -> Array:
    """`n` indices for each row of `weights`, drawn in proportion to them."""
    generator = generator or default()
    rows = weights.reshape(-1, weights.shape[-1])
    if not replacement or n == 1:
        noise = exponential(rows.size, rows.dtype, 1.0, generator).reshape(rows.shape)
        picked = np.argsort(-(rows / noise), axis=1, kind="stable")[:, :n]
    else:
        edges = np.cumsum(rows, axis=1, dtype=rows.dtype) / rows.sum(axis=1, keepdims=True)
        drawn = units(len(rows) * n, DOUBLE, generator).reshape(len(rows), n)
        picked = np.zeros(drawn.shape, np.int64)
        for i, (edge, row) in enumerate(zip(edges, drawn, strict=True)):
            picked[i] = np.searchsorted(edge, row, side="left")
    return picked.reshape(*weights.shape[:-1], n).astype(np.int64)
