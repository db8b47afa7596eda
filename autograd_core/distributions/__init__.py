"""torch.distributions: random numbers whose densities can be differentiated."""

from ..absent import absent
from ..homes import settle
from . import constraints
from .continuous import Exponential, Normal, Uniform
from .discrete import Bernoulli, Categorical
from .distribution import Distribution
from .independent import Independent
from .kl import kl_divergence, register_kl

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Independent",
    "Normal",
    "Uniform",
    "constraints",
    "kl_divergence",
    "register_kl",
]

settle(globals())

__getattr__ = absent("torch.distributions")
