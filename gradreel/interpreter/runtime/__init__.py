"""What programs handle: values of our own, classes and objects, what a call does, and what a name means on each.

values.py is below all others; allowed_types.py says what a program may hold, attributes.py what `owner.name` is.
"""
