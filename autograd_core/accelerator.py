"""torch.accelerator of a machine without one: programs ask for it, and go on without."""

from collections.abc import Callable
from typing import NoReturn

NONE = "Cannot access accelerator device when none is available."


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """There is none."""


def refused(name: str) -> Callable[..., NoReturn]:
    """A function of that name, which is for machines that have one."""

    def function(*args: object, **kwargs: object) -> NoReturn:
        """Refused.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(NONE)

    function.__name__ = name
    return function


current_device_index, set_device_index = refused("current_device_index"), refused("set_device_index")
current_stream, set_stream = refused("current_stream"), refused("set_stream")
synchronize, empty_cache, memory_stats = refused("synchronize"), refused("empty_cache"), refused("memory_stats")
memory_allocated, memory_reserved = refused("memory_allocated"), refused("memory_reserved")
max_memory_allocated, max_memory_reserved = refused("max_memory_allocated"), refused("max_memory_reserved")
reset_peak_memory_stats, get_memory_info = refused("reset_peak_memory_stats"), refused("get_memory_info")
