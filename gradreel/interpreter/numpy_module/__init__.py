"""The numpy that programs import: its names, arrays and random streams, and how arrays share memory with tensors."""
