"""Functions of the program's own: `torch.autograd.Function`."""
