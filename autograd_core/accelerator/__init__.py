"""torch.accelerator of a machine without one: programs ask for it, and go on without."""

from ..backends import unavailable as without

is_available, device_count, current_accelerator = (
    without.answering(False),
    without.answering(0),
    without.answering(None),
)
current_device_index = set_device_index = current_stream = set_stream = synchronize = without.refusing(
    RuntimeError, "Cannot access accelerator device when none is available."
)
empty_cache = memory_stats = reset_peak_memory_stats = get_memory_info = synchronize
memory_allocated = memory_reserved = max_memory_allocated = max_memory_reserved = synchronize
