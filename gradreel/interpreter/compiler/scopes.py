"""Which variable a name means: Python's rules of scope, worked out once before the program runs.

A name of a function is *local*; *cell* when an inner function uses it as well; else it is *global*. Cells are single
variables, so an inner function keeps alive what it uses and nothing else of the function around it.
"""

from __future__ import annotations

import ast

from ..refusal import Refusal

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FunctionNode = ast.FunctionDef | ast.Lambda


class Scope:
    """The names of the program, a function, a class or a comprehension."""

    def __init__(self, kind: str, parent: Scope | None, owner: str | None = None) -> None:
        self.kind = kind
        self.parent = parent
        self.owner = owner
        self.bound: set[str] = set()
        self.used: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.cells: set[str] = set()
        """Own variables that inner functions use."""
        self.free: set[str] = set()
        """Variables of functions around this one that it, or a function in it, uses."""
        self.yields = False

    @property
    def function(self) -> bool:
        return self.kind in ("function", "comprehension")

    def meaning(self, name: str) -> str:
        """How `name` is found here: local, cell, global, or class (the class body first, then what is around it)."""
        if name in self.globals:
            return "global"
        if name in self.free or (name in self.cells and self.function):
            return "class cell" if self.kind == "class" and name in self.bound else "cell"
        if self.kind == "class":
            return "class"
        return "local" if self.function and name in self.bound else "global"

    def mangle(self, name: str) -> str:
        """`__name` inside a class belongs to that class."""
        if self.owner and name.startswith("__") and not name.endswith("__"):
            return f"_{self.owner.lstrip('_')}{name}"
        return name


class Scopes(ast.NodeVisitor):
    """The scope of each function, class and comprehension of a program."""

    def __init__(self, tree: ast.Module) -> None:
        self.of: dict[ast.AST, Scope] = {}
        self.needed: set[str] = set()
        """The names that are used elsewhere than in hints."""
        self.hinting = False
        self.module = self.here = Scope("module", None)
        self.of[tree] = self.module
        for statement in tree.body:
            self.visit(statement)
        for scope in list(self.of.values()):
            self._resolve(scope)

    def every(self) -> set[str]:
        """Every name that the program uses somewhere."""
        return {name for scope in self.of.values() for name in scope.used}

    def _resolve(self, scope: Scope) -> None:
        for name in (scope.used | scope.nonlocals) - scope.globals:
            if (name in scope.bound and name not in scope.nonlocals) or scope.kind == "module":
                continue
            around = scope.parent
            between = [scope]
            while around is not None and not (
                (around.function and name in around.bound - around.nonlocals)
                or (name == "__class__" and around.kind == "class")
            ):
                if around.function and name in around.globals:
                    around = None
                    break
                between.append(around)
                around = around.parent
            if around is not None:
                around.cells.add(name)
                for inner in between:
                    inner.free.add(name)

    def _inside(self, kind: str, node: ast.AST, owner: str | None = None) -> Scope:
        scope = Scope(kind, self.here, owner or self.here.owner)
        self.of[node] = scope
        return scope

    # ---- scopes

    def _function(self, node: FunctionNode, body: list[ast.stmt] | list[ast.expr]) -> None:
        arguments = node.args
        for default in [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]:
            self.visit(default)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        for hint in [argument.annotation for argument in every] + [getattr(node, "returns", None)]:
            if hint is not None:
                self._hint(hint)
        outer, self.here = self.here, self._inside("function", node)
        self.here.bound |= {argument.arg for argument in every}
        for part in body:
            self.visit(part)
        self.here = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.here.bound.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._function(node, node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.here.bound.add(node.name)
        for part in [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]:
            self.visit(part)
        outer, self.here = self.here, self._inside("class", node, node.name)
        for statement in node.body:
            self.visit(statement)
        self.here = outer

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.here.bound.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.here.bound.add(node.rest)
        self.generic_visit(node)

    def _comprehension(self, node: Comprehension) -> None:
        self.visit(node.generators[0].iter)
        outer, self.here = self.here, self._inside("comprehension", node)
        for nr, part in enumerate(node.generators):
            self.visit(part.target)
            if nr:
                self.visit(part.iter)
            for condition in part.ifs:
                self.visit(condition)
        for value in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(value)
        self.here = outer

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _hint(self, node: ast.expr) -> None:
        self.hinting = True
        self.visit(node)
        self.hinting = False

    # ---- names

    def visit_Name(self, node: ast.Name) -> None:
        (self.here.used if isinstance(node.ctx, ast.Load) else self.here.bound).add(node.id)
        if not self.hinting:
            self.needed.add(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        name, around, between = node.target.id, self.here, []
        while around.kind == "comprehension" and around.parent is not None:
            between.append(around)
            around = around.parent
        around.bound.add(name)
        for scope in between:
            (scope.globals if around.kind == "module" or name in around.globals else scope.nonlocals).add(name)

    def visit_Global(self, node: ast.Global) -> None:
        self.here.globals |= set(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            around = self.here.parent
            while around is not None and not (around.function and name in around.bound):
                around = around.parent
            if around is None:
                raise Refusal(f"no binding for nonlocal '{name}' found", node.lineno, "SyntaxError")
        self.here.nonlocals |= set(node.names)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.here.bound.add(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.here.bound.add(node.name)
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.here.yields = True
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)
        if not self.here.function:
            self._hint(node.annotation)  # in functions Python does not look at it
