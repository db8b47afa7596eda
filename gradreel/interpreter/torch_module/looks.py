"""What torch's functions look like in print: most of torch itself is written in C++, most of its modules in Python."""

from __future__ import annotations

from collections.abc import Iterable

from ..runtime.values import Builtin, Foreign, Look, Namespace, Value
from ..words import words

IN_PYTHON = words(
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul "
    "compile compiled_with_cxx11_abi einsum get_default_device get_deterministic_debug_mode is_tensor "
    "is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode are_deterministic_algorithms_enabled "
    "get_float32_matmul_precision get_rng_state initial_seed is_warn_always_enabled load manual_seed meshgrid norm "
    "pca_lowrank save seed set_default_device set_default_dtype set_default_tensor_type set_float32_matmul_precision "
    "set_printoptions set_rng_state set_warn_always split stft svd_lowrank tensordot typename unique "
    "unique_consecutive unravel_index use_deterministic_algorithms vmap"
)
"""Of torch itself."""

IN_C = words(
    "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d "
    "conv_transpose2d conv_transpose3d cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist "
    "pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ selu_ threshold_"
)
"""Of torch.nn.functional."""

BUILT_IN = {
    "torch": words(
        "get_default_dtype get_num_interop_threads get_num_threads is_anomaly_check_nan_enabled is_anomaly_enabled "
        "is_grad_enabled is_inference_mode_enabled set_anomaly_enabled set_flush_denormal set_num_threads "
        "set_num_interop_threads"
    ),
    "torch.nn.functional": words(
        "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot scaled_dot_product_attention "
        "softplus softshrink"
    ),
}
"""Functions of a module that is written in C++."""

PREFIXES = {"torch.linalg": "linalg_", "torch.special": "special_"}
"""What all functions of a module begin with where it is written in C++."""

DISPATCHED = words(
    "unique unique_consecutive max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d "
    "adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d"
)
IN_CPP = "builtin_function_or_method"

TITLES = {"threshold": "_threshold", "logsigmoid": "log_sigmoid"}
TITLES |= {name: f"_{name}" for name in ("clip_grads_with_norm_", "get_total_norm")}
TITLES |= dict.fromkeys(DISPATCHED, "boolean_dispatch.<locals>.fn")
"""Functions that are called otherwise where they are written."""


def look(path: str, name: str) -> Look:
    """What the function `name` of the module `path` of torch looks like."""
    title = PREFIXES[path] + name if path in PREFIXES else TITLES.get(name, name)
    if path in PREFIXES or name in BUILT_IN.get(path, ()):
        return Look(f"<built-in function {title}>", IN_CPP)
    if (path == "torch" and name not in IN_PYTHON) or (path == "torch.nn.functional" and name in IN_C):
        return Look(f"<built-in method {name} of type object at 0x...>", IN_CPP)
    return Look(f"<function {title} at 0x...>", "function")


def give_looks(spaces: Iterable[Namespace]) -> None:
    """Let the functions of torch's modules look as there; one that several offer in their own ways is parted."""
    for space in spaces:
        for name, entry in space.table.items():
            if type(entry) in (Foreign, Builtin):
                space.table[name] = looking(entry, look(space.name, name))


def looking(function: Value, wanted: Look) -> Value:
    if function.look in (None, wanted):
        function.look = wanted
        return function
    if isinstance(function, Foreign):
        return Foreign(function.name, function.run, look=wanted)
    return Builtin(function.name, function.run, function.machine, title=function.title, look=wanted)
