"""What operators do on tensors of which vmap hides a dimension: see rules.py."""
