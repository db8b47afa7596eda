"""What is measured: the engine against torch, and a run from request to reply. `make bench`."""
