"""What programs and tools may ask of a node, under PyTorch's names: edges, saved tensors, hooks, metadata.

Tools written for PyTorch's graphs (torchviz and its like) read these, and list a node's attributes with `dir`.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..engine.state import unusual, watch
from ..ordered_dict import OrderedDict
from ..tensor.device import CPU
from ..tensor.dtypes import from_numpy
from .saved_tensor import SAVED, SavedTensor, unpack_slot

if TYPE_CHECKING:
    from ..tensor.device import device
    from ..tensor.dtypes import dtype
    from ..tensor.tensor import Tensor
    from .node import Hooks, Node

IN_CPP = "AccumulateGrad CopyBackwards CopySlices Error Identity NotImplemented UndefinedGradBackward"
QUALIFIED = {name: f"torch::autograd::{name}" for name in IN_CPP.split()}
"""The nodes whose name() is longer than their type's name."""

PYTHONS = """class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce
reduce_ex repr setattr sizeof str subclasshook"""
SPECIAL = [f"__{name}__" for name in PYTHONS.split()]
"""What `dir` names of any node, beside SHOWN: Python's own."""
SHOWN = """
    _input_metadata _register_hook_dict _sequence_nr _set_sequence_nr metadata name next_functions register_hook
    register_prehook requires_grad
""".split()

_handles = count()


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away. It holds neither node, tensor nor hook.

    `marks` are other tables that say of what kind the hook is.
    """

    __slots__ = ("hooks_dict_ref", "extra_dict_ref", "id", "__weakref__")
    __module__ = "torch.utils.hooks"

    def __init__(
        self, hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any], *marks: OrderedDict[int, Any]
    ) -> None:
        self.hooks_dict_ref = weakref.ref(hooks)
        self.extra_dict_ref = tuple(weakref.ref(marked) for marked in marks)
        self.id = next(_handles)
        hooks[self.id] = hook
        for marked in marks:
            marked[self.id] = True
        unusual("hooks")

    def remove(self) -> None:
        for held in (self.hooks_dict_ref(), *(ref() for ref in self.extra_dict_ref)):
            if held is not None:
                held.pop(self.id, None)

    def copy_with(self, copy_table: Callable[[Any], Any]) -> RemovableHandle:
        """The handle of the same hook in copies of its tables: in none, where these are gone."""
        made = type(self).__new__(type(self))
        tables = [ref() for ref in (self.hooks_dict_ref, *self.extra_dict_ref)]
        refs = [weakref.ref(OrderedDict() if table is None else copy_table(table)) for table in tables]
        made.id, made.hooks_dict_ref, made.extra_dict_ref = self.id, refs[0], tuple(refs[1:])
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> RemovableHandle:
        return self.copy_with(lambda table: copy.deepcopy(table, memo))

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def read_only(read: Callable[[Any], Any], name: str | None = None, owner: str | None = None) -> Any:
    """A property that can only be read, as torch says it; `owner` is the type's name, None for the object's own."""

    def refuse(thing: Any, value: Any = None) -> None:
        whose = owner or type(thing).__name__
        raise AttributeError(f"attribute '{name or read.__name__}' of '{whose}' objects is not writable")

    return property(read, refuse, refuse)


class _InputMetadata:
    """Shape and dtype of the gradient that an input of a node expects."""

    __slots__ = ("shape", "dtype")
    __module__ = "torch._C._autograd"
    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
        self.shape = list(shape)
        self.dtype: dtype = from_numpy(kind)

    @property
    def device(self) -> device:
        return CPU


class Introspection:
    """The face that a Node shows to programs."""

    __slots__ = ()

    if TYPE_CHECKING:
        next: Any
        nrs: Any
        outs: Any
        slots: ClassVar[tuple[str, ...]]
        plain_slots: ClassVar[tuple[str, ...]]

        def own_hooks(self) -> Hooks: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__ != "torch.autograd.function":
            cls.__module__ = "builtins"
        for name, face in (*map(plain_face, cls.plain_slots), *(face for slot in cls.slots for face in faces(slot))):
            setattr(cls, name, face)

    def type_name(self) -> str:
        return type(self).__name__

    def name(self) -> str:
        title = self.type_name()
        return QUALIFIED.get(title, title)

    @read_only
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return tuple(map(shown_edge, self.next, self.nrs))

    def stand_in(self) -> Tensor | None:
        """The tensor that torch has in the place of this node's; None for a node that torch has too."""
        return None

    @read_only
    def requires_grad(self) -> bool:
        return True

    @read_only
    def _input_metadata(self) -> tuple[_InputMetadata, ...]:
        return tuple(_InputMetadata(*(out or ((), np.dtype(np.float32)))) for out in self.outs)

    def register_prehook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call `hook` with what comes into the node, before it runs."""
        return RemovableHandle(self.own_hooks().pre, hook)

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> RemovableHandle:
        """Call `hook` with what the node gave and what came in, after it ran."""
        return RemovableHandle(self.own_hooks().post, hook)

    # ---- what is kept

    def raw_saved(self, slot: str) -> Any:
        """The place (or places, for a list) where `slot` is kept."""
        kept = getattr(self, f"saved_{slot}")
        if isinstance(kept, list):
            return tuple(SavedTensor(self, slot, i) for i in range(len(kept)))  # type: ignore[arg-type]
        return SavedTensor(self, slot)  # type: ignore[arg-type]

    def __dir__(self) -> Iterator[str]:
        yield from (*SPECIAL, "__call__", *SHOWN)
        yield from ("variable",) * hasattr(type(self), "variable")
        for slot in self.slots:
            yield from (f"_saved_{slot}", f"_raw_saved_{slot}")
        yield from (f"_saved_{slot}" for slot in self.plain_slots)

    def __repr__(self) -> str:
        module = type(self).__module__
        home = "" if module == "builtins" else f"{module}."
        return f"<{home}{self.type_name()} object at {id(self):#x}>"


Face = tuple[str, Any]
"""An attribute of a node, by its name. (A `__getattr__` in their place would make every read of a slot slow.)"""


def shown_edge(node: Node | None, nr: int) -> tuple[Node | None, int]:
    """An edge to output `nr` of `node` as torch has it."""
    while node is not None and node.stand_in() is not None:
        nr, node = node.nrs[0], node.next[0]
    watch(node)
    return node, nr


def shown_tensor(tensor: Tensor | None) -> Tensor | None:
    """A saved tensor as torch has it."""
    while tensor is not None and tensor.node is not None and (other := tensor.node.stand_in()) is not None:
        tensor = other
    return tensor


@cache
def plain_face(slot: str) -> Face:
    """`_saved_<slot>` of a plain value."""
    name = f"_saved_{slot}"
    return name, read_only(lambda node: attribute_face(slot, getattr(node, SAVED[slot])), name)


@cache
def faces(slot: str) -> tuple[Face, Face]:
    """`_saved_<slot>` of a tensor, and the place where it is kept."""

    def unpack_all(node: Node) -> Any:
        found = unpack_slot(node, slot)
        return tuple(map(shown_tensor, found)) if isinstance(found, list) else shown_tensor(found)

    saved, raw = f"_saved_{slot}", f"_raw_saved_{slot}"
    return (saved, read_only(unpack_all, saved)), (raw, read_only(lambda node: node.raw_saved(slot), raw))


class Dim(int):
    """A dimension argument, which torch keeps as an unsigned number."""


def saved_face(value: Any) -> Any:
    """A plain saved value as torch shows it: sizes as tuples; negative dims, also in lists, as unsigned."""
    if type(value) is Dim and value < 0:
        return 2**64 + int(value)
    if isinstance(value, list | tuple):
        return tuple(2**64 + part if type(part) is int and part < 0 else part for part in value)
    return value


SIGNED = frozenset("alpha beta exponent lambd max max_val min min_val negative_slope ord other p value".split())
"""The saved numbers that torch shows with their sign; all other whole numbers it shows as unsigned."""


def attribute_face(slot: str, value: Any) -> Any:
    """What `_saved_<slot>` shows of a plain value."""
    if isinstance(value, list | tuple):
        return tuple(to_unsigned(part) for part in value)
    return value if slot in SIGNED else to_unsigned(value)


def to_unsigned(value: Any) -> Any:
    return 2**64 + int(value) if isinstance(value, int) and value < 0 else value
