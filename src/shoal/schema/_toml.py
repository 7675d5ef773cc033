"""Schema files as people write them: short tables inline, long ones spread, comments kept apart."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 100
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_ESCAPES = str.maketrans({chr(code): f"\\u{code:04X}" for code in (*range(0x20), 0x7F)} | _SHORT)


def schema_toml(
    columns: Mapping[str, Mapping[str, Any]],
    comments: Mapping[str, Sequence[str]],
    header: Sequence[str],
    requirements: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Text of a schema file.

    Parameters
    ----------
    columns : mapping of str to mapping
        What stands under each `[columns.NAME]`.
    comments : mapping of str to sequence of str
        Lines to write above columns, without the `#`.
    header : sequence of str
        Lines to write at the top.
    requirements : sequence of mapping
        What stands in each `[[requirements]]`.
    """
    blocks = [_comment(header)] if header else []
    for name, table in columns.items():
        path = ("columns", name)
        above = _comment(comments[name]) if name in comments else ""
        blocks.append(above + _table(path, table))
    blocks += ["[[requirements]]" + _table((), table).removeprefix("[]") for table in requirements]
    return "\n".join(blocks)


def table_toml(name: str, table: Mapping[str, Any]) -> str:
    """One table of a file of settings, below its header.

    Examples
    --------
    >>> print(table_toml("promise", {"k": 10}))
    [promise]
    k = 10
    <BLANKLINE>
    """
    return _table((name,), table)


def _comment(lines: Sequence[str]) -> str:
    # a control character would end the comment or the file's validity
    clean = [re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", " ", line) for line in lines]
    return "".join(f"# {line}\n" if line else "#\n" for line in clean)


def _table(path: tuple[str, ...], table: Mapping[str, Any]) -> str:
    """A table under its header; an entry that would make an endless line gets its own header."""
    lines, later = [f"[{'.'.join(map(_key, path))}]"], []
    for key, item in table.items():
        line = f"{_key(key)} = {_value(item)}"
        if len(line) <= WIDTH:
            lines.append(line)
        elif isinstance(item, Mapping) and item:
            later.append(_table((*path, key), item))
        elif isinstance(item, Sequence) and not isinstance(item, str):
            lines.append(f"{_key(key)} = [")
            lines.extend(f"  {_value(part)}," for part in item)
            lines.append("]")
        else:
            lines.append(line)
    return "\n".join(lines) + "\n" + "".join("\n" + part for part in later)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(item: Any) -> str:
    match item:
        case bool():
            return "true" if item else "false"
        case int():
            return str(item)
        case float():
            return _float(item)
        case str():
            return '"' + item.translate(_ESCAPES) + '"'
        case Mapping():
            return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in item.items()) + "}"
        case Sequence():
            return "[" + ", ".join(map(_value, item)) + "]"
        case _:
            raise TypeError(f"{type(item).__name__} has no place in a schema file")


def _float(item: float) -> str:
    if math.isfinite(item):
        return repr(float(item))
    return "nan" if math.isnan(item) else "inf" if item > 0 else "-inf"
