"""Gradients themselves: where they start, where they are zero or not finite, and how they are taken twice."""
