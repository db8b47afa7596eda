"""Post-mortems: for each kind of error a module that tells how it came about, or None if it is not of that kind."""

from __future__ import annotations

from collections.abc import Callable

from ..diagnostics.diagnosis import Diagnosis, Failure
from ..replay.world import World
from .at_nodes import hook_shaped, nan_found, no_derivative, once_only
from .attributes import attribute_missing, key_missing
from .built import built_wrongly
from .calling import wrongly_called
from .coarse_steps import coarse_steps
from .contract import contract
from .data import data_refused
from .demands import demanded
from .distributions import chance_refused
from .dtypes import dtype_mixed
from .function_misused import function_misused
from .indices import place_missing
from .inplace import inplace_refused
from .loading import state_refused
from .loss_class import loss_class
from .lost_parameters import parameter_lost
from .mapped import mapped_wrongly
from .matrices import matrix_refused
from .misgiven import misgiven
from .misused import misused
from .no_gradient import no_gradient
from .no_graph import no_graph
from .not_finite import not_finite
from .not_imported import not_imported
from .nothing_learns import nothing_learns
from .of_another import of_another
from .of_comma import of_comma
from .of_python import of_python
from .plain_number import plain_number
from .recurrent import state_alone
from .refused import refused
from .returned import nothing_returned
from .roots import root_refused
from .saved_detached import saved_detached
from .saved_modified import saved_modified
from .saved_tuple import saved_tuple
from .second_backward import second_backward
from .shapes import shapes_differ
from .swapped import swapped
from .unused import unused

POSTMORTEMS: tuple[Callable[[World, Failure], Diagnosis | None], ...] = (
    second_backward,
    saved_modified,
    saved_detached,
    inplace_refused,
    coarse_steps,
    function_misused,
    contract,
    root_refused,
    no_graph,
    unused,
    nothing_returned,
    of_comma,
    plain_number,
    no_gradient,
    saved_tuple,
    loss_class,
    demanded,
    chance_refused,
    matrix_refused,
    mapped_wrongly,
    data_refused,
    built_wrongly,
    state_alone,
    place_missing,
    hook_shaped,
    nan_found,
    state_refused,
    not_finite,
    swapped,
    shapes_differ,
    dtype_mixed,
    once_only,
    no_derivative,
    nothing_learns,
    parameter_lost,
    refused,
    of_another,
    misgiven,
    not_imported,
    misused,
    of_python,
    wrongly_called,
    attribute_missing,
    key_missing,
)
"""Tried in order; the first that gives a diagnosis is believed."""
