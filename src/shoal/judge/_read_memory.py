"""Tables in memory as text, through what their libraries export, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.errors import TableError
from shoal.judge._text_table import (
    TextColumn,
    TextTable,
    find_pyarrow,
    metadata_doors,
    of_arrow,
    plain_text,
)


def read_memory(source: Any, names: Any = None) -> TextTable:
    """A table of some library as text; see :class:`TextTable`."""
    if isinstance(source, Mapping):
        wanted = list(source) if names is None else names
        return of_arrays({name: source[name] for name in wanted})
    library = type(source).__module__.partition(".")[0]
    if library == "pandas":
        return _of_pandas(source, names)
    if library == "pyspark":
        return _of_spark(source if names is None else source.select(*map(_quoted, names)))
    if library in ("duckdb", "_duckdb"):
        return _of_duckdb(source, names)
    return _of_exporter(source, names)


def _quoted(name: str) -> str:
    """A name as Spark wants it, whatever signs it has."""
    escaped = name.replace("`", "``")
    return f"`{escaped}`"


def of_arrays(columns: Mapping[str, Any], doors: tuple[str, ...] = ()) -> TextTable:
    """Columns of values, each read on its own."""
    read = {}
    for name, values in columns.items():
        masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
        plain = np.ma.getdata(values) if masked is not None else values
        listed = plain.tolist() if isinstance(plain, np.ndarray) else list(plain)
        texts = [plain_text(value) for value in listed]
        if masked is not None:
            texts = [None if hidden else text for text, hidden in zip(texts, masked, strict=True)]
        number: dict[str | None, int] = {}
        codes = [number.setdefault(text, len(number)) for text in texts]
        read[str(name)] = TextColumn(np.array(codes, np.int32), tuple(number))
    lengths = {len(column.codes) for column in read.values()}
    if len(lengths) > 1:
        raise TableError("columns have different lengths, so that their rows are not known.")
    return TextTable(read, lengths.pop() if lengths else 0, doors)


def _of_pandas(frame: Any, names: Sequence[str] | None) -> TextTable:
    doors = ["attrs of the dataframe"] if frame.attrs else []
    if type(frame.index).__name__ != "RangeIndex" or frame.index.names != [None]:
        doors.append("an index with values of its own")
    columns: dict[str, Any] = {}
    for name in frame.columns if names is None else names:
        series = frame[name]
        if type(series.dtype).__name__ == "CategoricalDtype":
            values = [plain_text(value) for value in series.cat.categories]
            codes = series.cat.codes.to_numpy().astype(np.int32)
            with_missing = np.where(codes < 0, len(values), codes).astype(np.int32)
            columns[str(name)] = TextColumn(with_missing, (*values, None))
            if set(range(len(values))) - set(codes.tolist()):
                doors.append(f"values that no row has among the categories of column {name!r}")
        else:
            whole = of_arrays({str(name): series.to_list()})
            columns[str(name)] = whole.columns[str(name)]
    return TextTable(columns, len(frame), tuple(doors))


def _of_duckdb(relation: Any, names: Sequence[str] | None) -> TextTable:
    if names is not None:
        relation = relation.select(*('"' + name.replace('"', '""') + '"' for name in names))
    if find_pyarrow() is not None:
        return of_arrow(relation.to_arrow_table())
    arrays = relation.fetchnumpy()
    return of_arrays({name: arrays[name] for name in relation.columns})


def _of_spark(frame: Any) -> TextTable:
    nested = any(kind.startswith(("array", "struct", "map")) for _, kind in frame.dtypes)
    if nested or find_pyarrow() is None:
        rows = frame.collect()
        return of_arrays(
            {name: [row[index] for row in rows] for index, name in enumerate(frame.columns)}
        )
    table = frame.toArrow()
    zoned = [field.name for field in table.schema if getattr(field.type, "tz", None) is not None]
    # Arrow tells moments by Greenwich's clock, Spark itself by this machine's
    by_clock = {
        name: [
            None if moment is None else moment.astimezone().replace(tzinfo=None)
            for moment in table.column(name).to_pylist()
        ]
        for name in zoned
    }
    read = of_arrow(table)
    columns = {**read.columns, **of_arrays(by_clock).columns}
    return TextTable(columns, read.n_rows, read.side_doors)


def _of_exporter(source: Any, names: Sequence[str] | None) -> TextTable:
    pyarrow = find_pyarrow()
    if hasattr(source, "collect") and not hasattr(source, "column_names"):  # lazy frames
        source = source.collect()
    plain = "Object" not in map(str, getattr(source, "dtypes", ()))  # Polars exports addresses
    if plain and pyarrow is not None and hasattr(source, "__arrow_c_stream__"):
        table = source if isinstance(source, pyarrow.Table) else pyarrow.table(source)
        table = table if names is None else table.select(list(names))
        return of_arrow(table, metadata_doors(table.schema))
    if hasattr(source, "to_dict"):  # Polars
        columns = {name: list(values) for name, values in source.to_dict().items()}
        return of_arrays({name: columns[name] for name in names or columns})
    raise TableError(
        f"cannot read a {type(source).__name__} again to judge it. Install pyarrow, or write it to "
        "a file first."
    )
