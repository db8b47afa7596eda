"""torch.distributions: random numbers whose densities can be differentiated."""

from ..absent import absent
from ..homes import settle
from . import constraints
from .continuous import Exponential, Laplace, Normal, Uniform
from .discrete import Bernoulli, Categorical
from .distribution import Distribution
from .independent import Independent
from .kl import kl_divergence, register_kl
from .multivariate import MultivariateNormal

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Independent",
    "Laplace",
    "MultivariateNormal",
    "Normal",
    "Uniform",
    "constraints",
    "kl_divergence",
    "register_kl",
]

settle(globals())

__getattr__ = absent("torch.distributions")
