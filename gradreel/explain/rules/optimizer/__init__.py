"""The loop that trains: gradients that are emptied, steps that are taken, parameters that are given."""
