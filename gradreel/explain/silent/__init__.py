"""Silent trouble: what PyTorch says nothing about. Each module watches a run for one kind of it."""
