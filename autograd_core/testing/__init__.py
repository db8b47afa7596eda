"""torch.testing: whether what was computed is what was expected, and what to say if it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy

import autograd_core

torch: Any = autograd_core
"""Nothing here knows how the engine works inside: torch is used as by any program."""

TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    float: (1e-7, 1e-7),
}
"""How much numbers of a type may differ: relatively, and absolutely. Those of other types may not."""


class Rules:
    """How two things are to be compared."""

    def __init__(self, rtol: Any, atol: Any, **flags: bool) -> None:
        self.rtol, self.atol, self.flags = rtol, atol, flags

    def tolerances(self, *kinds: Any) -> tuple[Any, Any]:
        """Those that were given, or the larger ones of the `kinds`."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        if self.rtol is not None or self.atol is not None:
            missing = "rtol" if self.rtol is None else "atol"
            raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
        found = [TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
        return max(relative for relative, _ in found), max(absolute for _, absolute in found)


Pair = tuple[Callable[[Any, Any, Rules], str | None], Any, Any, tuple[Any, ...]]
"""A comparison, which says what is wrong; the two things; and where they were found."""


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Whether `actual` and `expected` are close: tensors, numbers, or lists and dicts of them.

    Raises:
        AssertionError: they are not.
        TypeError: such things can't be compared.
    """
    rules = Rules(
        rtol,
        atol,
        subclasses=allow_subclasses,
        nan=equal_nan,
        dtype=check_dtype,
        stride=check_stride,
    )
    for compare, one, two, at in list(pairs(actual, expected, rules, ())):
        wrong = compare(one, two, rules)
        if wrong is not None:
            fail(wrong, at, msg)


def fail(text: str, at: tuple[Any, ...], msg: Any = None) -> None:
    if isinstance(msg, str):
        raise AssertionError(msg)
    if at:
        text += "\n\nThe failure occurred for item " + "".join(f"[{key!r}]" for key in at)
    raise AssertionError(text if msg is None else msg(text))


# ---- what is compared with what


def pairs(actual: Any, expected: Any, rules: Rules, at: tuple[Any, ...]) -> Iterator[Pair]:
    """The comparisons that two things come down to."""
    if both(actual, expected, Sequence) and not isinstance(actual, str) and not isinstance(expected, str):
        if len(actual) != len(expected):
            fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", at)
        for i in range(len(actual)):
            yield from pairs(actual[i], expected[i], rules, (*at, i))
    elif both(actual, expected, Mapping):
        check_keys(actual, expected, at)
        for key in in_order(actual):
            yield from pairs(actual[key], expected[key], rules, (*at, key))
    else:
        yield comparison(actual, expected, rules), actual, expected, at


def both(one: Any, two: Any, kind: Any) -> bool:
    return isinstance(one, kind) and isinstance(two, kind)


def check_keys(actual: Any, expected: Any, at: tuple[Any, ...]) -> None:
    missing = [key for key in expected if key not in actual]
    more = [key for key in actual if key not in expected]
    if missing or more:
        fail(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {in_order(missing)}\n"
            f"Additional keys in the actual mapping: {in_order(more)}",
            at,
        )


def in_order(keys: Any) -> list[Any]:
    """The keys sorted, if they can be."""
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def comparison(one: Any, two: Any, rules: Rules) -> Any:
    """How two things are compared.

    Raises:
        TypeError: they are of kinds that can't be.
        ValueError: of the two tolerances one was given.
    """
    if one is None or two is None:
        return nones
    if both(one, two, bool):
        return booleans
    if both(one, two, (int, float)):
        return numbers
    alike = type(one) is type(two)
    if rules.flags["subclasses"]:
        alike = isinstance(one, type(two)) or isinstance(two, type(one))
    if alike and both(one, two, (torch.Tensor, numpy.ndarray)):
        return tensors
    raise TypeError(f"No comparison pair was able to handle inputs of type {type(one)} and {type(two)}.")


# ---- the comparisons


def nones(one: Any, two: Any, rules: Rules) -> str | None:
    return None if one is two else f"None mismatch: {one} is not {two}"


def booleans(one: Any, two: Any, rules: Rules) -> str | None:
    return None if one is two else f"Booleans mismatch: {one} is not {two}"


def numbers(one: Any, two: Any, rules: Rules) -> str | None:
    rtol, atol = rules.tolerances(type(one), type(two))
    if rules.flags["dtype"] and type(one) is not type(two):
        return f"The (d)types do not match: {type(one)} != {type(two)}."
    return apart(one, two, rtol, atol, rules)


def apart(one: Any, two: Any, rtol: Any, atol: Any, rules: Rules) -> str | None:
    """What is said of two numbers that are not close."""
    difference = abs(one - two)
    if one == two or difference <= atol + rtol * abs(two) or (rules.flags["nan"] and one != one and two != two):
        return None
    relative = difference / abs(two) if two != 0 else float("inf")
    close = "close" if rtol or atol else "equal"
    return (
        f"Scalars are not {close}!\n\nExpected {two} but got {one}.\n"
        f"Absolute difference: {difference}{allowed(atol, close)}\n"
        f"Relative difference: {relative}{allowed(rtol, close)}"
    )


def allowed(tolerance: Any, close: str) -> str:
    return f" (up to {tolerance} allowed)" if close == "close" else ""


def tensors(one: Any, two: Any, rules: Rules) -> str | None:
    one, two = torch.as_tensor(one).detach(), torch.as_tensor(two).detach()
    rtol, atol = rules.tolerances(one.dtype, two.dtype)
    if one.shape != two.shape:
        return unequal("shape", one.shape, two.shape)
    if rules.flags["stride"] and one.stride() != two.stride():
        return unequal("stride()", one.stride(), two.stride())
    if rules.flags["dtype"] and one.dtype != two.dtype:
        return unequal("dtype", one.dtype, two.dtype)
    kind = torch.promote_types(one.dtype, two.dtype)
    one, two = one.to(kind), two.to(kind)
    close = torch.isclose(one, two, rtol, atol, equal_nan=rules.flags["nan"])
    if bool(torch.all(close)):
        return None
    if kind is torch.bool:
        one, two = one.to(torch.int64), two.to(torch.int64)
    return (
        apart(one.item(), two.item(), rtol, atol, rules) if one.dim() == 0 else differing(one, two, close, rtol, atol)
    )


def unequal(attribute: str, one: Any, two: Any) -> str:
    return f"The values for attribute '{attribute}' do not match: {one} != {two}."


def differing(one: Any, two: Any, close: Any, rtol: Any, atol: Any) -> str:
    """What is said of tensors of which not all elements are close."""
    wrong, whole = int(torch.sum(~close)), close.numel()
    how = "close" if rtol or atol else "equal"
    absolute = torch.abs(one - two)
    relative = absolute / torch.abs(two)
    absolute[close] = 0
    relative[close] = 0
    return (
        f"Tensor-likes are not {how}!\n\n"
        f"Mismatched elements: {wrong} / {whole} ({wrong / whole:.1%})\n"
        f"Greatest absolute difference: {greatest(absolute)}{allowed(atol, how)}\n"
        f"Greatest relative difference: {greatest(relative)}{allowed(rtol, how)}"
    )


def greatest(differences: Any) -> str:
    """The largest of them and where it is, nan above all."""
    best, at = torch.max(differences.flatten(), 0)
    place, index = int(at), []
    for size in reversed(differences.shape):
        index.append(place % size)
        place //= size
    return f"{best.item()} at index {tuple(reversed(index))}"


__all__ = ["assert_close"]
