"""torch.backends.cuda of a torch that was built without."""

from functools import partial
from types import SimpleNamespace

from . import switches, unavailable

is_built = unavailable.answering(False)
matmul = SimpleNamespace(
    allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
)

flash_sdp_enabled = partial(switches.attention_enabled, "flash")
math_sdp_enabled = partial(switches.attention_enabled, "math")
mem_efficient_sdp_enabled = partial(switches.attention_enabled, "mem_efficient")
cudnn_sdp_enabled = partial(switches.attention_enabled, "cudnn")


def enable_flash_sdp(enabled: bool) -> None:
    switches.enable_attention("flash", enabled)


def enable_math_sdp(enabled: bool) -> None:
    switches.enable_attention("math", enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    switches.enable_attention("mem_efficient", enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    switches.enable_attention("cudnn", enabled)
