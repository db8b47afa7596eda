import torch

x = torch.tensor(2., requires_grad=True)
y = x ** 4
g1 = torch.autograd.grad(y, x, create_graph=True)[0]
g2 = torch.autograd.grad(g1, x, create_graph=True)[0]
g3 = torch.autograd.grad(g2, x)[0]
print(g1.item(), g2.item(), g3.item())
