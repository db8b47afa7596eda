"""The compiler: each piece of syntax becomes a small function of the frame, once, before the program runs.

Two tables, EXPRESSIONS and STATEMENTS, say for each type of syntax node how. What is in no table does not run.

    an expression  ->  run(frame) -> its value
    a statement    ->  run(frame) -> None, or a Signal: how control leaves the statements around it

To add a piece of syntax, write a function that takes the compiler and the node and returns such a `run`, decorated
with `@compiles(ast.TheNode)`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gradreel.trace.events import LineReached

from ..engine.name_events import NoNameEvents
from ..machine import Machine
from ..refusal import Refusal
from ..runtime.values import Frame, Value
from .scopes import Scope, Scopes

Signal = str
BREAK, CONTINUE, RETURN = "break", "continue", "return"

Run = Callable[[Frame], Value]
Step = Callable[[Frame], Signal | None]
Way = TypeVar("Way", bound=Callable[..., Any])

EXPRESSIONS: dict[type[ast.AST], Callable[[Compiler, Any], Run]] = {}
STATEMENTS: dict[type[ast.AST], Callable[[Compiler, Any], Step]] = {}

WORDS: dict[type[ast.AST], str] = {
    ast.AsyncFunctionDef: "`async def`",
    ast.AsyncFor: "`async for`",
    ast.AsyncWith: "`async with`",
    ast.Await: "`await`",
    ast.Yield: "`yield` in this place",
    ast.YieldFrom: "`yield from` in this place",
}
INSTEAD: dict[type[ast.AST], str] = {
    **dict.fromkeys((ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith), "leave `async` out, as nothing waits here"),
    ast.Await: "leave `await` out, as nothing waits here",
}
"""What to write in the place of what is not compiled."""


def compiles(*kinds: type[ast.AST]) -> Callable[[Way], Way]:
    """Enters a function into the table of expressions or statements for syntax nodes of `kinds`."""

    def enter(way: Way) -> Way:
        for kind in kinds:
            (STATEMENTS if issubclass(kind, ast.stmt) else EXPRESSIONS)[kind] = way
        return way

    return enter


def late_hints(node: ast.stmt) -> bool:
    """Whether the statement leaves hints as texts."""
    return (
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
    )


class Compiler:
    """Compiles one program for one machine. `scope` is where the compiler is, `first` the line of the statement.

    With `module`, it is a library module: quiet, so that neither its lines nor its names are told.
    """

    def __init__(
        self,
        machine: Machine,
        name_events: NoNameEvents,
        tree: ast.Module,
        echo: Callable[[Value], None] | None,
        module: str | None = None,
    ) -> None:
        self.machine = machine
        self.name_events = name_events
        self.echo = echo
        self.quiet = module is not None
        self.module = module or "__main__"
        self.names = machine.names if module is None else {}
        """The variables of the program, or of the module."""
        self.trying = 0
        """How many `try` with handlers are around, and how many branches."""
        self.branches = 0
        self.body = tree.body
        self.left_out: set[str] = set()
        """The names of libraries that the program can do without."""
        self.late_hints = any(map(late_hints, tree.body))
        self.scopes = Scopes(tree)
        self.scope: Scope = self.scopes.module
        self.titles: list[str] = []
        self.first = 0

    def expression(self, node: ast.AST) -> Run:
        way = EXPRESSIONS.get(type(node))
        if way is None:
            raise self.refuse_syntax(node)
        run = way(self, node)
        line = line_of(node)
        return run if line == self.first or not line else run_at_line(run, line)

    def expressions(self, nodes: Sequence[ast.AST]) -> list[Run]:
        return [self.expression(node) for node in nodes]

    def statement(self, node: ast.stmt) -> Step:
        """The statement, charged and told before it runs."""
        way = STATEMENTS.get(type(node))
        if way is None:
            raise self.refuse_syntax(node)
        outer, self.first = self.first, node.lineno
        run = way(self, node)
        self.first = outer
        machine, meter, emit = self.machine, self.machine.meter, self.machine.emit
        line, end = node.lineno, header_end(node)
        weight = 1 + sum(1 for _ in ast.walk(node)) // 16 if not hasattr(node, "body") else 1
        if self.quiet:

            def quiet(frame: Frame) -> Signal | None:
                meter.steps += weight
                if meter.steps >= meter.check_at:
                    meter.check()
                return run(frame)

            return quiet

        def step(frame: Frame) -> Signal | None:
            frame.line = line
            meter.steps += weight
            if meter.steps >= meter.check_at:
                meter.check()
            if machine.records:
                emit((LineReached, line, end, machine.frames, machine.loops))
            return run(frame)

        return step

    def bare(self, node: ast.stmt) -> Step:
        """The statement alone: charged and told by another, of which it is a part."""
        way = STATEMENTS.get(type(node))
        if way is None:
            raise self.refuse_syntax(node)
        return way(self, node)

    def block(self, nodes: Sequence[ast.stmt]) -> Step:
        steps = tuple(self.statement(node) for node in nodes)
        if len(steps) == 1:
            return steps[0]

        def run(frame: Frame) -> Signal | None:
            for step in steps:
                signal = step(frame)
                if signal is not None:
                    return signal
            return None

        return run

    def refuse_syntax(self, node: ast.AST) -> Refusal:
        word = WORDS.get(type(node), f"this piece of Python ({type(node).__name__})")
        instead = INSTEAD.get(type(node), "write it in another way")
        return Refusal(f"{word} is not supported here: {instead}.", getattr(node, "lineno", None))

    def refuse(self, sentence: str, node: ast.AST) -> Refusal:
        return Refusal(sentence, getattr(node, "lineno", self.first))


def line_of(node: ast.AST) -> int:
    """The line that Python names when this expression raises: of a method call, the line of the method's name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.end_lineno or node.lineno
    if isinstance(node, ast.Attribute):
        return node.end_lineno or node.lineno
    return getattr(node, "lineno", 0)


def header_end(node: ast.stmt) -> int:
    """The last line of a statement, of a compound one the last of its header."""
    match node:
        case ast.For():
            last: ast.AST = node.iter
        case ast.While() | ast.If():
            last = node.test
        case ast.With():
            last = node.items[-1].optional_vars or node.items[-1].context_expr
        case ast.Match():
            last = node.subject
        case ast.FunctionDef() | ast.ClassDef() | ast.Try():
            return node.lineno
        case _:
            last = node
    return getattr(last, "end_lineno", None) or node.lineno


def run_at_line(run: Run, line: int) -> Run:
    """`run`, part of a statement over several lines: what it raises came up at `line`."""

    def there(frame: Frame) -> Value:
        try:
            return run(frame)
        except BaseException:
            if not frame.noted:
                frame.noted = True
                frame.line = line
            raise

    return there
