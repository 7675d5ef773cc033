"""Files in Arrow's two formats, where DuckDB does not do: Arrow itself, and Parquet from arrays."""
# ruff: noqa: PLC0415  PyArrow is an extra: imported only when such a file is at hand

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import MissingExtraError, TableError
from shoal.typing import PathText

ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")


def write_arrow_batches(relation: Any, path: Path) -> None:
    """Write a DuckDB relation as an Arrow file, batch by batch, with nothing besides its cells.

    DuckDB leaves under missing cells, and in the last byte of truth values, what its memory held,
    which may be values of other rows.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("PyArrow", "arrow", "writing Arrow files") from None
    # DuckDB 2 renamed it; before that the new name is absent
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    reader = read()
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, reader.schema) as writer:
        for batch in reader:
            columns = [_blanked(pa, column) for column in batch.columns]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=batch.schema))


def _blanked(pa: Any, column: Any) -> Any:
    """The same cells, with zeros where nothing is; texts have no bytes there."""
    kind = column.type
    is_truth = pa.types.is_boolean(kind)
    is_full = not column.null_count and not is_truth
    if is_full or kind.num_buffers != 2 or pa.types.is_nested(kind):
        return column
    known = np.ones(len(column), np.uint8)
    if column.null_count:
        known = _bits(column.buffers()[0])[column.offset :][: len(column)]
    cells = np.frombuffer(column.buffers()[1], np.uint8)
    if is_truth:
        bits = _bits(cells)[column.offset :][: len(column)]
        cells = np.packbits(bits & known, bitorder="little")
    else:
        width = kind.bit_width // 8
        cells = cells[column.offset * width :][: len(column) * width].reshape(-1, width)
        cells = cells * known[:, None]
    marks = pa.py_buffer(np.packbits(known, bitorder="little")) if column.null_count else None
    return pa.Array.from_buffers(kind, len(column), [marks, pa.py_buffer(cells)])


def _bits(buffer: Any) -> NDArray[np.uint8]:
    return np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")


def read_arrow(paths: Sequence[Path]) -> Any:
    """A PyArrow table from Arrow files, mapped rather than loaded where they can be."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("PyArrow", "arrow", "reading Arrow files") from None
    tables = [_read_arrow_file(pa, path) for path in paths]
    if len({table.schema for table in tables}) > 1:
        raise TableError("the Arrow files differ in columns or types. Give all of them the same.")
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables)


def _read_arrow_file(pa: Any, path: Path) -> Any:
    try:
        with pa.memory_map(str(path)) as source:
            return _without_views(pa, pa.ipc.open_file(source).read_all())
    except (OSError, pa.ArrowInvalid):
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, cut short, or no Arrow file."
        ) from None


def _without_views(pa: Any, table: Any) -> Any:
    """Texts as PyArrow can take rows of them; Polars writes them in another layout."""
    plain = {"string_view": pa.string(), "binary_view": pa.binary()}
    fields = [field.with_type(plain.get(str(field.type), field.type)) for field in table.schema]
    wanted = pa.schema(fields, metadata=table.schema.metadata)
    return table if wanted.equals(table.schema) else table.cast(wanted)


def write_parquet(
    columns: Mapping[str, NDArray[Any]], metadata: Mapping[str, str], path: PathText
) -> None:
    """Write arrays as a Parquet file, with texts that are kept beside them."""
    pa, pq = _parquet()
    table = pa.table(dict(columns)).replace_schema_metadata(dict(metadata))
    pq.write_table(table, path)


def read_parquet(path: PathText) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Arrays and texts of a Parquet file that :func:`write_parquet` wrote."""
    pa, pq = _parquet()
    try:
        table = pq.read_table(path, partitioning=None)
    except (OSError, pa.ArrowInvalid):
        raise TableError(
            f"{Path(path).name!r} cannot be read: it is damaged, cut short, or no Parquet file."
        ) from None
    kept = table.schema.metadata or {}
    texts = {key.decode(): text.decode("utf-8", "replace") for key, text in kept.items()}
    return {name: table[name].to_numpy() for name in table.column_names}, texts


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "sites", "reading and writing shares") from None
    return pa, pq
