"""Trace -> Scene: boxes, wires, groups, steps."""
