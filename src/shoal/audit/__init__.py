"""The verdict on a model: what it tells about the people it was trained on.

Names load on first use: what reads a training table alone loads no library of models.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.audit._audit import audit
    from shoal.audit._load import load_model
    from shoal.audit.adapters._rule_adapter import item_schema

__all__ = [
    "audit",
    "item_schema",
    "load_model",
]

_HOMES = {
    "audit": "_audit",
    "item_schema": "adapters._rule_adapter",
    "load_model": "_load",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
