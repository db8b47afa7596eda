import torch

base = torch.ones(3, requires_grad=True)
copy = base * 1
part = copy[1:]
part.mul_(10)
copy[0] = 5.
total = (copy * copy).sum()
total.backward()
print(base.grad)
