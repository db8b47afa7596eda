"""torch.distributions: random numbers whose densities can be differentiated."""

from ..absent import absent
from ..homes import settle
from ..titles import own_method
from . import constraint_registry, constraints, kl_between, transforms, utils
from .between import ContinuousBernoulli
from .circular import VonMises
from .constraint_registry import biject_to, transform_to
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .correlations import CorrCholeskyTransform, LKJCholesky, LowerCholeskyTransform, PositiveDefiniteTransform
from .counts import (
    Binomial,
    Geometric,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    Poisson,
)
from .discrete import Bernoulli, Categorical
from .distribution import Distribution
from .gamma import Beta, Chi2, Dirichlet, Gamma, NegativeBinomial, StudentT
from .independent import Independent
from .joining import CatTransform, CumulativeDistributionTransform, ReshapeTransform, StackTransform
from .kl import kl_divergence, register_kl
from .lowrank import LowRankMultivariateNormal
from .multivariate import MultivariateNormal
from .rarer import FisherSnedecor, GeneralizedPareto, InverseGamma, Kumaraswamy, LogisticNormal
from .relaxed import LogitRelaxedBernoulli, MixtureSameFamily, RelaxedBernoulli, RelaxedOneHotCategorical
from .transformed import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
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
    SoftmaxTransform,
    SoftplusTransform,
    StickBreakingTransform,
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
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "ContinuousBernoulli",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LogitRelaxedBernoulli",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "biject_to",
    "constraint_registry",
    "constraints",
    "identity_transform",
    "kl_between",
    "kl_divergence",
    "register_kl",
    "transform_to",
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
