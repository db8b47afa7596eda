"""torch.mps of a machine that is none of Apple's, likewise; see cuda.py."""

from ..backends import unavailable as without

SENTENCE = "Cannot execute {}() without MPS backend."

is_available, device_count, manual_seed = without.answering(False), without.answering(0), without.answering(None)
empty_cache = without.refusing(RuntimeError, SENTENCE.format("emptyCache"))
synchronize = without.refusing(RuntimeError, SENTENCE.format("deviceSynchronize"))
seed = get_rng_state = without.refusing(RuntimeError, SENTENCE.format("getDefaultGenerator"))
current_allocated_memory = without.refusing(RuntimeError, SENTENCE.format("getCurrentAllocatedMemory"))
driver_allocated_memory = without.refusing(RuntimeError, SENTENCE.format("getDriverAllocatedMemory"))
recommended_max_memory = without.refusing(RuntimeError, SENTENCE.format("getRecommendedMaxMemory"))
set_per_process_memory_fraction = without.refusing(RuntimeError, SENTENCE.format("setMemoryFraction"))
