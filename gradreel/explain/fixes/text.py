"""A program's text as something to edit: statements and expressions are found in the syntax tree, edits keep the rest.

Works on scripts and on `>>> ` transcripts: prompts are taken off for the parser and put back.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

from ..calls import callee

Part = TypeVar("Part", bound=ast.AST)

PROMPTED = re.compile(r"^(\s*(?:>>>|\.\.\.) ?)(.*)$")


@dataclass(frozen=True, slots=True)
class Edit:
    """The text from (line, column) to (line, column), lines from 1 and columns from 0, becomes `text`."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def inwards(statement: ast.stmt) -> tuple[int, int]:
    """What is larger for a statement in another."""
    return statement.lineno, -(statement.end_lineno or 0)


class Text:
    """A program's text, its syntax tree, and its edits. Raises SyntaxError for what is no Python."""

    def __init__(self, source: str) -> None:
        self.source = source
        raw = source.split("\n")
        self.prompted = any(line.lstrip().startswith(">>>") for line in raw)
        matches = [PROMPTED.match(line) if self.prompted else None for line in raw]
        self.raw = raw
        self.code = [
            match.group(2) if match else "" if self.prompted else line for line, match in zip(raw, matches, strict=True)
        ]
        self.tree = ast.parse("\n".join(self.code))
        self.nodes = list(ast.walk(self.tree))
        self.parents: dict[ast.AST, ast.AST] = {
            child: node for node in self.nodes for child in ast.iter_child_nodes(node)
        }

    # ---- finding

    @cached_property
    def statements(self) -> dict[int, ast.stmt]:
        """The innermost statement on each line; of a compound one its head."""
        found: dict[int, ast.stmt] = {}
        for node in self.nodes:
            if not isinstance(node, ast.stmt):
                continue
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                before = found.get(line)
                if before is None or inwards(node) > inwards(before):
                    found[line] = node
        return found

    def statement(self, line: int) -> ast.stmt | None:
        return self.statements.get(line)

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which `statement` stands."""
        parent = self.parents.get(statement, self.tree)
        for name in ("body", "orelse", "finalbody"):
            body = getattr(parent, name, None)
            if isinstance(body, list) and statement in body:
                return body
        return [statement]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that `node` is in, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def loop(self, statement: ast.AST) -> ast.For | ast.While | None:
        return next((node for node in self.around(statement) if isinstance(node, ast.For | ast.While)), None)

    def calls(self, statement: ast.AST | None, *names: str) -> list[ast.Call]:
        """The calls in `statement` of something called one of `names`; of a compound statement, in its head."""
        if statement is None:
            return []
        parts = head(statement) if isinstance(statement, ast.stmt) else [statement]
        found = [call for part in parts for call in self.parts(part, ast.Call)]
        return [call for call in found if callee(call) in names] if names else found

    def parts(self, node: ast.AST | None, kind: type[Part]) -> list[Part]:
        """All that is of this kind in `node`."""
        if node is None:
            return []
        return [part for part in (self.nodes if node is self.tree else ast.walk(node)) if isinstance(part, kind)]

    def get(self, node: ast.expr | ast.stmt) -> str:
        """The text of `node`, as it stands."""
        if node.end_lineno is None or node.end_col_offset is None:
            return ast.unparse(node)
        (line, start), (last, stop) = (
            self.place(node.lineno, node.col_offset),
            self.place(node.end_lineno, node.end_col_offset),
        )
        if line == last:
            return self.code[line - 1][start:stop]
        return "\n".join([self.code[line - 1][start:], *self.code[line : last - 1], self.code[last - 1][:stop]])

    # ---- editing

    def place(self, line: int, offset: int) -> tuple[int, int]:
        """A column of the parser, in bytes, as a column of the code line."""
        text = self.code[line - 1]
        return line, offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))

    def replaced(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg, text: str) -> Edit:
        start = self.place(node.lineno, node.col_offset)
        end = self.place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return Edit(*start, *end, text)

    def first_line(self, statement: ast.stmt) -> int:
        decorators = getattr(statement, "decorator_list", [])
        lines: list[int] = [statement.lineno, *(decorator.lineno for decorator in decorators)]
        return min(lines)

    def alone(self, statement: ast.stmt) -> bool:
        """Whether nothing else stands on the lines of `statement`."""
        before = self.code[statement.lineno - 1][: self.place(statement.lineno, statement.col_offset)[1]]
        end = statement.end_lineno or statement.lineno
        after = self.code[end - 1][self.place(end, statement.end_col_offset or 0)[1] :].strip()
        return not before.strip() and (not after or after.startswith("#"))

    def indent(self, statement: ast.stmt) -> str:
        line = self.code[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def before(self, statement: ast.stmt, lines: Iterable[str]) -> Edit:
        """`lines` put before `statement`."""
        if not self.alone(statement):
            start = self.place(statement.lineno, statement.col_offset)
            return Edit(*start, *start, "; ".join(lines) + "; ")
        line, indent = self.first_line(statement), self.indent(statement)
        return Edit(line, 0, line, 0, "".join(f"{indent}{text}\n" for text in lines))

    def after(self, statement: ast.stmt, lines: Iterable[str]) -> Edit:
        """`lines` put behind `statement`."""
        end = statement.end_lineno or statement.lineno
        if not self.alone(statement):
            place = self.place(end, statement.end_col_offset or 0)
            return Edit(*place, *place, "".join(f"; {text}" for text in lines))
        indent, column = self.indent(statement), len(self.code[end - 1])
        return Edit(end, column, end, column, "".join(f"\n{indent}{text}" for text in lines))

    def removed(self, statement: ast.stmt) -> Edit:
        """`statement` taken out, with its line; a block that would be empty gets a `pass`."""
        if len(self.block(statement)) == 1 and not isinstance(self.parents.get(statement), ast.Module):
            return self.replaced(statement, "pass")
        if not self.alone(statement):
            return self.replaced(statement, "pass")
        end = statement.end_lineno or statement.lineno
        if end < len(self.code):
            return Edit(self.first_line(statement), 0, end + 1, 0, "")
        return Edit(self.first_line(statement), 0, end, len(self.code[end - 1]), "")

    def lines_of(self, statement: ast.stmt) -> list[str]:
        """The lines of `statement` without its indentation."""
        if not self.alone(statement):
            return [self.get(statement)]
        indent = self.indent(statement)
        end = statement.end_lineno or statement.lineno
        return [line.removeprefix(indent) for line in self.code[self.first_line(statement) - 1 : end]]

    def wrapped(self, statements: Sequence[ast.stmt], header: str) -> Edit:
        """`statements`, which follow one another, under `header`."""
        first, last = statements[0], statements[-1]
        if not (self.alone(first) and self.alone(last)):
            head = self.parents.get(first)
            if isinstance(head, ast.For | ast.While | ast.If | ast.With) and head.lineno == first.lineno:
                return self.wrapped([head], header)  # `for p in ps: p.mul_(2)` goes in as a whole
            inner = "; ".join(self.get(statement) for statement in statements)
            start = self.place(first.lineno, first.col_offset)
            end = self.place(last.end_lineno or last.lineno, last.end_col_offset or 0)
            return Edit(*start, *end, f"{header} {inner}")
        indent = self.indent(first)
        begin, end_line = self.first_line(first), last.end_lineno or last.lineno
        lines = [f"    {line}" if line.strip() else line for line in self.code[begin - 1 : end_line]]
        return Edit(begin, 0, end_line, len(self.code[end_line - 1]), "\n".join([f"{indent}{header}", *lines]))

    def unwrapped(self, statement: ast.With | ast.If) -> Edit:
        """The body of `statement` without its head."""
        first, end = statement.body[0], statement.end_lineno or statement.lineno
        if first.lineno == statement.lineno:
            return self.replaced(statement, self.get(first))
        depth = len(self.indent(first)) - len(self.indent(statement))
        lines = [line[depth:] if line[:depth].isspace() else line for line in self.code[first.lineno - 1 : end]]
        return Edit(statement.lineno, 0, end, len(self.code[end - 1]), "\n".join(lines))

    def edited(self, *edits: Edit) -> str:
        """The source with `edits`, which do not overlap; new lines of a transcript get prompts."""
        lines = list(self.code)
        order = sorted(edits, key=lambda edit: (edit.line, edit.column, edit.end_line, edit.end_column), reverse=True)
        for edit in order:
            top, bottom = edit.line - 1, edit.end_line - 1
            text = lines[top][: edit.column] + edit.text + lines[bottom][edit.end_column :]
            lines[top : bottom + 1] = text.split("\n")
        return "\n".join(self.with_prompts(lines) if self.prompted else lines)

    def with_prompts(self, lines: list[str]) -> list[str]:
        """Lines as they were get their prompts and outputs back, new ones a prompt by their indentation."""
        result: list[str] = []
        for kind, start, stop, new_start, new_stop in changed_blocks(self.code, lines):
            if kind == "equal":
                result.extend(self.raw[start:stop])
            else:
                result.extend(("... " if line[:1].isspace() else ">>> ") + line for line in lines[new_start:new_stop])
        return result


def head(statement: ast.stmt) -> list[ast.AST]:
    """The parts of `statement` that stand before its body; all of a simple one."""
    body = {id(node) for name in ("body", "orelse", "finalbody", "handlers") for node in getattr(statement, name, [])}
    return [node for node in ast.iter_child_nodes(statement) if id(node) not in body] if body else [statement]


def names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def targets(statement: ast.stmt) -> set[str]:
    """The plain names that `statement` binds."""
    if isinstance(statement, ast.Assign):
        nodes: list[ast.expr] = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        nodes = [statement.target]
    else:
        return set()
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


Block = tuple[str, int, int, int, int]
MOST_COMPARED = 400
"""So many lines between the first and the last change are compared one by one; more become one change."""


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """What became of which lines, as `SequenceMatcher.get_opcodes` tells it.

    What is alike at both ends is not looked at by it: its time may grow with the square of the lines.
    """
    start, end = alike_at_ends(old, new)
    stop, new_stop = len(old) - end, len(new) - end
    blocks: list[Block] = [("equal", 0, start, 0, start)] if start else []
    if max(stop, new_stop) - start > MOST_COMPARED:
        blocks.append(("replace", start, stop, start, new_stop))
    else:
        matcher = difflib.SequenceMatcher(None, old[start:stop], new[start:new_stop], autojunk=False)
        blocks += [(kind, *(at + start for at in places)) for kind, *places in matcher.get_opcodes()]  # type: ignore[misc]
    return [*blocks, *([("equal", stop, len(old), new_stop, len(new))] if end else [])]


def alike_at_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines are alike at the beginning and, beyond those, at the end."""
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    end = next((at for at in range(most - start) if old[-1 - at] != new[-1 - at]), most - start)
    return start, end


def weave(page: str, program: str, edited: str) -> str:
    """`page`, which holds `program` line by line, with the lines in it that `edited` changes, and without the errors
    that were posted: those are of the program before.
    """
    around, old, new = page.split("\n"), program.split("\n"), edited.split("\n")
    errors = posted_errors(around, old)
    if page == program and not errors:
        return edited
    changes = changed_blocks(old, new)
    parts = [
        [around[at] for at in range(i, j) if at not in errors] if tag == "equal" else new[k:m]
        for tag, i, j, k, m in changes
    ]
    return "\n".join(line for part in parts for line in part)


FRAMES = re.compile(r"^\s*Traceback \(most recent call last\)|^-{10,}$|^\w+(?:Error|Exception)\s+Traceback ")
SAID = re.compile(r"^\s*[\w.]*(?:Error|Exception)(?::|$)")


def posted_errors(page: Sequence[str], program: Sequence[str]) -> set[int]:
    """The lines of `page`, from 0, on which an error stands that somebody got: frames, then what it says as far as the
    next blank line. None of them is one of `program`, and a page that is nothing but a program has none.
    """
    prompted = any(line.lstrip().startswith(">>>") for line in page)
    if page == program and not prompted:
        return set()
    found: set[int] = set()
    within = said = False
    for at, line in enumerate(page):
        if PROMPTED.match(line) if prompted else program[at].strip():
            within = said = False
            continue
        within = within and bool(line.strip() or not said)
        said = bool(SAID.match(line)) or within and said
        within = within or said or bool(FRAMES.match(line))
        if within:
            found.add(at)
    return found


@lru_cache(8)
def read(source: str) -> Text:
    """`source` to find things in, parsed once for all who ask."""
    return Text(source)


@lru_cache(8)
def readable(text: str) -> bool:
    """Whether `text` is a program as it stands."""
    try:
        read(text)
    except (SyntaxError, ValueError):
        return False
    return True


HUNK = re.compile(r"^@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")
AROUND = 2


def difference(before: str, after: str) -> str:
    """A unified diff, without the names of files."""
    old, new = before.splitlines(), after.splitlines()
    start, end = alike_at_ends(old, new)
    start, end = max(start - AROUND, 0), max(end - AROUND, 0)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) > MOST_COMPARED:
        return "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    lines = difflib.unified_diff(old, new, lineterm="", n=AROUND)
    return "\n".join(
        HUNK.sub(lambda hunk: f"@@ -{int(hunk[1]) + start}{hunk[2]} +{int(hunk[3]) + start}{hunk[4]} @@", line)
        for line in list(lines)[2:]
    )
