"""torch.nn.attention, in Python: by which of PyTorch's ways attention is computed."""

import contextlib as _contextlib
import enum as _enum

import torch as _torch


class SDPBackend(_enum.Enum):
    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


_SWITCHES = {
    SDPBackend.MATH: "math",
    SDPBackend.FLASH_ATTENTION: "flash",
    SDPBackend.EFFICIENT_ATTENTION: "mem_efficient",
    SDPBackend.CUDNN_ATTENTION: "cudnn",
}


@_contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    assert isinstance(backends, (list, SDPBackend)), (
        f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
    )
    wanted = backends if isinstance(backends, list) else [backends]
    cuda = _torch.backends.cuda
    before = {name: getattr(cuda, f"{name}_sdp_enabled")() for name in _SWITCHES.values()}
    for backend, name in _SWITCHES.items():
        getattr(cuda, f"enable_{name}_sdp")(backend in wanted)
    try:
        yield {}
    finally:
        for name, enabled in before.items():
            getattr(cuda, f"enable_{name}_sdp")(enabled)
