"""torch.library, in Python: operators of the program's own, each with its schema, its kernel and its formula."""

import torch as _torch
from _disk import parameters as _parameters
from _disk import refuse as _refuse

_operators = {}
_UNREGISTERED = (
    "Trying to backward through {} but no autograd formula was registered. Please use register_autograd to add one."
)
_ALIASED = (
    "{} (with implementation in <module 'torch._library.custom_ops'>): The output of this custom operator (1) must not "
    "also be an input to this custom operator and (2) may not alias any inputs to this custom operator or other "
    "returns. The most common way to trigger this error is if we have y = custom_op(x) and y and x are the same "
    "Tensor. Please instead return a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the "
    "custom operator to not return y."
)
_PLAIN = {
    "Tensor": "Tensor",
    "int": "SymInt",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "dtype": "ScalarType",
    "device": "Device",
    "Number": "Scalar",
}
_RETURNS = {"Tensor": "Tensor", "Tensor[]": "Tensor[]", "SymInt": "SymInt", "float": "float", "bool": "bool"}
_RETURNS |= {"Scalar": "Scalar"}


# ---- schemas


def _spell(hint):
    """A hint as Python's signatures spell it."""
    if isinstance(hint, str):
        return hint
    return hint.__name__ if hint in (int, float, bool, str, list, dict, tuple) else f"torch.{hint.__name__}"


def _schema_type(hint):
    """What a schema calls the type that is hinted; nothing where it has no word for it."""
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", "None")
    for word in (" ", "'", '"', "torch.", "typing.", "collections.abc."):
        text = text.replace(word, "")
    text = text.replace("Union[int,float,bool]", "Number").replace("int|float|bool", "Number")
    optional = ""
    if text.startswith("Optional[") and text.endswith("]"):
        text, optional = text[9:-1], "?"
    elif text.startswith("Union[") and text.endswith(",None]"):
        text, optional = text[6:-6], "?"
    elif text.endswith("|None"):
        text, optional = text[:-5], "?"
    elif text.startswith("None|"):
        text, optional = text[5:], "?"
    for holder in ("Sequence[", "List[", "list["):
        if text.startswith(holder) and text.endswith("]"):
            inner = _schema_type(text[len(holder) : -1])
            return inner and inner + "[]" + optional
    return text in _PLAIN and _PLAIN[text] + optional


def _return_type(hint):
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", "None")
    text = text.replace("typing.", "").strip()
    if hint is None or text == "None":
        return "()"
    for holder in ("Tuple[", "tuple["):
        if text.startswith(holder) and text.endswith("]"):
            parts = [_schema_type(part) for part in _split(text[len(holder) : -1])]
            return all(part in _RETURNS for part in parts) and "(" + ", ".join(parts) + ")"
    found = _schema_type(hint)
    return found in _RETURNS and found


def _split(text):
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "[(") - (char in "])")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    given = _parameters(prototype_function)
    hints = getattr(prototype_function, "__annotations__", {})

    def fail(what):
        shown, starred = [], False
        for one in given:
            if one["keyword"] and not starred:
                shown.append("*")
                starred = True
            text = one["name"] + (f": {_spell(one['hint'])}" if "hint" in one else "")
            if "default" in one:
                text += f" = {one['default']!r}" if "hint" in one else f"={one['default']!r}"
            shown.append(text)
        back = f" -> {_spell(hints['return'])}" if "return" in hints else ""
        raise ValueError(f"infer_schema(func): {what} Got func with signature ({', '.join(shown)}){back})")

    params, starred = [], False
    for one in given:
        name = one["name"]
        if not one["plain"]:
            fail("We do not support positional-only args, varargs, or varkwargs.")
        if "hint" not in one:
            fail(f"Parameter {name} must have a type annotation.")
        kind = _schema_type(one["hint"])
        if not kind:
            fail(f"Parameter {name} has unsupported type {_spell(one['hint'])}.")
        if name in mutates_args:
            kind = kind.replace("Tensor", f"Tensor(a{len(params) - starred}!)", 1)
        if one["keyword"] and not starred:
            params.append("*")
            starred = True
        if "default" in one:
            default = one["default"]
            if default is not None and not isinstance(default, (int, float, bool, str)):
                fail(
                    f"Parameter {name} has an unsupported default value type {type(default)}. Please file an issue on "
                    "GitHub so we can prioritize this."
                )
            name += f'="{default}"' if isinstance(default, str) else f"={default}"
        params.append(f"{kind} {name}")
    if "return" not in hints:
        fail("No return type annotation was provided. Please add one.")
    back = _return_type(hints["return"])
    if not back:
        fail(f"Return has unsupported type {_spell(hints['return'])}.")
    return f"{op_name or ''}({', '.join(params)}) -> {back}"


class _Schema:
    """A schema in its parts: `params` are (type, name, default or nothing, whether only a keyword)."""

    def __init__(self, text):
        self.text = text
        head, _, back = text.rpartition("->")
        self.returns = back.strip()
        inside = head[head.index("(") + 1 : head.rindex(")")]
        self.params, keyword = [], False
        for part in _split(inside):
            if part == "*":
                keyword = True
            elif part:
                kind, _, name = part.rpartition(" ")
                name, has, default = name.partition("=")
                self.params.append((kind, name, (_value_of(default, kind),) if has else (), keyword))
        self.mutates = [name for kind, name, _, _ in self.params if "!" in kind]

    def __str__(self):
        return self.text


def _value_of(text, kind):
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    if text[:1] in ("'", '"'):
        return text[1:-1]
    return float(text) if kind.startswith("float") else int(text) if text.lstrip("-").isdecimal() else float(text)


def _plain_kind(kind):
    """`Tensor(a0!)[]` as `Tensor[]`."""
    before, bracket, behind = kind.partition("(")
    return before + behind.partition(")")[2] if bracket else kind


def _fits(value, kind):
    if kind.endswith("?"):
        return value is None or _fits(value, kind[:-1])
    if kind.endswith("[]"):
        return isinstance(value, (list, tuple)) and all(_fits(one, kind[:-2]) for one in value)
    if kind == "Tensor":
        return isinstance(value, _torch.Tensor)
    if kind in ("SymInt", "int"):
        return isinstance(value, int)
    if kind == "float" or kind == "Scalar":
        return isinstance(value, (int, float))
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str)
    return True


def _as_kind(value, kind):
    if kind.startswith("float") and type(value) is int:
        return float(value)
    return list(value) if kind.rstrip("?").endswith("[]") and isinstance(value, tuple) else value


# ---- operators


class OpOverload:
    """An operator under its full name: `torch.ops.mylib.softclip.default`."""

    def __init__(self, packet):
        self._packet = packet
        self._schema = packet._schema

    def __call__(self, *args, **kwargs):
        return self._packet(*args, **kwargs)

    def __repr__(self):
        return f"{self._packet}.default"


class _Operator:
    """An operator as `torch.ops` has it."""

    def __init__(self, qualname, schema):
        self._qualname, self._schema = qualname, _Schema(schema)
        self._namespace, _, self._name = qualname.partition("::")
        self._kernel = self._autograd = self._backward = self._setup = None
        self._checked = False
        self.default = OpOverload(self)
        self._function = type(
            f"GeneratedBackwardFor_{self._namespace}_{self._name}_default",
            (_torch.autograd.Function,),
            {"forward": staticmethod(_forward), "backward": staticmethod(_backward)},
        )

    def __repr__(self):
        return f"{self._namespace}.{self._name}"

    def _bind(self, args, kwargs):
        """All arguments in their order: those by position and those by keyword.

        Raises:
            RuntimeError: they do not fit the schema.
        """
        schema, name = self._schema, self._qualname
        given, bound = dict(kwargs), {}
        if len(args) + len(kwargs) > len(schema.params):
            raise RuntimeError(
                f"{name}() expected at most {len(schema.params)} argument(s) but received {len(args) + len(kwargs)} "
                f"argument(s). Declaration: {schema}"
            )
        places = [one for one in schema.params if not one[3]]
        if len(args) > len(places):
            raise RuntimeError(
                f"{name}() takes {len(places)} positional argument(s) but {len(args)} was/were given.  Declaration: "
                f"{schema}"
            )
        for at, (kind, wanted, default, _) in enumerate(schema.params):
            if at < len(args):
                value = args[at]
            elif wanted in given:
                value = given.pop(wanted)
            elif default:
                value = default[0]
            else:
                raise RuntimeError(f"{name}() is missing value for argument '{wanted}'. Declaration: {schema}")
            kind = _plain_kind(kind)
            if not _fits(value, kind):
                shown = "int" if kind == "SymInt" else kind
                cast = (
                    f"Unable to cast {value!r} to Tensor"
                    if kind == "Tensor"
                    else f"Unable to cast Python instance of type {type(value)} to C++ type '?' (#define "
                    "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
                )
                raise RuntimeError(
                    f"{name}() Expected a value of type '{shown}' for argument '{wanted}' but instead found type "
                    f"'{type(value).__name__}'.\nPosition: {at}\nValue: {value!r}\nDeclaration: {schema}\nCast error "
                    f"details: {cast}"
                )
            bound[wanted] = _as_kind(value, kind)
        if given:
            raise RuntimeError(
                f"Unknown keyword argument '{next(iter(given))}' for operator '{name}'. Schema: {schema}"
            )
        only = {wanted for _, wanted, _, keyword in schema.params if keyword}
        return (
            tuple(value for wanted, value in bound.items() if wanted not in only),
            {wanted: value for wanted, value in bound.items() if wanted in only},
        )

    def _run(self, args, named):
        if self._kernel is None:
            raise NotImplementedError(
                f"Could not run '{self._qualname}' with arguments from the 'CPU' backend. This could be because the "
                "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if "
                "using custom build)."
            )
        found = self._kernel(*args, **named)
        if self._checked:
            self._check_memory(args, found)
        return found

    def _check_memory(self, args, found):
        flat = [one for one in _flatten(args)[0] if isinstance(one, _torch.Tensor)]
        seen = {one.untyped_storage().data_ptr() for one in flat}
        for one in _flatten(found if isinstance(found, (tuple, list)) else [found])[0]:
            if isinstance(one, _torch.Tensor):
                place = one.untyped_storage().data_ptr()
                if place in seen and one.numel():
                    raise RuntimeError(_ALIASED.format(self._name))
                seen.add(place)

    def __call__(self, *args, **kwargs):
        args, named = self._bind(args, kwargs)
        if self._autograd is not None:
            return self._autograd(*args, **named)
        flat, form = _flatten(args)
        wanted = any(isinstance(one, _torch.Tensor) and one.requires_grad for one in flat)
        follows = self._checked or self._backward is not None
        if not (follows and wanted and _torch.is_grad_enabled()) or self._schema.mutates:
            found = self._run(args, named)
            for _, name, _, _ in self._schema.params:
                if name in self._schema.mutates:
                    at = [one[1] for one in self._schema.params].index(name)
                    changed = args[at] if at < len(args) else named[name]
                    changed = changed if isinstance(changed, list) else [changed]
                    _torch.autograd.graph.increment_version([one for one in changed if one is not None])
            return found
        call = _Call(self, form, named)
        found = self._function.apply(*flat, call)
        return _unflatten(list(found) if isinstance(found, tuple) else [found], call.result)


class _Call:
    """One call that is differentiated: how its arguments and its results hang together."""

    def __init__(self, operator, form, named):
        self.operator, self.form, self.named = operator, form, named
        self.result = None


def _flatten(values):
    """The parts of lists in one row, and what the row was: a number for each list, None for each other value."""
    flat, form = [], []
    for value in values:
        if isinstance(value, list) and value and all(isinstance(one, _torch.Tensor) for one in value):
            flat.extend(value)
            form.append(len(value))
        else:
            flat.append(value)
            form.append(None)
    return flat, form


def _unflatten(flat, form):
    """What `flat` was: `form` says it, in a tuple for several, in a list for what is one value."""
    if isinstance(form, list):
        return _hang(flat, form)[0]
    return tuple(_hang(flat, form))


def _hang(flat, form):
    made, rest = [], list(flat)
    for count in form:
        if count is None:
            made.append(rest.pop(0))
        else:
            made.append(rest[:count])
            rest = rest[count:]
    return made


def _forward(ctx, *flat):
    *flat, call = flat
    operator = call.operator
    args = tuple(_hang(flat, call.form))
    found = operator._run(args, call.named)
    ctx._call = call
    if operator._setup is not None:
        if call.named:
            operator._setup(ctx=ctx, inputs=args, keyword_only_inputs=call.named, output=found)
        else:
            operator._setup(ctx=ctx, inputs=args, output=found)
    if isinstance(found, tuple):
        row, form = _flatten(found)
        call.result = tuple(form)
        return tuple(row)
    row, call.result = _flatten([found])
    return tuple(row) if len(row) > 1 or call.result[0] is not None else found


def _backward(ctx, *grads):
    call = ctx._call
    operator = call.operator
    if operator._backward is None:
        raise RuntimeError(_UNREGISTERED.format(operator.default))
    given = _hang(grads, call.result)
    needed = ctx.needs_input_grad
    ctx.needs_input_grad = needed[:-1]
    try:
        found = operator._backward(ctx, *given)
    finally:
        ctx.needs_input_grad = needed
    found = found if isinstance(found, tuple) else (found,)
    if len(found) == len(call.form):
        row = []
        for one, count in zip(found, call.form, strict=True):
            row.extend(one if count is not None and isinstance(one, (list, tuple)) else [one] * (count or 1))
        found = tuple(row)
    return (*found, None)


class CustomOpDef:
    """What `custom_op` makes of a function."""

    def __init__(self, namespace, name, schema, function):
        self._namespace, self._name, self._schema = namespace, name, schema
        self._qualname = f"{namespace}::{name}"
        self._init_fn = function

    @property
    def _operator(self):
        return _operators[self._qualname]

    @property
    def _opoverload(self):
        return self._operator.default

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args, **kwargs):
        return self._operator(*args, **kwargs)

    def register_kernel(self, device_types, func=None, /):
        def register(function):
            kinds = [device_types] if isinstance(device_types, str) else device_types
            if kinds is None or "cpu" in kinds:
                self._operator._kernel = function
            return function

        return register if func is None else register(func)

    def register_fake(self, fn, /):
        return fn

    def register_vmap(self, func=None):
        return (lambda function: function) if func is None else func

    def register_autograd(self, backward, /, *, setup_context=None):
        if self._operator._schema.mutates:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema "
                f"{self._operator._schema}. Please create a functional operator and register an autograd formula for "
                "that."
            )
        self._operator._backward, self._operator._setup = backward, setup_context


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    def define_operator(function):
        namespace, own = name.split("::")
        wanted = schema
        if wanted is None:
            wanted = infer_schema(function, mutates_args=mutates_args)
        operator = _Operator(name, name + wanted)
        for kind, _, _, keyword in operator._schema.params:
            if keyword and "Tensor" in kind:
                raise NotImplementedError(
                    "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. "
                    f"Got: {own}{wanted}"
                )
        operator._kernel, operator._checked = function, True
        _operators[name] = operator
        return CustomOpDef(namespace, own, wanted, function)

    return define_operator if fn is None else define_operator(fn)


# ---- the older way: a schema first, kernels by the name


class Library:
    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported library kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        name = schema.partition("(")[0].strip()
        define(f"{self.ns}::{name}", schema[schema.index("(") :])
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = op_name if isinstance(op_name, str) else op_name._qualname
        _implement(name if "::" in name else f"{self.ns}::{name}", fn, dispatch_key or self.dispatch_key)


def _implement(name, function, key):
    if name not in _operators:
        raise RuntimeError(f"Tried to register an operator ({name}) that has no schema yet: define it first.")
    if key in ("Meta", "meta", "CUDA", "cuda", "XPU", "xpu", "MPS", "mps"):
        return
    if key in ("Autograd", "AutogradCPU"):
        _operators[name]._autograd = function
    elif key in ("", "CPU", "cpu", "default", "CompositeExplicitAutograd", "CompositeImplicitAutograd"):
        _operators[name]._kernel = function
    else:
        _refuse(f"Kernels for `{key}` are not supported by `torch.library` here: CPU, Autograd and the composite ones.")


def define(qualname, schema, *, lib=None, tags=()):
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    _operators[qualname] = _Operator(qualname, qualname + schema)


def impl(qualname, types, func=None, *, lib=None):
    if isinstance(qualname, Library):
        home, name, key = qualname, types, func or ""
        return lambda function: (home.impl(name, function, key), function)[1]

    def register(function):
        for kind in [types] if isinstance(types, str) else types:
            _implement(qualname, function, kind)
        return function

    return register if func is None else register(func)


def _found(op):
    name = op if isinstance(op, str) else op._qualname
    if name not in _operators:
        _refuse(f"`torch.library` knows here the operators that the program defines itself: `{name}` is none of them.")
    return _operators[name]


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    operator = _found(op)
    operator._backward, operator._setup = backward, setup_context


def register_kernel(op, device_types, func=None, /, *, lib=None):
    def register(function):
        for kind in (
            ["cpu"] if device_types is None else [device_types] if isinstance(device_types, str) else device_types
        ):
            _implement(_found(op)._qualname, function, kind)
        return function

    return register if func is None else register(func)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    _found(op)
    return (lambda function: function) if func is None else func


impl_abstract = register_fake


def register_vmap(op, func=None, /, *, lib=None):
    _found(op)
    return (lambda function: function) if func is None else func
