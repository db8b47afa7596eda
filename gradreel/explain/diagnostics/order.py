"""In which order the rules are asked, by their names."""

from __future__ import annotations

ERRORS: tuple[tuple[str, ...], ...] = (
    # who did it is seen in the trace: a node, a write, a Function of the program's own
    (
        *("second_backward", "saved_modified", "saved_detached", "inplace_refused"),
        *("function_misused", "coarse_steps"),
    ),
    # what a Function promises, and what a call starts from
    ("contract", "root_refused"),
    # the way to a root, and calls that torch refuses for what they are given
    (
        *("no_graph", "no_way_to_input", "nothing_returned", "of_comma", "plain_number", "no_gradient", "saved_tuple"),
        *("loss_class", "closure_missing", "transform_refused", "lengths_unsorted", "hooked_written", "loss_not_made"),
        *("batch_too_small", "checkpoint_refused", "chance_refused", "matrix_refused", "mapped_wrongly"),
        *("data_refused", "built_wrongly", "state_alone", "hook_shaped", "nan_found", "state_refused", "not_finite"),
        *("swapped_arguments", "once_only", "nothing_learns", "parameter_lost"),
    ),
    # what torch's message says of places, shapes and types
    ("place_missing", "shapes_differ", "dtype_mixed", "no_derivative", "refused_operation", "of_another"),
    # a value, a name or a use that is wrong whatever torch is
    ("misgiven", "not_imported", "wrong_use"),
    # what Python says, with the least that is known of it
    ("of_python", "wrongly_called", "attribute_missing", "key_missing"),
)
"""Level by level; the first rule that knows an error is believed. Two rules of one level never know the same error."""

SILENT = (
    # gradients that are missing, or go where they should not
    *("Missing", "ConstantTerm", "ConstantGradient", "Drawn", "CutSteps", "Nameless", "Stale"),
    # the loop that trains: what is clipped, emptied and stepped
    *("Exhausted", "ClippedEarly", "Idle", "NeverStepped", "NoBackward", "Untouched"),
    *("Broadcast", "OldGraph", "Piled", "SecondOrder", "NoCurvature", "SameModel", "Growing", "Collected"),
    *("Hooked", "HooksPile", "BornInfinite"),
    # names and objects that are not what they seem
    *("OnlyNamed", "InVain", "SameMemory", "MadeAnew", "Dropping", "Misnamed", "Rebound", "FlatDraws"),
    *("BornNan", "Diverged", "AskedInVain", "Unreached", "Ignored", "Unrecorded", "KeptElsewhere", "CutFractions"),
    # writes, copies and results that go nowhere
    *(
        "SameTarget",
        "MovingTarget",
        "MovingViews",
        "LostWrite",
        "ThrownAway",
        "PureCalls",
        "TurnedRound",
        "Squashed",
        "Withheld",
    ),
    *("ZeroDerivative", "Reentrant"),
)
"""The order in which silent troubles are told, where a run has several."""
