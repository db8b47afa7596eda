"""torch.backends.mps of a machine that is none of Apple's."""

from . import unavailable as without

is_available = is_built = without.answering(False)
