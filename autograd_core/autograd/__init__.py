"""torch.autograd: backward and grad with every argument, grad modes, Function."""

from __future__ import annotations

from ..engine.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from ..graph.accumulate_grad import AccumulateGrad
from ..graph.anomaly import detect_anomaly, set_detect_anomaly
from ..graph.saved_tensor import SavedTensor
from . import forward_ad, function, functional, graph, variable
from .differentiate import backward, grad
from .function import Function
from .gradcheck import GradcheckError, gradcheck
from .gradgradcheck import gradgradcheck
from .legacy import Variable
from .versions import _unsafe_preserve_version_counter

__all__ = [
    "AccumulateGrad",
    "Function",
    "GradcheckError",
    "SavedTensor",
    "Variable",
    "_unsafe_preserve_version_counter",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "functional",
    "function",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]
