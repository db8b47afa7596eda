"""Sums of products over chosen dimensions: tensordot, inner, kron, cdist, einsum, multi_dot, in torch's own steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import errors
from ...dispatch.schema.guard import guard
from ...dispatch.schema.out import write_out
from ...dispatch.schema.schema import composite
from ...engine.state import ask_room
from ...errors import Unsupported
from ...ops import binary
from ...ops import view as view_ops
from ...ops._common import wrap
from ...ops.distance import cdist_forward, euclidean_dist, pdist_forward
from ...ops.matmul import bmm, dot, mm
from ...ops.reduction import sum_dim
from ...tensor.storage import new_storage
from ...tensor.tensor import Tensor
from .shape import contiguous

# ---- tensordot, inner, kron, cdist


def named_dims(dims: Any) -> tuple[list[int], list[int]]:
    """The dimensions that `tensordot(a, b, dims)` sums over, in each operand."""
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.data_.ndim else int(dims)
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        return list(range(-dims, 0)), list(range(dims))
    if not isinstance(dims, list | tuple):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    one, other = dims
    return [[d] if isinstance(d, int) else list(d) for d in (one, other)]  # type: ignore[return-value]


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Any:
    """The product summed over the dimensions `dims` of both."""
    if out is not None:
        return write_out(out, (a, b, dims), {}, tensordot)
    for t in (a, b):
        if not isinstance(t, Tensor):
            raise AttributeError(f"'{type(t).__name__}' object has no attribute 'dim'")
    if isinstance(dims, Tensor) and dims.data_.size > 1 and len(dims) != 2:
        raise AssertionError(f"dims tensor must have size 2 in first dimension, got {len(dims)}")
    if isinstance(dims, int) and dims > min(a.data_.ndim, b.data_.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return contract(a, b, *named_dims(dims))


def contract(a: Tensor, b: Tensor, over_a: list[int], over_b: list[int]) -> Tensor:
    if len(over_a) != len(over_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.data_.dtype != b.data_.dtype:
        raise RuntimeError("both inputs should have same dtype")
    at_a, at_b = ([wrap(d, t.data_.ndim) for d in over] for t, over in ((a, over_a), (b, over_b)))
    summed = 1
    for one, other, i, k in zip(at_a, at_b, over_a, over_b, strict=True):
        n, n_b = a.data_.shape[one], b.data_.shape[other]
        if n_b == 1:
            a = sum_dim(a, [i], True)
        elif n == 1:
            b = sum_dim(b, [k], True)
        elif n != n_b:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has size {n_b} in "
                f"dim {k}"
            )
        summed *= a.data_.shape[one]
    free_a = [d for d in range(a.data_.ndim) if d not in at_a]
    free_b = [d for d in range(b.data_.ndim) if d not in at_b]
    shape = [a.data_.shape[d] for d in free_a] + [b.data_.shape[d] for d in free_b]
    rows, columns = (math.prod(t.data_.shape[d] for d in free) for t, free in ((a, free_a), (b, free_b)))
    if rows == columns == 1:
        left, right = view_ops.permute(a, free_a + over_a), view_ops.permute(b, over_b + free_b)
        right = flat(right)  # torch numbers the second before the first here
        return view_ops.reshape(dot(flat(left), right), shape)
    left = view_ops.reshape(view_ops.permute(a, free_a + over_a), [rows, summed])
    right = view_ops.reshape(view_ops.permute(b, over_b + free_b), [summed, columns])
    return view_ops.reshape(mm(left, right), shape)


def flat(tensor: Tensor) -> Tensor:
    return tensor if tensor.data_.ndim == 1 else view_ops.reshape(tensor, [tensor.data_.size])


@composite("inner(Tensor self, Tensor other) -> Tensor: function method out")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The product summed over the last dimension of both."""
    if input.data_.ndim == 0 or other.data_.ndim == 0:
        return binary.mul(input, other)
    if input.data_.shape[-1] != other.data_.shape[-1]:
        shapes = errors.sizes(input.data_.shape), errors.sizes(other.data_.shape)
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {shapes[0]} and {shapes[1]}"
        )
    return contract(input, other, [-1], [-1])


@composite("kron(Tensor self, Tensor other) -> Tensor: function method out")
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Every element of `input` times all of `other`."""
    for position, (name, value) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(value, Tensor):
            raise TypeError(errors.not_a_tensor("kron", name, position, value))
    rank = max(input.data_.ndim, other.data_.ndim)
    one, two = ([1] * (rank - t.data_.ndim) + list(t.data_.shape) for t in (input, other))
    wide = [n for size in one for n in (size, 1)]
    narrow = [n for size in two for n in (1, size)]
    product = binary.mul(view_apart(input, wide), view_apart(other, narrow))
    return view_ops.unsafe_view(product, [a * b for a, b in zip(one, two, strict=True)])


def view_apart(tensor: Tensor, shape: list[int]) -> Tensor:
    """`tensor` in another shape over the same memory, though no view of it: its writes are counted apart."""
    shown = view_ops.unsafe_view(tensor, shape)
    shown.storage_ = new_storage()
    shown.storage_.address = tensor.shared_storage().address
    return shown


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distance between each row of `x1` and each of `x2`."""
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    found: Tensor = DISTANCES(x1, x2, p, MODES[compute_mode])
    return found


def distances(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None = None) -> Tensor:
    for number, x in ((1, x1), (2, x2)):
        if x.data_.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{number} got: {x.data_.ndim}D")
    columns = x1.data_.shape[-1], x2.data_.shape[-1]
    if columns[0] != columns[1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {columns[0]} X2: {columns[1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = errors.broadcast([x1.data_.shape[:-2], x2.data_.shape[:-2]]) if x1.data_.ndim + x2.data_.ndim > 4 else None
    if batch is not None:
        raise RuntimeError(batch)
    if p == 2 and by_product(x1, x2, compute_mode or 0):
        return euclidean(x1, x2)
    if x1.data_.shape[:-2] != x2.data_.shape[:-2]:
        raise Unsupported("cdist over batches of different shapes is not supported: expand them first")
    return cdist_forward(x1, x2, float(p))


MANY = 25
"""With more rows than this torch finds Euclidean distances by a product of matrices, unless it is told not to."""


def by_product(x1: Tensor, x2: Tensor, compute_mode: int) -> bool:
    rows = max(x1.data_.shape[-2], x2.data_.shape[-2])
    return bool(x1.data_.size and x2.data_.size) and (compute_mode == 1 or compute_mode == 0 and rows > MANY)


def euclidean(x1: Tensor, x2: Tensor) -> Tensor:
    """The same over one batch, whatever the batches were."""
    for number, x in ((1, x1), (2, x2)):
        if x.data_.dtype.kind != "f":
            kind = errors.type_name(x.data_.dtype)
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{number} got: {kind}")
    shapes = x1.data_.shape, x2.data_.shape
    batch = np.broadcast_shapes(shapes[0][:-2], shapes[1][:-2])
    size = math.prod(batch)
    kinds = x1.data_.dtype, x2.data_.dtype
    if kinds[0] != kinds[1] and size == 1:
        names = [errors.c_name(kind) for kind in kinds]
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}")
    if kinds[0] != kinds[1]:
        names = [errors.type_name(kind) for kind in kinds]
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    if size != 1:
        x1, x2 = (
            view_ops.view(contiguous(view_ops.expand(x, (*batch, *shape[-2:]))), (size, *shape[-2:]))
            for x, shape in zip((x1, x2), shapes, strict=True)
        )
    return view_ops.view(euclidean_dist(x1, x2), (*batch, shapes[0][-2], shapes[1][-2]))


@composite("pdist(Tensor self, float p=2) -> Tensor: function nn")
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distance between each pair of rows of `input`."""
    if input.data_.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.data_.ndim}D")
    if input.data_.dtype.kind != "f":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return pdist_forward(contiguous(input), float(p))


MODES = {"use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2}
DISTANCES: Any = guard("torch", "_cdist", distances)


# ---- einsum


def einsum(*args: Any) -> Tensor:
    """Products of operands summed over the letters that the result does not have."""
    equation, *operands = args if len(args) > 1 and not isinstance(args[0], Tensor) else letter_dims(args)
    if not isinstance(equation, str):
        kind = type(equation).__name__
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {kind}")
    given = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], list | tuple) else list(operands)
    if not given:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    for i, operand in enumerate(given):
        if not isinstance(operand, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(operand).__name__}")
    left, arrow, right = equation.partition("->")
    terms = [subscripts(term, equation, number) for number, term in enumerate(left.split(","))]
    if len(terms) != len(given):
        raise RuntimeError(
            f"einsum(): {'fewer' if len(terms) > len(given) else 'more'} operands were provided than specified in the "
            "equation"
        )
    extra = max(check_rank(term, t, i) for i, (term, t) in enumerate(zip(terms, given, strict=True)))
    terms = [expand(term, t.data_.ndim) for term, t in zip(terms, given, strict=True)]
    check_sizes(terms, given)
    output = output_letters(subscripts(right, equation, None) if arrow else None, terms, extra, "..." in left)
    order = output + sorted({x for term in terms for x in term} - set(output))
    return contract_terms([laid_out(t, term, order) for t, term in zip(given, terms, strict=True)], len(output))


def letter_dims(given: Sequence[Any]) -> tuple[Any, ...]:
    """What stands for the older way to call einsum: operands each with the numbers of its dimensions, and at the end
    the numbers of the result."""
    if len(given) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    terms = ",".join("".join(map(letter, numbers)) for numbers in given[1::2])
    if len(given) % 2 == 0:
        return terms, *given[::2]
    return f"{terms}->{''.join(map(letter, given[-1]))}", *given[:-1:2]


def letter(number: Any) -> str:
    """The letter for the number of a dimension."""
    if number is Ellipsis:
        return "..."
    if number >= 0 and number < 26:
        return chr(ord("A") + number)
    if number >= 26 and number < 52:
        return chr(ord("a") + number - 26)
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def subscripts(term: str, equation: str, number: int | None) -> list[str]:
    """The letters of one term, that of operand `number` or of the output; an ellipsis is one of them."""
    found: list[str] = []
    text = term.replace(" ", "")
    while text:
        if text.startswith("..."):
            if "..." in found and number is None:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if "..." in found:
                raise RuntimeError(f"einsum(): found '.' for operand {number} for which an ellipsis was already found")
            found.append("...")
            text = text[3:]
            continue
        if text[0] == ".":
            where = (
                "output that is not part of any ellipsis (...)"
                if number is None
                else (f"operand {number} that is not part of any ellipsis")
            )
            raise RuntimeError(f"einsum(): found '.' for {where}")
        if not (text[0].isascii() and text[0].isalpha()):
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {equation.index(text[0])} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
        found.append(text[0])
        text = text[1:]
    return found


def check_rank(term: list[str], tensor: Tensor, number: int) -> int:
    """How many dimensions the ellipsis of the term stands for.

    Raises:
        RuntimeError: the term does not fit the tensor.
    """
    letters, rank = len(term) - term.count("..."), tensor.data_.ndim
    if "..." in term:
        if letters > rank:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({letters}) is more than the number of dimensions "
                f"({rank}) for operand {number}"
            )
        return rank - letters
    if letters != rank:
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({letters}) does not match the number of dimensions "
            f"({rank}) for operand {number} and no ellipsis was given"
        )
    return 0


def dots(count: int) -> list[str]:
    """Names for the dimensions of an ellipsis, counted from the last one; they sort before letters."""
    return [f".{i:03d}" for i in range(count)][::-1]


def expand(term: list[str], rank: int) -> list[str]:
    """The term with names of their own for the dimensions of its ellipsis."""
    if "..." not in term:
        return term
    at = term.index("...")
    return term[:at] + dots(rank - len(term) + 1) + term[at + 1 :]


def check_sizes(terms: Sequence[list[str]], given: Sequence[Tensor]) -> None:
    seen: dict[str, int] = {}
    for number, (term, tensor) in enumerate(zip(terms, given, strict=True)):
        mine: dict[str, int] = {}
        for letter, n in zip(term, tensor.data_.shape, strict=True):
            if letter in mine and mine[letter] != n:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand {number} but the sizes don't match, {n} != "
                    f"{mine[letter]}"
                )
            mine[letter] = n
            if seen.get(letter, 1) not in (1, n) and n != 1:
                if letter[0] == ".":
                    raise RuntimeError(
                        f"einsum(): dimension {term.index(letter)} covered by ellipsis in operand {number}has size {n} "
                        f"which does not broadcast with previously seen ellipsis with size {seen[letter]} for the "
                        "respective dimension"
                    )
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {n} for operand {number} which does not broadcast with "
                    f"previously seen size {seen[letter]}"
                )
            seen[letter] = max(seen.get(letter, 1), n)


def output_letters(given: list[str] | None, terms: Sequence[list[str]], extra: int, ellipsis: bool) -> list[str]:
    """The letters of the result: as given, else those that occur once, in alphabetical order."""
    every = [x for term in terms for x in term]
    if given is None:
        return dots(extra) + sorted({x for x in every if x[0] != "." and every.count(x) == 1})
    for letter in given:
        if letter != "..." and given.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter != "..." and letter not in every:
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )
    at = given.index("...") if "..." in given else -1
    return given if at < 0 else given[:at] + dots(extra) + given[at + 1 :]


def laid_out(tensor: Tensor, term: list[str], order: list[str]) -> Tensor:
    """`tensor` with one dimension for each letter of `order`; a repeated letter takes its diagonal."""
    at: dict[str, int] = {}
    for letter in term:
        if letter in at:
            before, rank = at[letter], tensor.data_.ndim
            tensor = moved_last(view_ops.diagonal(tensor, 0, before, len(at)), before, rank - 1)
        else:
            at[letter] = len(at)
    places = []
    for letter in order:
        if letter not in at:
            tensor = view_ops.unsqueeze(tensor, len(at))
            at[letter] = len(at)
        places.append(at[letter])
    return view_ops.permute(tensor, places)


def moved_last(tensor: Tensor, to: int, rank: int) -> Tensor:
    """The last dimension moved to `to`."""
    rest = list(range(rank - 1))
    return view_ops.permute(tensor, rest[:to] + [rank - 1] + rest[to:])


def contract_terms(tensors: list[Tensor], kept: int) -> Tensor:
    """The product of tensors that agree in their dimensions, summed over those after the first `kept`."""
    rank = tensors[0].data_.ndim
    if len(tensors) == 1:
        return sum_dim(tensors[0], list(range(kept, rank)), False) if rank > kept else tensors[0]
    left_to_meet = [sum(t.data_.shape[d] != 1 for t in tensors) for d in range(rank)]
    result, *others = tensors
    for other in others:
        both: list[int] = []
        one: list[int] = []
        two: list[int] = []
        for d in range(kept, rank):
            n, k = result.data_.shape[d], other.data_.shape[d]
            if n != 1 and k != 1:
                left_to_meet[d] -= 1
                if left_to_meet[d] == 1:
                    both.append(d)
                    left_to_meet[d] = 0
            elif left_to_meet[d] == 1 and (n != 1 or k != 1):
                (one if n != 1 else two).append(d)
                left_to_meet[d] = 0
        result = sum_dim(result, one, True) if one else result
        other = sum_dim(other, two, True) if two else other
        result = pair_product(result, other, both)
    return view_ops.view(result, list(result.data_.shape[:kept])) if rank > kept else result


def pair_product(left: Tensor, right: Tensor, over: list[int]) -> Tensor:
    """The product of two, summed over the dimensions `over` (kept as 1), as one product of batches of matrices."""
    if not over:
        return binary.mul(left, right)
    a, b = left.data_.shape, right.data_.shape
    free = [d for d in range(len(a)) if d not in over]
    shared = [d for d in free if a[d] != 1 and b[d] != 1]
    mine = [d for d in free if a[d] != 1 and b[d] == 1]
    theirs = [d for d in free if a[d] == 1]
    batch, rows, summed = (math.prod(a[d] for d in dims) for dims in (shared, mine, over))
    columns = math.prod(b[d] for d in theirs)
    one = view_ops.reshape(view_ops.permute(left, shared + mine + over + theirs), [batch, rows, summed])
    two = view_ops.reshape(view_ops.permute(right, shared + over + theirs + mine), [batch, summed, columns])
    order = shared + mine + over + theirs
    shape = [a[d] for d in shared + mine] + [1] * len(over) + [b[d] for d in theirs]
    return view_ops.permute(view_ops.view(bmm(one, two), shape), [order.index(d) for d in range(len(a))])


# ---- several matrices, in the order that takes the fewest multiplications


@composite("linalg_multi_dot(Tensor[] tensors) -> Tensor: function out")
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that costs least; the ends may be vectors."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    parts = list(tensors)
    first, last = parts[0], parts[-1]
    shape: list[int] = []
    for i, at in ((0, first), (-1, last)):
        if at.data_.ndim == 1:
            parts[i] = view_ops.unsqueeze(at, 0 if i == 0 else -1)
        elif at.data_.ndim == 2:
            shape.append(at.data_.shape[0 if i == 0 else 1])
        else:
            where = "first" if i == 0 else "last"
            raise RuntimeError(f"multi_dot(): the {where} tensor must be 1D or 2D but got {at.data_.ndim}D")
    sizes = [t.data_.shape for t in parts]
    for i, size in enumerate(sizes):
        if len(size) != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {len(size)}D")
    for i, (one, two) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
        if one[1] != two[0]:
            shapes = [list(t.data_.shape) for t in tensors[i : i + 2]]
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {shapes[0]} and {shapes[1]} cannot be multiplied"
            )
    return view_ops.view(chain(parts, cheapest(sizes)), shape)


Order = int | tuple[Any, Any]


def cheapest(sizes: Sequence[Sequence[int]]) -> Order:
    """In which order to multiply: pairs of pairs of places."""
    if len(sizes) == 3:  # torch compares the two ways without a table
        (a, b), (_, c), (_, d) = sizes
        return ((0, 1), 2) if (a * c) * (b + d) <= (b * d) * (a + c) else (0, (1, 2))
    edges = [sizes[0][0], *(size[1] for size in sizes)]
    best: dict[tuple[int, int], tuple[int, Order]] = {(i, i): (0, i) for i in range(len(sizes))}
    for length in range(1, len(sizes)):
        for i in range(len(sizes) - length):
            j = i + length
            ask_room(length << 9)  # a look at each place to part them, which takes as long as so many numbers
            tries = [
                (best[i, k][0] + best[k + 1, j][0] + edges[i] * edges[k + 1] * edges[j + 1], k) for k in range(i, j)
            ]
            cost, k = min(tries, key=lambda found: found[0])
            best[i, j] = cost, (best[i, k][1], best[k + 1, j][1])
    return best[0, len(sizes) - 1][1]


def chain(parts: Sequence[Tensor], order: Order) -> Tensor:
    if isinstance(order, int):
        return parts[order]
    return mm(chain(parts, order[0]), chain(parts, order[1]))
