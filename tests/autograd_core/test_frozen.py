"""Objects made the quick way are those that the class itself makes."""

from dataclasses import FrozenInstanceError

import pytest

from autograd_core.events import NodeReady, SlotRead
from autograd_core.events.frozen_dataclass import maker
from autograd_core.events.snapshot import Value

MADE = [
    (NodeReady, 1, 2),
    (SlotRead, 3, "self", 0, None),
    (Value, (), "float32", 0.5, True, None, None, None, None, None),
]


@pytest.mark.parametrize("flight", MADE)
def test_what_is_made_is_what_the_class_makes(flight: tuple[object, ...]) -> None:
    kind, *fields = flight
    assert isinstance(kind, type)
    made, expected = maker(kind)(flight), kind(*fields)
    assert type(made) is kind and made == expected
    assert (repr(made), hash(made)) == (repr(expected), hash(expected))


def test_it_is_frozen() -> None:
    made = maker(NodeReady)((NodeReady, 1, 2))
    with pytest.raises(FrozenInstanceError):
        made.node = 3
    with pytest.raises(ValueError):
        maker(NodeReady)((NodeReady, 1))
