"""torch.special: functions that have their home, or another name, in torch itself."""

from __future__ import annotations

import autograd_core as torch

from .dispatch.schema.guard import guard_module
from .namespace.absent import absent
from .ops import special

digamma = psi = torch.digamma
erf, erfc, erfinv = torch.erf, torch.erfc, torch.erfinv
exp2, expm1, log1p = torch.exp2, torch.expm1, torch.log1p
expit, logit = torch.sigmoid, torch.logit
gammaln = torch.lgamma
i0, sinc, round, xlogy = torch.i0, torch.sinc, torch.round, torch.xlogy
log_softmax, logsumexp, softmax = torch.log_softmax, torch.logsumexp, torch.softmax

i1 = special.i1

guard_module(__name__, "torch.special")

__getattr__ = absent("torch.special")
