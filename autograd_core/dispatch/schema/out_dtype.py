"""What torch says of a place of another dtype than the result that is to be put there, where it casts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import errors
from ...tensor.tensor import Tensor

EXPECTED = "Expected out tensor to have dtype {c_kind}, but got {c_given} instead"
SCALAR_TYPE = "expected scalar_type {kind} but found {given}"
SAME_QUANTILE = "quantile() out tensor must be same dtype as the input tensor"
BOOLS = "{name} only supports bool tensor for result, got: {given}"
SAME_MEDIAN = (
    "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{given}Tensor "
    "does not equal torch.{kind}Tensor (while checking arguments for median)"
)
LONG_MEDIAN = (
    "Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.{given}Tensor instead (while "
    "checking arguments for median)"
)
PLACES_FOUND = (
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
    "whether out_int32 flag is True, but we got output tensor's dtype {given} and out_int32 flag is {short}"
)

ALONE = {
    "mm bmm baddbmm addmm addmv mv gather tril triu diag index_add scatter softmax log_softmax renorm cross argmax "
    "old_cross argmin msort vector_norm inv det cholesky": EXPECTED,
    "abs neg sign ceil floor round trunc frac clamp clamp_min clamp_max": "Found dtype {given} but expected {kind}",
    "index_select masked_select": "{name}(): self and result must have the same scalar type",
    "amax amin": "Expected the dtype for input and out to match, but got {kind} for input's dtype and {given} for "
    "out's dtype.",
    "where": "Expected out type to be {kind} but got {given}",
    "nan_to_num": "nan_to_num: dtype of out: {given} should be same as input: {kind}",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {kind} and out.dtype = {given}",
    "logcumsumexp": SCALAR_TYPE,
    "quantile nanquantile": SAME_QUANTILE,
    "all any": BOOLS,
    "isposinf isneginf": "{name} does not support non-boolean outputs.",
    "dot": "result dtype {given} does not match input dtype {kind}",
    "nonzero": "nonzero: Expected out tensor to have scalar type {kind} but got scalar type{given}",
    "histc": "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {c_kind} and "
    "hist {c_given}",
    "searchsorted bucketize": PLACES_FOUND,
}
"""Of the one result of a function."""
TOGETHER = {
    "max min sort topk aminmax qr": (EXPECTED, EXPECTED),
    "cummax cummin": (SCALAR_TYPE, SCALAR_TYPE),
    "median nanmedian": (SAME_MEDIAN, LONG_MEDIAN),
    "mode": tuple(
        "expected scalar type '{kind}' but got '{given}' for " + f"{part} output" for part in ("values", "indices")
    ),
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type Long"),
}
"""Of each of its results, if there are two."""

SAID: dict[str, dict[str, tuple[str, ...]]] = {
    "one": {name: (text,) for names, text in ALONE.items() for name in names.split()},
    "two": {name: texts for names, texts in TOGETHER.items() for name in names.split()},
}

FOLLOWING = {
    **dict.fromkeys(("sum", "prod", "cumsum", "cumprod", "mean"), EXPECTED),
    "nansum": "nansum: provided dtype must match dtype of result. Got {given} and {kind}.",
}
"""Reductions that may be told a dtype; all but `mean` compute in that of the place otherwise."""


def check_places(name: str, values: Sequence[Tensor], places: Sequence[Tensor]) -> None:
    """Whether `places` have the dtypes of the results of `name` that torch would not cast.

    Raises:
        RuntimeError: one has another.
    """
    for text, value, place in zip(
        SAID["one" if len(values) == 1 else "two"].get(name, ()), values, places, strict=False
    ):
        kind, given = value.data_.dtype.name, place.data_.dtype.name
        if kind != given and not (text is BOOLS and given == "uint8"):
            raise RuntimeError(reword(text, name, kind, given))


def follow_out(name: str, options: dict[str, Any], place: Tensor) -> dict[str, Any]:
    """The options of `name`, which may take the dtype of its place.

    Raises:
        RuntimeError: it was told another.
    """
    if name not in FOLLOWING:
        return options
    wanted = options.get("dtype")
    if wanted is None:
        return options if name == "mean" else options | {"dtype": place.dtype}
    if wanted is not place.dtype:
        raise RuntimeError(reword(FOLLOWING[name], name, wanted.name, place.dtype.name))
    return options


def reword(text: str, name: str, kind: str, given: str) -> str:
    names = {"kind": errors.TYPE_NAMES[kind], "given": errors.TYPE_NAMES[given], "short": kind == "int32"}
    return text.format(name=name, c_kind=errors.C_NAMES[kind], c_given=errors.C_NAMES[given], **names)
