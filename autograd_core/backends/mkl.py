"""torch.backends.mkl, which every torch for the CPU has."""

from .. import without

is_available = without.answering(True)
