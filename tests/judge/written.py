"""Released tables as a recipient finds them: every cell as written, and what is written besides.

A cell is a pair: what stands there to the last byte, which is what tells rows apart, and the text
that it means (None when missing).
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.judge.values import plain

COMPUTED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
ALLOWED_METADATA = {b"ARROW:schema"}


@dataclass
class Written:
    """Names, rows of cells, and what is written that belongs to no cell."""

    names: list
    rows: list
    besides: list = field(default_factory=list)


def read(released):
    """A file by its path, or a table in memory."""
    if isinstance(released, str | Path):
        path = Path(released)
        if path.suffix == ".csv":
            return read_csv(path.read_bytes().decode("utf-8"))
        return read_parquet(path) if path.suffix == ".parquet" else read_arrow(path)
    kind = type(released).__module__.split(".")[0]
    readers = {"pandas": _pandas, "polars": _polars, "pyarrow": _arrow_table}
    return readers.get(kind, _relation)(released)


def read_csv(text):
    """Records of cells between commas; a quoted cell is another than a bare one."""
    records, record, at = [], [], 0
    while at < len(text):
        end = _cell_end(text, at)
        raw = text[at:end]
        record.append((raw, _unquoted(raw)))
        at = end + 1
        if end >= len(text) or text[end] != ",":
            at += text[end : end + 2] == "\r\n"
            records.append(record)
            record = []
    names = [meaning or "" for _, meaning in records[0]]
    if len(names) == 1:  # an empty line would be no row: missing values are quoted there
        records = [[(raw, meaning or None) for raw, meaning in record] for record in records]
    return Written(names, records[1:], [f"ragged row {r}" for r in _ragged(records)])


def _cell_end(text, at):
    if text[at] == '"':
        at += 1
        while True:
            at = text.index('"', at) + 1
            if text[at : at + 1] != '"':
                break
            at += 1
    while at < len(text) and text[at] not in ",\r\n":
        at += 1
    return at


def _unquoted(raw):
    text = raw[1:-1].replace('""', '"') if raw[:1] == '"' else raw
    if COMPUTED.match(text):
        text = text[1:]  # an apostrophe keeps a spreadsheet from computing the cell
    return text or (None if raw[:1] != '"' else "")


def _ragged(records):
    return [r for r, record in enumerate(records) if len(record) != len(records[0])]


def _cell(value):
    held = plain(value)
    if held is None:
        return f"\0{value!r}", None  # no text is written so
    sort, meant = held
    if sort == "truth":
        return repr(value), str(meant).lower()
    if sort == "number":
        return repr(value), str(value)
    if sort == "moment":
        return repr(value), str(value).removesuffix(" 00:00:00")
    return value, value


def _rows(columns):
    cells = [[_cell(value) for value in column] for column in columns]
    return [list(row) for row in zip(*cells, strict=True)]


def _pandas(frame):
    besides = [f"attrs {frame.attrs}"] if frame.attrs else []
    if type(frame.index).__name__ != "RangeIndex" or frame.index.name is not None:
        besides.append(f"index {list(frame.index)[:3]} {frame.index.name}")
    columns = []
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if hasattr(column.dtype, "categories"):
            unused = set(column.cat.categories) - set(column.dropna())
            besides += [f"category {value}" for value in unused]
        columns.append(column.astype(object).tolist())
    return Written([str(name) for name in frame.columns], _rows(columns), besides)


def _polars(frame):
    frame = frame.collect() if hasattr(frame, "collect") else frame
    besides = []
    for name, kind in frame.schema.items():
        if str(kind).startswith(("Enum", "Categorical")):
            used = set(frame[name].cast(str).to_list())
            # a categorical column shares its list with the whole process, an enum has its own
            known = kind.categories.to_list() if str(kind).startswith("Enum") else []
            besides += [f"category {value}" for value in known if value not in used]
    return Written(frame.columns, _rows([frame[n].to_list() for n in frame.columns]), besides)


def _relation(relation):
    if isinstance(relation, dict):
        return Written(list(relation), _rows([list(column) for column in relation.values()]))
    if hasattr(relation, "collect"):  # Spark
        rows = [[_cell(value) for value in row] for row in relation.collect()]
        return Written(list(relation.columns), rows)
    enums = [str(kind) for kind in relation.types if str(kind).startswith("ENUM")]
    rows = [[_cell(value) for value in row] for row in relation.fetchall()]
    return Written(list(relation.columns), rows, enums)


def _arrow_table(table):
    import pyarrow as pa

    besides = [f"metadata {key}" for key in table.schema.metadata or ()]
    columns = []
    for part, column in zip(table.schema, table.columns, strict=True):
        besides += [f"metadata {key} of {part.name}" for key in part.metadata or ()]
        if pa.types.is_dictionary(part.type):
            used = set(column.to_pylist())
            entries = [value for chunk in column.chunks for value in chunk.dictionary.to_pylist()]
            besides += [f"dictionary {value}" for value in entries if value not in used]
        columns.append(column.to_pylist())
    return Written(table.column_names, _rows(columns), besides)


def read_arrow(path):
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        return _arrow_table(pa.ipc.open_file(source).read_all())


def read_parquet(path):
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        written = _arrow_table(file.read())
        keys = set(file.metadata.metadata or ()) - ALLOWED_METADATA
    written.besides += [f"metadata {key}" for key in keys]
    return written
