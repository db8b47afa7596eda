"""einops.layers: those for PyTorch are in einops.layers.torch."""
