"""Modules that programs can import: small faces of Python's own, as tables."""
