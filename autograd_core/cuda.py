"""torch.cuda of a machine without a graphics card: programs ask for it, and go on without."""


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def manual_seed(seed: int) -> None:
    """Nothing to seed."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Nothing to give back."""


def synchronize(device: object = None) -> None:
    """Refused, as by a torch that was built without.

    Raises:
        AssertionError: always.
    """
    raise AssertionError("Torch not compiled with CUDA enabled")
