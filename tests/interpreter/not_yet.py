"""Recorded programs that do not do here what they do in PyTorch yet, by what the engine lacks."""

MISSING: dict[str, tuple[str, ...]] = {}

NOT_YET = {name: reason for reason, names in MISSING.items() for name in names}

NOT_YET_ALIVE = {
    "111_batched_flag_with_one_vector.fixed2": "torch keeps the graph of a batched gradient in one piece",
}
