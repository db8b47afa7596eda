"""What torch.func stands on: levels of differentiation, and hidden batches, inside one another."""
