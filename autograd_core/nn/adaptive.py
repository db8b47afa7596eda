"""Softmax over many classes by clusters: the head has the frequent ones, and one class for each cluster of rare ones.

Grave et al., "Efficient softmax approximation for GPUs" (2017).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..ops.reduction import argmax
from ..tensor.tensor import Tensor
from . import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log probability of each target, and the mean of what is lost by them.

    A target below `cutoffs[0]` is found in the head, one between two cutoffs in a cluster of the tail, whose layers
    get narrower by `div_value` each time.
    """

    head: Linear
    tail: ModuleList

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        ends = check_cutoffs(list(cutoffs), n_classes)
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*ends, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = ends[0], len(ends)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            inner = int(in_features // div_value ** (i + 1))
            narrow = Linear(in_features, inner, False, device, dtype)
            self.tail.append(Sequential(narrow, Linear(inner, high - low, False, device, dtype)))

    def reset_parameters(self) -> None:
        self.head.reset_parameters()
        layer: Any
        for layer in self.tail.modules():
            if isinstance(layer, Linear):
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        check_sizes(input_, target_)
        batched = target_.dim() > 0
        input, target = (t if batched else t.unsqueeze(0) for t in (input_, target_))
        output, column = input.new_zeros(target.size(0)), target.new_empty(target.size(0))
        used = 0
        for i, (low, high) in enumerate(itertools.pairwise([0, *self.cutoffs])):
            mask = (target >= low) & (target < high)
            rows = mask.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            used += rows.numel()
            if i == 0:
                column.index_copy_(0, rows, target[mask])
                continue
            inside = target[mask] - low
            scores = self.tail[i - 1](input.index_select(0, rows))
            column.index_fill_(0, rows, self.shortlist_size + i - 1)
            found = F.log_softmax(scores, dim=1).gather(1, inside.unsqueeze(1))
            output.index_copy_(0, rows, found.squeeze(1))
        if used != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        output += F.log_softmax(self.head(input), dim=1).gather(1, column.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log probabilities of all classes."""
        return self.of_all(input, self.head(input))

    def of_all(self, input: Tensor, scores: Tensor) -> Tensor:
        """The same, from what the head says."""
        out = input.new_empty((scores.size(0), self.n_classes))
        head = F.log_softmax(scores, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            inside = F.log_softmax(self.tail[i](input), dim=1)
            out[:, low:high] = inside + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each row. Clusters are looked into only where the head says one."""
        scores = self.head(input)
        found: Tensor = argmax(scores, 1)
        rare = found >= self.shortlist_size
        if not rare.any():
            return found
        if rare.all():
            return argmax(self.of_all(input, scores), 1)
        found[rare] = argmax(self.of_all(input[rare], scores[rare]), 1)
        return found


def check_cutoffs(cutoffs: list[Any], n_classes: int) -> list[int]:
    """Where clusters end.

    Raises:
        ValueError: they do not grow from 1 to below the number of classes.
    """
    if not cutoffs:
        raise ValueError("cutoffs should be a sequence of length larger than 0")
    grow = all(low < high for low, high in itertools.pairwise([0, *cutoffs, n_classes]))
    if not grow or any(int(end) != end for end in cutoffs):
        raise ValueError(
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value "
            "is between 1 and n_classes-1"
        )
    return cutoffs


def check_sizes(input: Tensor, target: Tensor) -> None:
    """Whether there is one target for each row of the input.

    Raises:
        RuntimeError: there is not.
    """
    rank = target.dim()
    if rank > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if rank == 1 and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.dim() != rank + 1:
        raise RuntimeError(
            f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with size {input.size()}"
        )
