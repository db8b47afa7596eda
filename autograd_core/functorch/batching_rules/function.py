"""Functions of a program's own where vmap hides a dimension: by their `vmap`, or one made of their methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...engine.state import state
from ...ops.reduction import sum_dim
from ...ops.view import expand, unsqueeze
from ...tensor.tensor import Tensor
from ..batch import Batch, Level
from ..batched_tensor import Part, hide, part_of
from ..pytree import flatten, spread, unflatten
from ..vmap import mapped_over
from .operands import move_dim


class VmapInfo(NamedTuple):
    """What a `vmap` of a program's own is told."""

    batch_size: int
    randomness: str


def apply(cls: Any, base: type, args: tuple[Any, ...], level: Level) -> Any:
    """What `cls.apply(*args)` gives; a differentiation inside of the vmap gets a node over the hidden results."""
    below = [hide(part_of(a, level), level) if isinstance(a, Tensor) else a for a in args]
    output = on_wholes(cls, base, below, level)
    if not (state.grad_enabled and any(isinstance(a, Tensor) and a.requires_grad and of(a, level) for a in args)):
        return output
    above = tuple(a if not isinstance(a, Tensor) or of(a, level) else b for a, b in zip(args, below, strict=True))

    def forward(node: Any, args: tuple[Any, ...]) -> Any:
        cls.setup_context(node, args, output)
        return output

    return cls.apply_forward(above, forward)


def of(tensor: Tensor, level: Level) -> bool:
    return isinstance(tensor.data_, Batch) and tensor.data_.level is level


def on_wholes(cls: Any, base: type, args: Sequence[Any], level: Level) -> Any:
    """The function below the vmap, its results hidden again."""
    leaves, shape = flatten(tuple(args))
    parts = [part_of(leaf, level) if isinstance(leaf, Tensor) else Part(leaf, None) for leaf in leaves]
    wholes, dims = (unflatten([getattr(p, fact) for p in parts], shape) for fact in ("whole", "at"))
    if all(p.at is None for p in parts):
        return hidden_again(cls.apply(*wholes), None, level)
    if not cls.generate_vmap_rule:
        found, out_dims = pair(cls.vmap(VmapInfo(level.size, level.randomness), dims, *wholes))
        results, built = flatten(found)
        each = spread(out_dims, built)
        if each is None:
            raise RuntimeError(INCOMPATIBLE.format(out_dims, flatten(out_dims)[1], built))
        return unflatten([hidden_again(f, d, level) for f, d in zip(results, each, strict=True)], built)
    made = vmap_function(cls, base, dims, level)
    found = made.apply(*wholes)
    return hidden_again(found, made.out_dims if isinstance(found, tuple) else made.out_dims[0], level)


INCOMPATIBLE = (
    "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
    "out_dims={} to be compatible with the structure of `output`. out_dims has structure {} but output has structure "
    "{}. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)


def pair(returned: Any) -> tuple[Any, Any]:
    """What a `vmap` of a program's own returned, if it is results and their dimensions.

    Raises:
        RuntimeError: it is not.
    """
    if isinstance(returned, tuple) and len(returned) == 2:
        return returned
    got = f"{len(returned)} returns" if isinstance(returned, tuple) else f"a {type(returned)}"
    raise RuntimeError(
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible "
        f"with the output. Got {got} instead"
    )


def hidden_again(found: Any, dims: Any, level: Level) -> Any:
    if isinstance(found, tuple | list):
        each = dims if isinstance(dims, tuple | list) else [dims] * len(found)
        return type(found)(hidden_again(f, d, level) for f, d in zip(found, each, strict=True))
    return hide(Part(found, dims), level) if isinstance(found, Tensor) else found


class Context:
    """The `ctx` of a function that runs over a batch: what it keeps are whole batches, what it shows are examples."""

    def __init__(self, ctx: Any, level: Level) -> None:
        self.__dict__.update(ctx_=ctx, level_=level)

    def save_for_backward(self, *tensors: Any) -> None:
        parts = [part_of(t, self.level_) if isinstance(t, Tensor) else Part(t, None) for t in tensors]
        self.ctx_.saved_at = [p.at for p in parts]
        self.ctx_.save_for_backward(*[p.whole for p in parts])

    save_for_forward = save_for_backward

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        pairs = zip(self.ctx_.saved_tensors, self.ctx_.saved_at, strict=True)
        return tuple(None if t is None else hide(Part(t, at), self.level_) for t, at in pairs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ctx_, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.ctx_, name, value)


def vmap_function(cls: Any, base: type, dims: tuple[int | None, ...], outer: Level) -> Any:
    """A function (a class over `base`) over whole batches, made of the methods of `cls` run under vmap."""
    size, randomness = outer.size, outer.randomness
    out_dims: list[int | None] = []

    def show_examples(values: Any, ats: Sequence[int | None], level: Level) -> tuple[Any, ...]:
        pairs = zip(values, ats, strict=True)
        return tuple(hide(Part(v, at), level) if isinstance(v, Tensor) else v for v, at in pairs)

    def forward(*wholes: Any) -> Any:
        with mapped_over(size, randomness) as level:
            found = cls.forward(*show_examples(wholes, dims, level))
            several = isinstance(found, tuple)
            parts = [
                part_of(f, level) if isinstance(f, Tensor) else Part(f, None) for f in (found if several else [found])
            ]
        out_dims[:] = [p.at for p in parts]
        return tuple(p.whole for p in parts) if several else parts[0].whole

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        several = isinstance(output, tuple)
        with mapped_over(size, randomness) as level:
            found = show_examples(output if several else (output,), out_dims, level)
            cls.setup_context(Context(ctx, level), show_examples(inputs, dims, level), found if several else found[0])

    def backward(ctx: Any, *grads: Any) -> Any:
        with mapped_over(size, randomness) as level:
            came = cls.run_backward(Context(ctx, level), show_examples(grads, out_dims, level))
            each = came if isinstance(came, tuple) else (came,)
            parts = [part_of(g, level) if isinstance(g, Tensor) else None for g in each]
        found = tuple(None if p is None else fit_batch(p, at, size) for p, at in zip(parts, dims, strict=False))
        return found if isinstance(came, tuple) else found[0]

    methods = {"forward": forward, "setup_context": setup_context, "backward": backward}
    facts: dict[str, Any] = {name: staticmethod(method) for name, method in methods.items()}
    return type(f"Vmapped{cls.__name__}", (base,), facts | {"generate_vmap_rule": True, "out_dims": out_dims})


def fit_batch(part: Part, at: int | None, size: int) -> Tensor:
    """The gradient of an input whose batch dimension is `at`; summed over the examples if it has none."""
    if at is None:
        return part.whole if part.at is None else sum_dim(part.whole, [part.at])
    if part.at is None:
        one = unsqueeze(part.whole, at)
        return expand(one, [size if d == at else -1 for d in range(one.data_.ndim)])
    return part.whole if part.at == at else move_dim(part.whole, part.at, at)
