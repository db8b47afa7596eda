"""Tensor: a typed, shaped look at memory, with a place in the graph.

Most tensors of a run are plain results: an array (a numpy scalar when 0-d), the node that made it, and nothing else.
What only some have (a flag, a `.grad`, hooks, a base) lies in their `Meta`. A `Storage` is made only once memory is
shared or written, so a tensor without one is at version 0 and alone with its memory.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dispatch.registry import callbacks
from ..engine.state import special, state, watch
from ..errors import Unsupported
from ..functorch.batch import Batch
from .storage import InferenceStorage, Storage, new_storage

if TYPE_CHECKING:
    from ..graph.accumulate_grad import AccumulateGrad
    from ..graph.node import Node
    from ..ordered_dict import OrderedDict

Array = Any
"""A numpy array, or the numpy scalar that stands for a 0-d one."""

np.empty(1 << 24, np.uint8)
"""Taken and given back at once, so that glibc keeps memory that arrays up to this size give back (mallopt(3),
M_MMAP_THRESHOLD). Else each of those from 128 KiB on is fetched from the kernel, page by page, which takes longer than
most of what is computed in it."""


class View:
    """How a view stands to its base: which, at which version its grad_fn was made, and how it came to be.

    `creation` is "normal", "no_grad", "multi_output" or "inference" and decides whether it may be written in place.
    """

    __slots__ = ("base", "version", "creation", "node_name")

    def __init__(self, base: Tensor, version: int, creation: str) -> None:
        self.base, self.version, self.creation = base, version, creation
        self.node_name = ""


class Meta:
    """What only some tensors have."""

    __slots__ = (
        "requires_grad", "grad", "accumulator", "view", "alias", "hooks", "post_hooks", "retains_grad", "wrapped",
        "output_nr", "out_of_sight", "detached_from",
    )  # fmt: skip

    out_of_sight: Any
    """A second reference to the node, if there is one; see Note [The cycle that stays] in graph/accumulate_grad.py."""
    detached_from: weakref.ref[Node] | None
    """The node that was its own until `detach_`."""

    def __init__(self) -> None:
        self.requires_grad = False
        self.grad: Tensor | None = None
        self.accumulator: weakref.ref[AccumulateGrad] | None = None
        self.view: View | None = None
        self.alias: weakref.ref[Tensor] | None = None
        self.hooks: OrderedDict[int, Callable[[Any], Any]] | None = None
        self.post_hooks: OrderedDict[int, Callable[[Any], Any]] | None = None
        self.retains_grad = self.wrapped = False
        self.output_nr = 0
        self.detached_from = None


class TensorMeta(type):
    """The class of Tensor and its like: what `Tensor(...)` does.

    It stands here, not in `__init__`, so that results are made without it; see `blank`.
    """

    def __call__(cls, *data: Any, **options: Any) -> Any:
        """From numbers, or with the lengths that are given."""
        return callbacks.construct(data) if cls is Tensor else super().__call__(*data, **options)


class Tensor(metaclass=TensorMeta):
    """A multi-dimensional array that autograd can follow; see the note at the head of the module."""

    __slots__ = ("data_", "storage_", "node", "meta", "told", "__weakref__", "__dict__")

    data_: Array
    storage_: Storage | None
    node: Node | None
    meta: Meta | None
    told: int
    """Its number for the tape that listens; see events/recording.py."""

    def __init_subclass__(cls) -> None:
        """Refuse classes of a program's own: operators give plain tensors, and ask no `__torch_function__`."""
        if Tensor in cls.__bases__ and cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
            raise Unsupported(f"subclasses of torch.Tensor are not supported by this engine, and {cls.__name__} is one")

    if TYPE_CHECKING:
        # What api/methods/table.py hangs onto the class.
        __array_priority__: int
        grad: Any
        data: Any

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __add__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __neg__(self) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...

    # ---- memory

    def own_meta(self) -> Meta:
        if self.meta is None:
            self.meta = Meta()
        return self.meta

    def shared_storage(self) -> Storage:
        """The storage, made now if nothing needed one yet."""
        if self.storage_ is None:
            self.storage_ = new_storage()
            if special and state.session is not None:
                state.session.shares(self)
        return self.storage_

    def as_inference(self) -> None:
        """Mark this new tensor as made in inference mode."""
        if self.storage_ is None:
            self.storage_ = InferenceStorage()

    def array(self) -> np.ndarray[Any, Any]:
        """The memory as an array that others may alias: a 0-d result is boxed from here on."""
        if not isinstance(self.data_, np.ndarray):
            if self.data_.__class__ is Batch:
                return self.data_  # type: ignore[return-value]
            storage = self.shared_storage()
            if storage.boxed is None:
                storage.boxed = np.asarray(self.data_)
            self.data_ = storage.boxed
        data: np.ndarray[Any, Any] = self.data_
        return data

    def overwrite(self, value: Array) -> None:
        """Write `value` (broadcast to the shape) over the memory, without counting it."""
        if special and state.saved_hooks:
            callbacks.before_write(self)
        if isinstance(self.data_, np.ndarray):
            if not self.data_.dtype.isnative:
                value = callbacks.rounded(value)
            if 0 in self.data_.strides:  # elements that share a place: the one that changed is the one that was written
                np.copyto(self.data_, value, where=np.not_equal(self.data_, value))
            else:
                self.data_[...] = value
        else:
            kind = self.data_.__class__
            self.data_ = value if value.__class__ is kind else kind(np.asarray(value).reshape(()))

    def alias_of(self) -> Tensor | None:
        """The tensor whose memory this one shows: its base, or what it was detached from while that lives."""
        if self.meta is None:
            return None
        if self.meta.view is not None:
            return self.meta.view.base
        return self.meta.alias() if self.meta.alias is not None else None

    def bump(self) -> None:
        """Count a write."""
        storage = self.storage_
        if storage is None:
            self.storage_ = new_storage(1)
        elif not storage.inference:
            storage.version += 1
        else:
            storage.write(state.inference)

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = self.data_.dtype
        return dtype

    @property
    def _version(self) -> int:
        return 0 if self.storage_ is None else self.storage_.shown()

    # ---- place in the graph

    @property
    def output_nr(self) -> int:
        """Which result of its node this is; few are another than the first."""
        return 0 if self.meta is None else self.meta.output_nr

    @output_nr.setter
    def output_nr(self, nr: int) -> None:
        if nr or self.meta is not None:
            self.own_meta().output_nr = nr

    @property
    def grad_fn(self) -> Node | None:
        view = None if self.meta is None else self.meta.view
        if view is None or self.storage_ is None or view.version == self.storage_.version:
            watch(self.node)
            return self.node
        return callbacks.remake_grad_fn(self)

    @property
    def requires_grad(self) -> bool:
        if self.node is not None:
            return True
        meta = self.meta
        if meta is None:
            return False
        if meta.requires_grad:
            return True
        view = meta.view
        return view is not None and view.base.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        callbacks.set_requires_grad(self, value)

    @property
    def is_leaf(self) -> bool:
        return self.grad_fn is None

    @property
    def _base(self) -> Tensor | None:
        return self.meta.view.base if self.meta is not None and self.meta.view is not None else None

    def _is_view(self) -> bool:
        return self._base is not None

    @property
    def retains_grad(self) -> bool:
        return self.meta is not None and self.meta.retains_grad

    def __hash__(self) -> int:
        return id(self)


blank: Callable[[], Tensor] = type.__call__.__get__(Tensor)
"""A tensor with nothing in it yet: two thirds of the time of `object.__new__(Tensor)`."""


def bare(data: Any) -> Array:
    """`data` as results are kept: a numpy scalar if it is 0-d. (`data[()]` would make a view of any other.)"""
    return data if data.ndim or not data.dtype.isnative else data[()]


def plain(data: Array, node: Node | None = None, output_nr: int = 0, version: int = 0) -> Tensor:
    """A tensor over `data` as it is: the way that results are made."""
    tensor = blank()
    tensor.data_, tensor.node = data, node
    tensor.storage_ = tensor.meta = None
    if output_nr:
        tensor.output_nr = output_nr
    if version:
        tensor.storage_ = new_storage(version)
    return tensor


class LazyView(Tensor):
    """A view that shows its memory conjugated, negated or both, as torch's `conj()` does: computed when it is read."""

    __slots__ = ("memory", "conjugates", "negates")

    memory: Array
    conjugates: bool
    negates: bool

    @property
    def data_(self) -> Array:
        shown = np.conjugate(self.memory) if self.conjugates else self.memory
        return np.negative(shown) if self.negates else shown

    @data_.setter
    def data_(self, data: Array) -> None:
        self.memory, self.conjugates, self.negates = data, False, False

    def array(self) -> Any:
        return self.memory

    def overwrite(self, value: Array) -> None:
        value = np.conjugate(value) if self.conjugates else value
        self.memory[...] = np.negative(value) if self.negates else value


def show_as(source: Tensor, data: Array, toggles: str = "") -> Tensor:
    """A tensor over `data`, which is memory of `source`, conjugated and negated as that shows it.

    Where it `toggles` one of these ("conj", "neg"), that is the other way round.
    """
    lazily = isinstance(source, LazyView)
    conjugates = (lazily and source.conjugates) is not (toggles == "conj")
    negates = (lazily and source.negates) is not (toggles == "neg")
    if not (conjugates or negates):
        return plain(data)
    view = LazyView()
    view.memory, view.conjugates, view.negates = data, conjugates, negates
    view.storage_ = view.meta = view.node = None
    return view


def sharing(source: Tensor, data: Array, storage: Storage) -> Tensor:
    """A tensor over part or all of the memory of `source`."""
    tensor = plain(data) if source.__class__ is not LazyView else show_as(source, data)
    tensor.storage_ = storage
    tensor.own_meta().alias = weakref.ref(source)
    return tensor


def wrapped_number(value: complex) -> Tensor:
    """A Python number as an operand: 0-d, and weak in type promotion."""
    dtype: Any = np.bool_ if isinstance(value, bool) else np.int64 if isinstance(value, int) else np.float64
    tensor = plain(dtype(value) if not isinstance(value, complex) else np.complex128(value))
    tensor.own_meta().wrapped = True
    return tensor
