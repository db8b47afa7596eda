"""Losses as modules: a table of names, functions and the arguments that a module keeps."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ..namespace.type_names import binder
from ..tensor.tensor import Tensor
from . import functional as F
from .activation import describe_signature
from .distance import PairwiseDistance
from .functional.common import FLAGS, reduction_of
from .module import INIT_OWNER, Module

BUFFERS = ("weight", "pos_weight")
"""Arguments that are tensors, and kept as buffers."""


class _Loss(Module):
    """What programs derive losses of their own from: it keeps how they are reduced."""

    reduction: str

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """The same with a weight for each class."""

    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class Loss(_Loss):
    """A function of some tensors with arguments that are given once."""

    function: ClassVar[Callable[..., Any]]
    bind: Callable[..., dict[str, Any]]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        given = self.bind(*args, **options)
        average, reduce = (given.pop(flag, None) for flag in FLAGS)
        given["reduction"] = reduction_of(average, reduce, given["reduction"])
        for name, value in given.items():
            if name in BUFFERS:
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)
        self._names = tuple(given)

    def measured(self, *inputs: Any) -> Any:
        return type(self).function(*inputs, **{name: getattr(self, name) for name in self._names})


OLD: dict[str, Any] = {"size_average": None, "reduce": None, "reduction": "mean"}


def loss(name: str, function: Callable[..., Any], by_name: bool = False, /, **defaults: Any) -> Any:
    """The module class `name` for `function`, whose arguments have `defaults`, in this order."""
    kind = inspect.Parameter.KEYWORD_ONLY if by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(field, kind, default=value) for field, value in defaults.items()]
    bind = binder(f"{INIT_OWNER.get(name, name)}.__init__", inspect.Signature(parameters))
    facts = {"function": staticmethod(function), "bind": bind, "__module__": __name__}
    given = inspect.signature(function).parameters.values()
    inputs = [parameter.name for parameter in given if parameter.default is parameter.empty]
    return type(name, (Loss,), facts | {"__signature__": describe_signature(parameters), "forward": forward_of(inputs)})


def forward_of(inputs: Iterable[str]) -> Callable[..., Any]:
    """The `forward` of a loss of these inputs, so that Python's own words for a call that does not fit are torch's."""
    names, place = ", ".join(inputs), dict[str, Any]()
    exec(f"def forward(self, {names}):\n    return self.measured({names})", place)
    forward: Callable[..., Any] = place["forward"]
    return forward


# ---- between numbers

L1Loss = loss("L1Loss", F.l1_loss, **OLD)
MSELoss = loss("MSELoss", F.mse_loss, **OLD)
SmoothL1Loss = loss("SmoothL1Loss", F.smooth_l1_loss, **OLD, beta=1.0)


class HuberLoss(loss("HuberLoss", F.huber_loss, reduction="mean", delta=1.0)):  # type: ignore[misc]
    """The square of what is small, and the size of what is large."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not isinstance(self.delta, int | float):
            raise TypeError(f"delta must be a float or int, got: {type(self.delta)}")


# ---- of probabilities

WEIGHTED: dict[str, Any] = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None}
NLLLoss = loss("NLLLoss", F.nll_loss, **WEIGHTED, reduction="mean")
CrossEntropyLoss = loss("CrossEntropyLoss", F.cross_entropy, **WEIGHTED, reduction="mean", label_smoothing=0.0)
BCELoss = loss("BCELoss", F.binary_cross_entropy, weight=None, **OLD)
BCEWithLogitsLoss = loss("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, weight=None, **OLD, pos_weight=None)
KLDivLoss = loss("KLDivLoss", F.kl_div, **OLD, log_target=False)
PoissonNLLLoss = loss(
    "PoissonNLLLoss", F.poisson_nll_loss,
    log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean",
)  # fmt: skip
GaussianNLLLoss = loss("GaussianNLLLoss", F.gaussian_nll_loss, True, full=False, eps=1e-6, reduction="mean")

CTCLoss = loss("CTCLoss", F.ctc_loss, blank=0, reduction="mean", zero_infinity=False)

# ---- margins

SoftMarginLoss = loss("SoftMarginLoss", F.soft_margin_loss, **OLD)
MultiLabelSoftMarginLoss = loss("MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss, weight=None, **OLD)
HingeEmbeddingLoss = loss("HingeEmbeddingLoss", F.hinge_embedding_loss, margin=1.0, **OLD)
MarginRankingLoss = loss("MarginRankingLoss", F.margin_ranking_loss, margin=0.0, **OLD)
CosineEmbeddingLoss = loss("CosineEmbeddingLoss", F.cosine_embedding_loss, margin=0.0, **OLD)
MultiLabelMarginLoss = loss("MultiLabelMarginLoss", F.multilabel_margin_loss, **OLD)


class MultiMarginLoss(loss("MultiMarginLoss", F.multi_margin_loss, p=1, margin=1.0, weight=None, **OLD)):  # type: ignore[misc]
    """How much nearer than by a margin other classes come to the one meant."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if self.weight is not None and self.weight.data_.ndim != 1:
            rank = self.weight.data_.ndim
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {rank}D instead")


class TripletMarginWithDistanceLoss(Module):
    """How much nearer than by a margin the negative is than the positive, by the distance given."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap, self.reduction = margin, swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        options: dict[str, Any] = {"margin": self.margin, "swap": self.swap, "reduction": self.reduction}
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, **options
        )


class TripletMarginLoss(
    loss("TripletMarginLoss", F.triplet_margin_loss, margin=1.0, p=2.0, eps=1e-6, swap=False, **OLD)  # type: ignore[misc]
):
    """How much nearer than by a margin the negative is than the positive."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {self.margin} instead")
