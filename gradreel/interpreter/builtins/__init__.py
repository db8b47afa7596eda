"""What Python's own functions, types and operators do, each step charged."""
