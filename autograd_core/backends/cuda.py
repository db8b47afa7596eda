"""torch.backends.cuda of a torch that was built without."""

from types import SimpleNamespace

from . import unavailable

is_built = unavailable.answering(False)
matmul = SimpleNamespace(
    allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
)
