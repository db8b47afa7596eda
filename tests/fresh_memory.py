"""Fresh memory of numpy full of a byte of our choice: what a program reads of it differs where the byte does.

numpy asks its memory handler for all memory of arrays, and its C API sets another one (NEP 49). Ours is numpy's own,
but fills what it hands out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

SET_HANDLER, GET_HANDLER = 304, 305
"""The places of PyDataMem_SetHandler and PyDataMem_GetHandler in numpy's table of C functions."""
NAME = b"mem_handler"

Pointer, Size = ctypes.c_void_p, ctypes.c_size_t
Malloc = ctypes.PYFUNCTYPE(Pointer, Pointer, Size)


class Handler(ctypes.Structure):
    """PyDataMem_Handler."""

    _fields_ = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        *[(name, Pointer) for name in ("context", "malloc", "calloc", "realloc", "free")],
    ]


python = ctypes.pythonapi
python.PyCapsule_New.restype, python.PyCapsule_New.argtypes = ctypes.py_object, (Pointer, ctypes.c_char_p, Pointer)
python.PyCapsule_GetPointer.restype = Pointer
python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
TABLE = ctypes.cast(
    python.PyCapsule_GetPointer(np._core._multiarray_umath._ARRAY_API, None),  # type: ignore[attr-defined]
    ctypes.POINTER(Pointer),
)
set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(TABLE[SET_HANDLER] or 0)
get_handler = ctypes.PYFUNCTYPE(ctypes.py_object)(TABLE[GET_HANDLER] or 0)
NUMPYS = Handler.from_address(python.PyCapsule_GetPointer(get_handler(), NAME))


def handler(byte: int) -> tuple[Handler, object]:
    """numpy's handler, whose memory holds `byte`, and what must live as long as it does."""
    ours, allocate = Handler.from_buffer_copy(NUMPYS), Malloc(NUMPYS.malloc)

    def filled(context: int | None, size: int) -> int | None:
        made: int | None = allocate(context, size)
        if made:
            ctypes.memset(made, byte, size)
        return made

    way = Malloc(filled)
    ours.malloc = ctypes.cast(way, Pointer)
    return ours, way


HANDLERS: dict[int, tuple[Handler, object]] = {}
"""Kept for ever: arrays that outlive a block go back to the handler that they came from."""


@contextmanager
def filled_with(byte: int) -> Iterator[None]:
    """New memory of numpy in this block holds `byte`."""
    if byte not in HANDLERS:
        HANDLERS[byte] = handler(byte)
    before = set_handler(python.PyCapsule_New(ctypes.addressof(HANDLERS[byte][0]), NAME, None))
    try:
        yield
    finally:
        set_handler(before)
