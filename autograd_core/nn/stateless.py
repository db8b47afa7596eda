"""A module called with other tensors in the place of its parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..ops.join import stack
from ..tensor.tensor import Tensor
from .module import Module
from .normalization import BatchNorm

Slot = tuple[dict[str, Any], str]


def slots(module: Module, prefix: str = "") -> Iterator[tuple[str, Slot]]:
    """Each parameter and buffer by its full name: the table that holds it, and its name there."""
    for table in (module._parameters, module._buffers):
        for name, tensor in table.items():
            if tensor is not None:
                yield prefix + name, (table, name)
    for name, child in module._modules.items():
        if child is not None:
            yield from slots(child, f"{prefix}{name}.")


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """`module(*args, **kwargs)` with the given tensors for its own, which it has back afterwards.

    Raises:
        ValueError: a name is given twice, or tied tensors are given different values.
        RuntimeError: names are missing or left over, and `strict`.
    """
    given = one_dict(parameter_and_buffer_dicts)
    places = dict(slots(module))
    if tie_weights:
        given = tie(places, given)
    if strict:
        check_names(module, places, given)
    for tensor in given.values():
        if not isinstance(tensor, Tensor | None):
            raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    before = []
    try:
        for name in given:
            if name in places:
                table, key = places[name]
                before.append((table, key, table[key]))
                table[key] = given[name]
            else:
                module.get_submodule(name.rpartition(".")[0])  # a name may be left over, not a module
        return module(*(args if isinstance(args, tuple) else () if args is None else (args,)), **(kwargs or {}))
    finally:
        for table, key, tensor in reversed(before):
            table[key] = tensor


def one_dict(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    if not isinstance(given, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(given)}"
        )
    if not all(isinstance(part, dict) for part in given):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for part in given for name in part]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for part in given for name, tensor in part.items()}


def tie(places: Mapping[str, Slot], given: dict[str, Any]) -> dict[str, Any]:
    """`given`, where a tensor that the module has under several names is given for all of them."""
    families: dict[int, list[str]] = {}
    for name, (table, key) in places.items():
        families.setdefault(id(table[key]), []).append(name)
    full = dict(given)
    for family in families.values():
        values = [given[name] for name in family if name in given]
        if len(values) > 1 and any(value is not values[0] for value in values):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(family)}, which are tied. Consider using "
                "tie_weights=False"
            )
        if values:
            full |= dict.fromkeys(family, values[0])
    return full


def check_names(module: Module, places: Mapping[str, Slot], given: Mapping[str, Any]) -> None:
    lines = []
    for what, names in (("Unexpected", set(given) - set(places)), ("Missing", set(places) - set(given))):
        if names:
            lines.append(f"{what} key(s): {', '.join(map(repr, sorted(names)))}.")
    if lines:
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(lines))


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several models alike, stacked by name.

    Raises:
        RuntimeError: there are none, or they are not alike.
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return (
        {name: stack_all([p[name] for p in parameters], name) for name in parameters[0]},
        {name: stack_all([b[name] for b in buffers], name) for name in buffers[0]},
    )


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Let the batch norms of `root` keep no running statistics, which vmap could not write. Gives `root`."""
    for module in root.modules():
        if isinstance(module, BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def stack_all(tensors: Sequence[Tensor], name: str) -> Tensor:
    flags = {tensor.requires_grad for tensor in tensors}
    if len(flags) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    whole: Tensor = stack([tensor.detach() for tensor in tensors])
    return whole.requires_grad_() if flags.pop() else whole
