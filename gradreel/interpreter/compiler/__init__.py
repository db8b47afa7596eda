"""What each piece of Python's syntax does: compiled once, each piece to a small function of the frame."""
