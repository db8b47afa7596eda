"""Matrices that cannot be taken apart: singular, not positive-definite, or not square."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...calls import callee
from ...diagnostics.message_rules import MessageRule, message_rules
from ...fixes.edits import enclosing, in_brackets, value_of
from ...fixes.proposal import FixContext, Proposal
from ...fixes.registry import fix
from ...replay.states import TensorState


def square(tensor: TensorState) -> bool:
    return len(tensor.shape) > 1 and tensor.shape[-1] == tensor.shape[-2]


def oblong(tensor: TensorState) -> bool:
    return len(tensor.shape) > 1 and not square(tensor)


message_rules(
    "matrix_refused",
    MessageRule(
        re.compile(r"(?:inversion could not be completed|solver failed) because the input matrix is singular"),
        cause="singular",
        title="A matrix without an inverse",
        fits=square,
        story=(
            "{code} {line}{turn} needs the inverse of {name}{made}: that matrix is singular, and has none.",
            "Its rows depend on one another: one of them is a multiple of another, or a sum of multiples of others. So "
            "it is where a column of the data says what others say, or there are fewer rows than columns.",
            "A small number added to its diagonal keeps the rows apart; `pinv` and `lstsq` take the best there is.",
        ),
    ),
    MessageRule(
        re.compile(r"factorization could not be completed because the input is not positive-definite"),
        cause="not_definite",
        title="A matrix that is not positive-definite",
        fits=square,
        story=(
            "{code} {line}{turn} takes the root of {name}{made}: that matrix is not positive-definite, and has none.",
            "A covariance is positive-definite if it is symmetric and no direction in it has a variance of 0 or less.",
            "Rounding alone may bring a variance below 0: a small number added to the diagonal is the usual help.",
        ),
    ),
    MessageRule(
        re.compile(
            r"(?:linalg\.(?P<what>\w+)|(?P<what2>logdet|cholesky)): A must be batches of square matrices, "
            r"but they are (?P<high>\d+) by (?P<wide>\d+)"
        ),
        cause="not_square",
        title="A matrix that is not square",
        fits=oblong,
        story=(
            "{code} {line}{turn} is given {name}{made}: {high} rows and {wide} columns.",
            "Only a matrix with as many rows as columns has an inverse, a determinant or eigenvalues.",
            "`pinv` and `lstsq` do for any matrix what an inverse does for a square one.",
        ),
        kind="shape",
    ),
)


# ---- fixes


INVERSES = ("inv", "inverse")
NEEDS = (*INVERSES, "solve", "cholesky", "det", "slogdet", "logdet", "eig", "eigh", "eigvals", "matrix_power")
LITTLE = ("0.0001", "0.01")
"""What is added to a diagonal; the larger where the smaller is lost in the rounding of large numbers."""


def taken_apart(wanted: FixContext) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls of the raising line that need a square matrix, each with the matrix."""
    for call in wanted.text.calls(wanted.at("raised"), *NEEDS):
        func = call.func
        owner = func.value if isinstance(func, ast.Attribute) else None
        module = owner is None or ast.unparse(owner) in ("torch", "torch.linalg", "linalg", "LA")
        if not module and owner is not None:
            yield call, owner
        elif call.args:
            yield call, call.args[0]


@fix(singular=1)
def raise_diagonal(wanted: FixContext) -> Iterator[Proposal]:
    """`A` becomes `A + 0.0001 * torch.eye(A.shape[-1])`, and what has a pseudoinverse gets that."""
    text = wanted.text
    for call, matrix in taken_apart(wanted):
        shown = in_brackets(text, matrix)
        bracketed = isinstance(call.func, ast.Attribute) and call.func.value is matrix
        for little in LITTLE:
            made = f"{shown} + {little} * torch.eye({shown}.shape[-1])"
            title = f"add {little} to the diagonal of {text.get(matrix)} on line {call.lineno}"
            edit = text.replaced(matrix, f"({made})" if bracketed else made)
            yield wanted.proposal(title, "a matrix that is a little different", edit)
    yield from of_any_matrix(wanted)


def of_any_matrix(wanted: FixContext) -> Iterator[Proposal]:
    """The pseudoinverse for the inverse, least squares for a solution."""
    text = wanted.text
    for call, matrix in taken_apart(wanted):
        shown = text.get(matrix)
        if callee(call) in INVERSES:
            title = f"the pseudoinverse: torch.linalg.pinv on line {call.lineno}"
            yield wanted.proposal(title, "the best there is", text.replaced(call, f"torch.linalg.pinv({shown})"))
        elif callee(call) == "solve" and len(call.args) > 1:
            given = text.get(call.args[1])
            title = f"least squares: torch.linalg.pinv({shown}) @ {given} on line {call.lineno}"
            made = f"torch.linalg.pinv({shown}) @ {in_brackets(text, call.args[1])}"
            whole = f"({made})" if isinstance(text.parents.get(call), ast.Attribute | ast.BinOp) else made
            yield wanted.proposal(title, "the best there is", text.replaced(call, whole))


@fix(not_definite=1)
def make_definite(wanted: FixContext) -> Iterator[Proposal]:
    """More on the diagonal; a factor that may be negative made positive; the matrix times itself turned."""
    yield from raise_diagonal(wanted)
    text, value = wanted.text, value_of(wanted.at("built"))
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            for part in (node.left, node.right):
                if isinstance(part, ast.Name | ast.Attribute) and enclosing(text, part, ast.Call) is None:
                    shown = text.get(part)
                    title = f"{shown} made positive by softplus, on line {part.lineno}"
                    made = f"torch.nn.functional.softplus({shown})"
                    yield wanted.proposal(title, "other numbers", text.replaced(part, made))
    for call, matrix in taken_apart(wanted):
        shown = in_brackets(text, matrix)
        title = f"{shown} @ {shown}.mT, which is never negative, on line {call.lineno}"
        made = f"{shown} @ {shown}.mT + {LITTLE[0]} * torch.eye({shown}.shape[-1])"
        yield wanted.workaround(title, "another matrix", text.replaced(matrix, made))


@fix(not_square=1)
def make_square(wanted: FixContext) -> Iterator[Proposal]:
    """What does for any matrix; else the square matrix of its rows."""
    yield from of_any_matrix(wanted)
    text = wanted.text
    for call, matrix in taken_apart(wanted):
        if callee(call) not in (*INVERSES, "solve"):
            shown = in_brackets(text, matrix)
            title = f"{shown} @ {shown}.mT, which is square, on line {call.lineno}"
            yield wanted.workaround(title, "another matrix", text.replaced(matrix, f"{shown} @ {shown}.mT"))
