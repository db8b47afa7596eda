"""What the backward of each common operator does, in words and as a formula: a table, one row for each operator.

A row is keyed by the node's name without Backward and number. `inputs` are its differentiable inputs in the order of
its edges, each with the formula of its gradient and what to say: `{grad}` is what came, `{other}`, `{result}` ... what
the node kept in that slot. `why` says why it keeps what it keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

SAME = "passes {grad} on as it is"
NOTHING = "its gradient needs no values"


@dataclass(frozen=True)
class Way:
    """To one input: its name, the formula, and the words."""

    name: str
    formula: str
    words: str


@dataclass(frozen=True)
class Operator:
    ways: tuple[Way, ...]
    why: str


def row(why: str, *ways: tuple[str, str, str]) -> Operator:
    return Operator(tuple(Way(*way) for way in ways), why)


def lone(why: str, formula: str, words: str) -> Operator:
    """The row of an operator with one input."""
    return row(why, ("self", formula, words))


def alike(names: str, row: Operator) -> dict[str, Operator]:
    """One row for several operators."""
    return dict.fromkeys(names.split(), row)


OTHER = "the gradient of each side needs the other"
INPUT = "its slope depends on its input"
RESULT = "its slope can be read off it"
SHAPED = "only the shape matters, not the values"
PLACED = "it only has to know which places were taken"
FLAT = "it is flat between its steps"
FLATLY = "passes zeros on, since it is flat between its steps"
BEHIND = "the write behind it does the work"

OPERATORS: dict[str, Operator] = {
    # ---- arithmetic
    "Add": row("the gradient of a sum needs no values", ("self", "grad", SAME), ("other", "grad * alpha", SAME)),
    "Sub": row(
        "the gradient of a difference needs no values",
        ("self", "grad", SAME),
        ("other", "-grad * alpha", "flips the sign of {grad}"),
    ),
    "Rsub": lone("the gradient of a difference needs no values", "-grad", "flips the sign of {grad}"),
    "Mul": row(
        OTHER,
        ("self", "grad * other", "multiplies {grad} by {other}"),
        ("other", "grad * self", "multiplies {grad} by {self}"),
    ),
    "Div": row(
        OTHER,
        ("self", "grad / other", "divides {grad} by {other}"),
        ("other", "-grad * self / (other * other)", "multiplies {grad} by minus {self} over the square of {other}"),
    ),
    "Neg": lone(NOTHING, "-grad", "flips the sign of {grad}"),
    "Pow": row(
        INPUT,
        ("self", "grad * exponent * self ** (exponent - 1)", "multiplies {grad} by the slope of the power at {self}"),
        ("exponent", "grad * result * log(self)", "multiplies {grad} by {result} and by the logarithm of {self}"),
    ),
    "PowScalar": row(
        RESULT,
        ("exponent", "grad * result * log(self)", "multiplies {grad} by {result} and by the logarithm of {self}"),
    ),
    "Reciprocal": lone(RESULT, "-grad * result * result", "multiplies {grad} by minus the square of {result}"),
    "Sqrt": lone(RESULT, "grad / (2 * result)", "divides {grad} by twice {result}"),
    "Rsqrt": lone(RESULT, "-0.5 * grad * result ** 3", "multiplies {grad} by minus half the cube of {result}"),
    "Abs": lone(INPUT, "grad * sgn(self)", "multiplies {grad} by the sign of {self}"),
    # ---- elementwise functions
    "Exp": lone("the derivative of exp is exp itself", "grad * result", "multiplies {grad} by {result}"),
    "Log2": lone(INPUT, "grad / (self * ln 2)", "divides {grad} by {self} and by the logarithm of 2"),
    "Log10": lone(INPUT, "grad / (self * ln 10)", "divides {grad} by {self} and by the logarithm of 10"),
    "Log1P": lone(INPUT, "grad / (self + 1)", "divides {grad} by 1 + {self}"),
    "Expm1": lone(RESULT, "grad * (result + 1)", "multiplies {grad} by 1 + {result}"),
    "Log": lone(INPUT, "grad / self", "divides {grad} by {self}"),
    "Sin": lone(INPUT, "grad * cos(self)", "multiplies {grad} by the cosine of {self}"),
    "Cos": lone(INPUT, "-grad * sin(self)", "multiplies {grad} by minus the sine of {self}"),
    "Tan": lone(RESULT, "grad * (1 + result ** 2)", "multiplies {grad} by 1 + the square of {result}"),
    "Tanh": lone(RESULT, "grad * (1 - result ** 2)", "multiplies {grad} by 1 - the square of {result}"),
    "Sigmoid": lone(RESULT, "grad * (1 - result) * result", "multiplies {grad} by {result} and by 1 minus it"),
    "Relu": lone(
        "it must know where it let values through",
        "grad * (result > 0)",
        "lets {grad} through where {result} is positive",
    ),
    "LeakyRelu": lone(
        "it must know where its input was positive",
        "grad * where(self > 0, 1, negative_slope)",
        "lets {grad} through, scaled where {self} was negative",
    ),
    "RreluWithNoise": lone(
        "it must know where its input was positive, and the slopes that were drawn",
        "grad * where(self > 0, 1, noise)",
        "lets {grad} through, scaled by what was drawn where {self} was negative",
    ),
    "Elu": lone(INPUT, "grad * elu'(self)", "multiplies {grad} by the slope of elu at {self}"),
    "Gelu": lone(INPUT, "grad * gelu'(self)", "multiplies {grad} by the slope of gelu at {self}"),
    "Silu": lone(INPUT, "grad * silu'(self)", "multiplies {grad} by the slope of silu at {self}"),
    "Softplus": lone(INPUT, "grad * sigmoid(self * beta)", "multiplies {grad} by the sigmoid of {self}"),
    "Clamp": row(
        "it must know what lay between the limits",
        ("self", "grad * (min <= self <= max)", "lets {grad} through where {self} lay between the limits"),
        ("min", "grad * (self < min)", "takes {grad} from where {self} lay below this limit"),
        ("max", "grad * (self > max)", "takes {grad} from where {self} lay above this limit"),
    ),
    "Where": row(
        "it must know which side was chosen",
        ("self", "where(condition, grad, 0)", "lets {grad} through where the condition held"),
        ("other", "where(condition, 0, grad)", "lets {grad} through where the condition did not hold"),
    ),
    "Maximum": row(
        "it must know which side was larger",
        ("self", "grad * (self >= other)", "lets {grad} through where this side was larger (half of it at a tie)"),
        ("other", "grad * (other > self)", "lets {grad} through where this side was larger (half of it at a tie)"),
    ),
    # ---- reductions
    "Sum": lone(SHAPED, "grad.expand(self.shape)", "spreads {grad} over all the entries that were added"),
    "Mean": lone(
        SHAPED, "grad.expand(self.shape) / numel", "spreads {grad} evenly over the entries, divided by their number"
    ),
    "Max": lone("it must know where the largest entry was", "grad at the maximum", "sends {grad} to the maximum"),
    "Min": lone("it must know where the smallest entry was", "grad at the minimum", "sends {grad} to the minimum"),
    "Amax": lone("it must know where the largest entry was", "grad at the maximum", "shares {grad} among the maxima"),
    "Prod": lone(OTHER, "grad * result / self", "multiplies {grad} by the product of the others"),
    "Cumsum": lone(NOTHING, "grad.flip.cumsum.flip", "adds {grad} up from the end"),
    **alike("Norm LinalgVectorNorm", lone(INPUT, "grad * self / result", "multiplies {grad} by {self}, over the norm")),
    "Var": lone(
        INPUT, "2 * grad * (self - mean) / (n - 1)", "multiplies {grad} by twice the distance of {self} from its mean"
    ),
    "Std": lone(
        INPUT, "grad * (self - mean) / (result * (n - 1))", "multiplies {grad} by the distance of {self} from its mean"
    ),
    "LogSoftmax": lone(RESULT, "grad - exp(result) * sum(grad)", "takes from {grad} its sum, weighted by the softmax"),
    "Softmax": lone(
        RESULT, "result * (grad - sum(grad * result))", "takes its weighted mean off {grad} and multiplies by {result}"
    ),
    # ---- products
    "Mm": row(
        OTHER,
        ("self", "grad @ mat2.T", "multiplies {grad} by {mat2}, transposed"),
        ("mat2", "self.T @ grad", "multiplies {self}, transposed, by {grad}"),
    ),
    "Bmm": row(
        OTHER,
        ("self", "grad @ mat2.mT", "multiplies {grad} by {mat2}, transposed"),
        ("mat2", "self.mT @ grad", "multiplies {self}, transposed, by {grad}"),
    ),
    "Mv": row(
        OTHER,
        ("self", "outer(grad, vec)", "takes the outer product of {grad} and {vec}"),
        ("vec", "self.T @ grad", "multiplies {self}, transposed, by {grad}"),
    ),
    "Dot": row(
        OTHER,
        ("self", "grad * tensor", "multiplies {grad} by {tensor}"),
        ("tensor", "grad * self", "multiplies {grad} by {self}"),
    ),
    "Addmm": row(
        OTHER,
        ("self", "grad * beta", "adds {grad} up over the batch"),
        ("mat1", "grad @ mat2.T", "multiplies {grad} by {mat2}, transposed"),
        ("mat2", "mat1.T @ grad", "multiplies {mat1}, transposed, by {grad}"),
    ),
    "Linear": row(
        OTHER,
        ("input", "grad @ weight", "multiplies {grad} by {weight}"),
        ("weight", "grad.T @ input", "multiplies {grad}, transposed, by {input}"),
        ("bias", "grad.sum(0)", "adds {grad} up over the batch"),
    ),
    # ---- losses
    "MseLoss": row(
        "its slope is the distance itself",
        (
            "self",
            "2 * grad * (self - target) / n",
            "multiplies {grad} by twice the distance of {self} from {target}, averaged",
        ),
        ("target", "-2 * grad * (self - target) / n", "multiplies {grad} by minus twice that distance"),
    ),
    "NllLoss": lone(
        "it must know the target classes", "-grad / n at target", "sends minus {grad} to the target classes"
    ),
    "BinaryCrossEntropy": lone(
        INPUT, "grad * (self - target) / (self * (1 - self))", "weighs {grad} by how far {self} is from {target}"
    ),
    "BinaryCrossEntropyWithLogits": lone(
        INPUT, "grad * (sigmoid(self) - target)", "multiplies {grad} by the sigmoid of {self} minus {target}"
    ),
    "CtcLoss": row(
        "it must know every way to spell the target",
        (
            "log_probs",
            "grad * (exp(log_probs) - the part of all ways)",
            "weighs {grad} by how far each class is from its part in all ways to spell the target",
        ),
    ),
    # ---- shapes and places
    **alike("Clone Alias", lone(NOTHING, "grad", SAME)),
    "ToCopy": lone(NOTHING, "grad.to(self.dtype)", "passes {grad} on in the input's dtype"),
    "T": lone(SHAPED, "grad.T", "transposes {grad}"),
    "Transpose": lone(SHAPED, "grad.transpose(dim0, dim1)", "transposes {grad}"),
    "Permute": lone(SHAPED, "grad.permute(inverse)", "permutes {grad} back"),
    **alike(
        "View UnsafeView ReshapeAlias",
        lone(SHAPED, "grad.reshape(self.shape)", "puts {grad} back into the shape of its input"),
    ),
    "Squeeze": lone(SHAPED, "grad.unsqueeze", "puts back into {grad} the dimension that was dropped"),
    "Unsqueeze": lone(SHAPED, "grad.squeeze(dim)", "takes the added dimension off {grad}"),
    **alike("Expand Repeat", lone(SHAPED, "sum of grad", "adds {grad} up over the copies")),
    "Cat": row(SHAPED, ("tensors", "grad, cut", "cuts {grad} into the pieces that were joined")),
    "Stack": row(SHAPED, ("tensors", "grad, cut", "cuts {grad} into the pieces that were stacked")),
    "Select": lone(PLACED, "grad at index, else 0", "puts {grad} at the place that was selected, zeros elsewhere"),
    **alike(
        "Slice",
        lone(PLACED, "grad in the slice, else 0", "puts {grad} where the slice was, zeros elsewhere"),
    ),
    "Unbind": lone(SHAPED, "stack(grads)", "stacks {grad} again"),
    "Split": lone(SHAPED, "cat(grads)", "joins {grad} again"),
    "Index": lone(PLACED, "grad at indices, else 0", "puts {grad} at the places that were indexed, zeros elsewhere"),
    "Embedding": row(PLACED, ("weight", "grad at the rows", "adds {grad} to the rows that were looked up")),
    "Gather": lone(PLACED, "grad at index, else 0", "puts {grad} back where it was taken from"),
    "IndexPut": row(
        PLACED,
        ("self", "grad, 0 at indices", "passes {grad} on, with zeros at the places that were overwritten"),
        ("values", "grad at indices", "takes from {grad} the places that were written"),
    ),
    "AsStrided": lone(PLACED, "grad in the view, else 0", "puts {grad} where the view was, zeros elsewhere"),
    "CopySlices": row(
        BEHIND,
        ("base", "grad, 0 in the part", "passes {grad} on, without the part that was overwritten"),
        ("src", "grad of the part", "takes from {grad} the part that was written"),
    ),
    "Copy": row(NOTHING, ("self", "0", "passes nothing on: the old contents were overwritten"), ("src", "grad", SAME)),
    "Fill": row(
        NOTHING,
        ("self", "0", "passes zeros on: the old contents were overwritten"),
        ("value", "grad.sum()", "adds {grad} up"),
    ),
    "Zero": lone(NOTHING, "0", "passes zeros on: the old contents were overwritten"),
}
