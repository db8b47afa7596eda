"""What programs handle, beside plain numbers, strings, containers and tensors: records of our own.

No class, function, generator or exception of the host is ever handed to a program; these stand in for them. None but
Generator has a method that Python would call by itself, so what a program writes runs in the interpreter alone.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

if TYPE_CHECKING:
    from ..machine import Machine


# ---- what stands in for one of Python's objects bears the name of its type, so that Python's own messages say it

Kind = TypeVar("Kind", bound=type)
STAND_INS: dict[str, str] = {}
"""The name of the type that each class of ours stands for, by what the class is called in full."""
OURS = re.compile(rf"\b{__name__.partition('.')[0]}(?:\.\w+)+")
AT_ADDRESS = re.compile(r"\bat 0[xX][0-9a-fA-F]{6,}\b")
"""As the host writes where a value lies; a number that a program wrote has no such word before it."""


def stands_for(name: str) -> Callable[[Kind], Kind]:
    """Name a class of ours after the type that programs take its objects for; developers see `__qualname__`."""

    def rename(kind: Kind) -> Kind:
        STAND_INS[f"{kind.__module__}.{kind.__qualname__}"] = name
        kind.__name__ = name
        return kind

    return rename


def mask_host(message: str) -> str:
    """A message of the host with the types that programs see for classes of ours, and without addresses."""
    shown = OURS.sub(lambda found: STAND_INS.get(found[0]) or found[0].rpartition(".")[2], message)
    return AT_ADDRESS.sub("at 0x...", shown)


# ---- deque and defaultdict as programs have them: however many lie in one another, the last to go frees all
#
# CPython frees what is in a list level by level (its trashcan), and so it does for classes written in Python; of these
# two each level takes a piece of the host's stack.


@stands_for("deque")
class Deque(deque[Any]):
    __slots__ = ()


@stands_for("defaultdict")
class DefaultDict(defaultdict[Any, Any]):
    __slots__ = ()


Value = Any
"""Anything that a program handles."""


class Missing:
    """The mark of what is not there."""

    __slots__ = ()


MISSING = Missing()
NOTHING: dict[str, Value] = {}
"""Of records without attributes of their own."""


class Cell:
    """A variable that inner functions share; empty while `value` is MISSING."""

    __slots__ = ("value",)

    def __init__(self, value: Value = MISSING) -> None:
        self.value = value


class Frame:
    """The variables of one call: `names` of its own, `cells` shared with inner functions.

    `scope` numbers the call (0: the program itself). `returned` is what a return statement leaves on its way out.
    """

    __slots__ = ("names", "cells", "line", "noted", "scope", "function", "returned", "owner", "this", "quiet")

    def __init__(self, names: dict[str, Value], cells: dict[str, Cell], scope: int, function: str) -> None:
        self.names = names
        self.cells = cells
        self.scope = scope
        self.function = function
        self.line = 0
        self.noted = False
        self.returned: Value = None
        self.owner: Class | None = None
        self.this: Value = None
        self.quiet = False
        """Whether it belongs to a library module: then its lines are not told, and errors come up in its caller."""


# ---- functions


class Record:
    """What programs handle, and the host knows by nothing but where it lies."""

    __slots__ = ("__weakref__",)


@stands_for("function")
class Function(Record):
    """A function of the program. `invoke` runs it; it takes over the list of arguments and empties it."""

    __slots__ = ("name", "title", "invoke", "home", "doc", "attributes", "defaults", "places", "hints", "parameters")

    def __init__(self, name: str, doc: str | None = None) -> None:
        self.name = self.title = name
        self.doc = doc
        self.home: list[Class] = []
        """The class whose body defines it, if one does."""
        self.attributes: dict[str, Value] = {}
        self.defaults: tuple[Value, ...] | None = None
        self.places: tuple[str, ...] | None = None
        """The names of what it takes, if it takes no more than what has its place."""
        self.hints: dict[str, Value] = {}
        self.parameters: tuple[Any, dict[str, Value]] | None = None
        """Its signature, and the defaults by name."""
        self.invoke: Callable[[list[Value], dict[str, Value]], Value]


@stands_for("method")
class Bound(Record):
    """A method of the program with the object it belongs to."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Value, receiver: Value) -> None:
        self.function = function
        self.receiver = receiver


class Look(NamedTuple):
    """What a function looks like in print, and the name of its type; see type_names.py."""

    text: str
    kind: str


def for_objects(name: str, run: Callable[..., Value]) -> Callable[..., Value]:
    """`run`, a method, for objects of a program's classes alone: others may answer anything when they are asked."""

    def run_checked(machine: Machine, this: Value, /, *args: Value, **kwargs: Value) -> Value:
        if not isinstance(this, OBJECTS):
            raise TypeError(f"descriptor '{name}' requires an object of its class, not '{type(this).__name__}'")
        return run(machine, this, *args, **kwargs)

    return run_checked


@stands_for("builtin_function_or_method")
class Builtin(Record):
    """A function that we offer. With `machine`, it is handed the machine first. `title`: its name in messages."""

    __slots__ = ("name", "run", "machine", "receiver", "title", "method", "look", "more")

    def __init__(
        self,
        name: str,
        run: Callable[..., Value],
        machine: bool = False,
        receiver: Value = MISSING,
        title: str | None = None,
        method: bool = False,
        look: Look | None = None,
    ) -> None:
        self.name = name
        self.run = for_objects(name, run) if method else run
        self.machine = machine
        self.receiver = receiver
        self.title = title
        self.method = method
        """Whether it becomes a method of the objects whose class has it."""
        self.look = look
        """What `repr` gives, if that is not what it gives of most. So it is for Foreign."""
        self.more: dict[str, Value] = NOTHING


@stands_for("builtin_function_or_method")
class Foreign(Record):
    """A function of the engine: arguments and result cross the bridge."""

    __slots__ = ("name", "run", "receiver", "look")
    more: dict[str, Value] = {}

    def __init__(
        self, name: str, run: Callable[..., Value], receiver: Value = MISSING, look: Look | None = None
    ) -> None:
        self.name = name
        self.run = run
        self.receiver = receiver
        self.look = look


class Attribute(NamedTuple):
    """How an attribute of a value is read and, where it may be, set: an entry of the attribute tables."""

    get: Callable[[Any], Any]
    set: Callable[[Any, Any], None] | None = None


@stands_for("staticmethod")
class StaticMethod(Record):
    __slots__ = ("function",)

    def __init__(self, function: Value) -> None:
        self.function = function


@stands_for("classmethod")
class ClassMethod(Record):
    __slots__ = ("function",)

    def __init__(self, function: Value) -> None:
        self.function = function


@stands_for("property")
class Property(Record):
    __slots__ = ("getter", "setter", "deleter")

    def __init__(self, getter: Value, setter: Value = None, deleter: Value = None) -> None:
        self.getter = getter
        self.setter = setter
        self.deleter = deleter


# ---- classes and modules


@stands_for("type")
class Type(Record):
    """A type that we offer: `hosts` are the Python types of its values, `make` its constructor."""

    __slots__ = ("name", "title", "hosts", "make", "methods")

    def __init__(
        self,
        name: str,
        hosts: tuple[type, ...],
        make: Builtin | Foreign | None,
        title: str | None = None,
        methods: dict[str, Value] | None = None,
    ) -> None:
        self.name = name
        self.hosts = hosts
        self.make = make
        self.title = title or name
        self.methods = methods or {}


@stands_for("type")
class Class(Record):
    """A class of the program. `host` is what it extends of ours (list, nn.Module, ...), if anything."""

    __slots__ = (
        "name",
        "qualname",
        "title",
        "bases",
        "order",
        "attributes",
        "host",
        "native",
        "exception",
        "machine",
        "traits",
        "members",
        "look_up",
        "fields",
        "data_fields",
        "made",
    )

    def __init__(
        self, name: str, bases: tuple[Value, ...], attributes: dict[str, Value], machine: Machine | None = None
    ) -> None:
        self.name = self.qualname = name
        self.title = f"__main__.{name}"
        self.bases = bases
        self.attributes = attributes
        self.machine = machine
        self.order: tuple[Class, ...] = (self,)
        self.host: Type | None = None
        self.native: type | None = None
        self.exception: ExceptionType | None = None
        self.traits: frozenset[str] = frozenset()
        """Special methods that change what an attribute is, where the class or one it extends has them."""
        self.members: dict[str, Value] | None = None
        """Of an enumeration: its members by name."""
        self.look_up: Callable[[Machine, Class, list[Value]], Value] | None = None
        """Of an enumeration: the member with a value."""
        self.fields: tuple[str, ...] = ()
        """Of a named tuple: the names of its items."""
        self.data_fields: dict[str, Any] | None = None
        """Of a data class: its fields."""
        self.made: type[Instance] = Instance

    def find(self, name: str, after: Class | None = None) -> Value:
        """The attribute `name` of the first class in the order of bases (behind `after`, if given) that has it."""
        order = self.order if after is None else self.order[self.order.index(after) + 1 :]
        for owner in order:
            if name in owner.attributes:
                return owner.attributes[name]
        return MISSING


def check_class(kind: Value) -> Class:
    """`kind`, a class of a program.

    Raises:
        TypeError: it is something else.
    """
    if type(kind) is not Class:
        raise TypeError(f"object.__new__(X): X is not a type object ({type(kind).__name__})")
    return kind


class Instance:
    """An object of a class of the program."""

    __slots__ = ("kind", "attributes", "place", "__weakref__")

    def __init__(self, kind: Class) -> None:
        self.kind = kind
        self.attributes: dict[str, Value] = {}
        self.place: int | None = None

    def __hash__(self) -> int:
        """Its place among the objects that were asked: so a set of them goes in the same order in every run."""
        if self.place is None:
            machine = self.kind.machine
            self.place = id(self) if machine is None else machine.next_place()
        return self.place

    def __repr__(self) -> str:
        """What the host writes of it, in its messages: no address."""
        return f"<{self.kind.title} object at 0x...>"

    def own_type_name(self) -> str:
        """What the engine's messages call its type."""
        return self.kind.name

    deep_copy: ClassVar[Callable[[Machine, Value], Value]]
    """Copies an object of the program as the program would; put in by `stdlib/copy`."""

    def __deepcopy__(self, memo: Any) -> Value:
        """When the engine copies what holds it: as the program would."""
        machine = self.kind.machine
        return self if machine is None else Instance.deep_copy(machine, self)


class Own:
    """Mixed into a type of the host: an object of it whose class the program wrote, with attributes of its own."""

    __slots__ = ()

    @property
    def kind(self) -> Class:
        kind: Class = self.__dict__[CLASS]
        return kind

    @property
    def attributes(self) -> dict[str, Value]:
        attributes: dict[str, Value] = self.__dict__[ATTRIBUTES]
        return attributes

    def become(self, kind: Class, attributes: dict[str, Value]) -> None:
        """To be called once, when it was made.

        Raises:
            TypeError: `kind` is no class of a program, whatever it may answer when it is asked like one.
        """
        check_class(kind)
        self.__dict__[CLASS], self.__dict__[ATTRIBUTES] = kind, attributes


CLASS, ATTRIBUTES, VACANT = "of class", "own attributes", "parameters deleted"
"""Where the host keeps them, and the names of parameters that were deleted from a layer: a plain tensor put there is
what the layer computes with. No program can give these names to parts of a module."""

OBJECTS = (Instance, Own)
"""Objects of the program's classes."""


class Stub(Record):
    """What stands for a library that has no part in a result, such as plotting: calls and attributes give it again."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


@stands_for("super")
class Super(Record):
    """`super()`: the attributes of `this` that come behind `after` in the order of its class.

    `super(Class)` is bound to nothing: it has no `kind`.
    """

    __slots__ = ("after", "this", "kind")

    def __init__(self, after: Value, this: Value = None, kind: Class | None = None) -> None:
        self.after = after
        self.this = this
        self.kind = kind


@stands_for("module")
class Namespace(Record):
    """A module that programs import: a table of names."""

    __slots__ = ("name", "table", "pure_python")

    def __init__(self, name: str, table: dict[str, Value]) -> None:
        self.name = name
        self.table = table
        self.pure_python = False
        """Whether more of it is written in Python and loaded for a run when asked for."""


@stands_for("generator")
class Generator(Record):
    """A generator, of the program or (parameters()) of the engine."""

    __slots__ = ("name", "source")

    def __init__(self, name: str, source: Iterator[Value]) -> None:
        self.name = name
        self.source = source

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        return next(self.source)


# ---- exceptions

Place = tuple[int, tuple[tuple[str, int], ...]]
"""A line and the calls, outermost first, that it was reached by."""


@stands_for("type")
class ExceptionType(Record):
    """A type of exception. `host` is Python's class that we raise for it."""

    __slots__ = ("name", "title", "bases", "host")

    def __init__(self, name: str, base: ExceptionType | None, host: type[Exception] | None = None) -> None:
        self.name = name
        self.title = name
        self.bases: tuple[ExceptionType, ...] = (self,) + (base.bases if base else ())
        self.host = host


class Error(Record):
    """An exception as the program sees it. `place` is the line and the calls it came up in; `own` its class, if own."""

    __slots__ = ("kind", "args", "own", "attributes", "place", "cause", "context", "suppressed", "notes", "candidates")

    def __init__(self, kind: ExceptionType, args: tuple[Value, ...], own: Class | None = None) -> None:
        self.kind = kind
        self.args = args
        self.own = own
        self.attributes: dict[str, Value] = {}
        self.place: Place | None = None
        self.cause: Error | None = None
        self.context: Error | None = None
        self.suppressed = False
        self.notes: list[str] = []
        self.candidates: Sequence[str] = ()
        """Names that may have been meant, where one was not found."""


def itself(this: Value, memo: Any) -> Value:
    """What the engine gets that copies one of these records: they lead to the machine, which there is once."""
    return this


RECORDS: tuple[Any, ...] = (
    *(Function, Bound, Builtin, Foreign, StaticMethod, ClassMethod, Property, Type, Class, Stub, Super, Error),
    *(Namespace, Generator, ExceptionType),
)


def repr_record(this: Value) -> str:
    """What the host writes of a record, in its messages: no address."""
    return f"<{type(this).__name__} object at 0x...>"


for _kind in RECORDS:
    _kind.__deepcopy__ = itself
    _kind.__repr__ = repr_record


def make_module(
    name: str, ours: dict[str, Callable[..., Any]], values: dict[str, Value] | None = None, pure_python: bool = False
) -> Namespace:
    """The module `name`: functions of ours, which are handed the machine, and values.

    With `pure_python`, the rest of it is written in Python (`pure_python/NAME.py`) and runs as a program does.
    """
    table: dict[str, Value] = {word: Builtin(word, way, machine=True) for word, way in ours.items()}
    made = Namespace(name, table | (values or {}))
    made.pure_python = pure_python
    return made
