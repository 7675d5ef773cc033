"""What the cases without a command share: writing results as JSON."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np


def save(name: str, data: Any) -> None:
    """Write plain values to ``NAME.json`` of the current folder."""
    text = json.dumps(_plain(data), indent=1, ensure_ascii=False)
    Path(f"{name}.json").write_text(text + "\n", "utf-8")


def said(call: Any, *arguments: Any, **options: Any) -> str:
    """What an error says; "nothing" when there is none."""
    try:
        call(*arguments, **options)
    except Exception as error:  # its text is the output
        return f"{type(error).__name__}: {error}"
    return "nothing"


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict") and not isinstance(value, type):
        value = value.to_dict(orient="list") if hasattr(value, "iloc") else value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str | int | float | None):
        return value
    return str(value)


def everything(package: str) -> Any:
    """All names of a package, its private modules included: what is recorded may be plumbing."""
    home = importlib.import_module(package)
    names: dict[str, Any] = {}
    for module in pkgutil.walk_packages(home.__path__, f"{package}."):
        names = {**vars(importlib.import_module(module.name)), **names}
    return SimpleNamespace(**{**names, **{name: getattr(home, name) for name in home.__all__}})
