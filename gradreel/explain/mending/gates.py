"""Mends for a gate that only picks: its chance is multiplied into what was picked, and so gets a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..calls import callee, keyword
from ..fixes.edits import enclosing, grouped, loads
from ..fixes.proposal import Proposal, Wanted
from ..fixes.text import Edit, Text, names_in, targets
from .rounded import is_chance
from .softened import of_argmax, of_topk

SCALED = "what is picked is scaled by its chance, as gates are trained"


@dataclass(frozen=True, slots=True)
class Pick:
    """The line that picks the largest of `scores`: what it calls the `place`, and the `chance` once it is edited."""

    home: ast.FunctionDef
    statement: ast.Assign
    place: str
    chance: str
    edits: tuple[Edit, ...]


def multiply_by_chance(wanted: Wanted) -> Iterator[Proposal]:
    """What the picked expert gives is multiplied by the chance of the pick: `top_p.unsqueeze(-1) * expert(x)`."""
    text, pick = wanted.text, find_pick(wanted)
    if pick is None:
        return
    for use in [use for use in loads(pick.home, pick.place) if use.lineno > pick.statement.lineno]:
        loop = find_expert_loop(text, use)
        if loop is not None:
            for name in filled_names(text, loop, pick.home):
                title = f"multiply {name} by the chance of the pick, {pick.chance}, after line {loop.end_lineno}"
                line = f"{name} = {name} * {pick.chance}"
                yield wanted.proposal(title, SCALED, *pick.edits, text.after(loop, [line]))
        row = next((outer for outer in text.around(use) if isinstance(outer, ast.Subscript)), None)
        if row is None or use not in ast.walk(row.slice):
            continue
        outer = text.parents.get(row)
        whole = outer if isinstance(outer, ast.Call) and outer.func is row else row
        made = f"{pick.chance} * {text.get(whole)}"
        plain = isinstance(text.parents.get(whole), ast.Assign | ast.Return | ast.Call)
        title = f"multiply {text.get(whole)} by the chance of the pick, {pick.chance}, on line {whole.lineno}"
        edit = text.replaced(whole, made if plain else f"({made})")
        yield wanted.proposal(title, SCALED, *pick.edits, edit)


def find_pick(wanted: Wanted) -> Pick | None:
    """`idx = scores.argmax(dim)`, or what `max` and `topk` give, where the graph ends."""
    text, statement = wanted.text, wanted.at("cut")
    home = enclosing(text, statement, ast.FunctionDef) if statement is not None else None
    calls = text.calls(statement, "argmax", "max", "topk")
    if not isinstance(statement, ast.Assign) or not isinstance(home, ast.FunctionDef) or not calls:
        return None
    call, goal = calls[0], statement.targets[0]
    scores, dim = of_argmax(text, call)
    if callee(call) == "topk":
        dim = of_topk(text, call)[1]
    if scores is None:
        return None
    if isinstance(goal, ast.Name) and dim is None and callee(call) == "argmax":
        soft = text.get(scores) if is_chance(text, scores) else f"torch.softmax({text.get(scores)}, dim=-1)"
        return Pick(home, statement, goal.id, f"{soft}[{goal.id}]", ())
    if dim is None:
        return None
    wide = callee(call) == "topk" or keyword(call, "keepdim") is not None
    softened = f"{grouped(text, scores)}.softmax(dim={text.get(dim)})"
    softening = () if is_chance(text, scores) else (text.replaced(scores, softened),)
    if isinstance(goal, ast.Tuple) and len(goal.elts) == 2 and statement.value is call:
        chance, place = (part.id if isinstance(part, ast.Name) else "" for part in goal.elts)
        edits = softening
        if not chance or loads(home, chance) and not chance.strip("_"):
            return None
        if not chance.strip("_"):
            chance, edits = "chance", (*edits, text.replaced(goal.elts[0], "chance"))
    elif isinstance(goal, ast.Name) and not wide:
        place, chance = goal.id, "chance"
        shown = softened if softening else grouped(text, scores)
        whole = f"chance, {place} = {shown}.max(dim={text.get(dim)})"
        edits = (text.replaced(statement, whole),)
    else:
        return None
    return Pick(home, statement, place, chance if wide else f"{chance}.unsqueeze(-1)", edits)


def find_expert_loop(text: Text, use: ast.expr) -> ast.For | None:
    """The loop over experts whose number `use` is compared with: `idx == k`."""
    test, loop = text.parents.get(use), text.loop(use)
    number = names_in(loop.target) if isinstance(loop, ast.For) else set()
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return None
    return loop if isinstance(loop, ast.For) and names_in(test) & number else None


def filled_names(text: Text, loop: ast.For, home: ast.FunctionDef) -> list[str]:
    """What `loop` fills that was made before it, and is used behind it."""
    filled: dict[str, None] = {}
    for part in text.parts(loop, ast.Assign):
        goal = part.targets[0]
        filled |= dict.fromkeys(
            [goal.value.id] if isinstance(goal, ast.Subscript) and isinstance(goal.value, ast.Name) else targets(part)
        )
    for added in text.parts(loop, ast.AugAssign):
        filled |= dict.fromkeys(sorted(names_in(added.target) - names_in(loop.target)))
    for call in text.parts(loop, ast.Call):
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr.endswith("_")
            and isinstance(call.func.value, ast.Name)
        ):
            filled[call.func.value.id] = None
    before = {name for part in text.parts(home, ast.Assign) if part.lineno < loop.lineno for name in targets(part)}
    later = [part for part in text.parts(home, ast.Name) if part.lineno > (loop.end_lineno or 0)]
    return [name for name in filled if name in before and any(part.id == name for part in later)]
