"""Reads what torch printed and drew, as recorded in tests/data."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent.parent / "data"


def load(name: str) -> Any:
    return json.loads(gzip.decompress((DATA / f"{name}.json.gz").read_bytes()))


def array(stored: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(stored["bytes"]), stored["dtype"]).reshape(stored["shape"])
