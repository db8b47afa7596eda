"""Data sets of torchvision are made up: whole batches of the right shapes, and a remark that says so."""

from __future__ import annotations

import pytest

from gradreel.interpreter import run
from gradreel.trace.events import Printed, Warned

BEGIN = """\
import torch, torchvision
from torch.utils.data import DataLoader, random_split
from torchvision import datasets, transforms as T
"""

PRINTED = """\
d = datasets.MNIST('d', transform=T.ToTensor())
x, y = d[3]
print(x.shape, x.dtype, float(x.max()) <= 1, type(y))
-----
torch.Size([1, 28, 28]) torch.float32 True <class 'int'>
#####
d = torchvision.datasets.MNIST(root='d', train=False)
print(d[0][0], d.data.dtype, d.data.shape[1:], len(d.classes))
-----
<PIL.Image.Image image mode=L size=28x28> torch.uint8 torch.Size([28, 28]) 10
#####
d = datasets.CIFAR10('d', transform=T.Compose([T.RandomCrop(32, padding=4), T.RandomHorizontalFlip(), T.ToTensor()]))
for x, y in DataLoader(d, batch_size=100, shuffle=True): print(x.shape, y.shape)
-----
torch.Size([100, 3, 32, 32]) torch.Size([100])
torch.Size([100, 3, 32, 32]) torch.Size([100])
#####
d = datasets.FashionMNIST('d', transform=T.Compose([
    T.Resize(16), T.CenterCrop(12), T.ToTensor(), T.Normalize((0.5,), (0.5,)), T.Lambda(lambda x: x.view(-1))
]))
print(d[0][0].shape, float(d[0][0].min()) < 0, [len(part) for part in random_split(d, [50000, 10000])])
-----
torch.Size([144]) True [106, 22]
#####
for i, (x, _) in enumerate(DataLoader(datasets.MNIST('d', transform=T.ToTensor()), batch_size=1000)):
    print(i, len(x))
-----
0 1000
#####
a, b = (datasets.MNIST('d', transform=T.ToTensor())[5] for _ in range(2))
print(torch.equal(a[0], b[0]), a[1] == b[1])
-----
True True
#####
torch.manual_seed(0)
a = torch.rand(1)
torch.manual_seed(0)
datasets.MNIST('d')
print(torch.equal(a, torch.rand(1)))
-----
True
#####
print(torchvision.utils.make_grid(torch.ones(5, 3, 4, 4), nrow=2).shape)
print(T.functional.hflip(torch.arange(3.).view(1, 1, 3)))
-----
torch.Size([3, 20, 14])
tensor([[[2., 1., 0.]]])
#####
import numpy as np
print(T.ToTensor()(np.full((2, 2, 3), 255, dtype=np.uint8)).shape)
print(T.Normalize(0.5, 0.5)(torch.ones(1, 1, 1)))
-----
torch.Size([3, 2, 2])
tensor([[[1.]]])
"""


@pytest.mark.parametrize("case", PRINTED.split("\n#####\n"))
def test_images_have_the_shapes_of_the_real_ones(case: str) -> None:
    source, printed = case.split("\n-----\n")
    trace = run(BEGIN + source)
    assert trace.outcome.kind == "finished", trace.outcome
    assert "".join(event.text for event in trace.events if isinstance(event, Printed)).strip() == printed.strip()


def test_it_is_said_that_they_are_made_up() -> None:
    trace = run(BEGIN + "d = datasets.MNIST('d')\nd = datasets.MNIST('d', train=False)")
    said = [event.message for event in trace.events if isinstance(event, Warned)]
    assert len(said) == 1 and "MNIST is a few made-up images, 1x28x28" in said[0]


def test_folders_of_images_are_refused_with_what_can_be_used() -> None:
    outcome = run(BEGIN + "d = datasets.ImageFolder('data/train')").outcome
    assert (outcome.kind, outcome.line) == ("refused", 4) and "FakeData" in (outcome.message or "")


TRAINING = """
torch.manual_seed(0)
net = torch.nn.Linear(784, 10)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
losses = []
for epoch in range(4):
    for images, labels in DataLoader(datasets.MNIST('d', transform=T.ToTensor()), batch_size=32, shuffle=True):
        loss = torch.nn.functional.cross_entropy(net(images.view(32, -1)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
print(losses[-1] < losses[0] / 2)
"""


def test_a_classifier_learns_them() -> None:
    trace = run(BEGIN + TRAINING)
    assert [event.text for event in trace.events if isinstance(event, Printed)] == ["True\n"]
