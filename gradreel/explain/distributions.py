"""What torch's distributions call their parameters, in the order in which they take them."""

from __future__ import annotations

import ast

from .calls import keyword

SCORED = ("Bernoulli", "Categorical", "OneHotCategorical", "Geometric")
COUNTED = ("Binomial", "Multinomial", "NegativeBinomial")
LOCATED = ("Normal", "LogNormal", "Laplace", "Cauchy", "Gumbel")

PARAMETERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SCORED, ("probs", "logits")),
    **dict.fromkeys(COUNTED, ("total_count", "probs", "logits")),
    **dict.fromkeys(LOCATED, ("loc", "scale")),
    **dict.fromkeys(("HalfNormal", "HalfCauchy"), ("scale",)),
    **dict.fromkeys(("Exponential", "Poisson"), ("rate",)),
    **dict.fromkeys(("Beta", "Kumaraswamy"), ("concentration1", "concentration0")),
    **dict.fromkeys(("RelaxedBernoulli", "RelaxedOneHotCategorical"), ("temperature", "probs", "logits")),
    "Gamma": ("concentration", "rate"),
    "InverseGamma": ("concentration", "rate"),
    "Dirichlet": ("concentration",),
    "Uniform": ("low", "high"),
    "Chi2": ("df",),
    "StudentT": ("df", "loc", "scale"),
    "FisherSnedecor": ("df1", "df2"),
    "Pareto": ("scale", "alpha"),
    "Weibull": ("scale", "concentration"),
    "VonMises": ("loc", "concentration"),
    "ContinuousBernoulli": ("probs", "logits"),
    "MultivariateNormal": ("loc", "covariance_matrix", "precision_matrix", "scale_tril"),
    "LowRankMultivariateNormal": ("loc", "cov_factor", "cov_diag"),
}


def parameter(call: ast.Call, distribution: str, name: str) -> ast.expr | None:
    """What `call` gives for a parameter of `distribution`, by its name or in its place."""
    word = keyword(call, name)
    if word is not None:
        return word.value
    order = PARAMETERS.get(distribution, ())
    place = order.index(name) if name in order else len(call.args)
    return call.args[place] if place < len(call.args) else None
