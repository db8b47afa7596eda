"""torch.backends.mps of a machine that is none of Apple's."""

from . import unavailable

is_available = is_built = unavailable.answering(False)
