"""The program's text, asked for what it says on a line. Works on scripts and on `>>> ` transcripts alike."""

from __future__ import annotations

import ast
import re
from functools import cached_property, lru_cache
from typing import TypeGuard

PROMPT = re.compile(r"^\s*(>>>|\.\.\.) ?")
COMMENT = re.compile(r"\s+#[^'\"]*$")
LOOP = re.compile(r"\bfor\s+(.+?)\s+in\b")
CALLS = {"backward": re.compile(r"\bbackward\s*\("), "grad": re.compile(r"\bgrad\s*\(")}
QUIET = re.compile(r"\b(no_grad|inference_mode)\b|set_grad_enabled\(\s*False")
INFERENCE = re.compile(r"\binference_mode\b(?!\((?:mode=)?False)")
PAIRS = {")": "(", "]": "[", "}": "{"}
LONGEST, LONGEST_LINE = 60, 1_500


@lru_cache(8)
def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """All nodes of `tree`, walked once for all who look for something in it."""
    return list(ast.walk(tree))


class Source:
    """The lines of a program, numbered from 1."""

    def __init__(self, text: str) -> None:
        self._lines = [PROMPT.sub("", line) if PROMPT.match(line) else line for line in text.split("\n")]
        prompts = any(line.lstrip().startswith(">>>") for line in text.split("\n"))
        self.code = [
            line if PROMPT.match(raw) or not prompts else ""
            for raw, line in zip(text.split("\n"), self._lines, strict=True)
        ]
        """The lines without prompts, pasted outputs left empty."""
        self._loops: dict[int, tuple[str, ...]] = {}
        self._feeding: dict[int, frozenset[int]] = {}
        self._simple: dict[int, list[ast.stmt]] = {}

    def statement(self, line: int, end_line: int | None = None) -> str:
        """The statement on `line`, on one line of its own without comments."""
        lines = self._lines[line - 1 : max(line, end_line or line)]
        parts = [COMMENT.sub("", part[:LONGEST_LINE]).strip() for part in lines]
        return " ".join(part for part in parts if part and not part.startswith("#"))

    def text(self, line: int, end_line: int | None = None) -> str:
        """As `statement`, shortened if long."""
        whole = self.statement(line, end_line)
        return whole if len(whole) <= LONGEST else whole[: LONGEST - 1].rstrip() + "…"

    def call_text(self, line: int, end_line: int, called: str) -> str:
        """The call of backward or grad made on `line`, as written there; else the name of what was called."""
        whole = self.statement(line, end_line)
        found = CALLS[called].search(whole) if called in CALLS else None
        name = "backward()" if called == "backward" else "autograd.grad()"
        if found is None:
            return name
        start, stop = reach_back(whole, found.start()), reach_on(whole, found.end())
        text = whole[start:stop]
        if len(text) <= LONGEST:
            return text
        short = whole[start : found.end()] + "…)"
        return short if len(short) <= LONGEST else name

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; empty where the text is no Python."""
        try:
            return ast.parse("\n".join(self.code))
        except (SyntaxError, ValueError, RecursionError):
            return ast.Module([], [])

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return nodes_of(self.tree)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """The statements without a body."""
        return [node for node in self.nodes if is_simple(node)]

    @cached_property
    def whole(self) -> str:
        """All of the code: what is not in it need not be looked for in the tree."""
        return "\n".join(self.code)

    @cached_property
    def quiet_lines(self) -> frozenset[int]:
        """The lines that stand in a `with torch.no_grad():`, or in a function decorated with it."""
        return self.lines_under(QUIET)

    @cached_property
    def inference_lines(self) -> frozenset[int]:
        """The lines that stand in a `with torch.inference_mode():`, or in a function decorated with it."""
        return self.lines_under(INFERENCE)

    def carried_names(self, line: int) -> frozenset[str]:
        """The names of which a turn of the loop on `line` reads what the turn before left in them."""
        loop = next((one for one in self.nodes if isinstance(one, ast.For | ast.While) and one.lineno == line), None)
        bound: set[str] = set()
        carried: set[str] = set()
        for statement in loop.body if loop is not None else ():
            names = [part for part in ast.walk(statement) if isinstance(part, ast.Name)]
            added_to = statement.target if isinstance(statement, ast.AugAssign) else None
            carried |= {part.id for part in names if isinstance(part.ctx, ast.Load) or part is added_to} - bound
            bound |= bound_by(statement)
        return frozenset(carried & bound)

    def lines_under(self, mode: re.Pattern[str]) -> frozenset[int]:
        """The lines in a `with`, or in a function with a decorator, that `mode` matches."""
        lines: set[int] = set()
        for node in self.nodes:
            if isinstance(node, ast.With):
                marks = [item.context_expr for item in node.items]
            elif isinstance(node, ast.FunctionDef):
                marks = node.decorator_list
            else:
                continue
            if any(mode.search(ast.unparse(mark)) for mark in marks):
                lines.update(range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1))
        return frozenset(lines)

    @cached_property
    def quiet_functions(self) -> dict[int, int]:
        """The lines of functions decorated with `@torch.no_grad()`, each with the line of that."""
        marks = [
            (node, mark.lineno)
            for node in self.nodes
            if isinstance(node, ast.FunctionDef)
            for mark in node.decorator_list
            if QUIET.search(ast.unparse(mark))
        ]
        return {line: mark for node, mark in marks for line in range(node.lineno + 1, (node.end_lineno or 0) + 1)}

    @cached_property
    def switches(self) -> dict[int, bool]:
        """The statements that switch the recording on or off for all that follows, `torch.set_grad_enabled(False)`."""
        calls = [node.value for node in self.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
        return {
            call.lineno: not (isinstance(call.args[0], ast.Constant) and call.args[0].value is False)
            for call in calls
            if ast.unparse(call.func).endswith("set_grad_enabled") and call.args
        }

    @cached_property
    def switched_blocks(self) -> dict[int, int]:
        """The lines in a `with torch.set_grad_enabled(mode):` that asks at run time, each with the line of that."""
        blocks = [
            node
            for node in self.nodes
            if isinstance(node, ast.With)
            and any(
                "set_grad_enabled" in ast.unparse(call.func)
                and call.args
                and not isinstance(call.args[0], ast.Constant)
                for item in node.items
                for call in [item.context_expr]
                if isinstance(call, ast.Call)
            )
        ]
        return {line: block.lineno for block in blocks for line in range(block.lineno + 1, (block.end_lineno or 0) + 1)}

    def feeding(self, line: int) -> frozenset[int]:
        """The lines of the statements whose names, passed on from statement to statement, reach the one on `line`."""
        if line not in self._feeding:
            self._feeding[line] = self._fed(line)
        return self._feeding[line]

    def _fed(self, line: int) -> frozenset[int]:
        makers: dict[str, list[ast.stmt]] = {}
        for node in self.nodes:
            if isinstance(node, ast.stmt):
                for name in bound_by(node):
                    makers.setdefault(name, []).append(node)
        todo = list(self.simple(line))
        found = set(todo)
        for statement in todo:
            for name in {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}:
                new = [maker for maker in makers.get(name, ()) if maker not in found]
                found.update(new)
                todo += new
        return frozenset(at for node in found for at in range(node.lineno, (node.end_lineno or node.lineno) + 1))

    def assigned(self, line: int) -> frozenset[str]:
        """The plain names that the statement on `line` gives a value."""
        return frozenset().union(*map(bound_by, self.simple(line)))

    def simple(self, line: int) -> list[ast.stmt]:
        """The statements without a body on `line`."""
        if line not in self._simple:
            self._simple[line] = [statement for statement in self.statements if spans(statement, line)]
        return self._simple[line]

    def loop_names(self, line: int) -> tuple[str, ...]:
        """The names that the for loop on `line` binds."""
        if line not in self._loops:
            found = LOOP.search(self._lines[line - 1]) if 0 < line <= len(self._lines) else None
            self._loops[line] = tuple(re.findall(r"[A-Za-z_]\w*", found.group(1))) if found else ()
        return self._loops[line]


def is_simple(node: ast.AST) -> TypeGuard[ast.stmt]:
    return isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return)


def spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def bound_by(statement: ast.stmt) -> set[str]:
    """The plain names that get a value from `statement`, by assignment or by an `append`."""
    goals: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        goals = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        goals = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        goals = [func.value] if isinstance(func, ast.Attribute) and func.attr in ("append", "extend") else []
    return {part.id for goal in goals for part in ast.walk(goal) if isinstance(part, ast.Name)}


def is_straight_through(node: ast.AST) -> TypeGuard[ast.BinOp]:
    """Whether `node` is `a + (b - a).detach()`: a sum in which `a` cancels but for the gradient that it passes on."""
    return isinstance(node, ast.BinOp) and estimator(node) is not None


def parts_of(node: ast.BinOp) -> tuple[str, str]:
    """What the estimator has the value of, and what it passes the gradient to."""
    found = estimator(node)
    return (ast.unparse(found[0]), ast.unparse(found[1])) if found is not None else ("", "")


def estimator(node: ast.BinOp) -> tuple[ast.expr, ast.expr] | None:
    """The two parts of a straight-through estimator, in whatever order and with whatever brackets it is written."""
    terms = signed_terms(node)
    if len(terms) != 3 or sum(cut for _, _, cut in terms) != 2:
        return None
    passes = next(term for _, term, cut in terms if not cut)
    value = next((term for sign, term, cut in terms if cut and sign > 0), None)
    taken = next((term for sign, term, cut in terms if cut and sign < 0), None)
    whole = next(sign for sign, _, cut in terms if not cut) > 0
    if value is None or taken is None or not whole or ast.dump(taken) != ast.dump(passes):
        return None
    return value, passes


def signed_terms(node: ast.expr, sign: int = 1, cut: bool = False) -> list[tuple[int, ast.expr, bool]]:
    """What a sum adds and takes away, each with its sign and whether it is detached; more than three are not told."""
    terms: list[tuple[int, ast.expr, bool]] = []
    todo = [(sign, node, cut)]
    while todo and len(terms) + len(todo) <= 3:
        sign, node, cut = todo.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            todo.append((sign if isinstance(node.op, ast.Add) else -sign, node.right, cut))
            todo.append((sign, node.left, cut))
        elif (inner := detached_inner(node)) is not None:
            todo.append((sign, inner, True))
        else:
            terms.append((sign, node, cut))
    return [] if todo else terms


def detached_inner(node: ast.expr) -> ast.expr | None:
    """`x` of `x.detach()` and of `x.data`."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return node.value
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "detach":
        return None
    return None if node.args else node.func.value


def reach_back(text: str, start: int) -> int:
    """Where the expression begins that the name at `start` is an attribute of: `(a * b).sum().` and the like."""
    at = start
    while at > 0:
        before = text[at - 1]
        if before in PAIRS:
            depth = 0
            while at > 0:
                at -= 1
                depth += (text[at] == before) - (text[at] == PAIRS[before])
                if depth == 0:
                    break
        elif before.isalnum() or before in "._":
            at -= 1
        else:
            break
    return at


def reach_on(text: str, start: int) -> int:
    """Where the bracket that was opened just before `start` is closed."""
    depth, at = 1, start
    while at < len(text) and depth:
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
    return at
