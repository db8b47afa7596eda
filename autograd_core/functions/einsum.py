"""einsum: products summed over the letters that the result does not have, in torch's own steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..ops import binary
from ..ops import view as view_ops
from ..ops.matmul import bmm
from ..ops.reduction import sum_dim
from ..tensor import Tensor


def einsum(*args: Any) -> Tensor:
    """Products of operands summed over the letters that the result does not have."""
    equation, *operands = args if len(args) > 1 and not isinstance(args[0], Tensor) else lettered(args)
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
    terms = [expanded(term, t.data_.ndim) for term, t in zip(terms, given, strict=True)]
    check_sizes(terms, given)
    output = output_letters(subscripts(right, equation, None) if arrow else None, terms, extra, "..." in left)
    order = output + sorted({x for term in terms for x in term} - set(output))
    return contracted([laid_out(t, term, order) for t, term in zip(given, terms, strict=True)], len(output))


def lettered(given: Sequence[Any]) -> tuple[Any, ...]:
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


def expanded(term: list[str], rank: int) -> list[str]:
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


def contracted(tensors: list[Tensor], kept: int) -> Tensor:
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


__all__ = ["einsum"]
