"""Files with a JSON object on every line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import TableError
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._value_columns import stage_columns
from shoal.tables.engines.formats.text._bytes import Encoded, open_text


def _read(paths: Sequence[Path], options: OpenOptions) -> Engine:
    columns: dict[str, list[Any]] = {}
    n_rows = 0
    for path in paths:
        for number, row in _objects(path, options):
            _add(row, columns, n_rows, path, number)
            n_rows += 1
    for column in columns.values():
        column.extend([None] * (n_rows - len(column)))
    if not columns:
        raise TableError(f"file {paths[0].name!r} is empty. It needs an object on every line.")
    return stage_columns(tuple(columns), list(columns.values()), options)


def _objects(path: Path, options: OpenOptions) -> Iterator[tuple[int, Any]]:
    with open_text(path, Encoded(options.encoding or "utf-8")) as text:
        if path.suffix.lower() == ".json":  # one list of all objects, or an object on every line
            content = text.read()
            if content.lstrip()[:1] == "[":
                yield from enumerate(_parse(path, 1, content), 1)
                return
            lines: Iterable[str] = content.splitlines()
        else:
            lines = text
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, _parse(path, number, line)


def _parse(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise TableError(
            f"{path.name}, line {number}: it is no JSON object. Each line holds one, such as "
            '{"name": value, ...}; mend or remove the line.'
        ) from None


def _add(row: Any, columns: dict[str, list[Any]], before: int, path: Path, number: int) -> None:
    if not isinstance(row, dict):
        raise TableError(f"{path.name}, line {number}: it is no object of names and values.")
    for name, value in _flat(row):
        if isinstance(value, list):
            raise TableError(
                f"{path.name}, line {number}: {name!r} holds a list. Give each of its parts a "
                "column or a row of its own first."
            )
        column = columns.setdefault(name, [])
        if len(column) > before:
            raise TableError(f"{path.name}, line {number}: {name!r} is there twice. Rename one.")
        column.extend([None] * (before - len(column)))
        column.append(value)


def _flat(row: dict[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values; what an object within holds is named after both, with a point between."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{within}{name}.")
        else:
            yield within + name, value


_ENDINGS = (".jsonl", ".ndjson")
JSON_LINES = FileFormat(
    "JSON lines",
    (*(end + packed for packed in ("", ".gz", ".zst") for end in _ENDINGS), ".json"),
    _read,
)
