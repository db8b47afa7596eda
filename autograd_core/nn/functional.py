"""torch.nn.functional: layers, activations and losses as functions.

What torch composes of several operators is composed of the same ones here, so that the graph is the same.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import functions as f
from .. import tell
from ..inplace import in_place
from ..ops import activations as a
from ..ops import elementwise as e
from ..ops import index as i
from ..ops import loss as l
from ..ops import losses as b
from ..ops import matmul as m
from ..ops import normalization as n
from ..ops import reduce as r
from ..ops import shape as s
from ..random import bernoulli
from ..tensor import Tensor, plain

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def reduction_nr(reduction: str) -> int:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduce_loss(values: Tensor, reduction: str) -> Tensor:
    """The loss of all elements from that of each, for losses that torch composes."""
    nr = reduction_nr(reduction)
    return values if nr == 0 else r.mean(values) if nr == 1 else r.sum(values)


def need_tensor(function: str, name: str, position: int, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}"
        )


# ---- layers


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias` over the last dimension."""
    need_tensor("linear", "input", 1, input)
    if input.data_.dtype != weight.data_.dtype:
        names = [type_title(t.data_.dtype) for t in (input, weight)]
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {names[0]} and {names[1]}")
    if bias is None:
        return m.matmul(input, s.t(weight))
    shape = input.data_.shape
    if len(shape) == 2:
        return m.addmm(bias, input, s.t(weight))
    rows = s.reshape(input, [math.prod(shape[:-1]), shape[-1]])
    return s.reshape(m.addmm(bias, rows, s.t(weight)), [*shape[:-1], weight.data_.shape[0]])


def type_title(kind: np.dtype[Any]) -> str:
    """The name that torch's C++ has for a type: Float, Double, Long."""
    return {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long", "int32": "Int"}.get(
        kind.name, kind.name.title()
    )


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    rows = weight.data_.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    kept = -1 if padding_idx is None else padding_idx % rows
    return i.embedding(weight, input, kept)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    labels = np.asarray(tensor.data_)
    if labels.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if labels.size and labels.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = int(labels.max()) + 1 if num_classes == -1 else num_classes
    if labels.size and labels.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return plain(np.equal(labels[..., None], np.arange(count)).astype(np.int64))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability `p` and scales the others up, by a mask that the node keeps."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or input.data_.size == 0:
        return input
    data = input.data_
    if p == 1:
        mask = plain(np.zeros(data.shape, data.dtype)[()])
    else:
        drawn = bernoulli(data.size, 1 - p, data.dtype).reshape(data.shape)
        mask = plain((drawn / data.dtype.type(1 - p))[()])
    return in_place(e.mul, input, mask) if inplace else e.mul(input, mask)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    shape = list(normalized_shape)
    given = list(input.data_.shape)
    if given[len(given) - len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [*, {', '.join(map(str, shape))}], but got "
            f"input of size{given}"
        )
    result: Tensor = n.layer_norm(input, shape, weight, bias, eps)[0]
    return result


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    over = list(range(input.data_.ndim - len(normalized_shape), input.data_.ndim))
    kept = float(np.finfo(input.data_.dtype).eps) if eps is None else eps
    scale = e.rsqrt(e.add_scalar(r.mean_dim(e.pow_scalar(input, 2), over, True), kept))
    result = e.mul(input, scale)
    return result if weight is None else e.mul(result, weight)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    shape = input.data_.shape
    if training and math.prod(shape) == shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if running_mean is not None and running_mean.data_.shape[0] != shape[1]:
        raise RuntimeError(f"running_mean should contain {shape[1]} elements not {running_mean.data_.shape[0]}")
    result: Tensor = n.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]
    if training:
        for running in (running_mean, running_var):
            if running is not None:
                tell.written(running, "native_batch_norm", (input,), counted=False)
    return result


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    length = r.vector_norm(input, p, [dim], True)
    return e.div(input, s.expand(e.clamp_min(length, eps), list(input.data_.shape)))


# ---- activations


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    need_tensor("relu", "input", 1, input)
    return in_place(e.relu, input) if inplace else e.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    if inplace:
        return in_place(a.leaky_relu_, input, negative_slope)
    return a.leaky_relu(input, negative_slope)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return hardtanh(input, 0, 6, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return in_place(a.hardtanh, input, min_val, max_val) if inplace else a.hardtanh(input, min_val, max_val)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return in_place(a.elu_, input, alpha) if inplace else a.elu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    constants = 1.6732632423543772, 1.0507009873554805
    return in_place(a.elu_, input, *constants) if inplace else a.elu(input, *constants)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return in_place(a.celu, input, alpha) if inplace else a.celu(input, alpha)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return a.gelu(input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return in_place(a.silu, input) if inplace else a.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return in_place(a.mish, input) if inplace else a.mish(input)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    return a.softplus(input, beta, threshold)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    return in_place(a.threshold, input, threshold, value) if inplace else a.threshold(input, threshold, value)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    return a.softshrink(input, lambd)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return in_place(a.hardswish, input) if inplace else a.hardswish(input)


def logsigmoid(input: Tensor) -> Tensor:
    result: Tensor = a.log_sigmoid(input)[0]
    return result


def softsign(input: Tensor) -> Tensor:
    return e.div(input, e.add(e.abs(input), 1))


def tanhshrink(input: Tensor) -> Tensor:
    return e.sub(input, e.tanh(input))


def tanh(input: Tensor) -> Tensor:
    return e.tanh(input)


def sigmoid(input: Tensor) -> Tensor:
    return e.sigmoid(input)


def implicit_dim(name: str, ndim: int) -> int:
    """The dimension that torch takes where a program gives none, with its warning."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    at = implicit_dim("softmax", input.data_.ndim) if dim is None else dim
    return r.softmax(f.cast(input, dtype), at)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    at = implicit_dim("log_softmax", input.data_.ndim) if dim is None else dim
    return r.log_softmax(f.cast(input, dtype), at)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    at = implicit_dim("softmin", input.data_.ndim) if dim is None else dim
    return r.softmax(f.cast(e.neg(input), dtype), at)


# ---- losses


def same_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both, expanded to one shape; torch warns where they differ."""
    if input.data_.shape == target.data_.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        stacklevel=3,
    )
    try:
        shape = list(np.broadcast_shapes(input.data_.shape, target.data_.shape))
    except ValueError:
        return e.sub(input, target), target  # raises what torch raises for sizes that do not broadcast
    one, other = (t if list(t.data_.shape) == shape else s.expand(t, shape) for t in (input, target))
    return one, other


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return l.mse_loss(*same_size(input, target), reduction_nr(reduction))


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    one, other = same_size(input, target)
    return reduce_loss(e.abs(e.sub(one, other)), reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction)
    return b.smooth_l1_loss(*same_size(input, target), reduction_nr(reduction), beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return b.huber_loss(*same_size(input, target), reduction_nr(reduction), delta)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    if input.data_.shape != target.data_.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if target.data_.dtype != input.data_.dtype:
        names = [type_title(t.data_.dtype) for t in (input, target)]
        raise RuntimeError(f"Found dtype {names[1]} but expected {names[0]}")
    return b.binary_cross_entropy(input, target, weight, reduction_nr(reduction))


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    if input.data_.shape != target.data_.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return b.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction_nr(reduction))


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return b.soft_margin_loss(input, target, reduction_nr(reduction))


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    nothing = plain(np.zeros_like(input.data_))
    missing = in_place(e.clamp_min, e.sub(plain(np.full_like(input.data_, margin)), input), 0)
    far = e.where(plain(target.data_ != 1), missing, nothing)
    near = e.where(plain(target.data_ != -1), input, nothing)
    return reduce_loss(e.add(far, near), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    order = e.mul(e.neg(target), e.sub(input1, input2))
    return reduce_loss(in_place(e.clamp_min, e.add_scalar(order, margin), 0), reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    if full:
        raise NotImplementedError("poisson_nll_loss with full=True is not supported")
    if log_input:
        return reduce_loss(e.sub(e.exp(input), e.mul(target, input)), reduction)
    return reduce_loss(e.sub(input, e.mul(target, e.log(e.add_scalar(input, eps)))), reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    if np.any(var.data_ < 0):
        raise ValueError("var has negative entry/entries")
    spread = s.clone(var)
    spread.put(np.maximum(spread.data_, eps))
    spread.bump()
    missed = e.div(e.pow_scalar(e.sub(input, target), 2), spread)
    values = e.mul(e.add(e.log(spread), missed), 0.5)
    if full:
        values = e.add(values, 0.5 * math.log(2 * math.pi))
    return reduce_loss(values, reduction)


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    if log_target:
        values = e.mul(e.exp(target), e.sub(target, input))
    else:
        kept = plain(np.where(target.data_ > 0, target.data_ * np.log(np.where(target.data_ > 0, target.data_, 1)), 0))
        values = e.sub(kept if not target.requires_grad else xlogy(target), e.mul(target, input))
    if reduction == "batchmean":
        return e.div(r.sum(values), input.data_.shape[0])
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    return reduce_loss(values, reduction)


def xlogy(target: Tensor) -> Tensor:
    raise NotImplementedError("kl_div with a target that requires grad is not supported")


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    rank = input.data_.ndim
    if rank < 1:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if rank > 2:
        raise NotImplementedError("nll_loss is supported for inputs of 1 or 2 dimensions")
    if rank == 2 and target.data_.ndim == 1 and input.data_.shape[0] != target.data_.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({input.data_.shape[0]}) to match target batch_size ({target.data_.shape[0]})."
        )
    if target.data_.dtype.kind == "f":
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_title(target.data_.dtype)}")
    result: Tensor = l.nll_loss(input, target, weight, reduction_nr(reduction), ignore_index)[0]
    return result


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """From scores to the loss: log_softmax, then the likelihood of labels or of probabilities."""
    need_tensor("cross_entropy_loss", "input", 1, input)
    need_tensor("cross_entropy_loss", "target", 2, target)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    classes = 0 if input.data_.ndim == 1 else 1
    logs = r.log_softmax(input, classes)
    if input.data_.shape == target.data_.shape:
        return soft_cross_entropy(logs, target, weight, reduction, label_smoothing, classes)
    hard = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing == 0:
        return hard
    if weight is not None:
        raise NotImplementedError("cross_entropy with both weight and label_smoothing is not supported")
    ignored = plain(np.asarray(target.data_ == ignore_index))
    spread = e.masked_fill(e.neg(r.sum_dim(logs, [classes], False)), ignored, 0)
    nr = reduction_nr(reduction)
    if nr:
        spread = r.sum(spread)
    if nr == 1:
        spread = e.div(spread, plain(np.int64(np.count_nonzero(~ignored.data_))))
    smooth = label_smoothing / input.data_.shape[classes]
    return e.add(e.mul_scalar(hard, 1 - label_smoothing), e.mul_scalar(spread, smooth))


def soft_cross_entropy(
    logs: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float, classes: int
) -> Tensor:
    """The loss where the target gives a probability for each class."""
    if target.data_.dtype.kind != "f":
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {type_title(target.data_.dtype)}"
        )
    count = logs.data_.shape[classes]
    if label_smoothing > 0:
        target = e.add_scalar(e.mul_scalar(target, 1 - label_smoothing), label_smoothing / count)
    values = e.mul(logs, target)
    if weight is not None:
        values = e.mul(values, weight)
    nr = reduction_nr(reduction)
    if nr == 0:
        return e.neg(r.sum_dim(values, [classes], False))
    total = e.neg(r.sum(values))
    return total if nr == 2 else e.div_scalar(total, logs.data_.size / count)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    sides = []
    for x in (x1, x2):
        length = r.vector_norm(x, 2, [dim], True)
        held = s.clone(length)
        np.maximum(held.data_, eps, out=held.data_)
        sides.append(e.div(x, held))
    return r.sum_dim(e.mul(*sides), [dim], False)
