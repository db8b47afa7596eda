"""Trace -> Scene: boxes, wires, groups, steps."""

from .build import build
from .encode import decode, encode, to_json
from .model import Expression, Leaf, Mend, Scene
from .payload import payload
from .pyvis import to_pyvis

__all__ = ["Expression", "Leaf", "Mend", "Scene", "build", "decode", "encode", "payload", "to_json", "to_pyvis"]
