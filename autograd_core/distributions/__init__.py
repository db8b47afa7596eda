"""torch.distributions: random numbers whose densities can be differentiated."""

from ..namespace.absent import absent
from ..namespace.module_names import settle
from ..namespace.type_names import own_method
from . import constraints as constraints
from . import transforms as transforms
from . import utils as utils
from .continuous import Cauchy as Cauchy
from .continuous import ContinuousBernoulli as ContinuousBernoulli
from .continuous import Exponential as Exponential
from .continuous import Laplace as Laplace
from .continuous import Normal as Normal
from .continuous import Uniform as Uniform
from .continuous import VonMises as VonMises
from .discrete import Bernoulli as Bernoulli
from .discrete import Binomial as Binomial
from .discrete import Categorical as Categorical
from .discrete import Geometric as Geometric
from .discrete import Multinomial as Multinomial
from .discrete import OneHotCategorical as OneHotCategorical
from .discrete import OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough
from .discrete import Poisson as Poisson
from .distribution import Distribution as Distribution
from .gamma import Beta as Beta
from .gamma import Chi2 as Chi2
from .gamma import Dirichlet as Dirichlet
from .gamma import FisherSnedecor as FisherSnedecor
from .gamma import Gamma as Gamma
from .gamma import NegativeBinomial as NegativeBinomial
from .gamma import StudentT as StudentT
from .independent import Independent as Independent
from .independent import MixtureSameFamily as MixtureSameFamily
from .kl import kl_divergence as kl_divergence
from .kl import register_kl as register_kl
from .multivariate_normal import MultivariateNormal as MultivariateNormal
from .relaxed import LogitRelaxedBernoulli as LogitRelaxedBernoulli
from .relaxed import RelaxedBernoulli as RelaxedBernoulli
from .relaxed import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from .transformed import Gumbel as Gumbel
from .transformed import HalfCauchy as HalfCauchy
from .transformed import HalfNormal as HalfNormal
from .transformed import Kumaraswamy as Kumaraswamy
from .transformed import LogNormal as LogNormal
from .transformed import Pareto as Pareto
from .transformed import TransformedDistribution as TransformedDistribution
from .transformed import Weibull as Weibull
from .transforms import AbsTransform as AbsTransform
from .transforms import AffineTransform as AffineTransform
from .transforms import ComposeTransform as ComposeTransform
from .transforms import ExpTransform as ExpTransform
from .transforms import IndependentTransform as IndependentTransform
from .transforms import PowerTransform as PowerTransform
from .transforms import SigmoidTransform as SigmoidTransform
from .transforms import SoftplusTransform as SoftplusTransform
from .transforms import TanhTransform as TanhTransform
from .transforms import Transform as Transform
from .transforms import identity_transform as identity_transform

settle(globals())
for _kind in (Bernoulli, Cauchy, HalfCauchy, HalfNormal, Laplace, Normal):
    own_method(_kind, "__init__", _kind.__name__)
for _kind in list(globals().values()):
    if isinstance(_kind, type) and issubclass(_kind, Distribution) and _kind is not OneHotCategoricalStraightThrough:
        own_method(_kind, "expand", _kind.__name__)

__getattr__ = absent("torch.distributions")
