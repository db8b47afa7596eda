"""Torch's schema of an operator, as in native_functions.yaml, and the ways to call it that follow from that.

    mul.Tensor(Tensor self, Tensor other) -> Tensor: function method method_ out

Behind the colon stand the variants that programs can call; without one, all of `DEFAULT`. `function` is `torch.mul`,
`method` `x.mul`, `method_` the one that writes over `x`, `function_` the same as `torch.mul_`, `out` the function with
a place for its result, `nn` a function of torch.nn.functional, `deprecated` an old order of arguments, which torch
warns of. A name that begins with that of a module is of this module: `linalg_inv` is `torch.linalg.inv`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from ..autocast import cast_arguments

DEFAULT = ("function", "method", "function_", "method_", "out")

KINDS = {
    "Scalar": "Number",
    "SymInt": "length",
    "ScalarType": "dtype",
    "Layout": "layout",
    "Device": "device",
    "MemoryFormat": "memory_format",
    "Tensor[]": "Tensors",
    "Tensor?[]": "gaps",
    "int[]": "ints",
    "SymInt[]": "ints",
    "float[]": "floats",
}
"""The kinds of arguments as torch's argument parser has them, where a schema calls them otherwise."""

MODULES = {"linalg_": "torch.linalg", "special_": "torch.special", "fft_": "torch.fft"}
"""Modules whose functions have it before their names."""


class Schema(NamedTuple):
    """One overload: its full name, the arguments as they are written, how many results it has, and its variants."""

    name: str
    arguments: str
    results: int
    variants: tuple[str, ...]

    @property
    def base(self) -> str:
        return self.name.partition(".")[0]


def schemas(text: str) -> Iterator[Schema]:
    """Those in `text`, a line each."""
    for line in text.splitlines():
        name, bracket, rest = " ".join(line.split()).partition("(")
        if not bracket:
            continue
        arguments, _, returned = rest.rpartition(") -> ")
        kind, _, variants = returned.partition(":")
        yield Schema(name, arguments, kind.count(",") + 1, tuple(variants.split()) or DEFAULT)


def operator_name(text: str) -> str:
    """The name of the operator that `text` declares: that of its first schema, or `text` itself."""
    return text.lstrip().partition("\n")[0].partition("(")[0].rstrip()


# ---- the ways to call it, as torch's argument parser writes them


MADE = (
    "dtype? dtype=None",
    "layout? layout=None",
    "device? device=None",
    "bool? pin_memory=False",
    "bool? requires_grad=False",
)
"""What all functions that make a tensor take at the end."""

OPTIONS = ("dtype", "layout", "device", "pin_memory")
"""Arguments by which a schema says that it is one of those."""


def way(schema: Schema, variant: str) -> str:
    """How a program calls this variant of `schema`: "(Tensor input, Tensor other, *, Tensor out=None)"."""
    parts = [argument(part) for part in schema.arguments.split(", ") if part]
    named = [part.partition("=")[0].rpartition(" ")[2] for part in parts]
    if variant.startswith("method"):
        parts = [part for part, name in zip(parts, named, strict=True) if name != "self"]
    else:
        parts = ["Tensor input" if part == "Tensor self" else part for part in parts]
    makes = all(option in named for option in OPTIONS)
    if makes:
        parts = [part for part in parts if part.partition("=")[0].rpartition(" ")[2] not in OPTIONS]
    ends: tuple[str, ...] = ()
    if variant in ("function", "nn") and "out" in schema.variants:
        ends = ("Tensor out=None" if schema.results == 1 else f"Tensors[{schema.results}] out=None",)
    ends += MADE if makes else ()
    if ends and "*" not in parts:
        parts.append("*")
    deprecated = " deprecated" if "deprecated" in schema.variants else ""
    return f"({', '.join((*parts, *ends))}){deprecated}"


def argument(part: str) -> str:
    """One argument of a schema, as the parser writes it."""
    if part == "*":
        return part
    kind, _, rest = part.partition(" ")
    if "(" in kind:  # what it shares memory with
        kind = kind[: kind.index("(")] + kind[kind.index(")") + 1 :]
    optional = "?" if kind.endswith("?") else ""
    kind = kind.removesuffix("?")
    plain, bracket, size = kind.partition("[")
    sized = bracket and size != "]"  # a list of so many, for which one will do
    kind = f"{KINDS[plain + '[]']}[{size}" if sized else KINDS.get(kind, kind)
    name, equal, default = rest.partition("=")
    if default.startswith("["):
        default = "None" if default == "[]" else f"{{{default[1:-1]}}}"
    elif default.startswith("'"):
        default = f'"{default[1:-1]}"'
    return f"{kind}{optional} {name}{equal}{default}"


# ---- what is declared, by the modules of torch and its Tensor


class Entry:
    """A public name: the function behind it, and the overloads through which it can be called.

    A variant in place has no function of its own here: it writes over a tensor what the operator makes.
    """

    def __init__(self, title: str, function: Callable[..., Any]) -> None:
        self.title, self.function = title, function
        self.overloads: list[tuple[Schema, str]] = []

    @property
    def variant(self) -> str:
        return self.overloads[0][1]

    def takes_nothing(self) -> bool:
        """Whether it is a method without arguments; known without a look at each."""
        return self.variant.startswith("method") and all(
            schema.arguments.endswith(" self") and "," not in schema.arguments for schema, _ in self.overloads
        )

    def ways(self) -> list[str]:
        return [way(schema, variant) for schema, variant in self.overloads]


DECLARED: dict[str, dict[str, Entry]] = {
    space: {} for space in ("torch", "Tensor", "torch.nn.functional", *MODULES.values())
}


def declare(text: str, function: Callable[..., Any]) -> None:
    """Let programs call `function` as the schemas in `text` say."""
    for schema in schemas(text):
        for variant in schema.variants:
            if variant in PLACES:
                space, name = place(schema.base, variant)
                title = schema.base + "_" * variant.endswith("_")
                entry = DECLARED[space].setdefault(name, Entry(title, function))
                entry.overloads.append((schema, variant))


def place(base: str, variant: str) -> tuple[str, str]:
    """The module, or Tensor, that a variant is found in, and its name there."""
    for prefix, module in MODULES.items():
        if base.startswith(prefix):
            return module, base.removeprefix(prefix)
    return PLACES[variant], base + "_" * variant.endswith("_")


PLACES = {
    "function": "torch",
    "function_": "torch",
    "method": "Tensor",
    "method_": "Tensor",
    "nn": "torch.nn.functional",
}


def functions_of(variant: str) -> dict[str, Callable[..., Any]]:
    """The functions behind a variant, by their names as functions of torch or as methods."""
    return {name: entry.function for name, entry in DECLARED[PLACES[variant]].items() if entry.variant == variant}


F = TypeVar("F", bound=Callable[..., Any])


def composite(text: str) -> Callable[[F], F]:
    """Declare a function that chooses among operators of the table, or consists of several, by its schemas."""

    def register(function: F) -> F:
        whole: Any = cast_arguments(function)
        declare(text, whole)
        return whole

    return register
