"""Walks a backward graph as tools that draw one do: by `next_functions`, `variable` and the `_saved_*` attributes.

The drawing is a list of lines such as `MulBackward0 -> SumBackward0` in the order of the walk, with the shapes of
leaves and saved tensors; it is the same for any engine that offers torch's names.
"""

from __future__ import annotations

from typing import Any

SAVED = "_saved_"


def size(tensor: Any) -> str:
    return "(" + ", ".join(f"{n}" for n in tensor.size()) + ")"


def is_tensor(value: Any) -> bool:
    return hasattr(value, "requires_grad") and hasattr(value, "size")


class Drawing:
    """Boxes by number in the order they are met, and the lines between them."""

    def __init__(self, root: Any, names: dict[str, Any]) -> None:
        self.names = {id(tensor): name for name, tensor in names.items()}
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []
        self.lines: list[str] = []
        roots = root if isinstance(root, tuple | list) else (root,)
        for tensor in roots:
            self.tensor(tensor)

    def number(self, thing: Any) -> tuple[int, bool]:
        """The number of a box, and whether it is new. What has one is kept, so that no other takes its id."""
        new = id(thing) not in self.numbers
        if new:
            self.kept.append(thing)
            self.numbers[id(thing)] = len(self.numbers)
        return self.numbers[id(thing)], new

    def box(self, thing: Any, text: str) -> tuple[int, bool]:
        number, new = self.number(thing)
        if new:
            self.lines.append(f"{number}: {text}")
        return number, new

    def tensor(self, tensor: Any) -> None:
        number, new = self.box(tensor, f"result {size(tensor)}")
        if new and tensor.grad_fn is not None:
            self.lines.append(f"{self.node(tensor.grad_fn)} -> {number}")
        if new and tensor._is_view():
            base, _ = self.box(tensor._base, f"base {size(tensor._base)}")
            self.lines.append(f"{base} .. {number}")

    def node(self, root: Any) -> int:
        stack = [root]
        while stack:
            node = stack.pop()
            number, new = self.box(node, f"{type(node).__name__} {node.name()}")
            if not new:
                continue
            for attribute in sorted(dir(node)):
                if attribute.startswith(SAVED):
                    self.saved(number, attribute.removeprefix(SAVED), getattr(node, attribute))
            for i, tensor in enumerate(getattr(node, "saved_tensors", ())):
                self.saved(number, f"tensors[{i}]", tensor)
            if hasattr(node, "variable"):
                leaf, _ = self.box(node.variable, f"leaf {self.names.get(id(node.variable), '')} {size(node.variable)}")
                self.lines.append(f"{leaf} -> {number}")
            below = [(child, nr) for child, nr in node.next_functions if child is not None]
            for child, nr in below:
                known = f" {self.numbers[id(child)]}" if id(child) in self.numbers else ""
                self.lines.append(f"{type(child).__name__}{known} output {nr} -> {number}")
            stack.extend(child for child, _ in reversed(below))
        return self.numbers[id(root)]

    def saved(self, number: int, name: str, value: Any) -> None:
        parts = value if isinstance(value, tuple) and any(map(is_tensor, value)) else (value,)
        for part in parts:
            if is_tensor(part):
                known = self.names.get(id(part), "")
                self.lines.append(f"{number} keeps {name} {known} {size(part)} {part.grad_fn is None}")
            else:
                self.lines.append(f"{number} keeps {name} = {part}")


GRAPHS: dict[str, str] = {
    "a loss of a linear layer": "loss = ((x @ w + b).tanh() - y).pow(2).mean()",
    "a shared leaf and a diamond": "h = (w * w).exp(); loss = (h * h.sin() + h).sum()",
    "a product by a number and a view": "loss = (w * 2)[0, 1:].view(-1, 1).t()",
    "in place through a view": "c = w * 1; c[0] = 3.; c[:, 1].mul_(b[0]); loss = c.sum()",
    "several outputs": "p, q = (w * 3).split(1); loss = (p * q).sum() + w.max(1).values.sum()",
    "a joined list": "loss = torch.stack([b, b * 2, torch.cat([b[:1], b[1:]])]).mean()",
    "a second derivative": "g, = torch.autograd.grad((w ** 3).sum(), w, create_graph=True); loss = (g * w).sum()",
    "a function of one's own": "loss = Double.apply(w).sum()",
    "modules": "torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), "
    "torch.nn.Linear(3, 1)); loss = torch.nn.functional.mse_loss(net(x), torch.zeros(3, 1))",
    "classes": "loss = torch.nn.functional.cross_entropy(x @ w, torch.tensor([0, 1, 0]))",
    "softmax and where": "loss = torch.where(w > 0, torch.softmax(w, -1), w.relu()).log_softmax(0).sum()",
    "an index": "loss = w[torch.tensor([0, 0, 1]), 1].prod() + w.gather(1, torch.tensor([[0], [1]])).sum()",
    "two results": "loss = ((w * b).sum(), (w / b).sum(0))",
}
"""Programs that leave a graph under the name `loss`, over the leaves w, b, and the inputs x, y."""


def drawn(torch: Any, program: str) -> list[str]:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: Any) -> Any:
            ctx.save_for_backward(t)
            return t * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    names: dict[str, Any] = {"torch": torch, "Double": Double}
    names["w"] = torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)
    names["b"] = torch.tensor([0.5, 2.0], requires_grad=True)
    names["x"] = torch.tensor([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]])
    names["y"] = torch.ones(3, 2)
    exec(program, names)  # the programs stand above
    return Drawing(names["loss"], {name: names[name] for name in "wbxy"}).lines
