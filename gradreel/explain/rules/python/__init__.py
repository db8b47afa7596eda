"""Faults in the Python around the tensors: values, names, calls."""
