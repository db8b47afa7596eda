"""What each piece of Python's syntax does: compiled once, each piece to a small function of the frame.

compiler.py holds the tables, scopes.py says which variable a name means; the others fill the tables, a subject a file.
"""
