"""Results as plain values and as strict JSON, for every door that shows them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:
    """Mappings, lists, texts and numbers; results become mappings, NaN and infinity None.

    Examples
    --------
    >>> to_plain({"share": float("nan"), 3: ("a", "b")})
    {'share': None, '3': ['a', 'b']}
    """
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif hasattr(value, "tolist"):  # NumPy scalars and arrays
        value = value.tolist()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def to_json(data: Any, *, indent: int | None = 2) -> str:
    """Strict JSON of plain values.

    Examples
    --------
    >>> to_json({"risk": float("inf")}, indent=None)
    '{"risk": null}'
    """
    return json.dumps(to_plain(data), ensure_ascii=False, allow_nan=False, indent=indent)
