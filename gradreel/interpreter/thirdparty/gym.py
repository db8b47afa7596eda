"""gym, in Python: since its last version what gymnasium is."""

from gymnasium import Env, Space, Wrapper, make, spaces

__version__ = "0.26.2"
__all__ = ["Env", "Space", "Wrapper", "make", "spaces"]
