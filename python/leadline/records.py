"""Dataclasses that cost little to define.

A command that shows a report defines some 70 of them and uses half. `dataclasses.dataclass` compiles up to six methods
of each when it is defined, which took a third of the time of a small report. Here a class has the same methods, but
only its `__init__` is compiled, when the first object is made; the others go through the fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    import operator

    _DEFAULT = object()  # of an argument whose default is made anew each time

    def dataclass(cls=None, /, *, frozen=False):
        """As `dataclasses.dataclass`, of whose options it takes `frozen` only."""
        if cls is None:
            return lambda decorated: _made(decorated, frozen)
        return _made(cls, frozen)

    def _made(cls, frozen):
        own_doc = cls.__doc__
        if not own_doc:  # or else `dataclasses` would write the signature, for which it imports and asks `inspect`
            cls.__doc__ = cls.__name__
        inherits = any(dataclasses.is_dataclass(base) for base in cls.__bases__)  # which have to be as frozen as it is
        made = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=frozen and inherits)(cls)
        made.__dataclass_params__.frozen = frozen
        made.__doc__ = own_doc
        fields = dataclasses.fields(made)
        values = _values_of(fields)
        given = vars(made)
        methods = {"__init__": _first_init(made, fields, frozen), "__eq__": _eq(values), "__repr__": _repr}
        if frozen:
            methods |= {"__hash__": lambda self: hash(values(self)), "__setattr__": _refused, "__delattr__": _refused}
        elif "__eq__" not in given:
            made.__hash__ = None
        for name, method in methods.items():
            if name not in given or (name == "__hash__" and given[name] is None):
                setattr(made, name, method)
        return made

    def _values_of(fields):
        names = [field.name for field in fields if field.compare]
        if len(names) > 1:
            return operator.attrgetter(*names)
        return lambda self: tuple(getattr(self, name) for name in names)

    def _eq(values):
        def eq(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) == values(other)

        return eq

    def _repr(self):
        shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _refused(self, name, *_):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _first_init(cls, fields, frozen):
        """Compiles the real one and puts itself out of the way."""

        def init(self, /, *args, **named):
            cls.__init__ = compiled = _compiled_init(cls, fields, frozen)
            compiled(self, *args, **named)

        return init

    def _compiled_init(cls, fields, frozen):
        known = {"_set": object.__setattr__, "_default": _DEFAULT}
        arguments, lines = ["self"], []
        for field in fields:
            name = value = field.name
            made = field.default_factory is not dataclasses.MISSING
            if made:
                known[f"_make_{name}"] = field.default_factory
                value = f"_make_{name}()" if not field.init else f"_make_{name}() if {name} is _default else {name}"
            if not field.init and not made:
                continue
            if field.init and made:
                arguments.append(f"{name}=_default")
            elif field.init and field.default is not dataclasses.MISSING:
                known[f"_default_{name}"] = field.default
                arguments.append(f"{name}=_default_{name}")
            elif field.init:
                arguments.append(name)
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        body = "\n  ".join(lines) or "pass"
        exec(f"def __init__({', '.join(arguments)}):\n  {body}", known)
        compiled = known["__init__"]
        compiled.__qualname__ = f"{cls.__qualname__}.__init__"
        return compiled


__all__ = ["dataclass"]
