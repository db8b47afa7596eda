"""Python's own functions, types and operators, each step charged; namespace.py lists them."""
