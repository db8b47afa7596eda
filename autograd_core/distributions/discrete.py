"""Distributions over classes and of counts. Those over classes are given by probabilities or by their logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..api.functions.random import bernoulli, binomial, multinomial, poisson
from ..engine.grad_mode import no_grad
from ..engine.state import ask_room
from ..nn import functional as F
from ..ops import unary, view
from ..ops.activation import softmax
from ..ops.binary import eq, xlogy
from ..ops.scatter_gather import gather
from ..ops.special import lgamma
from ..random import generator as streams
from ..tensor.tensor import Tensor, plain
from . import constraints
from .distribution import Distribution, Shape, broadcast_all, broadcast_tensors, is_number, lazy_property


def one_of(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


def clamp(probs: Tensor) -> Tensor:
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
        inner = clamp(self.probs)
        return unary.log(inner) - unary.log1p(unary.neg(inner))

    @lazy_property
    def probs(self) -> Tensor:
        return unary.sigmoid(self.logits)


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
        return unary.neg(F.binary_cross_entropy_with_logits(logits, value, reduction="none"))

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
        return unary.log(clamp(self.probs))

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


# ---- counts, and classes written as ones and zeros


class Poisson(Distribution):
    """How many events come in a unit of time, if `rate` come on average."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(() if is_number(rate) else self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            return poisson(view.expand(self.rate, list(self._extended_shape(sample_shape))))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        density: Tensor = xlogy(value, rate)
        return density - rate - (value + 1).lgamma()


class Geometric(Chances):
    """How often a try fails before the first that succeeds."""

    support = constraints.nonnegative_integer
    has_enumerate_support = False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None and not np.all(self.probs.data_ > 0):
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{value.data[~(value > 0)]}"
            )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return plain(np.zeros_like(self.probs.data_))

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape, kind = tuple(self._extended_shape(sample_shape)), self.probs.data_.dtype
        drawn = streams.uniform(math.prod(shape), kind, float(np.finfo(kind).tiny), 1).reshape(shape)
        with no_grad():
            return (plain(drawn[()]).log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[eq(probs, 1) & eq(value, 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Binomial(Chances):
    """How many of `total_count` tries succeed."""

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        count, self._param = broadcast_all(total_count, logits if probs is None else probs)
        self.total_count: Any = count.type_as(self._param)
        self.__dict__["logits" if probs is None else "probs"] = self._param
        Distribution.__init__(self, self._param.size(), validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = list(self._extended_shape(sample_shape))
        with no_grad():
            return binomial(view.expand(self.total_count, shape), view.expand(self.probs, shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        count, logits = self.total_count, self.logits
        ways, chosen, left = lgamma(count + 1), lgamma(value + 1), lgamma(count - value + 1)
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        area = count * positive + count * unary.log1p(unary.exp(-unary.abs(logits))) - ways
        return value * logits - chosen - left - area

    def entropy(self) -> Tensor:
        self.one_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(unary.exp(log_prob) * log_prob).sum(0)

    def one_count(self, what: str) -> int:
        """How many tries there are, if all elements have as many.

        Raises:
            NotImplementedError: they have not.
        """
        most = int(self.total_count.data_.max())
        if self.total_count.data_.min() != most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{what}`.")
        return most

    def enumerate_support(self, expand: bool = True) -> Tensor:
        most = self.one_count("enumerate_support")
        ask_room(int(most))
        return self.listed(np.arange(1 + most, dtype=self._param.data_.dtype), expand)


class OfClasses(Distribution):
    """One that is made of a Categorical: its last dimension are the classes."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    _categorical: Categorical

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def param_shape(self) -> Any:
        return self._categorical.param_shape

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        made = super().expand(batch_shape)
        made._categorical = self._categorical.expand(batch_shape)
        return made


class OneHotCategorical(OfClasses):
    """One of several classes, as a vector with a one in its place."""

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.batch_shape
        super().__init__(shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        probs = self._categorical.probs
        return F.one_hot(probs.argmax(dim=-1), num_classes=probs.shape[-1]).to(probs)

    @property
    def variance(self) -> Tensor:
        return self._categorical.probs * (1 - self._categorical.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        indices = self._categorical.sample(sample_shape)
        return F.one_hot(indices, self._categorical._num_events).to(self._categorical.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n, batch = self._event_shape[0], self._batch_shape
        ask_room(n, n)
        values = plain(np.eye(n, dtype=self._categorical._param.data_.dtype))
        values = view.view(values, [n, *[1] * len(batch), n])
        return view.expand(values, [n, *batch, n]) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One whose samples pass their gradient on to the probabilities, as if they were these."""

    has_rsample = True

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        samples, probs = self.sample(sample_shape), self._categorical.probs
        return samples + (probs - probs.detach())


class Multinomial(OfClasses):
    """How often each of several classes comes in `total_count` tries."""

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        shape = self._categorical.batch_shape
        super().__init__(shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        times = math.prod((self.total_count, *sample_shape, *self._batch_shape))
        ask_room(max(times, times * self._event_shape[0] // 8))  # which class it is, as a byte
        drawn = np.asarray(self._categorical.sample((self.total_count, *sample_shape)).data_)
        classes = np.arange(self._event_shape[0])
        counts = (drawn[..., None] == classes).sum(0)
        return plain(counts.astype(self.probs.data_.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        ways, each = lgamma(value.sum(-1) + 1), lgamma(value + 1).sum(-1)
        logits[eq(value, 0) & eq(logits, -math.inf)] = 0
        powers = (logits * value).sum(-1)
        return ways - each + powers

    def entropy(self) -> Tensor:
        n = plain(np.asarray(self.total_count)[()])
        first = n * self._categorical.entropy() - lgamma(n + 1)
        support = self._binomial.enumerate_support(expand=False)[1:]
        chances = unary.exp(self._binomial.log_prob(support))
        return first + (chances * lgamma(support + 1)).sum([0, -1])
