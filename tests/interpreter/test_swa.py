"""torch.optim.swa_utils in programs: means written in Python beside a schedule of the engine."""

from gradreel.interpreter import run
from gradreel.trace import events

PROGRAM = """\
import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.bn = nn.BatchNorm1d(3)

    def forward(self, x):
        return torch.relu(self.bn(self.fc(x)))

torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
swa = AveragedModel(net)
ema = AveragedModel(net, avg_fn=lambda mean, new, n: 0.9 * mean + 0.1 * new)
sched = SWALR(opt, swa_lr=0.05, anneal_epochs=2)
x = torch.randn(8, 2)
for _ in range(3):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
    swa.update_parameters(net)
    ema.update_parameters(net)
    sched.step()
    print(sched.get_last_lr())
update_bn([x], swa)
print(swa.n_averaged, swa.module.bn.num_batches_tracked)
print(swa.module.bn.weight.detach(), ema.module.bn.weight.detach())
"""

SHOWN = """\
[0.075]
[0.05]
[0.05]
tensor(3) tensor(1)
tensor([0.9585, 0.9600, 0.9446]) tensor([0.9697, 0.9709, 0.9596])
"""
"""What torch prints."""


def test_means_of_models_and_their_rate() -> None:
    trace = run(PROGRAM)
    assert trace.outcome.kind == "finished", trace.outcome
    assert "".join(event.text for event in trace.events if isinstance(event, events.Printed)) == SHOWN
