"""Results as plain values and as strict JSON, for every door that shows them; tables as TOML."""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_MOST_LISTED = 10_000
"""Numbers up to which an array is written out, so that people can read it."""
_WIDTH = 100
"""Characters up to which a table stands in one line of a TOML file."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_ESCAPES = str.maketrans({chr(code): f"\\u{code:04X}" for code in (*range(0x20), 0x7F)} | _SHORT)


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


def from_json(text: str | bytes) -> Any:
    """Plain values of JSON from elsewhere; `ValueError` for anything else, however deep it is.

    Examples
    --------
    >>> from_json('{"rows": 3}')
    {'rows': 3}
    >>> from_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: nested too deep
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def pack(value: Any, packed: bool = True) -> Any:
    """An array for JSON, or what a dataclass of arrays and texts is made of.

    Numbers are written one by one, None for NaN; many of them, if `packed`, as bytes: writing out
    millions takes seconds.

    Examples
    --------
    >>> import numpy as np
    >>> pack(np.array([3.0, float("nan")]))
    [3.0, None]
    >>> sorted(pack(np.zeros(20_000, np.int32)))
    ['base64', 'shape', 'type']
    """
    import numpy as np  # noqa: PLC0415  --help needs what is above, and not this

    if dataclasses.is_dataclass(value):
        made_of = [each.name for each in dataclasses.fields(value) if each.init]
        return {name: pack(getattr(value, name), packed) for name in made_of}
    if not isinstance(value, np.ndarray):
        return list(value) if isinstance(value, tuple) else value
    array = value
    if packed and array.size > _MOST_LISTED:
        plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        text = base64.b64encode(plain.tobytes()).decode("ascii")
        return {"type": array.dtype.name, "shape": list(array.shape), "base64": text}
    listed: list[Any] = array.tolist()
    if array.dtype.kind == "f" and np.isnan(array).any():
        return [None if number != number else number for number in listed]
    return listed


def unpack_numbers(said: ArrayLike | Mapping[str, Any], kind: DTypeLike) -> NDArray[Any]:
    """Inverse of :func:`pack` for arrays; ValueError where it is damaged.

    Examples
    --------
    >>> import numpy as np
    >>> unpack_numbers([2.5, None], np.float64)
    array([2.5, nan])
    """
    import numpy as np  # noqa: PLC0415  as above

    if not isinstance(said, Mapping):
        return np.array(said, kind)
    if said["type"] not in ("int32", "int64", "float64", "bool"):
        raise ValueError("numbers of an unknown type")
    stored = np.dtype(said["type"]).newbyteorder("<")
    numbers = np.frombuffer(base64.b64decode(said["base64"], validate=True), stored)
    return numbers.reshape(said["shape"]).astype(kind)


def table_toml(path: tuple[str, ...], table: Mapping[str, Any]) -> str:
    """One table of a TOML file as people write it: short entries inline, long ones spread.

    An entry that would make an endless line gets its own header, or a line for each of its parts.

    Examples
    --------
    >>> print(table_toml(("promise",), {"k": 10}))
    [promise]
    k = 10
    <BLANKLINE>
    """
    names = {key: _value(key, is_key=True) for key in (*path, *table)}
    lines, later = [f"[{'.'.join(names[part] for part in path)}]"], []
    for key, item in table.items():
        line = f"{names[key]} = {_value(item)}"
        if len(line) <= _WIDTH:
            lines.append(line)
        elif isinstance(item, Mapping) and item:
            later.append(table_toml((*path, key), item))
        elif isinstance(item, Sequence) and not isinstance(item, str):
            lines.append(f"{names[key]} = [")
            lines.extend(f"  {_value(part)}," for part in item)
            lines.append("]")
        else:
            lines.append(line)
    return "\n".join(lines) + "\n" + "".join("\n" + part for part in later)


def comment_toml(lines: Sequence[str]) -> str:
    """Lines as comments of a TOML file; they come without the `#`."""
    # a control character would end the comment or the file's validity
    clean = [re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", " ", line) for line in lines]
    return "".join(f"# {line}\n" if line else "#\n" for line in clean)


def _value(item: Any, *, is_key: bool = False) -> str:
    """A value as TOML writes it, or a key, which most often needs no quotes."""
    match item:
        case str() if is_key and _BARE.fullmatch(item):
            return item
        case bool():
            return "true" if item else "false"
        case int():
            return str(item)
        case float():
            return _float(item)
        case str():
            return '"' + item.translate(_ESCAPES) + '"'
        case Mapping():
            pairs = (f"{_value(k, is_key=True)} = {_value(v)}" for k, v in item.items())
            return "{" + ", ".join(pairs) + "}"
        case Sequence():
            return "[" + ", ".join(map(_value, item)) + "]"
        case _:
            raise TypeError(f"{type(item).__name__} has no place in a schema file")


def _float(item: float) -> str:
    if math.isfinite(item):
        return repr(float(item))
    return "nan" if math.isnan(item) else "inf" if item > 0 else "-inf"
