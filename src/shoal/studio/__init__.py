"""The whole job in a browser, on the user's own machine: JSON first, pages render it.

Names load on first use: what only asks whether there is a studio needs no web server.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.studio._server import serve_studio
    from shoal.studio.project._project import Project

__all__ = ["Project", "serve_studio"]

_HOMES = {"Project": "project._project", "serve_studio": "_server"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
