"""Gradreel: watch autograd, frame by frame."""
