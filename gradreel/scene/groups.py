"""Groups: the tree of calls, loop iterations and lines that boxes are folded by."""

from __future__ import annotations

from collections import defaultdict

from gradreel.explain import Frame, Place, Turn, World

from .model import Group

OWN = "self."
CROWD = 3
"""A line that built so many nodes in one place gets a group of its own."""


class Groups:
    def __init__(self, world: World) -> None:
        self._world = world
        self.made: list[Group] = []
        self._known: dict[tuple[str | None, object], Group] = {}
        self._members: dict[tuple[str | None, int], list[int]] = defaultdict(list)
        self._of: dict[int, str | None] = {}
        self.selves: dict[int, tuple[str, int]] = {}
        """By scope a tensor of the module whose `forward` runs in it, and what that is called there."""
        self._way: tuple[object, str | None, str | None] = ((), None, None)
        """The calls and iterations that a node was put into last, their group and the title of the iteration."""

    def place(self, node: int, place: Place, call: int | None) -> str | None:
        """Put `node` where it was built; the title of the innermost iteration, if any."""
        around, parent, title = self._way
        if around is not place.around:
            parent, title = self._into(place.around)
            self._way = place.around, parent, title
        if call is not None:
            parent = self._group(parent, call).id
        self._of[node] = parent
        self._members[parent, place.line].append(node)
        return title

    def _into(self, around: tuple[Turn | Frame, ...]) -> tuple[str | None, str | None]:
        """The innermost group of `around`, and the title of the innermost iteration."""
        parent: str | None = None
        title: str | None = None
        for part in around:
            group = self._group(parent, part)
            parent = group.id
            title = group.title if isinstance(part, Turn) else title
            if isinstance(part, Frame) and part.function == "forward" and part.scope not in self.selves:
                self._look_for_module(part.scope)
        return parent, title

    def _look_for_module(self, scope: int) -> None:
        for name, bound in self._world.names_in.get(scope, {}).items():
            if name.startswith(OWN) and bound.tensor is not None:
                self.selves[scope] = name.removeprefix(OWN), bound.tensor
                return

    def _group(self, parent: str | None, part: Turn | Frame | int) -> Group:
        group = self._known.get((parent, part))
        if group is None:
            group = self._known[parent, part] = self._make(parent, part)
        return group

    def _make(self, parent: str | None, part: Turn | Frame | int) -> Group:
        if isinstance(part, Turn):
            title = self._world.loop_value(part) or f"iteration {part.number}"
            return self._add("iteration", title, part.line, parent)
        if isinstance(part, Frame):
            return self._add("frame", f"{part.function}()", part.line, parent)
        call = self._world.calls[part]
        return self._add("call", f"made by {call.text}", call.place.line, parent)

    def _add(self, kind: str, title: str, line: int, parent: str | None) -> Group:
        group = Group(f"g{len(self.made)}", kind, title, line, parent)
        self.made.append(group)
        return group

    def settle(self) -> dict[int, str | None]:
        """The group of each node: crowded lines get theirs now, and a leaf goes where all that use it are."""
        for (parent, line), nodes in self._members.items():
            if len(nodes) >= CROWD:
                group = self._add("line", f"line {line}", line, parent)
                self._of.update(dict.fromkeys(nodes, group.id))
        parents = {group.id: group.parent for group in self.made}
        common: dict[int, str | None] = {}
        for number in self._of:
            for target, _ in self._world.nodes[number].edges:
                if target is not None and self._world.nodes[target].variable is not None:
                    here = self._of[number]
                    common[target] = common_group(parents, common[target], here) if target in common else here
        return {**self._of, **common}


def common_group(parents: dict[str, str | None], one: str | None, two: str | None) -> str | None:
    """The innermost group that contains both."""
    above = set()
    while one is not None:
        above.add(one)
        one = parents[one]
    while two is not None and two not in above:
        two = parents[two]
    return two
