"""Trace -> Scene: boxes, wires, groups, steps."""

from .build import build
from .encode import encode, to_json
from .model import Expression, Leaf, Mend, Scene

__all__ = ["Expression", "Leaf", "Mend", "Scene", "build", "encode", "to_json"]
