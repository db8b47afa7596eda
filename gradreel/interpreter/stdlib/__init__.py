"""Python's own modules as tables of ours; those written in Python are in pure_python/, a module a file."""
