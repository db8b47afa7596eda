"""torch.autograd: backward and grad with every argument, grad modes, Function."""

from __future__ import annotations

from ..engine.grad_mode import enable_grad as enable_grad
from ..engine.grad_mode import inference_mode as inference_mode
from ..engine.grad_mode import is_grad_enabled as is_grad_enabled
from ..engine.grad_mode import is_multithreading_enabled as is_multithreading_enabled
from ..engine.grad_mode import no_grad as no_grad
from ..engine.grad_mode import set_grad_enabled as set_grad_enabled
from ..engine.grad_mode import set_multithreading_enabled as set_multithreading_enabled
from ..graph.accumulate_grad import AccumulateGrad as AccumulateGrad
from ..graph.anomaly import detect_anomaly as detect_anomaly
from ..graph.anomaly import set_detect_anomaly as set_detect_anomaly
from ..graph.saved_tensor import SavedTensor as SavedTensor
from . import forward_ad as forward_ad
from . import function as function
from . import functional as functional
from . import graph as graph
from . import variable as variable
from .differentiate import backward as backward
from .differentiate import grad as grad
from .function import Function as Function
from .gradcheck import GradcheckError as GradcheckError
from .gradcheck import gradcheck as gradcheck
from .gradcheck import gradgradcheck as gradgradcheck
from .graph import _unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from .legacy import Variable as Variable
