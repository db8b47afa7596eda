"""What a backward call will reach: the nodes below its roots, and how many gradients each of them waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .states import NodeState


def arrivals(nodes: Mapping[int, NodeState], roots: Sequence[int], goals: set[int | None]) -> dict[int, int]:
    """The nodes that a call from `roots` will run, each with the number of gradients that come to it.

    With `goals`, only those on the way to one of them.
    """
    order: list[int] = []
    seen = set(roots)
    todo = list(seen)
    while todo:
        number = todo.pop()
        order.append(number)
        for target, _ in nodes[number].edges:
            if target is not None and target not in seen:
                seen.add(target)
                todo.append(target)
    wanted = leading_to(goals, nodes, order) if goals else seen
    expected = {number: roots.count(number) for number in order if number in wanted}
    for number in expected:
        for target, _ in nodes[number].edges:
            if target in expected:
                expected[target] += 1
    return expected


def leading_to(goals: set[int | None], nodes: Mapping[int, NodeState], reachable: Sequence[int]) -> set[int]:
    """Those of `reachable` from which one of `goals` can be reached, that one included."""
    callers: dict[int, list[int]] = {}
    for number in reachable:
        for target, _ in nodes[number].edges:
            if target is not None:
                callers.setdefault(target, []).append(number)
    wanted = {goal for goal in goals if goal is not None}
    todo = list(wanted)
    while todo:
        for number in callers.get(todo.pop(), ()):
            if number not in wanted:
                wanted.add(number)
                todo.append(number)
    return wanted
