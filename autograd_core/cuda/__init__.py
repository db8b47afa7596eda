"""torch.cuda of a machine without a graphics card: programs ask for it, and go on without."""

from ..backends import unavailable

is_available = is_initialized = is_bf16_supported = unavailable.answering(False)
device_count = memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = unavailable.answering(
    0
)
manual_seed = manual_seed_all = seed = seed_all = empty_cache = unavailable.answering(None)
"""There is nothing to seed, and nothing to give back."""

synchronize = init = current_device = unavailable.refusing(AssertionError, "Torch not compiled with CUDA enabled")
get_device_name = get_device_properties = get_device_capability = mem_get_info = synchronize
