"""Batching rules: an operator on tensors whose batch dimension vmap hides becomes operators on the whole batch.

`batched` is where an operator goes to that meets such a tensor. It takes the innermost vmap off the operands, lets the
rule of the operator compute on what lies below (which may again be such a batch, or part of the graph of a
differentiation outside of this vmap), and hides the dimension of the results. If a differentiation inside of this vmap
follows the operands, the results get a node over the hidden ones.

Rules: ATen/functorch/BatchRules*.cpp says which operators torch takes for each; they are told apart here by kind.
"""

from __future__ import annotations

from typing import Any

from ...dispatch.operands import operand
from ...dispatch.registry import callbacks
from ...engine.state import state
from ...tensor.views import remember
from ..batch import Level
from ..batched_tensor import hide, innermost, lift, part_of
from . import elementwise, nn, shape
from .fallback import one_by_one
from .operands import Call, once

RULES = (
    elementwise.OTHER_POINTWISE | elementwise.REDUCTIONS | shape.RULES | elementwise.PRODUCTS | nn.LOSSES | nn.LAYERS
)
"""By the name of the operator. Those declared as pointwise need none; others without a rule run for one example after
the other, as torch's fallback does."""


NOT_YET = """
tanh_backward leaky_relu_backward elu_backward gelu_backward softplus_backward log_sigmoid_backward hardtanh_backward
hardswish_backward softshrink_backward hardshrink_backward hardsigmoid_backward glu_backward _softmax _log_softmax
_softmax_backward_data _log_softmax_backward_data cumprod where.self mse_loss_backward
"""
"""The operators without a rule in the older vmap."""


def call_batched(op: Any, args: tuple[Any, ...]) -> Any:
    """What `op` gives for `args`, some of which hide a dimension; None if none does."""
    level = innermost(args)
    if level is None:
        return None
    given: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    for name, value in zip(op.signature.parameters, args, strict=True):
        if name in op.tensors:
            value = operand(value, op, name)
            if value is not None:
                value, parts[name] = lift(value, level), part_of(value, level)
        elif name in op.lists:
            parts[name] = [None if t is None else part_of(t, level) for t in value]
            value = [None if t is None else lift(t, level) for t in value]
        given[name] = value
    call = Call(op, level, parts, {k: v for k, v in given.items() if k not in parts})
    found = rule_of(op, level)(call) if call.is_batched() else once(call)
    several = isinstance(found, list)
    results = [hide(part, level) for part in (found if several else [found])]
    if state.grad_enabled and op.node_class is not None:
        op.link(*given.values(), results)
    if op.view:
        remember(op, given["self"], args[1:], results)
    if op.many or not several:
        return results if op.many else results[0]
    return tuple(results)


def rule_of(op: Any, level: Level) -> Any:
    if level.older and op.name in NOT_YET.split():
        return one_by_one
    return rule_in(op)


def rule_in(op: Any) -> Any:
    """The rule of the newer vmap for `op`."""
    return RULES.get(op.name) or (elementwise.each_element(op) if op.traits.get("pointwise") else one_by_one)


callbacks.batched = call_batched
