"""One plain sentence for each step: what happened, in the program's own names."""
