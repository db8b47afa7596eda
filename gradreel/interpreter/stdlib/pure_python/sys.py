"""sys, in Python: what a program may change of it, which is its own from the first use on."""

argv = [""]
