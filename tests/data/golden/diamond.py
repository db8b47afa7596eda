import torch

a = torch.tensor(2., requires_grad=True)
b = a * a
c = b.exp()
d = b + c
d.backward()
print(a.grad)
