"""Shoal: publish tables and models about people, and learn from data that cannot be pooled.

Names below load on first use, so that ``import shoal`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.schema import Hierarchy, Schema

    __version__: str

__all__ = ["Hierarchy", "Schema", "__version__"]

_HOMES = {"Hierarchy": "shoal.schema", "Schema": "shoal.schema"}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = importlib.import_module("importlib.metadata").version("shoal")
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
