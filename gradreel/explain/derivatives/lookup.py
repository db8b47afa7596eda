"""Looking up what a backward does: rows of the table, a rule for backwards of backwards, a fallback for the rest."""

from __future__ import annotations

from ..replay.states import NodeState
from .formulas import NOTHING, OPERATORS, PLACED, SHAPED, Operator, row


def operator(kind: str) -> Operator | None:
    """The row for a node of `kind` ("Mul" for MulBackward0), None if there is none."""
    known = OPERATORS.get(kind)
    if known is None and (first := kind.removesuffix("Data")).endswith("Backward"):
        return second(first.removesuffix("Backward"))
    return known


def kind_of_node(kind: str, op: str) -> str:
    """The key of the row for a node of `kind` that `op` built.

    Rounding makes of a division something else; a number to the power of a tensor slopes in its exponent alone.
    """
    if op == "pow.Scalar":
        return "PowScalar"
    return f"{kind}Mode" if op.endswith("_mode") else kind


def second(kind: str) -> Operator:
    """The row for the backward of a backward, which `create_graph` records."""
    back = f"carries {{grad}} back through the backward of {kind}"
    first = OPERATORS.get(kind.removesuffix("Dense"))
    if first is not None and first.why in (NOTHING, SHAPED, PLACED):
        return row(NOTHING, ("grad_output", f"{kind.lower()}(grad)", back))  # it moves numbers, whatever they are
    knows = first is not None and first.why.startswith("it must know")
    return row(
        first.why
        if first is not None and knows
        else f"the slope of {kind} depends on its input, and so does the slope of its backward",
        ("grad_output", f"grad * {kind.lower()}'(self)", back),
        (
            "self",
            f"grad * grad_output * {kind.lower()}''(self)",
            f"multiplies {{grad}} by the change of {kind}'s slope",
        ),
    )


def formulas(node: NodeState) -> list[tuple[str, str]]:
    """For each edge of `node` the input it stands for and the formula of its gradient."""
    known = operator(kind_of_node(node.kind, node.op))
    if node.variable is not None or not node.edges:
        return []
    if known is None:
        op = node.op.partition(".")[0] or node.kind
        return [(f"input {place}", f"grad · ∂{op}/∂input {place}") for place in range(len(node.edges))]
    ways = known.ways
    if len(ways) == 1 and len(node.edges) > 1:
        return [(f"{ways[0].name}[{place}]", ways[0].formula) for place in range(len(node.edges))]
    return [(way.name, way.formula) for way in ways]
