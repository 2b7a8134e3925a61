"""Parts of the report that are found by folder: one file each, which is all it takes to add one."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Protocol, TypeVar


class Part(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def order(self) -> int: ...


P = TypeVar("P", bound=Part)


def file_name(part_id: str) -> str:
    """The file of a part, without its suffix: "one-sided" is in one_sided.py."""
    return part_id.replace("-", "_")


def parts_of(package: ModuleType, name: str, kind: type[P]) -> tuple[P, ...]:
    """The object called `name` in every module of `package`, in order of its `order`.

    Raises TypeError or ValueError if a module has no such object, if an id is not the name of its file, or if two parts
    have the same place. A part that would be left out, or that has no place of its own, is therefore an error at once.
    """
    found: dict[int, P] = {}
    for module in pkgutil.iter_modules(package.__path__):
        part = getattr(importlib.import_module(f"{package.__name__}.{module.name}"), name, None)
        if not isinstance(part, kind):
            raise TypeError(f"{package.__name__}.{module.name} has no {name}")
        if file_name(part.id) != module.name:
            raise ValueError(f"{package.__name__}.{module.name}: its {name} is called {part.id}")
        if part.order in found:
            raise ValueError(f"{package.__name__}: {part.id} and {found[part.order].id} both have order {part.order}")
        found[part.order] = part
    return tuple(found[order] for order in sorted(found))
