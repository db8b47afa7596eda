"""The numbers that steps and schedules compute with: whatever a program left in a group or on a scheduler is looked at
here before numpy meets it."""

from __future__ import annotations

from typing import Any

from ..tensor.scalars import kind_name, number

Group = dict[str, Any]

PRODUCT = "unsupported operand type(s) for *: 'float' and '{}'"
QUOTIENT = "unsupported operand type(s) for /: '{}' and 'float'"
SCALED = "unsupported operand type(s) for *: '{}' and 'float'"
DIFFERENCE = "unsupported operand type(s) for -: 'int' and '{}'"
POWER = "unsupported operand type(s) for ** or pow(): 'float' and '{}'"
NEGATIVE = "bad operand type for unary -: '{}'"
ADDED = "add_(): argument 'other' (position 1) must be Tensor, not {}"
MULTIPLIED = "mul_(): argument 'other' (position 1) must be Tensor, not {}"
WEIGHTED = "add(): argument 'alpha' must be Number, not {}"
MORE = "'>' not supported between instances of '{}' and 'int'"

MESSAGES = {"lr": NEGATIVE, "weight_decay": WEIGHTED, "eps": ADDED, "rho": MULTIPLIED, "alpha": MULTIPLIED}
"""What torch says of an option that is no number, by what its steps do with it first; {} is the type."""


Message = str | tuple[str, ...]
"""What is said of an option that is no number: of one of several numbers by its place."""


def option(value: Any, usual: Any, message: Message, tensors: bool) -> Any:
    """An option as steps take it: a number, or as many as there are usually; what is usually true or false, or None, is
    asked for its truth alone, and stays."""
    if usual is None or isinstance(usual, bool | str):
        return value
    if not isinstance(usual, tuple):
        return number(value, str(message), tensors)
    if not isinstance(value, tuple | list):
        raise TypeError(f"cannot unpack non-iterable {kind_name(value)} object")
    told = message if isinstance(message, tuple) else (message,)
    return tuple(
        [
            None if part is None and None in usual else number(part, told[min(at, len(told) - 1)], tensors)
            for at, part in enumerate(value)
        ]
    )


def options(group: Group, usual: Group, messages: dict[str, Message], tensors: bool = False) -> Group:
    """A group with its options as steps take them."""
    known = {name: value for name, value in group.items() if name in usual}
    told: dict[str, Message] = {**MESSAGES, **messages}
    return group | {name: option(value, usual[name], told.get(name, PRODUCT), tensors) for name, value in known.items()}


def power(base: Any, times: Any) -> Any:
    """`base ** times`; of a whole number as often as epochs are counted, no number of a million digits is made."""
    return float(base) ** times if isinstance(base, int) and isinstance(times, int) and times > 64 else base**times
