"""torch.mps of a machine that is none of Apple's, likewise; see cuda.py."""

from ..backends import unavailable

SENTENCE = "Cannot execute {}() without MPS backend."

is_available, device_count, manual_seed = (
    unavailable.answering(False),
    unavailable.answering(0),
    unavailable.answering(None),
)
empty_cache = unavailable.refusing(RuntimeError, SENTENCE.format("emptyCache"))
synchronize = unavailable.refusing(RuntimeError, SENTENCE.format("deviceSynchronize"))
seed = get_rng_state = unavailable.refusing(RuntimeError, SENTENCE.format("getDefaultGenerator"))
current_allocated_memory = unavailable.refusing(RuntimeError, SENTENCE.format("getCurrentAllocatedMemory"))
driver_allocated_memory = unavailable.refusing(RuntimeError, SENTENCE.format("getDriverAllocatedMemory"))
recommended_max_memory = unavailable.refusing(RuntimeError, SENTENCE.format("getRecommendedMaxMemory"))
set_per_process_memory_fraction = unavailable.refusing(RuntimeError, SENTENCE.format("setMemoryFraction"))
