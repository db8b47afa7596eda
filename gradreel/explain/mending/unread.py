"""Mends for settings under a name that nobody reads: the name that is read, or where the optimizer keeps it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.proposal import FREE, Proposal, Wanted
from ..fixes.registry import fix
from ..unread import FLAG, GROUPS, IN_GROUPS, Unread, unread

SET = "it has the effect that it was written for"


@fix(unread_setting=1)
def as_it_is_read(wanted: Wanted) -> Iterator[Proposal]:
    """`p.require_grad = False` becomes `p.requires_grad = False`; a module's parameters are told by a method."""
    for setting in unread(wanted.text.tree):
        if setting.line == wanted.line("built"):
            yield from meant(wanted, setting, wanted.name("how") == "module")


def of_data(wanted: Wanted) -> Iterator[Proposal]:
    """A backward that finds no graph: the flag was set under another name."""
    for setting in unread(wanted.text.tree):
        if setting.meant == FLAG and setting.flag and setting.attribute != FLAG:
            yield from meant(wanted, setting, False)


def meant(wanted: Wanted, setting: Unread, whole: bool) -> Iterator[Proposal]:
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
