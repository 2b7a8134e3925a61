"""Named regions of a Python program: `with leadline.region("halo"):` and `@leadline.region("halo")`.

Needs nothing of Leadline but this file; without the recorder a region does nothing, and a decorated function is the
function itself.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Named = Callable[[bytes, int], Any]


def _recorder() -> tuple[Named, Named] | None:
    """The recorder's functions, if it is in this process."""
    if not os.environ.get("LEADLINE_DIR"):
        return None
    import ctypes

    here = ctypes.CDLL(None)
    try:
        functions = here.leadline_region_enter_1, here.leadline_region_leave_1
    except AttributeError:
        return None
    for function in functions:
        function.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        function.restype = None
    return functions


_found = _recorder()


class region:
    """A named region, as a context manager or a decorator. Regions nest, and each thread has its own.

    name: at most 255 bytes of UTF-8 count. Of a coroutine or a generator the decorator sees the making only.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name.encode()

    def __enter__(self) -> region:
        if _found is not None:
            _found[0](self._name, len(self._name))
        return self

    def __exit__(self, *_: object) -> None:
        if _found is not None:
            _found[1](self._name, len(self._name))

    def __call__(self, function: Function) -> Function:
        if _found is None:
            return function

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return within  # type: ignore[return-value]
