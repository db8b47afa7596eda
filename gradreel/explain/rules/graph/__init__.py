"""Graphs that are used up, that grow, or that are older than what they were built of."""
