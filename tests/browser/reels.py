"""The programs whose pictures are looked at: eight that everybody who explains autograd draws sooner or later."""

from __future__ import annotations

DIAMOND = """\
import torch

x = torch.tensor(3.0, requires_grad=True)
a = x * x
b = a + 1
c = a * 2
loss = b * c
loss.backward()
"""
SHARED = """\
import torch
x = torch.tensor([1., 0.])
t = torch.eye(2, requires_grad=True)
a = torch.ones(2, requires_grad=True)
y = t @ a

for step in range(2):
    out = t @ (x + y)
    loss = ((out - x)**2).mean()
    loss.backward()
"""
ACCUMULATION = """\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])

for sample in range(3):
    loss = (w * x).sum() ** 2
    loss.backward()
    print(w.grad)
"""
VIEWS = """\
import torch

base = torch.ones(2, 3, requires_grad=True)
h = base * 2
row = h[0]
square = h ** 2
row.add_(1)
square.sum().backward()
"""
THIRD = """\
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x ** 5
for order in range(3):
    y, = torch.autograd.grad(y, x, create_graph=True)
    print(order + 1, y.item())
"""
TRAINING = """\
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(16, 4)
t = torch.randn(16, 1)
net = nn.Sequential(
    nn.Linear(4, 8), nn.Tanh(),
    nn.Linear(8, 8), nn.Tanh(),
    nn.Linear(8, 1))
opt = torch.optim.SGD(
    net.parameters(), lr=0.1)

for step in range(20):
    loss = F.mse_loss(net(x), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
RECURRENT = """\
import torch

torch.manual_seed(0)
W = torch.randn(3, 3) * 0.1
W.requires_grad_()
U = torch.eye(3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
xs = torch.randn(50, 3)

h = torch.zeros(3)
for t in range(50):
    h = torch.tanh(W @ xs[t] + U @ h + b)
loss = h.sum()
loss.backward()
"""
DETERMINANT = """\
import torch

def det(rows, columns):
    if len(columns) == 1:
        return rows[0][columns[0]]
    total = None
    for at, column in enumerate(columns):
        term = rows[0][column] * det(rows[1:], columns[:at] + columns[at + 1:])
        if total is None:
            total = term
        elif at % 2:
            total = total - term
        else:
            total = total + term
    return total

n = 6
m = [[torch.tensor((r * 7 + c * 3) % 5 - 1.5 + (r == c), requires_grad=True)
      for c in range(n)] for r in range(n)]
det(m, tuple(range(n))).backward()
"""

REELS: dict[str, tuple[str, str]] = {
    "diamond": (DIAMOND, "sum"),
    "shared": (SHARED, "last"),
    "accumulation": (ACCUMULATION, "stored"),
    "views": (VIEWS, "last"),
    "third": (THIRD, "late"),
    "training": (TRAINING, "folded"),
    "recurrent": (RECURRENT, "backward"),
    "determinant": (DETERMINANT, "backward"),
}
"""Name, program and the moment that is shown; the moments are told in `shots.py`."""
