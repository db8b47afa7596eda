"""Whether an optimizer was given a tensor, as far as the text of the program tells."""

from __future__ import annotations

import ast
import re
from typing import TypeGuard

from .replay.states import TensorState
from .replay.world import World

OPTIMIZERS = "SGD ASGD Adam AdamW Adamax NAdam RAdam SparseAdam Adadelta Adagrad RMSprop Rprop LBFGS"
MAKERS = re.compile(rf"(?:\boptim\.\w+|^(?:{'|'.join(OPTIMIZERS.split())}))$")
"""How programs write what makes an optimizer."""
NO_PART = frozenset({"self", "parameters", "named_parameters"})


def may_be_optimized(world: World, tensor: TensorState, known: bool = False) -> bool:
    """Whether some optimizer of the program may have `tensor`; where its text does not tell which it has: yes, or no
    if only what is `known` counts."""
    own = [re.findall(r"\w+", name) for _, name in tensor.names] or [re.findall(r"\w+", tensor.called or "")]
    return any(within(path, parts) for path in given_paths(world) if path or not known for parts in own)


def within(path: list[str], parts: list[str]) -> bool:
    """Whether `path` is a stretch of `parts`: `enc` of `model.enc.weight`."""
    return any(parts[at : at + len(path)] == path for at in range(len(parts) - len(path) + 1))


def given_paths(world: World) -> list[list[str]]:
    """What the makings of optimizers name: `["net"]` of `SGD(net.parameters(), lr=0.1)`; [] for what is not known."""
    tree = world.source.tree
    calls = makings(tree)
    makers: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for goal in node.targets:
                makers.setdefault(ast.unparse(goal), []).append(node.value)
    arguments = {arg.arg for node in ast.walk(tree) if makes_optimizer(node) for arg in node.args.args} - {"self"}
    todo: list[ast.expr] = [
        part for call in calls for part in (*call.args[:1], *(word.value for word in call.keywords))
    ]
    seen: set[str] = set()
    for part in todo:
        for path in paths(part):
            seen.add(path)
            todo += makers.pop(path, [])
    return [
        [] if path.split(".")[0] in arguments else [name for name in path.split(".") if name not in NO_PART]
        for path in seen
    ]


def makings(tree: ast.AST) -> list[ast.Call]:
    """The calls that make optimizers."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and MAKERS.search(ast.unparse(node.func))]


def optimizers(tree: ast.AST) -> list[str]:
    """What the program calls its optimizers."""
    made = {id(call) for call in makings(tree)}
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and id(node.value) in made]
    return list(dict.fromkeys(ast.unparse(goal) for node in assigned for goal in node.targets))


def makes_optimizer(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.Lambda]:
    """Whether `node` is a function that makes one: what it is given may be anything."""
    return isinstance(node, ast.FunctionDef | ast.Lambda) and bool(makings(node))


def paths(part: ast.expr) -> list[str]:
    """The names and paths of names in `part`, such as `net.parameters`, each as a whole."""
    if isinstance(part, ast.Name | ast.Attribute):
        return [ast.unparse(part)]
    return [path for inner in ast.iter_child_nodes(part) for path in paths(inner)]  # type: ignore[arg-type]
