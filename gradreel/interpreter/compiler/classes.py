"""Class statements."""

from __future__ import annotations

import ast
from collections import OrderedDict, defaultdict

from ..engine.engine import torch
from ..machine import Machine
from ..refusal import Refusal
from ..runtime.calls import call, call_method, finish_class, kind_name
from ..runtime.creating import Keyed
from ..runtime.values import (
    MISSING,
    Bound,
    Cell,
    Class,
    ClassMethod,
    ExceptionType,
    Frame,
    Function,
    Instance,
    Property,
    Silent,
    StaticMethod,
    Type,
    Value,
)
from ..stdlib.collections import ABOUT_FIELDS, fields_of
from ..stdlib.enum import enumerate_members
from .assignment import bind
from .compiler import Compiler, Step, compiles

IMPLIED = ("__init_subclass__", "__class_getitem__")
"""Methods that belong to the class without saying so."""


@compiles(ast.ClassDef)
def class_def(compiler: Compiler, node: ast.ClassDef) -> Step:
    machine, bases = compiler.machine, compiler.expressions(node.bases)
    keywords = [(keyword.arg, compiler.expression(keyword.value)) for keyword in node.keywords]
    if any(name is None for name, _ in keywords):
        raise compiler.refuse("`**` among the bases of a class is not supported here.", node)
    decorators = compiler.expressions(node.decorator_list)
    lines = [decorator.lineno for decorator in node.decorator_list]
    store = bind(compiler, node.name, node)
    qualname = f"{compiler.titles[-1]}.{node.name}" if compiler.titles else node.name
    outer, compiler.scope = compiler.scope, compiler.scopes.of[node]
    compiler.titles.append(qualname)
    body, scope = compiler.block(node.body), compiler.scope
    compiler.titles.pop()
    compiler.scope = outer
    doc, module, own = ast.get_docstring(node), compiler.module, "__class__" in scope.cells

    def step(frame: Frame) -> None:
        ways = [decorator(frame) for decorator in decorators]
        parents = tuple(base(frame) for base in bases)
        given = {str(name): value(frame) for name, value in keywords}
        inner = Frame({}, {free: frame.cells[free] for free in scope.free}, frame.scope, node.name)
        inner.quiet = compiler.quiet
        if own:
            inner.cells["__class__"] = Cell()
        caller = machine.frame
        if not inner.quiet:
            machine.frame = inner
        try:
            body(inner)
        except BaseException as raised:
            machine.note(raised, inner)
            raise
        finally:
            machine.frame = caller
        if doc is not None:
            inner.names.setdefault("__doc__", doc)
        made: Value = make_class(machine, node.name, parents, inner.names, given, qualname, module)
        if own:
            inner.cells["__class__"].value = made
        for way, line in zip(reversed(ways), reversed(lines), strict=True):
            frame.line = line
            made = call(machine, way, [made], {})
        store(frame, made)

    return step


def make_class(
    machine: Machine,
    name: str,
    bases: tuple[Value, ...],
    attributes: dict[str, Value],
    keywords: dict[str, Value] | None = None,
    qualname: str | None = None,
    module: str = "__main__",
) -> Value:
    keywords = keywords or {}
    if any(base is ABOUT_FIELDS for base in bases):
        return fields_of(machine, name, attributes)
    silent = next((base for base in bases if isinstance(base, Silent)), None)
    if silent is not None:
        raise Refusal(f"Classes that extend `{silent.name}` are not supported here.")
    bases = tuple(base for base in bases if not (isinstance(base, Type) and base.title in HINTS))
    made = Class(name, bases, attributes, machine)
    made.qualname = qualname or name
    made.title = f"{attributes.get('__module__', module)}.{made.qualname}"
    for base in bases:
        inherit(made, base)
    made.order = order(made)
    traits = {trait for base in made.order[1:] for trait in base.traits}
    made.traits = frozenset(traits | {trait for trait in TRAITS if trait in attributes} | metaclass(keywords))
    if any(base.title == "abc.ABC" for base in made.order):
        made.traits |= {"abstract"}
    if made.host is not None or not all("__slots__" in base.attributes for base in made.order):
        made.traits -= {"__slots__"}
    if any(made.find(name) is not MISSING for name in ("__eq__", "__hash__")):
        made.made = Keyed
        if "__eq__" in attributes and "__hash__" not in attributes:
            attributes["__hash__"] = None
    adopt(made, attributes)
    finish_class(made)
    if any(base.members is not None for base in made.order[1:]):
        enumerate_members(machine, made)
    announce(machine, made, keywords)
    return made


TRAITS = ("__getattribute__", "__setattr__", "__delattr__", "__slots__")
HINTS = ("typing.Generic", "typing.Protocol", "object")


def metaclass(keywords: dict[str, Value]) -> set[str]:
    """What `metaclass=` asks for; only ABCMeta can be had."""
    given = keywords.pop("metaclass", None)
    if given is None or (isinstance(given, Type) and given.name == "type"):
        return set()
    if isinstance(given, Class) and given.title == "abc.ABCMeta":
        return {"abstract"}
    raise Refusal("Metaclasses are not supported here, but for ABCMeta: leave it out, or use `__init_subclass__`.")


def inherit(made: Class, base: Value) -> None:
    """Takes over what `base` is of ours: a container, a module, an exception."""
    if isinstance(base, Class):
        if made.host is not None and base.host is not None and made.host is not base.host:
            made.host = wider(made.host, base.host)
        made.host = made.host or base.host
        made.fields = made.fields or base.fields
        if base.exception is not None:
            be_exception(made, base.exception)
    elif isinstance(base, ExceptionType):
        be_exception(made, base)
    elif isinstance(base, Type):
        made.host = made.host or extended(base)
    else:
        raise TypeError(f"a class cannot extend a value of type '{kind_name(base)}'")


def be_exception(made: Class, base: ExceptionType) -> None:
    before = made.exception.bases[1:] if made.exception is not None else ()
    made.exception = ExceptionType(made.name, base, None)
    made.exception.bases += tuple(kind for kind in before if kind not in made.exception.bases)


def wider(one: Type, other: Type) -> Type:
    """Of two types of ours that a class extends, the one that is the other too."""
    if issubclass(one.hosts[0], other.hosts[0]):
        return one
    if issubclass(other.hosts[0], one.hosts[0]):
        return other
    raise TypeError("multiple bases have instance lay-out conflict")


def adopt(made: Class, attributes: dict[str, Value]) -> None:
    """Functions learn which class they belong to, for `super()`."""
    for name in IMPLIED:
        if isinstance(attributes.get(name), Function):
            attributes[name] = ClassMethod(attributes[name])
    if isinstance(attributes.get("__new__"), Function):
        attributes["__new__"] = StaticMethod(attributes["__new__"])
    for value in attributes.values():
        for function in functions_in(value):
            if not function.home:
                function.home.append(made)


def announce(machine: Machine, made: Class, keywords: dict[str, Value]) -> None:
    """`__set_name__` of what the class holds, `__init_subclass__` of what it extends."""
    for name, value in list(made.attributes.items()):
        if isinstance(value, Instance):
            call_method(machine, value, "__set_name__", [made, name])
    found = made.find("__init_subclass__", made)
    if isinstance(found, ClassMethod):
        call(machine, Bound(found.function, made), [], keywords)
    elif keywords:
        raise TypeError(f"{made.name}.__init_subclass__() takes no keyword arguments")


EXTENDABLE = (
    torch.nn.Module,
    torch.autograd.Function,
    torch.optim.Optimizer,
    torch.optim.lr_scheduler.LRScheduler,
    torch.distributions.Distribution,
    torch.distributions.Transform,
    list,
    dict,
    tuple,
    set,
    frozenset,
    str,
    int,
    float,
)
CLOSED = (bool, torch.Size, OrderedDict, defaultdict)


def extended(base: Type) -> Type:
    """`base`, if classes of programs may extend it."""
    if base.make is not None and base.hosts and issubclass(base.hosts[0], EXTENDABLE) and base.hosts[0] not in CLOSED:
        return base
    if base.name == "bool":
        raise TypeError("type 'bool' is not an acceptable base type")
    raise Refusal(f"Classes that extend `{base.title}` are not supported here.")


def order(made: Class) -> tuple[Class, ...]:
    """Python's order of bases (C3)."""
    waiting = [list(base.order) for base in made.bases if isinstance(base, Class)]
    waiting.append([base for base in made.bases if isinstance(base, Class)])
    found = [made]
    while any(waiting):
        for row in waiting:
            if row and not any(row[0] in other[1:] for other in waiting):
                first = row[0]
                break
        else:
            names = ", ".join(row[0].name for row in waiting[:-1] if row)
            raise TypeError(f"Cannot create a consistent method resolution\norder (MRO) for bases {names}")
        found.append(first)
        for row in waiting:
            if row and row[0] is first:
                del row[0]
    return tuple(found)


def functions_in(value: Value) -> list[Function]:
    if isinstance(value, Function):
        return [value]
    if isinstance(value, (StaticMethod, ClassMethod)):
        return functions_in(value.function)
    if isinstance(value, Property):
        return [*functions_in(value.getter), *functions_in(value.setter), *functions_in(value.deleter)]
    return []
