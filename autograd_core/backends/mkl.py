"""torch.backends.mkl, which every torch for the CPU has."""

from . import unavailable as without

is_available = without.answering(True)
