"""torch.xpu of a machine without a card of Intel's, likewise; see cuda.py."""

from ..backends import unavailable

is_available = is_initialized = is_bf16_supported = unavailable.answering(False)
device_count = memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = unavailable.answering(
    0
)
manual_seed = manual_seed_all = seed = seed_all = empty_cache = unavailable.answering(None)

synchronize = init = current_device = set_device = unavailable.refusing(
    AssertionError, "Torch not compiled with XPU enabled"
)
get_device_name = get_device_properties = get_device_capability = synchronize
