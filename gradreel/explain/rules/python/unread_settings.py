"""Settings under names that nobody reads: `p.require_grad = False` makes an attribute and no difference."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradreel.trace import events as e
from gradreel.trace.events import Event

from ...calls import callee
from ...diagnostics.diagnosis import Diagnosis, known_names
from ...diagnostics.mentions import stands_for
from ...diagnostics.registry import Watcher, watcher
from ...fixes.proposal import FREE, FixContext, Proposal
from ...fixes.registry import fix
from ...narration.program_layers import parts_of
from ...narration.words import code, on
from ...optimizers import optimizers
from ...replay.states import TensorState
from ...replay.world import World
from ...source import nodes_of

FLAG, GRADIENT, GROUPS = "requires_grad", "grad", "param_groups"

OTHERWISE = {
    **dict.fromkeys(("trainable", "is_trainable", "frozen_grad"), FLAG),
    **dict.fromkeys(("grads", "gradient", "gradients"), GRADIENT),
}
"""What other libraries, or people, call it."""

IN_GROUPS = {"lr": "lr", "learning_rate": "lr", "momentum": "momentum", "weight_decay": "weight_decay"}
"""What an optimizer keeps for each group of its parameters, by what it is called when it is set on the optimizer."""


@dataclass(frozen=True, slots=True)
class Unread:
    """`owner.attribute = value` on `line`, where `meant` is what would be read."""

    line: int
    owner: str
    attribute: str
    meant: str
    value: ast.expr

    @property
    def flag(self) -> bool | None:
        """What the flag is to be, if it is said in so many words."""
        plain = self.value.value if isinstance(self.value, ast.Constant) else None
        return bool(plain) if isinstance(plain, bool | int) else None


def unread(tree: ast.AST) -> Iterator[Unread]:
    """The settings that `tree` makes and nothing in it reads."""
    nodes = nodes_of(tree)
    if not any(map(may_be_unread, nodes)):
        return
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)]
    read, paths = {node.attr for node in attributes}, {ast.unparse(node) for node in attributes}
    read |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    read |= {
        part.value
        for node in nodes
        if callee(node) in ("getattr", "hasattr", "setattr")
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    own = optimizers(tree)
    for node in nodes:
        goal = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(goal, ast.Attribute) or ast.unparse(goal) in paths:
            continue
        owner, attribute = ast.unparse(goal.value), goal.attr
        if owner in own:
            meant = GROUPS if attribute in IN_GROUPS else None
        elif attribute == FLAG:
            meant = FLAG
        else:
            meant = None if attribute in read else near(attribute)
        if meant is not None:
            yield Unread(node.lineno, owner, attribute, meant, node.value)


def may_be_unread(node: ast.AST) -> bool:
    """Whether `node` sets an attribute of such a name, on whatever it be."""
    goal = node.targets[0] if isinstance(node, ast.Assign) else None
    if not isinstance(goal, ast.Attribute):
        return False
    return goal.attr == FLAG or goal.attr in IN_GROUPS or near(goal.attr) is not None


def near(attribute: str) -> str | None:
    """What of a tensor is meant by `attribute`, which is no attribute of it."""
    if attribute in OTHERWISE:
        return OTHERWISE[attribute]
    alike = difflib.SequenceMatcher(None, attribute.lower(), FLAG).ratio()
    return FLAG if attribute != FLAG and alike >= 0.8 else None


@watcher(e.LineReached)
class Misnamed(Watcher):
    """Looks at such settings where they are reached: whether what was to be set is otherwise, and stays so."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.settings: dict[int, Unread] = {}
        for setting in unread(world.source.tree):
            self.settings.setdefault(setting.line, setting)
        self.reached: list[tuple[Unread, int, list[TensorState], bool]] = []

    def subscriptions(self) -> dict[type[Event], Callable[[Any], None]]:
        return {e.LineReached: self.on_line_reached} if self.settings else {}

    def on_line_reached(self, event: e.LineReached) -> None:
        setting = self.settings.get(event.line)
        if setting is None or len(self.reached) > 20:
            return
        tensor = stands_for(self.world, setting.owner)
        parts = [tensor] if tensor is not None else parts_of(self.world, setting.owner)
        whole = tensor is None
        if setting.meant == GROUPS:
            self.reached.append((setting, self.world.count - 1, [], whole))
        elif setting.meant == GRADIENT and tensor is not None and tensor.grad is not None:
            self.reached.append((setting, self.world.count - 1, parts, whole))
        elif setting.meant == FLAG and (whole or setting.attribute != FLAG) and setting.flag is not None:
            leaves = [part for part in parts if part.node is None and part.requires_grad != setting.flag]
            self.reached += [(setting, self.world.count - 1, leaves, whole)] if leaves else []

    def report(self) -> list[Diagnosis]:
        for setting, number, parts, whole in self.reached:
            if setting.meant != FLAG or any(part.requires_grad != setting.flag for part in parts):
                return [setting_diagnosis(self.world, setting, number, whole)]
        return []


def setting_diagnosis(world: World, setting: Unread, number: int, whole: bool) -> Diagnosis:
    said, owner = code(world.source.text(setting.line)), code(setting.owner)
    story = [
        f"{said} {on(setting.line)} gives {owner} an attribute `{setting.attribute}`. Python takes any name there, and "
        "nothing in PyTorch reads this one."
    ]
    if setting.meant == GROUPS:
        key = IN_GROUPS[setting.attribute]
        story.append(
            f"An optimizer takes its steps with what stands in its groups of parameters, `param_groups`: there `{key}` "
            "is as it was."
        )
    elif setting.meant == GRADIENT:
        story.append(f"The gradient is `{setting.owner}.grad`: it stays, and the next backward adds to it.")
    elif whole:
        story.append(
            f"Each parameter of {owner} has a flag of its own, which stays {not setting.flag}; `requires_grad_()` of a "
            "module reaches them all."
        )
    else:
        then = "nothing is recorded for its sake" if setting.flag else "gradients for it are computed as before"
        story.append(f"`{setting.owner}.requires_grad` stays {not setting.flag}: {then}.")
    return Diagnosis(
        title="A setting that nobody reads",
        lines={"built": setting.line, "raised": None},
        story=tuple(story),
        events={"built": number},
        cause="unread_setting",
        names=known_names(target=setting.owner, what=setting.attribute, how="module" if whole else "tensor"),
    )


# ---- fixes


SET = "it has the effect that it was written for"


@fix(unread_setting=1)
def use_known_name(wanted: FixContext) -> Iterator[Proposal]:
    """`p.require_grad = False` becomes `p.requires_grad = False`; a module's parameters are told by a method."""
    for setting in unread(wanted.text.tree):
        if setting.line == wanted.line("built"):
            yield from meant_setting(wanted, setting, wanted.name("how") == "module")


def of_data(wanted: FixContext) -> Iterator[Proposal]:
    """A backward that finds no graph: the flag was set under another name."""
    for setting in unread(wanted.text.tree):
        if setting.meant == FLAG and setting.flag and setting.attribute != FLAG:
            yield from meant_setting(wanted, setting, False)


def meant_setting(wanted: FixContext, setting: Unread, whole: bool) -> Iterator[Proposal]:
    text = wanted.text
    node = next(
        node
        for node in text.parts(text.tree, ast.Assign)
        if node.lineno == setting.line and node.value is setting.value
    )
    value = text.get(setting.value)
    made = f"{setting.owner}.{setting.meant} = {value}"
    if setting.meant == GROUPS:
        made = f'for group in {setting.owner}.param_groups: group["{IN_GROUPS[setting.attribute]}"] = {value}'
    elif whole:
        made = f"{setting.owner}.requires_grad_({value})"
    yield wanted.proposal(f"{made} on line {setting.line}", SET if whole else FREE, text.replaced(node, made))
