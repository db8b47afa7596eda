"""What the backward of products, layers, losses and linear algebra does: rows like those of rows.py."""

from __future__ import annotations

from .rows import INPUT, NOTHING, OTHER, RESULT, SAME, SHAPED, Operator, alike, lone, row

THROUGH_TIME = "the way back goes through all steps again, by the same weights"

LAYERS: dict[str, Operator] = {
    "Addmv": row(
        OTHER,
        ("self", "grad * beta", SAME),
        ("mat", "outer(grad, vec)", "takes the outer product of {grad} and {vec}"),
        ("vec", "mat.T @ grad", "multiplies {mat}, transposed, by {grad}"),
    ),
    "Baddbmm": row(
        OTHER,
        ("self", "grad * beta", SAME),
        ("batch1", "grad @ batch2.mT", "multiplies {grad} by {batch2}, transposed"),
        ("batch2", "batch1.mT @ grad", "multiplies {batch1}, transposed, by {grad}"),
    ),
    "Addr": row(
        OTHER,
        ("self", "grad * beta", SAME),
        ("vec1", "grad @ vec2", "multiplies {grad} by {vec2}"),
        ("vec2", "grad.T @ vec1", "multiplies {grad}, transposed, by {vec1}"),
    ),
    "Vdot": row(
        OTHER,
        ("self", "grad * other", "multiplies {grad} by {other}"),
        ("other", "grad * self", "multiplies {grad} by {self}"),
    ),
    "Trilinear": row(
        OTHER,
        ("i1", "grad * i2 * i3", "multiplies {grad} by the other two"),
        ("i2", "grad * i1 * i3", "multiplies {grad} by the other two"),
        ("i3", "grad * i1 * i2", "multiplies {grad} by the other two"),
    ),
    "LinalgCross": row(
        OTHER,
        ("self", "cross(other, grad)", "takes the cross product of {other} and {grad}"),
        ("other", "cross(grad, self)", "takes the cross product of {grad} and {self}"),
    ),
    "Convolution": row(
        OTHER,
        ("input", "conv_transpose(grad, weight)", "slides {weight} over {grad}, backwards"),
        ("weight", "correlation of input and grad", "correlates {input} with {grad}"),
        ("bias", "grad summed over places", "adds {grad} up over all places"),
    ),
    **alike(
        "AvgPool2D AvgPool1D AvgPool3D AdaptiveAvgPool2D AdaptiveAvgPool3D",
        lone(SHAPED, "grad spread over windows", "spreads {grad} evenly over each window"),
    ),
    **alike(
        "GridSampler2D GridSampler3D",
        row(
            OTHER,
            ("input", "grad at the elements around each place", "shares {grad} among the elements around each place"),
            ("grid", "grad * the slope of input there", "multiplies {grad} by how {input} changes around each place"),
        ),
    ),
    "AffineGridGenerator": row(
        SHAPED, ("theta", "places.T @ grad", "multiplies {grad} by the places that were mapped")
    ),
    **alike(
        "MaxPool2DWithIndices AdaptiveMaxPool2D MaxPool3DWithIndices",
        lone(
            "it must know where the largest entry was",
            "grad at the maxima",
            "sends {grad} to the largest entry of each window",
        ),
    ),
    **alike(
        "UpsampleBilinear2D UpsampleLinear1D UpsampleBicubic2D UpsampleTrilinear3D UpsampleBilinear2DAa "
        "UpsampleBicubic2DAa",
        lone(SHAPED, "grad weighed", "gives {grad} back to the entries it was interpolated from"),
    ),
    **alike(
        "UpsampleNearest2D UpsampleNearest1D UpsampleNearest3D "
        "UpsampleNearestExact1D UpsampleNearestExact2D UpsampleNearestExact3D",
        lone(SHAPED, "grad summed", "adds {grad} up over the copies"),
    ),
    **alike(
        "NativeBatchNorm CudnnBatchNorm NativeGroupNorm NativeLayerNorm",
        row(
            "its slope depends on the mean and the spread of what it evens out",
            (
                "input",
                "grad, centred and scaled",
                "takes from {grad} what mean and spread account for and scales the rest",
            ),
            ("weight", "sum of grad * normalised", "multiplies {grad} by the normalised input and adds that up"),
            ("bias", "sum of grad", "adds {grad} up over the batch"),
        ),
    ),
    "ScaledDotProductFlashAttentionForCpu": row(
        OTHER,
        ("query", "through softmax to the query", "carries {grad} through the softmax to the query"),
        ("key", "through softmax to the key", "carries {grad} through the softmax to the key"),
        ("value", "weights.T @ grad", "weighs {grad} by the attention that was paid"),
    ),
    **alike(
        "HuberLoss SmoothL1Loss",
        row(
            "its slope depends on the distance",
            (
                "self",
                "grad * clamp(self - target)",
                "multiplies {grad} by the distance of {self} from {target}, cut off at the limit",
            ),
            ("target", "-grad * clamp(self - target)", "multiplies {grad} by minus that distance"),
        ),
    ),
    **alike(
        "MultiMarginLoss MultilabelMarginLoss",
        row(
            "its slope depends on which scores came too near",
            (
                "self",
                "grad at the scores within the margin",
                "gives {grad} to the scores that came too near, and takes it from those that were meant",
            ),
        ),
    ),
    **alike(
        "MaxUnpool2D MaxUnpool3D",
        row("it must know where things were put", ("self", "grad at indices", "picks {grad} where {self} was put")),
    ),
    "SoftMarginLoss": lone(
        "its slope depends on the distance",
        "-grad * target * sigmoid(-target * self)",
        "weighs {grad} by how far {self} is on the wrong side",
    ),
    "LinalgDet": lone(
        RESULT,
        "grad * result * inv(self).T",
        "multiplies {grad} by {result} and by the inverse of the matrix, transposed",
    ),
    "LinalgSlogdet": lone(INPUT, "grad * inv(self).T", "multiplies {grad} by the inverse of the matrix, transposed"),
    **alike(
        "LinalgInvEx LinalgPinv",
        lone(RESULT, "-result.T @ grad @ result.T", "multiplies {grad} from both sides by minus {result}, transposed"),
    ),
    "LinalgHouseholderProduct": row(
        OTHER,
        ("input", "grad mirrored back, by the vectors", "mirrors {grad} back through the reflections before"),
        ("tau", "grad mirrored back, by the lengths", "mirrors {grad} back through the reflections before"),
    ),
    "LinalgLstsq": row(
        OTHER,
        ("self", "through pinv(self)", "carries {grad} back through the pseudo-inverse"),
        ("b", "pinv(self).T @ grad", "multiplies {grad} by the pseudo-inverse, transposed"),
    ),
    "CholeskySolve": row(
        OTHER,
        ("self", "cholesky_solve(grad, input2)", "solves with the factor for {grad}"),
        (
            "input2",
            "-(g + g.T) @ input2, g = cholesky_solve(grad, input2) @ result.T",
            "solves with the factor for {grad}, multiplies by the result, and takes it both ways",
        ),
    ),
    "CholeskyInverse": lone(
        RESULT,
        "-(g + g.T) @ self, g = result @ grad @ result",
        "multiplies {grad} from both sides by {result}, takes it both ways and multiplies by minus the factor",
    ),
    **alike(
        "LinalgSolveEx LinalgSolveTriangular",
        row(
            OTHER,
            (
                "A",
                "-solve(A.T, grad) @ result.T",
                "solves with the transposed matrix for {grad} and multiplies by minus the result",
            ),
            ("B", "solve(A.T, grad)", "solves with the transposed matrix for {grad}"),
        ),
    ),
    **alike(
        "LinalgCholeskyEx Cholesky LinalgQr LinalgEigh LinalgEig LinalgSvd",
        lone("its slope is read off the factors", "through the factors", "carries {grad} back through the factors"),
    ),
    "MkldnnRnnLayer": lone(THROUGH_TIME, "back through time", "carries {grad} back through all steps of the LSTM"),
    "CheckpointFunctionBackward": row(
        "checkpoint saves the inputs, and runs the forward again when the rest is needed",
        ("inputs", "backward of the forward run again", "carries {grad} back through the forward that ran again"),
    ),
    "BackwardHookFunctionBackward": row(
        NOTHING, ("inputs", "grad", "passes {grad} on, once the module's hooks have seen it")
    ),
    "LinalgMatrixExp": lone(
        INPUT, "exp of the block matrix", "carries {grad} through the exponential of the transposed matrix"
    ),
}
