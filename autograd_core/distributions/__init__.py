"""torch.distributions: random numbers whose densities can be differentiated."""

from ..namespace.absent import absent
from ..namespace.module_names import settle
from ..namespace.type_names import own_method
from . import constraints, transforms, utils
from .continuous import Cauchy, ContinuousBernoulli, Exponential, Laplace, Normal, Uniform, VonMises
from .discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    Geometric,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    Poisson,
)
from .distribution import Distribution
from .gamma import Beta, Chi2, Dirichlet, FisherSnedecor, Gamma, NegativeBinomial, StudentT
from .independent import Independent, MixtureSameFamily
from .kl import kl_divergence, register_kl
from .multivariate import MultivariateNormal
from .relaxed import LogitRelaxedBernoulli, RelaxedBernoulli, RelaxedOneHotCategorical
from .transformed import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    Kumaraswamy,
    LogNormal,
    Pareto,
    TransformedDistribution,
    Weibull,
)
from .transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    IndependentTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "FisherSnedecor",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "Kumaraswamy",
    "Laplace",
    "LogNormal",
    "LogitRelaxedBernoulli",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "SigmoidTransform",
    "SoftplusTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "constraints",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transforms",
    "utils",
]

settle(globals())
for _kind in (Bernoulli, Cauchy, HalfCauchy, HalfNormal, Laplace, Normal):
    own_method(_kind, "__init__", _kind.__name__)
for _name in __all__:
    _kind = globals()[_name]
    if isinstance(_kind, type) and issubclass(_kind, Distribution) and _kind is not OneHotCategoricalStraightThrough:
        own_method(_kind, "expand", _name)

__getattr__ = absent("torch.distributions")
