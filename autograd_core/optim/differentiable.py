"""Steps that can be differentiated: made of operators on tensors, so that the graph of what trains leads through them.

A step reads the state of one parameter, which its optimizer has filled, and writes the parameter. A tensor is cloned
where a write would otherwise change what a node of the step saved.
"""

from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor


def rate_of(group: dict[str, Any]) -> Any:
    """The learning rate: a number, or a tensor without dimensions."""
    lr = group["lr"]
    return lr.squeeze() if isinstance(lr, Tensor) and lr.data_.ndim else lr


def wants(value: Any) -> bool:
    """Whether an option is a tensor that wants a gradient."""
    return isinstance(value, Tensor) and value.requires_grad


def decay(param: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient with that of `weight_decay / 2 * param ** 2` added."""
    weight = group["weight_decay"]
    if wants(weight):
        return grad.addcmul_(param.clone(), weight)
    return grad if weight == 0 else grad.add(param, alpha=weight)


def sgd(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    lr, momentum = rate_of(group), group["momentum"]
    grad = decay(param, grad, group)
    if momentum != 0:
        held = state.get("momentum_buffer")
        if held is None:
            held = state["momentum_buffer"] = grad.detach().clone()
        else:
            held.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
        grad = grad.add(held, alpha=momentum) if group["nesterov"] else held
    if wants(lr):
        param.addcmul_(grad, lr, value=-1)
    else:
        param.add_(grad, alpha=-lr)


def adam_in_steps(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    """Adam as torch computes it where nothing is differentiated."""
    lr, (beta1, beta2) = rate_of(group), group["betas"]
    mean, square, step = state["exp_avg"], state["exp_avg_sq"], state["step"]
    step.add_(1)
    if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
        param.mul_(1 - lr * group["weight_decay"])
    else:
        grad = decay(param, grad, group)
    mean.lerp_(grad, 1 - beta1)
    square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    count = step.item()
    if group["amsgrad"]:
        square = state["max_exp_avg_sq"].copy_(state["max_exp_avg_sq"].maximum(square))
    scale = (square.sqrt() / (1 - beta2**count) ** 0.5).add_(group["eps"])
    param.addcdiv_(mean, scale, value=-(lr / (1 - beta1**count)))


def adam(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    lr, (beta1, beta2), eps = rate_of(group), group["betas"], group["eps"]
    mean, square, step = state["exp_avg"], state["exp_avg_sq"], state["step"]
    step.add_(1)
    if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
        param.mul_(1 - lr * group["weight_decay"])
    else:
        grad = decay(param, grad, group)
    mean.lerp_(grad, 1 - beta1)
    if wants(beta2):
        square.lerp_(grad.square(), 1 - beta2)
    else:
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    first, second = (1 - beta ** (step.clone() if wants(beta) else step) for beta in (beta1, beta2))
    size = (lr / first).neg()
    root = second.sqrt()
    if group["amsgrad"]:
        most = state["max_exp_avg_sq"]
        square = most.copy_(most.clone().maximum(square))
    param.addcdiv_(mean.clone(), (square.sqrt() / (root * size)).add_(eps / size))
