"""Steps that can be differentiated: made of operators on tensors, so that the graph of what trains leads through them.

A step reads the state of one parameter, which its optimizer has filled, and writes the parameter. A tensor is cloned
where a write would otherwise change what a node of the step saved.
"""

from __future__ import annotations

from typing import Any

from ..api.functions.shape import cat
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


def apart(param: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient, decayed; or as it is, and `param` made smaller in a step of its own, if the group asks for that."""
    weight = group["weight_decay"]
    if weight == 0 or not group["decoupled_weight_decay"]:
        return decay(param, grad, group)
    param.mul_(1 - rate_of(group) * weight)
    return grad


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


def rmsprop(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    lr, alpha, square = group["lr"], group["alpha"], state["square_avg"]
    state["step"].add_(1)
    grad = decay(param, grad, group)
    square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
    if group["centered"]:
        mean = state["grad_avg"].lerp_(grad, 1 - alpha)
        root = square.addcmul(mean, mean, value=-1).sqrt_()
    else:
        root = square.sqrt()
    root = root.add(group["eps"])
    if group["momentum"] > 0:
        param.add_(state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root), alpha=-lr)
    else:
        param.addcdiv_(grad, root, value=-lr)


def adagrad(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    step, total = state["step"].add_(1), state["sum"]
    grad = decay(param, grad, group)
    rate = rate_of(group) / (1 + (step.item() - 1) * group["lr_decay"])
    total.addcmul_(grad, grad, value=1)
    param.addcdiv_(grad, total.sqrt() + group["eps"], value=-rate)


def adadelta(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    rho, eps, square, moved = group["rho"], group["eps"], state["square_avg"], state["acc_delta"]
    state["step"].add_(1)
    grad = decay(param, grad, group)
    square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
    root = square.add(eps).sqrt_()
    delta = moved.add(eps).sqrt_().clone().div_(root).mul_(grad)
    moved.mul_(rho).addcmul_(delta, delta, value=1 - rho)
    param.add_(delta, alpha=-rate_of(group))


def adamax(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    (beta1, beta2), mean, largest = group["betas"], state["exp_avg"], state["exp_inf"]
    step = state["step"].add_(1).item()
    grad = decay(param, grad, group)
    mean.lerp_(grad, 1 - beta1)
    both = cat([largest.mul_(beta2).unsqueeze(0), grad.abs().add_(group["eps"]).unsqueeze_(0)], 0)
    largest.copy_(both.amax(0))
    param.addcdiv_(mean, largest, value=-(rate_of(group) / (1 - beta1**step)))


def nadam(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    lr, (beta1, beta2), mean, square = rate_of(group), group["betas"], state["exp_avg"], state["exp_avg_sq"]
    step = state["step"].add_(1).item()
    grad = apart(param, grad, group)
    now, ahead = (beta1 * (1 - 0.5 * 0.96 ** (at * group["momentum_decay"])) for at in (step, step + 1))
    product = state["mu_product"].mul_(now)
    mean.lerp_(grad, 1 - beta1)
    square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    root = square.div(1 - beta2**step).sqrt().add(group["eps"])
    later = product * ahead
    grad = grad * (-lr * (1 - now) / (1 - product))
    mean = mean * (-lr * ahead / (1 - later))
    param.addcdiv_(grad, root)
    param.addcdiv_(mean, root)


def radam(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    lr, (beta1, beta2), mean, square = rate_of(group), group["betas"], state["exp_avg"], state["exp_avg_sq"]
    step = state["step"].add_(1).item()
    grad = apart(param, grad, group)
    mean.lerp_(grad, 1 - beta1)
    square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    way = mean / (1 - beta1**step) * lr
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / (1 - beta2**step)
    if length > 5.0:
        trust = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        way = way * ((1 - beta2**step) ** 0.5 / square.sqrt().add(group["eps"])) * trust**0.5
    param.add_(way, alpha=-1.0)


def rprop(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    (less, more), sizes, before = group["etas"], state["step_size"], state["prev"]
    state["step"].add_(1)
    sign = grad.mul(before.clone()).sign()
    sign[sign.gt(0)] = more
    sign[sign.lt(0)] = less
    sign[sign.eq(0)] = 1
    sizes.mul_(sign).clamp_(*group["step_sizes"])
    grad = grad.clone()
    grad[sign.eq(less)] = 0
    param.addcmul_(grad.sign(), sizes, value=-1)
    before.copy_(grad)


def asgd(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    lr, lambd, average = rate_of(group), group["lambd"], state["ax"]
    step, eta, mu = state["step"].add_(1).item(), state["eta"].item(), state["mu"].item()
    grad = decay(param, grad, group)
    param.mul_(1 - lambd * eta)
    param.add_(grad, alpha=-eta)
    if mu == 1:
        average.copy_(param)
    else:
        average.add_(param.sub(average).mul_(state["mu"]))
    state["eta"].fill_(lr / (1 + lambd * lr * step) ** group["alpha"])
    state["mu"].fill_(1 / max(1, step - group["t0"]))
