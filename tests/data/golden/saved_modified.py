import torch

raw = torch.tensor([0., -1., 5.], requires_grad=True)
act = raw.sigmoid()
total = act.sum()
act += 1
act.mul_(2)
total.backward()
print(raw.grad)
