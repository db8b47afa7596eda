import torch
x = torch.tensor([1., 0.])
t = torch.eye(2, requires_grad=True)
a = torch.ones(2, requires_grad=True)
y = t @ a

for step in range(2):
    out = t @ (x + y)
    loss = ((out - x)**2).mean()
    loss.backward()
