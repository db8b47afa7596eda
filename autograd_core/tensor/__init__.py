"""Tensors: their memory, shape and type, and how they are printed."""
