"""Recorded programs that do not do here what they do in PyTorch yet, by what the engine lacks."""

MISSING: dict[str, tuple[str, ...]] = {
    "torch.func and torch.autograd.functional": (
        "175_deepcopy_of_a_generator.fixed",
        "183_functional_jacobian_and_hessian",
        "184_func_grad_of_grad",
        "186_forward_mode_for_each_sample",
        "240_functional_jacobian_under_vmap",
        "240_functional_jacobian_under_vmap.fixed",
    ),
    "torch.autograd.gradcheck": ("120_half_result_stored_on_ctx", "120_half_result_stored_on_ctx.fixed"),
}

NOT_YET = {name: reason for reason, names in MISSING.items() for name in names}

NOT_YET_ALIVE = {
    "111_batched_flag_with_one_vector.fixed2": "torch keeps the graph of a batched gradient in one piece",
}
