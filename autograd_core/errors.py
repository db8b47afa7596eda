"""PyTorch's messages, word for word, each a constant or a function of its facts; and what this engine does not do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .dispatch.op import Op
    from .graph.node import Node


class Unsupported(NotImplementedError):
    """PyTorch would do it, this engine does not: the text says what, and what is near."""


def no_sparse(name: str) -> Unsupported:
    """`name` was asked for sparse gradients."""
    return Unsupported(f"{name} with sparse=True is not supported: without it the gradients are the same, but dense")


Shape = Sequence[int]

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
LEAF_ASKED_FOR = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
    "currently not supported."
)
NO_FORWARD_MODE = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file "
    "an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
    "prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
)
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)
FREED_HINT = (
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved "
    "variables after calling backward."
)
PACKED_IN_PLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)
CHANGED_SIZE = "hook '{}' has changed the size of value"
NOT_HOOKS = (
    "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
    "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> "
    "None\n\nInvoked with: {}"
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
INFERENCE_IN_PLACE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
CAPTURED_IN_PLACE = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
    "(aten::{}) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
    "transformed to explicitly accept the mutated Tensor(s) as inputs."
)
LEAF_IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF_IN_PLACE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
WHOLE_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes."
)
SLOPE_OVERWRITTEN = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)
TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
NON_LEAF_FLAG = (
    "you can only change requires_grad flags of leaf variables."
    " If you want to use a computed variable in a subgraph that doesn't require differentiation use"
    " var_no_grad = var.detach()."
)
NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated "
    "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf "
    "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which "
    "can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to "
    "use "
    "this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and "
    "avoid "
    "the leak."
)
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)
GRADS_TWICE = (
    "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
    "`grad_tensors`."
)
NUMPY_ON_GRAD = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."

TYPE_NAMES = {
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "float16": "Half",
    "int64": "Long",
    "int32": "Int",
    "int16": "Short",
}
TYPE_NAMES |= {
    "int8": "Char",
    "uint8": "Byte",
    "bool": "Bool",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}
C_NAMES = {
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "int64": "long int",
    "int32": "int",
}
C_NAMES |= {"int16": "short int", "int8": "signed char", "uint8": "unsigned char", "bool": "bool"}
C_NAMES |= {"complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}


BRAIN = np.dtype(np.float32).newbyteorder()
"""The dtype of bfloat16; see tensor/bfloat16.py."""


def kind_name(dtype: Any) -> str:
    """`float32`, `bfloat16`: the name of a dtype, numpy's or ours."""
    name: str = dtype.name if getattr(dtype, "isnative", True) else "bfloat16"
    return name


def type_name(dtype: np.dtype[Any]) -> str:
    """`Float`, `Long`: a dtype as torch's messages name it."""
    return TYPE_NAMES[kind_name(dtype)]


def c_name(dtype: Any) -> str:
    """`float`, `long int`: a dtype as C++ names it."""
    return C_NAMES[kind_name(dtype)]


def legacy_type(dtype: np.dtype[Any]) -> str:
    """`torch.FloatTensor`; bool alone is `CPUBoolType`."""
    return "CPUBoolType" if dtype.name == "bool" else f"torch.{type_name(dtype)}Tensor"


BATCHED_SHAPE = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
    "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
    "detected: grad_output[{i}] has a shape of {got} and output[{i}] has a shape of {expected}. If you only want some "
    "tensors in `grad_output` to be considered batched, consider using vmap."
)
FLAG_IN_TRANSFORM = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of "
    "a function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
    "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
    "transformed instead."
)
RETAIN_IN_TRANSFORM = (
    "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch transform. "
    "This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or "
    "call retain_grad() outside of a function being transformed instead."
)
DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. Please "
    "file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
ALLCLOSE_IN_VMAP = (
    "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues "
    "if you need this feature."
)
SAME_RANDOM_OF_EACH = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
RANDOM_IN_VMAP = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
DYNAMIC_SELECT = (
    "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each "
    "batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature."
)
DYNAMIC_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with "
    "a boolean mask."
)
BACKWARD_IN_TRANSFORM = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)


def sizes(shape: Shape) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def layout(grad: Any, param: Any) -> str:
    """Torch's words of a gradient, an array, that lies otherwise in memory than that of a parameter should."""
    shown = [
        f"{name}.sizes() = {sizes(data.shape)}, strides() = {sizes([step // data.itemsize for step in data.strides])}"
        for name, data in (("grad", grad), ("param", param))
    ]
    first = "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance."
    return "\n".join([first, *shown])


def op_title(name: str) -> str:
    """A node's name as messages shorten it: MulBackward0 -> Mul, SumBackward1 -> Sum1."""
    found = re.fullmatch(r"(.*)Backward(\d*)", name)
    if not found or name.startswith("torch::"):
        return name
    return found[1] + ("" if found[2] == "0" else found[2])


def modification(kept: Any, made_by: Node | None, now: int, expected: int, anomaly: bool) -> str:
    """The message for a saved tensor, a result of `made_by`, that was changed in place."""
    dtype, shape = kept.data_.dtype, kept.data_.shape
    origin = f", which is output {kept.output_nr} of {op_title(made_by.name())}," if made_by is not None else ""
    hint = ANOMALY_HINT if anomaly else HINT
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{legacy_type(dtype)} {sizes(shape)}]{origin} is at version {now}; expected version {expected} instead. "
        f"{hint}"
    )


HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
ANOMALY_HINT = (
    "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
    "question "
    "was changed in there or anywhere later. Good luck!"
)


def grad_shape(index: int, grad: Shape, output: Shape) -> str:
    return (
        f"Mismatch in shape: grad_output[{index}] has a shape of torch.Size({sizes(grad)}) and output[{index}] has a "
        f"shape of torch.Size({sizes(output)})."
    )


def broadcast(shapes: Sequence[Shape]) -> str | None:
    """What torch says of shapes that do not broadcast, None if they do."""
    width = max(len(s) for s in shapes)
    size = [1] * width
    for shape in shapes:
        for i in range(len(shape)):
            at, n = width - 1 - i, shape[len(shape) - 1 - i]
            if size[at] == 1:
                size[at] = n
            elif n not in (1, size[at]):
                return (
                    f"The size of tensor a ({size[at]}) must match the size of tensor b ({n}) at non-singleton "
                    f"dimension {at}"
                )
    return None


def from_numpy(op: Op, error: Exception, shapes: Sequence[Shape]) -> Exception:
    """The exception of torch for what numpy refused."""
    if "numpy boolean subtract" in str(error):
        return RuntimeError((broadcast(shapes) if shapes else None) or BOOL_SUBTRACT)
    if "numpy boolean negative" in str(error):
        return RuntimeError(BOOL_NEGATION)
    if isinstance(error, TypeError) or str(error).startswith("torch."):
        return error
    if "not aligned" in str(error):
        return RuntimeError(not_multiplied(*shapes[-2:]))
    if op.traits.get("promote") or "broadcast" in str(error):
        text = broadcast(shapes) if shapes else None
        if text is not None:
            return RuntimeError(text)
    return RuntimeError(f"{op.python_name}: {error}")


RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
"""The kinds of dtypes: a value may be cast to its own kind or a higher one."""


def check_cast(value: np.dtype[Any], place: np.dtype[Any]) -> None:
    """Whether a result of one dtype may be written into a place of another.

    Raises:
        RuntimeError: it may not.
    """
    if RANK[value.kind] > RANK[place.kind]:
        raise RuntimeError(
            f"result type {type_name(value)} can't be cast to the desired output type {type_name(place)}"
        )


def check_fits(place: Shape, value: Shape) -> None:
    """Whether a result of one shape may be written into a place of another, where it is what it broadcasts to.

    Raises:
        RuntimeError: it may not.
    """
    if place != value:
        raise RuntimeError(f"output with shape {sizes(place)} doesn't match the broadcast shape {sizes(value)}")


def no_gradient(function: str, name: str) -> str:
    return (
        f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot have "
        "requires_grad True."
    )


def not_multiplied(one: Shape, other: Shape) -> str:
    shown = ["x".join(map(str, shape)) for shape in (one, other)]
    return f"mat1 and mat2 shapes cannot be multiplied ({shown[0]} and {shown[1]})"


def not_a_tensor(function: str, name: str, position: int, value: Any) -> str:
    return f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}"


def not_a_tensor_list(function: str, value: Any) -> str:
    return f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(value).__name__}"


def dim_out_of_range(dim: int, ndim: int) -> IndexError:
    low, high = (-ndim, ndim - 1) if ndim else (-1, 0)
    return IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")


DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
    "and "
    "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
    "called on these "
    "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as "
    "the solution."
)
DEEPCOPY = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were "
    "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)

ONE_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)
BOOL_SUBTRACT = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)

BOOL_NEGATION = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)

FORBIDDEN = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the view and "
    "the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or both outside (if "
    "you want the "
    "inplace to be tracked)."
)

VIEW_MADE = {
    "no_grad": FORBIDDEN.format("no_grad"),
    "inference": FORBIDDEN.format("inference_mode"),
    "multi_output": (
        " This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be "
        "modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "custom": (
        " This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle "
        "view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
        "gradients. This "
        "behavior is forbidden. You can fix this by cloning the output of the custom Function."
    ),
}


def view_in_place(creation: str, node_name: str | None, output_nr: int, of_base: bool = False) -> str:
    """Why a view that was made in this way may not be written, or (`of_base`) read after its base was written."""
    written = "its base or another view of its base has been" if of_base else "is being"
    if creation in ("no_grad", "inference") or node_name is None:
        start = "A view was created in"
        if node_name is not None:
            start = f"Output {output_nr} of {op_title(node_name)} is a view of a view which was created in"
        mode = "inference mode" if creation == "inference" else "no_grad mode"
        when = "in normal mode" if creation == "inference" else "with grad mode enabled"
        header = f"{start} {mode} and {written} modified inplace {when}."
    else:
        header = f"Output {output_nr} of {op_title(node_name)} is a view and {written} modified inplace."
    return header + VIEW_MADE[creation]
