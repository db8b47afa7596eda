"""Helpers around parameters: clipping their gradients, all of them as one vector."""

from ...namespace.absent import absent
from . import clip_grad as clip_grad
from . import convert_parameters as convert_parameters
from . import parametrizations as parametrizations
from . import parametrize as parametrize
from . import rnn as rnn
from . import stateless as stateless
from .clip_grad import clip_grad_norm as clip_grad_norm
from .clip_grad import clip_grad_norm_ as clip_grad_norm_
from .clip_grad import clip_grad_value_ as clip_grad_value_
from .clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from .clip_grad import get_total_norm as get_total_norm
from .convert_parameters import parameters_to_vector as parameters_to_vector
from .convert_parameters import vector_to_parameters as vector_to_parameters
from .weight_norm import remove_spectral_norm as remove_spectral_norm
from .weight_norm import remove_weight_norm as remove_weight_norm
from .weight_norm import spectral_norm as spectral_norm
from .weight_norm import weight_norm as weight_norm

__getattr__ = absent("torch.nn.utils")
