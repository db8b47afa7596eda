"""Which tensors a statement speaks of, in the order in which it names them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..narration.words import code, during, on
from ..replay.states import TensorState
from ..replay.world import World
from .diagnosis import Failure

PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:\d+|'\w+')\])*")
ENTRY = re.compile(r"([A-Za-z_]\w*)\[(?:\d+|'\w+')\]")
PLAIN = re.compile(r"\d+|'\w+'")
PARTS = re.compile(r"[.\[]")


def raising_statement(world: World, failure: Failure) -> str:
    """The statement that raised, on one line."""
    line = failure.raised.line
    return world.source.statement(line, world.ends.get(line))


def raising_code(world: World, failure: Failure) -> str:
    """As `statement`, shortened if long."""
    line = failure.raised.line
    return world.source.text(line, world.ends.get(line))


def begin_story(world: World, failure: Failure) -> str:
    """How a story of what was raised begins: the statement, its line, the turn."""
    return f"{code(raising_code(world, failure))} {on(failure.raised.line)}{during(world.place)}"


def find_mentioned(world: World, text: str) -> Iterator[tuple[str, TensorState]]:
    """The tensors that `text` names, each with the name: `net.weight` for net.weight.grad."""
    seen: set[str] = set()
    text = by_number(world, text)
    for found in PATH.finditer(text):
        path = found.group()
        while path and path not in seen:
            seen.add(path)
            tensor = stands_for(world, path)
            if tensor is not None:
                yield path, tensor
                break
            cut = [match.start() for match in PARTS.finditer(path)]
            path = path[: cut[-1]] if cut else ""
        if not path and text.startswith("[", found.end()):
            yield from entries(world, found.group())  # any of it may be meant by an index that is computed


def entries(world: World, text: str) -> list[tuple[str, TensorState]]:
    """The tensors in the lists and dicts that `text` names: `items[0]` and `items[1]` for items."""
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    known = dict.fromkeys([*world.lately, *(name for names in world.names_in.values() for name in names)])
    parts = [name for name in known if (found := ENTRY.fullmatch(name)) and found.group(1) in words]
    pairs = [(name, stands_for(world, name)) for name in parts]
    return [(name, tensor) for name, tensor in pairs if tensor is not None]


def by_number(world: World, text: str) -> str:
    """`text` with what its indices stand for: `batch['ids']` for `batch[name]`."""

    def known(found: re.Match[str]) -> str:
        for names in (world.names_in.get(world.scope, {}), world.names_in.get(0, {})):
            bound = names.get(found.group(1))
            if bound is not None and bound.tensor is None and PLAIN.fullmatch(bound.text):
                return f"[{bound.text}]"
        return found.group()

    return re.sub(r"\[([A-Za-z_]\w*)\]", known, text)


def stands_for(world: World, name: str) -> TensorState | None:
    """The tensor that `name` stands for where the program is, or stood for in the function that an error ended."""
    number = world.lately.get(name)
    if number is None:
        scopes = sorted((scope for scope, names in world.names_in.items() if name in names), reverse=True)
        scope = world.scope if world.scope in scopes else 0 if 0 in scopes else scopes[0] if scopes else None
        number = world.names_in[scope][name].tensor if scope is not None else None
    return world.tensors.get(number) if number is not None else None
