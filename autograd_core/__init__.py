"""PyTorch's autograd in numpy: `import autograd_core as torch` runs a PyTorch program within its surface."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from . import events, ops, random
from .api.functions import contraction, creation, pointwise, rnn, shape
from .api.functions.creation import closed_range
from .api.functions.statistics import trapezoid
from .api.methods.table import IN_PLACE, METHODS, OWN
from .backends import switches
from .dispatch.schema.guard import guard, names_in
from .dispatch.schema.schema import declared
from .engine.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .engine.state import state as _state
from .functorch.vmap import vmap
from .namespace.absent import absent
from .namespace.module_names import settle
from .random.generator import Generator
from .tensor import dtypes, tensor_types
from .tensor.device import device, layout, memory_format, strided
from .tensor.dtypes import dtype, get_default_dtype, set_default_dtype
from .tensor.printing import set_printoptions
from .tensor.size import Size
from .tensor.tensor import Tensor
from .tensor.type_info import finfo, iinfo

from . import accelerator, autograd, cuda, linalg  # isort: skip

__version__ = "2.13.0+cpu"
inf, nan, pi, e, newaxis = float("inf"), float("nan"), np.pi, np.e, None
contiguous_format = memory_format("torch.contiguous_format")
preserve_format = memory_format("torch.preserve_format")
channels_last = memory_format("torch.channels_last")
channels_last_3d = memory_format("torch.channels_last_3d")

_FUNCTIONS = {
    creation: "from_numpy triu_indices tril_indices",
    switches: switches.NAMES,
    random: "default_generator get_rng_state initial_seed manual_seed seed set_rng_state",
    shape: "atleast_1d atleast_2d atleast_3d block_diag meshgrid cartesian_prod broadcast_tensors",
    pointwise: "is_tensor",
    contraction: "tensordot cdist einsum",
}
_RECURRENT = "rnn_tanh rnn_relu gru lstm rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell"
_FUNCTIONAL = (
    "celu selu prelu hardshrink cosine_similarity pairwise_distance "
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d max_pool3d "
    "avg_pool1d adaptive_avg_pool1d "
    "pixel_shuffle pixel_unshuffle bilinear layer_norm group_norm"
)
_SPELLED = (
    "batch_norm instance_norm kl_div binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss "
    "margin_ranking_loss triplet_margin_loss poisson_nll_loss dropout dropout_ alpha_dropout alpha_dropout_ "
    "feature_dropout feature_dropout_ feature_alpha_dropout feature_alpha_dropout_ threshold threshold_ "
    "constant_pad_nd embedding embedding_bag"
)
"""What torch's own spelling takes otherwise than torch.nn.functional does."""
_SHAPED = "broadcast_shapes"
_BELOW = {
    "ctc_loss": ("nn.functional.loss", "ctc"),
    "rrelu": ("nn.functional.activation", "rrelu"),
    "rrelu_": ("nn.functional.activation", "rrelu_"),
    "grid_sampler": ("nn.functional.vision", "grid_sampler"),
    **dict.fromkeys(_SPELLED.split(), ("nn.functional.aten", "")),
    "is_storage": ("api.methods.storage", ""),
    "cholesky": ("linalg.solving", "old_cholesky"),
    "qr": ("linalg.solving", "old_qr"),
    **dict.fromkeys(_SHAPED.split(), ("api.functions.shape", "")),
    "adaptive_max_pool1d": ("nn.functional", "adaptive_max_pool1d_with_indices"),
    "max_pool1d_with_indices": ("nn.functional", ""),
    **dict.fromkeys(("selu_", "celu_"), ("nn.functional.activation", "")),
    "rms_norm": ("nn.functional.normalization", ""),
    **dict.fromkeys(("matrix_rank", "solve", "lstsq", "symeig", "eig"), ("api.functions.linalg", "")),
}
"""Functions that only rare programs ask for, with the module that has them and their name there."""
_IN_PYTHON = {"norm", "split", "unique", "unique_consecutive"}
"""Methods that are functions of the package as well, though torch has no signature for them."""
_ALSO = "detach_ is_complex is_conj is_neg adjoint get_device"
"""Methods with a body of their own that are functions of the package as well."""
_SUBMODULES = ("utils", "nn", "optim", "func", "distributions", "special", "backends", "mps", "xpu", "_C")


def _surface() -> dict[str, Any]:
    """The functions of the package: operators and methods by their names, factories, dtypes."""
    names: dict[str, Any] = METHODS | declared("function")
    names |= {name: getattr(module, name) for module, given in _FUNCTIONS.items() for name in given.split()}
    names |= {name: kind for name, kind in dtypes.NAMES.items()}
    names |= {name: method for name, method in IN_PLACE.items() if not name.startswith("__")}
    names |= {name: OWN[name] for name in _ALSO.split()}
    names |= {name: getattr(rnn, name) for name in _RECURRENT.split()}
    names |= tensor_types.TYPES | {"set_default_tensor_type": tensor_types.set_default_tensor_type}
    names |= {"range": closed_range}
    names |= {"vmap": vmap, "trapz": trapezoid}
    names |= {"typename": _typename, "Assert": _assert, "promote_types": dtypes.promote_types}
    names |= {"can_cast": dtypes.can_cast, "result_type": dtypes.result_type}
    methods_only = (METHODS | IN_PLACE).keys() - names_in("torch") - _IN_PYTHON
    return {name: guard("torch", name, value) for name, value in names.items() if name not in methods_only}


def _typename(obj: Any) -> str:
    return str(obj.type()) if isinstance(obj, Tensor) else f"{type(obj).__module__}.{type(obj).__qualname__}"


def _assert(condition: Any, message: str) -> None:
    if not condition:
        raise AssertionError(message)


def set_num_threads(count: int) -> None:
    """Accepted; this engine has one thread."""


def get_num_threads() -> int:
    return 1


def set_warn_always(b: bool, /) -> None:
    """Whether warnings that come once in a process come each time."""
    _state.warn_always = b


def is_warn_always_enabled() -> bool:
    return _state.warn_always


def is_anomaly_enabled() -> bool:
    return _state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    return _state.check_nan


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    if name in _BELOW:
        module, own = _BELOW[name]
        return guard("torch", name, getattr(importlib.import_module(f"{__name__}.{module}"), own or name))
    if name in _FUNCTIONAL.split():
        function = getattr(importlib.import_module(f"{__name__}.nn.functional"), name)
        return guard("torch", name, getattr(function, "__wrapped__", function))
    return absent("torch")(name)


globals().update(_surface())

__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "accelerator",
    "autograd",
    "cuda",
    "device",
    "dtype",
    "enable_grad",
    "events",
    "finfo",
    "get_default_dtype",
    "iinfo",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "layout",
    "linalg",
    "no_grad",
    "ops",
    "random",
    "set_default_dtype",
    "set_grad_enabled",
    "set_printoptions",
    "strided",
    "utils",
]

settle(globals())
