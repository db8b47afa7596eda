"""What torch.nn and torch.utils are given: modules, losses, states, data."""
