"""Names: which variable a name reads, which names a program may say, and what annotations are worked out to."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..builtins.namespace import BUILTINS, REFUSED
from ..refusal import Refusal
from ..runtime.attributes import DUNDERS, is_special
from ..runtime.values import MISSING, Frame, Value
from .compiler import Compiler, Run, compiles

HIDDEN = ("__builtins__", "__loader__", "__spec__", "__import__", "__dict__")
BINDABLE = (
    "__author__ __version__ __all__ __doc__ __copyright__ __credits__ __date__ __email__ __license__ __maintainer__ "
    "__status__"
).split()
"""Special names that a program may give outside classes."""


def attribute_name(compiler: Compiler, node: ast.Attribute) -> str:
    wanted = compiler.scope.mangle(node.attr)
    if is_special(wanted) and wanted not in DUNDERS:
        raise compiler.refuse(f"The attribute `{node.attr}` is not offered here.", node)
    return wanted


@compiles(ast.Name)
def name(compiler: Compiler, node: ast.Name) -> Run:
    return read_variable(compiler, node.id, node)


def read_variable(compiler: Compiler, wanted: str, node: ast.AST) -> Run:
    """Reads the variable `wanted`."""
    wanted = compiler.scope.mangle(wanted)
    if wanted == "__class__" and compiler.scope.meaning(wanted) == "cell":
        return read_cell(wanted, own=False)
    if wanted in HIDDEN:
        raise compiler.refuse(f"`{wanted}` is not offered here.", node)
    meaning = compiler.scope.meaning(wanted)
    if meaning == "local":
        return read_local(wanted)
    if meaning == "cell":
        return read_cell(wanted, own=wanted in compiler.scope.cells)
    around = read_cell(wanted, own=False) if meaning == "class cell" else read_global(compiler, wanted, node)
    return read_in_class_body(wanted, around) if meaning.startswith("class") else around


def read_local(wanted: str) -> Run:
    def run(frame: Frame) -> Value:
        try:
            return frame.names[wanted]
        except KeyError:
            raise unbound_local_error(wanted) from None

    return run


def unbound_local_error(wanted: str) -> UnboundLocalError:
    return UnboundLocalError(f"cannot access local variable '{wanted}' where it is not associated with a value")


def read_cell(wanted: str, own: bool) -> Run:
    def run(frame: Frame) -> Value:
        value = frame.cells[wanted].value
        if value is MISSING:
            if own:
                raise unbound_local_error(wanted)
            raise NameError(
                f"cannot access free variable '{wanted}' where it is not associated with a value in enclosing scope"
            )
        return value

    return run


def read_in_class_body(wanted: str, around: Run) -> Run:
    def run(frame: Frame) -> Value:
        value = frame.names.get(wanted, MISSING)
        return around(frame) if value is MISSING else value

    return run


def read_global(compiler: Compiler, wanted: str, node: ast.AST) -> Run:
    """A variable of the program itself, or a builtin."""
    names = compiler.names
    if wanted in REFUSED and wanted not in compiler.scopes.module.bound:
        raise compiler.refuse(REFUSED[wanted], node)
    standard = BUILTINS.get(wanted, MISSING)

    def run(frame: Frame) -> Value:
        value = names.get(wanted, standard)
        if value is MISSING:
            raised = NameError(f"name '{wanted}' is not defined")
            raised.candidates = [*frame.names, *frame.cells] if frame.scope else []  # type: ignore[attr-defined]
            raise raised
        return value

    return run


# ---- annotations
#
# Python works them out where the function, the class or the program says them, so a name that is not known fails there.
# Here the names are looked up as well; a hint that is more than a name with dots stands for its own text, as does one
# that speaks of a library which the program can do without.


def compile_annotation(compiler: Compiler, node: ast.expr) -> Run:
    """What works out the hint, or its text where `from __future__ import annotations` says so."""
    text, names = ast.unparse(node), names_in(node)
    if compiler.late_hints or any(name.id in compiler.left_out for name in names):
        return lambda frame: text
    if isinstance(node, ast.Constant):
        return lambda frame: node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return evaluate_or_text(compiler.expression(node), text)
    runs = [read_variable(compiler, name.id, name) for name in names]

    def look_up(frame: Frame) -> Value:
        for run in runs:
            run(frame)
        return text

    return look_up


def evaluate_or_text(run: Run, text: str) -> Run:
    """What `run` gives; the text of a hint that cannot be had here."""

    def give(frame: Frame) -> Value:
        try:
            return run(frame)
        except Refusal:
            return text

    return give


def names_in(node: ast.AST) -> list[ast.Name]:
    """The names that working it out looks up, but for those that lambdas bind themselves."""
    if isinstance(node, ast.Lambda):
        return []
    own = [node] if isinstance(node, ast.Name) else []
    return own + [name for part in ast.iter_child_nodes(node) for name in names_in(part)]


def compile_annotations(compiler: Compiler, node: ast.FunctionDef | ast.Lambda) -> Callable[[Frame], dict[str, Value]]:
    """What makes the `__annotations__` of a function, in the order in which Python does."""
    given = node.args
    extra = [[one] if one is not None else [] for one in (given.vararg, given.kwarg)]
    row = [*given.posonlyargs, *given.args, *extra[0], *given.kwonlyargs, *extra[1]]
    pairs = [(one.arg, compile_annotation(compiler, one.annotation)) for one in row if one.annotation is not None]
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        pairs.append(("return", compile_annotation(compiler, node.returns)))
    return lambda frame: {name: run(frame) for name, run in pairs}
