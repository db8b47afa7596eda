"""A module left in the mode of evaluation: what it does in training only is left out, and what that trains gets no
gradient."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gradreel.trace import events as e

from ...calls import callee
from ...fixes.edits import arguments_of, enclosing
from ...fixes.proposal import FixContext, Proposal
from ...fixes.registry import fix
from ...fixes.text import Text
from ...narration.words import code, on
from ...replay.states import TensorState
from ...replay.world import World


@dataclass(frozen=True, slots=True)
class LeftInEval:
    """The call that switched to evaluation, with its line and event, and the line that asks for the mode."""

    call: ast.Call
    line: int
    event: int
    asked: int

    @property
    def story(self) -> tuple[str, ...]:
        return (
            f"{code(ast.unparse(self.call))} {on(self.line)} switched to evaluation, and nothing switched back to "
            "training.",
            f"Since then `training` is False {on(self.asked)}, and what stands there for training only is left out.",
        )


def left_in_eval(world: World, goal: TensorState) -> LeftInEval | None:
    """Where the mode was left switched, if the text uses what `goal` belongs to in training only."""
    parts = {part for _, name in goal.names for part in re.findall(r"\w+", name) if not part.isdigit()}
    asked = next((line for line, used in trained_only(world.source.tree) if used & parts), None)
    if asked is None:
        return None
    switches = [(call, switched_to(call)) for call in world.source.nodes if isinstance(call, ast.Call)]
    known = [(call, mode) for call, mode in switches if mode is not None]
    last: tuple[ast.Call, int, bool] | None = None
    for number, event in enumerate(world.trace.events[: world.count]) if known else ():
        if isinstance(event, e.LineReached):
            for call, mode in known:
                if event.line <= call.lineno <= event.end_line:
                    last = call, number, mode
    return LeftInEval(last[0], last[0].lineno, last[1], asked) if last is not None and not last[2] else None


def switched_to(call: ast.AST) -> bool | None:
    """The mode that `call` switches a module to: True is training; None for other calls."""
    name = callee(call)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or name not in ("train", "eval"):
        return None
    if name == "eval":
        return False if not call.args else None
    given = [*call.args, *(word.value for word in call.keywords)]
    if not given:
        return True
    return given[0].value if isinstance(given[0], ast.Constant) and isinstance(given[0].value, bool) else None


def trained_only(tree: ast.AST) -> Iterator[tuple[int, frozenset[str]]]:
    """The lines that ask whether it is training, with the attributes that are used only then."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.If | ast.IfExp):
            continue
        test, negated = node.test, isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        if not any(isinstance(part, ast.Attribute) and part.attr == "training" for part in ast.walk(test)):
            continue
        branch = node.orelse if negated else node.body
        rest = following(tree, node) if negated and isinstance(node, ast.If) and not node.orelse else []
        chosen = [*(branch if isinstance(branch, list) else [branch]), *rest]
        used = {part.attr for one in chosen for part in ast.walk(one) if isinstance(part, ast.Attribute)}
        yield node.lineno, frozenset(used - {"training"})


def following(tree: ast.AST, node: ast.If) -> list[ast.stmt]:
    """What comes after `if not self.training: return …`."""
    if not isinstance(node.body[-1], ast.Return):
        return []
    for outer in ast.walk(tree):
        body = getattr(outer, "body", None)
        if isinstance(body, list) and node in body:
            return list(body[body.index(node) + 1 :])
    return []


# ---- fixes


AS_IN_TRAINING = "dropout and batch norm work as in training, too"


@fix(left_in_eval=1)
def train_again(wanted: FixContext) -> Iterator[Proposal]:
    """Each turn of the loop that evaluates begins in training; without such a loop, evaluation ends in it."""
    text, line = wanted.text, wanted.line("cut")
    calls = [call for call in text.parts(text.tree, ast.Call) if call.lineno == line and switched_to(call) is False]
    if not calls or not isinstance(calls[0].func, ast.Attribute):
        return
    for name, statement in seen_by_callers(wanted, calls[0], calls[0].func.value):
        loop, home = text.loop(statement), enclosing(text, statement, ast.FunctionDef)
        if loop is not None and home is enclosing(text, loop, ast.FunctionDef):
            title = f"{name}.train() at the top of each turn, before line {loop.body[0].lineno}"
            again = wanted.proposal(title, AS_IN_TRAINING, text.before(loop.body[0], [f"{name}.train()"]))
            yield replace(again, decisive=True)
    for name, statement in list(seen_by_callers(wanted, calls[0], calls[0].func.value))[-1:]:
        title = f"{name}.train() after line {statement.end_lineno}: evaluation is over"
        yield wanted.proposal(
            title, "dropout and batch norm work as in training, too", text.after(statement, [f"{name}.train()"])
        )


def seen_by_callers(wanted: FixContext, call: ast.Call, owner: ast.expr) -> Iterator[tuple[str, ast.stmt]]:
    """What is switched, by its name there, and the statement that leads to it: innermost first."""
    text: Text = wanted.text
    statement, lines = text.statement(call.lineno), list(wanted.found.stacks.get("cut", ()))
    name = text.get(owner)
    for line in [*reversed(lines[:-1]), None]:
        if statement is None:
            return
        yield name, statement
        home = enclosing(text, statement, ast.FunctionDef)
        statement = text.statement(line) if line is not None else None
        if not isinstance(home, ast.FunctionDef) or statement is None:
            return
        for used in text.calls(statement, home.name):
            for parameter, value in arguments_of(home, used):
                if re.match(rf"{parameter}\b", name):
                    name = text.get(value) + name[len(parameter) :]
                    break
