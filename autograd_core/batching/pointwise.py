"""Rules of operators that treat each element alone. Broadcasting goes by the shapes of examples, so the batch
dimension comes first and shorter examples get dimensions of length 1 after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor
from .parts import Call, Part, hide, logical, padded, part_of, stretched

UNARY = """
exp expm1 exp2 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh asin acos atan atanh tanh sigmoid logit
nan_to_num zero fill.Scalar zeros_like _to_copy _to_copy.whole logical_not bitwise_not isnan isinf isfinite relu abs
sgn sign floor ceil round trunc frac clamp clamp_min clamp_max neg reciprocal pow.Tensor_Scalar remainder.Scalar
fmod.Scalar leaky_relu leaky_relu_ threshold hardtanh softshrink hardswish hardshrink hardsigmoid erf erfc erfinv
i0 lgamma digamma polygamma asinh acosh sinc deg2rad rad2deg isposinf isneginf signbit elu elu_ celu gelu silu mish
special_entr special_erfcx special_log_ndtr special_ndtri special_i1 special_i0e special_i1e special_bessel_j0
special_bessel_j1 special_bessel_y0 special_bessel_y1 special_modified_bessel_i0 special_modified_bessel_i1
special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0
special_scaled_modified_bessel_k1 special_spherical_bessel_j0 special_xlog1py.other_scalar special_zeta.other_scalar
softplus alias xlogy.Scalar_Other copysign.Scalar rsub.Scalar mul.Scalar div.Scalar add.Scalar sub.Scalar
"""
"""Of one tensor: the batch dimension stays where it is."""

SEVERAL = """
tanh_backward sigmoid_backward threshold_backward leaky_relu_backward hardtanh_backward softshrink_backward
hardswish_backward hardshrink_backward hardsigmoid_backward elu_backward gelu_backward softplus_backward
log_sigmoid_backward log_sigmoid_forward pow.Scalar atan2 hypot eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor
ge.Tensor logical_and logical_or logical_xor bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor clamp.Tensor
maximum minimum clamp_min.Tensor clamp_max.Tensor
where.self masked_fill.Scalar masked_fill.Tensor add.Tensor sub.Tensor mul.Tensor div.Tensor
div.Tensor_mode remainder.Tensor fmod.Tensor addcmul addcdiv lerp.Scalar pow.Tensor_Tensor logaddexp logaddexp2
xlogy.Tensor xlogy.Scalar_Self fmax fmin copysign.Tensor heaviside copy fill.Tensor __lshift__.Tensor __rshift__.Tensor
gcd lcm nextafter igamma igammac special_xlog1py special_xlog1py.self_scalar special_zeta special_zeta.self_scalar
"""


def unary(call: Call) -> Any:
    part = call.first
    return Part(call.run(self=part.whole), part.at)


def several(call: Call) -> Any:
    rank = max(part.rank for part in call.parts.values())
    line_up = stretched if call.level.older else padded
    lined_up = {name: alike(call, part, line_up(part, rank)) for name, part in call.parts.items()}
    found = call.run(**lined_up)
    return [Part(t, 0) for t in found] if isinstance(found, tuple) else Part(found, 0)


def alike(call: Call, part: Part, whole: Any) -> Any:
    """`whole` in the dtype that numbers of one example yield to: with the batch it is a number no more."""
    from .. import dtypes
    from ..functions.arguments import cast
    from ..promotion import ranked

    promoted = call.op.traits.get("promote") or ()
    operands = [call.parts[name] for name in promoted if name in call.parts]
    if part not in operands or part.at is None or part.rank or all(not p.rank for p in operands):
        return whole
    ranks = []
    for p in operands:
        rank, kind = ranked(p.whole)
        ranks.append((rank if p.at is None else 1 if not p.rank else 0, kind))
    return cast(whole, dtypes.of_ranked(ranks)) if whole.data_.dtype.kind in "biuf" else whole


def each_alike(function: Callable[..., Any], *operands: Any) -> Any:
    """`function`, which treats each element alone but is no operator of the table, on hidden `operands`."""
    from . import innermost

    level = innermost(operands)
    assert level is not None
    parts = [part_of(t, level) if isinstance(t, Tensor) else t for t in operands]
    rank = max(p.rank for p in parts if isinstance(p, Part))
    wholes = [padded(p, rank) if isinstance(p, Part) else p for p in parts]
    return hide(Part(function(*wholes), 0), level)


def filled(call: Call) -> Any:
    """`masked_fill` with a value, which may be another for each example."""
    from ..ops.unary import where

    if call.parts["value"].at is None or call.writes:
        return several(call)
    self, mask, value = (logical(call.parts[name], call.level) for name in ("self", "mask", "value"))
    return part_of(where(mask, value, self), call.level)


RULES: dict[str, Callable[[Call], Any]] = {name: unary for name in UNARY.split()} | {
    name: several for name in SEVERAL.split()
}
RULES["masked_fill.Tensor"] = filled
