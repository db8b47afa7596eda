"""Source text -> checked program -> run: the safe interpreter, the modules that programs import, budgets.

    pasting/       pages of forums and notebooks become programs
    runner.py      read, compile, run, record: `run`
    compiler/      what each piece of Python's syntax does
    runtime/       values, and what a name means on each
    builtins/      Python's functions, types and operators
    engine/        what crosses between a program and the engine, and what it is charged
    torch_module/  numpy_module/  stdlib/  thirdparty/    what programs import; library.py puts it together
    machine.py     limits.py      the state of a run, and what it may use

No import goes in a circle; what is below asks tables that library.py fills from above.
"""

from .expression import Expression, Leaf, hint_for, propose_expression
from .limits import OWN, PUBLIC, Limits, Spent
from .pasting import compare, paste
from .record_native import record
from .runner import point_at_error, run

__all__ = [
    "OWN",
    "PUBLIC",
    "Expression",
    "Leaf",
    "Limits",
    "Spent",
    "compare",
    "hint_for",
    "paste",
    "point_at_error",
    "propose_expression",
    "record",
    "run",
]
