"""Rules for errors: for each kind a module that tells how it came about."""
