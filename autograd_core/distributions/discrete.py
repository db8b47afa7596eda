"""Distributions over classes: Bernoulli, Categorical. Each is given by probabilities or by their logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..functions.random import bernoulli, multinomial
from ..modes import no_grad
from ..nn import functional as F
from ..ops import view
from ..ops.activation import softmax
from ..ops.scatter_gather import gather
from ..ops.unary import log, log1p, neg, sigmoid
from ..tensor import Tensor, plain
from . import constraints
from .distribution import Distribution, Shape, broadcast_all, broadcast_tensors, is_number, lazy_property


def one_of(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


def clamped(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1 by as little as can be."""
    least = float(np.finfo(probs.data_.dtype).eps)
    return probs.clamp(min=least, max=1 - least)


class Listed(Distribution):
    """What both have in common."""

    has_enumerate_support = True
    probs: Any
    logits: Any
    _param: Tensor

    @property
    def param_shape(self) -> Any:
        return self._param.size()

    def listed(self, values: Any, expand: bool) -> Tensor:
        """All values in a first dimension."""
        column = view.view(plain(values), [-1, *[1] * len(self._batch_shape)])
        return view.expand(column, [-1, *self._batch_shape]) if expand else column


class Chances(Listed):
    """Of one thing each: by its probability, or by the logarithm of its odds."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        one_of(probs, logits)
        given = logits if probs is None else probs
        (self._param,) = broadcast_all(given)
        self.__dict__["logits" if probs is None else "probs"] = self._param
        super().__init__(() if is_number(given) else self._param.size(), validate_args=validate_args)

    @lazy_property
    def logits(self) -> Tensor:
        inner = clamped(self.probs)
        return log(inner) - log1p(neg(inner))

    @lazy_property
    def probs(self) -> Tensor:
        return sigmoid(self.logits)


class Bernoulli(Chances):
    """1 with probability `probs`, else 0."""

    support = constraints.boolean

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            return bernoulli(view.expand(self.probs, list(self._extended_shape(sample_shape))))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return neg(F.binary_cross_entropy_with_logits(logits, value, reduction="none"))

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self.listed(np.arange(2, dtype=self._param.data_.dtype), expand)


class Categorical(Listed):
    """One of several classes, by their probabilities in the last dimension."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        assert given is not None
        if given.data_.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self._param = given - given.logsumexp(dim=-1, keepdim=True)
        else:
            self._param = given / given.sum(-1, keepdim=True)
        self.__dict__[name] = self._param
        self._num_events = int(self._param.data_.shape[-1])
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        return log(clamped(self.probs))

    @lazy_property
    def probs(self) -> Tensor:
        return softmax(self.logits, -1)

    @property
    def mean(self) -> Tensor:
        return plain(np.full(tuple(self._extended_shape()), np.nan, self.probs.data_.dtype))

    variance = mean

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        rows = self.probs.detach().reshape(-1, self._num_events)
        drawn = multinomial(rows, math.prod(sample_shape), True)
        return view.reshape(drawn.T, list(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, logs = broadcast_tensors(view.unsqueeze(value.long(), -1), self.logits)
        return view.squeeze_dim(gather(logs, -1, value[..., :1], False), -1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=float(np.finfo(self.logits.data_.dtype).min))
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self.listed(np.arange(self._num_events), expand)
