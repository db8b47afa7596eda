"""Backward: which node runs when, and what becomes of the gradients on their way."""
