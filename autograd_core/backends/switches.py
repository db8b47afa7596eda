"""Switches that programs may turn and ask for: there is one device and one way to compute, so they change nothing.

They belong to the thread, as the rest of its state; a table is never changed but replaced.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..api.functions.creation import check_device
from ..dispatch.autocast import Autocast
from ..engine.state import state
from ..tensor.device import CPU
from ..tensor.device import device as named
from ..tensor.dtypes import to_numpy

DEFAULTS: dict[str, Any] = {"device": None, "precision": "highest", "deterministic": 0, "interop": 1}
PRECISIONS = ("highest", "high", "medium")
MODES = ("default", "warn", "error")
"""What is said of an operation that may give another result each time: nothing, a warning, an error."""


def ask(name: str) -> Any:
    return vars(state).get("switches", DEFAULTS)[name]


def switch(name: str, value: Any) -> None:
    vars(state)["switches"] = vars(state).get("switches", DEFAULTS) | {name: value}


# ---- where tensors are made


def get_default_device() -> named:
    found: named | None = ask("device")
    return CPU if found is None else found


def set_default_device(device: Any) -> None:
    """Make tensors on `device` from now on: the CPU.

    Raises:
        AssertionError: it is a graphics card.
        NotImplementedError: it is another.
    """
    check_device(device)
    switch("device", device if device is None or isinstance(device, named) else named(device))


# ---- how products are computed


def get_float32_matmul_precision() -> str:
    found: str = ask("precision")
    return found


def set_float32_matmul_precision(precision: str) -> None:
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in PRECISIONS:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has "
            "no effect.",
            stacklevel=1,
        )
        return
    switch("precision", precision)


def set_flush_denormal(mode: bool) -> bool:
    """Whether that can be done: numbers too small to be normal stay as they are."""
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return not mode


# ---- which way attention may be computed


def attention_enabled(way: str) -> bool:
    """Whether attention may be computed in this way."""
    return bool(vars(state).get("switches", DEFAULTS).get(way, True))


def enable_attention(way: str, enabled: bool) -> None:
    """Allow to compute attention in this way, or forbid it.

    Raises:
        RuntimeError: it is not said by a truth value.
    """
    if not isinstance(enabled, bool):
        raise RuntimeError(f"set_sdp_use_math expects a bool, but got {type(enabled).__name__}")
    switch(way, enabled)


# ---- whether results are the same each time


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    if not isinstance(mode, bool):
        raise TypeError(
            f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {type(mode).__name__}"
        )
    switch("deterministic", 0 if not mode else 1 if warn_only else 2)


def are_deterministic_algorithms_enabled() -> bool:
    return bool(ask("deterministic"))


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return bool(ask("deterministic") == 1)


def get_deterministic_debug_mode() -> int:
    found: int = ask("deterministic")
    return found


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str) and debug_mode not in MODES:
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
        )
    mode = MODES.index(debug_mode) if isinstance(debug_mode, str) else int(debug_mode)
    if mode not in range(len(MODES)):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    switch("deterministic", mode)


# ---- threads, processes, anomaly mode


def get_num_interop_threads() -> int:
    found: int = ask("interop")
    return found


def set_num_interop_threads(count: int) -> None:
    if not isinstance(count, int):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(count).__name__}")
    if count <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    switch("interop", count)


def is_distributed(input: Any) -> bool:
    return False


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    state.anomaly, state.check_nan = enabled, check_nan


def is_anomaly_enabled() -> bool:
    return state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    return state.check_nan


def get_num_threads() -> int:
    return 1


def set_num_threads(count: int) -> None:
    """Accepted; this engine has one thread."""


# ---- autocast on the CPU


def begin_autocast(dtype: Any, cache: bool = True) -> Autocast | None:
    """Let a block of autocast begin, without it for None; gives what was before, for `end_autocast`."""
    before: Autocast | None = state.autocast
    if dtype is None:
        state.autocast = None
        return before
    copies = before.copies if before is not None and before.copies is not None else {}
    state.autocast = Autocast(to_numpy(dtype), copies if cache else None)
    return before


def end_autocast(before: Autocast | None) -> None:
    """Let it end: what was before is again."""
    state.autocast = before
