"""Shapes, places and types of tensors."""
