"""PyTorch's autograd in numpy."""
