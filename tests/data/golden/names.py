import torch


def square(value):
    result = value * value
    return result


w = torch.tensor(3., requires_grad=True)
b = square(w)
c = b.exp()
del b
c.backward()
with torch.no_grad():
    w -= 0.5
d = w.detach() * 2
del c
print(w.grad, d)
