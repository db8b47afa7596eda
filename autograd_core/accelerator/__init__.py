"""torch.accelerator of a machine without one: programs ask for it, and go on without."""

from ..backends import unavailable

is_available, device_count, current_accelerator = (
    unavailable.answering(False),
    unavailable.answering(0),
    unavailable.answering(None),
)
current_device_index = set_device_index = current_stream = set_stream = synchronize = unavailable.refusing(
    RuntimeError, "Cannot access accelerator device when none is available."
)
empty_cache = memory_stats = reset_peak_memory_stats = get_memory_info = synchronize
memory_allocated = memory_reserved = max_memory_allocated = max_memory_reserved = synchronize
