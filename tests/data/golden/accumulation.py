import torch

a = torch.tensor([1., 2.], requires_grad=True)
b = a * 3
s = b.sum()
s.backward(retain_graph=True)
print(a.grad)
s.backward(retain_graph=True)
print(a.grad)
a.grad.zero_()
s.backward()
print(a.grad)
