"""The rules: for each subject what finds a fault, what is said of it, and which edits are proposed."""

from . import checkpoint, distributions, hooks, transforms
from .function import backward_formula, contract, definitions, usage
from .gradients import backward_root, not_finite, piecewise_constant, second_derivatives
from .graph import carried_state, derived_values, growing_graph, old_graph, reference_values, second_backward
from .inplace import lost_writes, out_of_place, refused_writes, saved_tensors, unused_results
from .modules import construction, copies, data_loading, layers, losses, mode, recurrent, state_dict
from .optimizer import exhausted, inner_loops, other_parameters, rebound_parameters, steps, zero_grad
from .python import attributes, calls, imports, python_errors, return_values, unread_settings, wrong_uses, wrong_values
from .shapes import dtypes, indexing, layer_sizes, linalg, mismatch
from .tracking import (
    cuts,
    detached,
    leaves,
    missing_grad,
    no_graph,
    plain_numbers,
    unreached_parameters,
    unused_inputs,
    why_grad_is_none,
)

__all__ = [
    "checkpoint",
    "distributions",
    "hooks",
    "transforms",
    "backward_formula",
    "contract",
    "definitions",
    "usage",
    "backward_root",
    "not_finite",
    "piecewise_constant",
    "second_derivatives",
    "carried_state",
    "derived_values",
    "growing_graph",
    "old_graph",
    "reference_values",
    "second_backward",
    "lost_writes",
    "out_of_place",
    "refused_writes",
    "saved_tensors",
    "unused_results",
    "construction",
    "copies",
    "data_loading",
    "layers",
    "losses",
    "mode",
    "recurrent",
    "state_dict",
    "exhausted",
    "inner_loops",
    "other_parameters",
    "rebound_parameters",
    "steps",
    "zero_grad",
    "attributes",
    "calls",
    "imports",
    "python_errors",
    "return_values",
    "unread_settings",
    "wrong_uses",
    "wrong_values",
    "dtypes",
    "indexing",
    "layer_sizes",
    "linalg",
    "mismatch",
    "cuts",
    "detached",
    "leaves",
    "missing_grad",
    "no_graph",
    "plain_numbers",
    "unreached_parameters",
    "unused_inputs",
    "why_grad_is_none",
]
