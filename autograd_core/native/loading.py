"""Where the compiled path lies, and whether it is of these sources."""

from __future__ import annotations

import importlib.util
import sysconfig
from hashlib import blake2b
from importlib.machinery import ExtensionFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CACHE = Path(cache_from_source(str(HERE / "native.py"))).parent
"""Among the code of modules that Python keeps: it is made here, for this machine."""
SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))
"""What tells for which Python an extension is."""
SOURCES = sorted((*HERE.glob("*.c"), HERE / "native.h"))


def mark() -> str:
    """A checksum of the sources: an extension that was made of others is not loaded."""
    sum_ = blake2b(digest_size=6)
    for source in SOURCES:
        sum_.update(source.read_bytes())
    return sum_.hexdigest()


def file() -> Path:
    """The extension that this Python loads, if it is there."""
    return CACHE / f"native-{mark()}{SUFFIX}"


def loaded() -> Any:
    """The extension, or None where there is none that this Python and this numpy can load."""
    path = file()
    if not path.exists():
        return None
    loader = ExtensionFileLoader("autograd_core.native.compiled", str(path))
    spec = importlib.util.spec_from_file_location(loader.name, path, loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:
        return None
    return module
