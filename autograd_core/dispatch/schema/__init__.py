"""What torch's functions written in C++ accept, and what they say of a call that they do not accept.

`schema` makes the signatures of an operator from its declaration; table.txt holds those of methods that torch's
bindings write by hand, and of what else is not declared, as torch's own messages show them. `parameters` knows what
fits a parameter, `parser` reads a call by a list of signatures, `messages` says why none fits, and `guard` puts that
before our functions.
inner_functions.txt and `inner_functions` do the same for what torch wrote in Python around a C++ function.
"""
