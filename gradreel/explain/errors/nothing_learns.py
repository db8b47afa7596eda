"""An optimizer of what requires a gradient, in a program in which nothing does: all parameters were frozen."""

from __future__ import annotations

from ..diagnostics.diagnosis import Diagnosis, Failure, named
from ..diagnostics.mentions import begun
from ..diagnostics.registry import rule
from ..narration.words import count
from ..replay.states import TensorState
from ..replay.world import World

EMPTY = "optimizer got an empty parameter list"


@rule
def nothing_learns(world: World, failure: Failure) -> Diagnosis | None:
    frozen = all_frozen(world) if failure.raised.message == EMPTY else {}
    if not frozen:
        return None
    last = list(frozen)[-1]
    place, event = frozen[last].cut or (world.place, failure.number)
    title, names = "An optimizer without parameters", named(last=last.rpartition(".")[0])
    return Diagnosis(
        title=title,
        message=failure.raised.message,
        lines={"cut": place.line, "raised": failure.raised.line},
        story=(
            f"{begun(world, failure)} finds nothing to optimize: none of {count(len(frozen))} parameters wants a "
            "gradient.",
            f"**Line {place.line}** says that none is wanted for them. What is to learn is left out of that, or told "
            "otherwise behind it.",
        ),
        events={"cut": event, "raised": failure.number},
        cause="nothing_learns",
        names=names,
    )


def all_frozen(world: World) -> dict[str, TensorState]:
    """The parameters of modules by their names, if each of them was told to want no gradient."""
    bound = {name: found.tensor for names in world.names_in.values() for name, found in names.items() if "." in name}
    parts = {name: world.tensors[number] for name, number in bound.items() if number is not None}
    return parts if all(part.cut is not None and not part.requires_grad for part in parts.values()) else {}
