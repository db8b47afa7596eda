"""The rules: for each subject what finds a fault, what is said of it, and which edits are proposed."""

from ..errors import at_nodes as errors_at_nodes
from ..errors import attributes as errors_attributes
from ..errors import built as errors_built
from ..errors import calling as errors_calling
from ..errors import coarse_steps as errors_coarse_steps
from ..errors import contract as errors_contract
from ..errors import cuts as errors_cuts
from ..errors import data as errors_data
from ..errors import demands as errors_demands
from ..errors import distributions as errors_distributions
from ..errors import dtypes as errors_dtypes
from ..errors import function_misused as errors_function_misused
from ..errors import indices as errors_indices
from ..errors import inplace as errors_inplace
from ..errors import loading as errors_loading
from ..errors import loss_class as errors_loss_class
from ..errors import lost_parameters as errors_lost_parameters
from ..errors import mapped as errors_mapped
from ..errors import matrices as errors_matrices
from ..errors import misgiven as errors_misgiven
from ..errors import misused as errors_misused
from ..errors import no_gradient as errors_no_gradient
from ..errors import no_graph as errors_no_graph
from ..errors import not_finite as errors_not_finite
from ..errors import not_imported as errors_not_imported
from ..errors import nothing_learns as errors_nothing_learns
from ..errors import of_another as errors_of_another
from ..errors import of_comma as errors_of_comma
from ..errors import of_python as errors_of_python
from ..errors import plain_number as errors_plain_number
from ..errors import recurrent as errors_recurrent
from ..errors import refusals as errors_refusals
from ..errors import refusals_of_hooks as errors_refusals_of_hooks
from ..errors import refusals_of_transforms as errors_refusals_of_transforms
from ..errors import returned as errors_returned
from ..errors import roots as errors_roots
from ..errors import saved_detached as errors_saved_detached
from ..errors import saved_modified as errors_saved_modified
from ..errors import saved_tuple as errors_saved_tuple
from ..errors import second_backward as errors_second_backward
from ..errors import shapes as errors_shapes
from ..errors import swapped as errors_swapped
from ..errors import unused as errors_unused
from ..mending import activations as mending_activations
from ..mending import attributes as mending_attributes
from ..mending import built as mending_built
from ..mending import calling as mending_calling
from ..mending import choices as mending_choices
from ..mending import collected as mending_collected
from ..mending import composed as mending_composed
from ..mending import contexts as mending_contexts
from ..mending import copied as mending_copied
from ..mending import copies as mending_copies
from ..mending import data as mending_data
from ..mending import demands as mending_demands
from ..mending import derived_attributes as mending_derived_attributes
from ..mending import detaching as mending_detaching
from ..mending import distributions as mending_distributions
from ..mending import fitting as mending_fitting
from ..mending import formulas as mending_formulas
from ..mending import fractions as mending_fractions
from ..mending import functional_updates as mending_functional_updates
from ..mending import functions as mending_functions
from ..mending import gates as mending_gates
from ..mending import gradient_shapes as mending_gradient_shapes
from ..mending import gradients as mending_gradients
from ..mending import graphs as mending_graphs
from ..mending import hooks as mending_hooks
from ..mending import inner_loops as mending_inner_loops
from ..mending import kept_states as mending_kept_states
from ..mending import layers as mending_layers
from ..mending import loading as mending_loading
from ..mending import mapped as mending_mapped
from ..mending import matrices as mending_matrices
from ..mending import misgiven as mending_misgiven
from ..mending import misused as mending_misused
from ..mending import modes as mending_modes
from ..mending import moved_out as mending_moved_out
from ..mending import not_numbers as mending_not_numbers
from ..mending import numbers as mending_numbers
from ..mending import of_python as mending_of_python
from ..mending import out_of_place as mending_out_of_place
from ..mending import places as mending_places
from ..mending import rebound as mending_rebound
from ..mending import recomputed as mending_recomputed
from ..mending import recorded as mending_recorded
from ..mending import recurrent as mending_recurrent
from ..mending import references as mending_references
from ..mending import reshaped as mending_reshaped
from ..mending import rounded as mending_rounded
from ..mending import setting_up as mending_setting_up
from ..mending import sizes as mending_sizes
from ..mending import softened as mending_softened
from ..mending import squashed as mending_squashed
from ..mending import steps as mending_steps
from ..mending import tracking as mending_tracking
from ..mending import transforms as mending_transforms
from ..mending import unread as mending_unread
from ..mending import values as mending_values
from ..mending import weights as mending_weights
from ..mending import windows as mending_windows
from ..mending import writes as mending_writes
from ..mending import wrong_tensor as mending_wrong_tensor
from ..silent import arithmetic as silent_arithmetic
from ..silent import asked_in_vain as silent_asked_in_vain
from ..silent import before_skipped as silent_before_skipped
from ..silent import born_infinite as silent_born_infinite
from ..silent import born_nan as silent_born_nan
from ..silent import broadcast as silent_broadcast
from ..silent import clipped as silent_clipped
from ..silent import collected as silent_collected
from ..silent import constant_gradient as silent_constant_gradient
from ..silent import constant_term as silent_constant_term
from ..silent import cut_fractions as silent_cut_fractions
from ..silent import cut_steps as silent_cut_steps
from ..silent import diverged as silent_diverged
from ..silent import drawn as silent_drawn
from ..silent import dropping as silent_dropping
from ..silent import flat_draws as silent_flat_draws
from ..silent import growing as silent_growing
from ..silent import guards as silent_guards
from ..silent import hooked as silent_hooked
from ..silent import hooks_pile as silent_hooks_pile
from ..silent import idle as silent_idle
from ..silent import ignored as silent_ignored
from ..silent import in_vain as silent_in_vain
from ..silent import kept_elsewhere as silent_kept_elsewhere
from ..silent import lost_write as silent_lost_write
from ..silent import made_anew as silent_made_anew
from ..silent import misnamed as silent_misnamed
from ..silent import missing as silent_missing
from ..silent import moving_target as silent_moving_target
from ..silent import moving_views as silent_moving_views
from ..silent import nameless as silent_nameless
from ..silent import never_stepped as silent_never_stepped
from ..silent import no_backward as silent_no_backward
from ..silent import no_curvature as silent_no_curvature
from ..silent import old_graph as silent_old_graph
from ..silent import only_named as silent_only_named
from ..silent import piled as silent_piled
from ..silent import pure_calls as silent_pure_calls
from ..silent import rebound as silent_rebound
from ..silent import reentrant as silent_reentrant
from ..silent import same_memory as silent_same_memory
from ..silent import same_model as silent_same_model
from ..silent import second_order as silent_second_order
from ..silent import squashed as silent_squashed
from ..silent import stale as silent_stale
from ..silent import thrown_away as silent_thrown_away
from ..silent import turned_round as silent_turned_round
from ..silent import unreached as silent_unreached
from ..silent import unrecorded as silent_unrecorded
from ..silent import untouched as silent_untouched
from ..silent import withheld as silent_withheld
from ..silent import zero_derivative as silent_zero_derivative

__all__ = [
    "errors_at_nodes",
    "errors_attributes",
    "errors_built",
    "errors_calling",
    "errors_coarse_steps",
    "errors_contract",
    "errors_cuts",
    "errors_data",
    "errors_demands",
    "errors_distributions",
    "errors_dtypes",
    "errors_function_misused",
    "errors_indices",
    "errors_inplace",
    "errors_loading",
    "errors_loss_class",
    "errors_lost_parameters",
    "errors_mapped",
    "errors_matrices",
    "errors_misgiven",
    "errors_misused",
    "errors_no_gradient",
    "errors_no_graph",
    "errors_not_finite",
    "errors_not_imported",
    "errors_nothing_learns",
    "errors_of_another",
    "errors_of_comma",
    "errors_of_python",
    "errors_plain_number",
    "errors_recurrent",
    "errors_refusals",
    "errors_refusals_of_hooks",
    "errors_refusals_of_transforms",
    "errors_returned",
    "errors_roots",
    "errors_saved_detached",
    "errors_saved_modified",
    "errors_saved_tuple",
    "errors_second_backward",
    "errors_shapes",
    "errors_swapped",
    "errors_unused",
    "silent_arithmetic",
    "silent_asked_in_vain",
    "silent_before_skipped",
    "silent_born_infinite",
    "silent_born_nan",
    "silent_broadcast",
    "silent_clipped",
    "silent_collected",
    "silent_constant_gradient",
    "silent_constant_term",
    "silent_cut_fractions",
    "silent_cut_steps",
    "silent_diverged",
    "silent_drawn",
    "silent_dropping",
    "silent_flat_draws",
    "silent_growing",
    "silent_guards",
    "silent_hooked",
    "silent_hooks_pile",
    "silent_idle",
    "silent_ignored",
    "silent_in_vain",
    "silent_kept_elsewhere",
    "silent_lost_write",
    "silent_made_anew",
    "silent_misnamed",
    "silent_missing",
    "silent_moving_target",
    "silent_moving_views",
    "silent_nameless",
    "silent_never_stepped",
    "silent_no_backward",
    "silent_no_curvature",
    "silent_old_graph",
    "silent_only_named",
    "silent_piled",
    "silent_pure_calls",
    "silent_rebound",
    "silent_reentrant",
    "silent_same_memory",
    "silent_same_model",
    "silent_second_order",
    "silent_squashed",
    "silent_stale",
    "silent_thrown_away",
    "silent_turned_round",
    "silent_unreached",
    "silent_unrecorded",
    "silent_untouched",
    "silent_withheld",
    "silent_zero_derivative",
    "mending_activations",
    "mending_attributes",
    "mending_built",
    "mending_calling",
    "mending_choices",
    "mending_collected",
    "mending_composed",
    "mending_contexts",
    "mending_copied",
    "mending_copies",
    "mending_data",
    "mending_demands",
    "mending_derived_attributes",
    "mending_detaching",
    "mending_distributions",
    "mending_fitting",
    "mending_formulas",
    "mending_fractions",
    "mending_functional_updates",
    "mending_functions",
    "mending_gates",
    "mending_gradient_shapes",
    "mending_gradients",
    "mending_graphs",
    "mending_hooks",
    "mending_inner_loops",
    "mending_kept_states",
    "mending_layers",
    "mending_loading",
    "mending_mapped",
    "mending_matrices",
    "mending_misgiven",
    "mending_misused",
    "mending_modes",
    "mending_moved_out",
    "mending_not_numbers",
    "mending_numbers",
    "mending_of_python",
    "mending_out_of_place",
    "mending_places",
    "mending_rebound",
    "mending_recomputed",
    "mending_recorded",
    "mending_recurrent",
    "mending_references",
    "mending_reshaped",
    "mending_rounded",
    "mending_setting_up",
    "mending_sizes",
    "mending_softened",
    "mending_squashed",
    "mending_steps",
    "mending_tracking",
    "mending_transforms",
    "mending_unread",
    "mending_values",
    "mending_weights",
    "mending_windows",
    "mending_writes",
    "mending_wrong_tensor",
]
