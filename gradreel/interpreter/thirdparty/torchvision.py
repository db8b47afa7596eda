"""torchvision, in Python: made-up data sets of the right shapes, and the transforms that change shapes."""

__version__ = "0.28.0"
