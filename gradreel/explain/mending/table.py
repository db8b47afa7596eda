"""Which mends are tried for which cause, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import (
    contexts,
    copies,
    formulas,
    fractions,
    functions,
    gradients,
    graphs,
    layers,
    not_numbers,
    setting_up,
    sizes,
    steps,
    tracking,
    values,
    writes,
    wrong_tensor,
)
from .proposal import Proposal, Wanted

Proposer = Callable[[Wanted], Iterator[Proposal]]

BY_CAUSE: dict[str, tuple[Proposer, ...]] = {
    "second_backward": (wrong_tensor.asked_last, graphs.used_up),
    "growing": (graphs.growing,),
    "collected": (graphs.unrecorded, graphs.growing),
    "saved_modified": (writes.saved_changed,),
    "step_between": (writes.stepped_between,),
    "stale": (writes.stale,),
    "leaf_inplace": (writes.leaf_changed,),
    "leaf_view": (writes.leaf_view_changed,),
    "no_grad_view": (writes.cloned_at_view, writes.out_of_place, writes.cloned_before, writes.under_no_grad),
    "many_views": (writes.view_changed,),
    "function_view": (writes.cloned_at_view, writes.cloned_before),
    "expanded": (writes.out_of_place, writes.cloned_at_view, writes.cloned_before),
    "out_argument": (writes.without_out,),
    "detach_view": (writes.out_of_place,),
    "no_graph": (tracking.cut_off,),
    "not_tracked": (tracking.cut_off, gradients.not_tracked),
    "lost": (tracking.cut_off,),
    "lost_unread": (tracking.cut_off,),
    "unused_silently": (wrong_tensor.unused_input,),
    "unrecorded": (tracking.write_recorded,),
    "gradient_ignored": (functions.gradient_multiplied, formulas.by_autograd),
    "inference": (wrong_tensor.no_inference,),
    "backward_result": (wrong_tensor.gradient_read,),
    "constant_term": (tracking.cut_off,),
    "unused": (wrong_tensor.unused_input,),
    "flag_on_result": (wrong_tensor.flag_on_result,),
    "numpy": (wrong_tensor.detached_numpy,),
    "optimize_result": (wrong_tensor.leaf_last,),
    "copy_result": (wrong_tensor.deep_copy,),
    "hook_on_result": (wrong_tensor.hook_on_result,),
    "not_leaf": (gradients.not_leaf,),
    "rebased": (gradients.rebased,),
    "too_early": (gradients.too_early,),
    "emptied": (gradients.emptied,),
    "not_used": (layers.called_too, gradients.not_used),
    "piled": (gradients.piled,),
    "idle": (gradients.emptied_later,),
    "second_order": (gradients.second_order,),
    "hooked": (gradients.hooked,),
    "nan": (not_numbers.nan_born,),
    "not_scalar": (values.not_scalar,),
    "function_not_scalar": (values.function_summed,),
    "gradient_shape": (values.gradient_shape,),
    "batched": (values.batched,),
    "whole_numbers": (values.whole_numbers,),
    "mixed": (values.mixed,),
    "range": (values.labels_in_range,),
    "past_the_end": (sizes.past_the_end,),
    "class_missing": (sizes.class_missing,),
    "row_missing": (sizes.row_missing,),
    "dimension_missing": (sizes.dimension_missing,),
    "one_of_many": (sizes.one_of_many,),
    "truth_of_many": (sizes.truth_of_many,),
    "index_type": (sizes.index_type,),
    "index_shape": (sizes.index_shape,),
    "no_return": (sizes.returned,),
    "no_parameters": (sizes.registered,),
    "gradient_count": (functions.gradient_count,),
    "gradient_of_shape": (functions.gradient_of_shape, formulas.by_autograd),
    "kept_on_context": (functions.saved_and_computed_again,),
    "no_super_init": (setting_up.super_called,),
    "not_called": (setting_up.method_called,),
    "listed_twice": (setting_up.listed_once,),
    "reentrant_grad": (setting_up.not_reentrant,),
    "diverged": (steps.smaller_steps,),
    "thrown_away": (steps.result_taken,),
    "generator_copied": (wrong_tensor.listed_copy,),
    "in_transform": (wrong_tensor.transformed,),
    "unregistered": (sizes.registered,),
    "untouched": (setting_up.optimizer_of_these,),
    "broadcast": (setting_up.in_one_shape,),
    "wrong_formula": (formulas.by_autograd,),
    "kept_elsewhere": (contexts.kept_on_context,),
    "cut_fractions": (fractions.in_floats,),
    "divided_whole": (fractions.true_division,),
    "moving_views": (copies.cloned_in_list,),
    "lost_write": (copies.written_by_index,),
    "no_metric": (setting_up.metric_given,),
    "contract": (
        functions.static,
        functions.kept_apart,
        functions.not_dirty,
        functions.all_gradients,
        functions.returned_tensors,
        formulas.by_autograd,
    ),
}
BY_KIND: dict[str, tuple[Proposer, ...]] = {
    "shape": (
        sizes.hook_keeps_shape,
        sizes.gradient_like,
        sizes.widened,
        sizes.deepened,
        sizes.fitted_view,
        sizes.joined_otherwise,
        sizes.added_up,
        sizes.of_matrices,
        setting_up.classes_second,
        setting_up.whole_batches,
        values.shapes,
    )
}
"""For causes that have no row of their own."""


def proposals(wanted: Wanted) -> Iterator[Proposal]:
    """The edits that may mend what was found, best first."""
    ways = BY_CAUSE.get(wanted.found.cause) or BY_KIND.get(wanted.found.kind, ())
    for way in ways:
        yield from way(wanted)
