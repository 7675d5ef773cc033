"""Arrow files are written without what lies under missing cells."""

from decimal import Decimal

import duckdb
import numpy as np
import pytest

from shoal.frames._arrow_files import _blanked, write_arrow_batches
from shoal.judge._arrow_bytes import _says_all
from tests.extras import need

pa = need("pyarrow")

COLUMNS = {
    "int8": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    "int64": [2**60 + i for i in range(11)],
    "double": [i / 7 for i in range(1, 12)],
    "date32": [*range(1, 12)],
    "timestamp[us]": [*range(1, 12)],
    "bool_": [True] * 11,
}


def hiding(kind, values, missing):
    """An array with its values under the mask."""
    whole = pa.array(values, kind)
    marks = np.packbits(~np.isin(np.arange(len(values)), missing), bitorder="little")
    return pa.Array.from_buffers(
        whole.type, len(values), [pa.py_buffer(marks), whole.buffers()[1]], len(missing)
    )


@pytest.mark.parametrize("kind", [*COLUMNS, "decimal128"])
@pytest.mark.parametrize("part", [slice(None), slice(3, 10), slice(8, 11)])
def test_nothing_lies_under_missing_cells_and_the_others_stay(kind, part):
    if kind == "decimal128":
        hidden = hiding(pa.decimal128(9, 2), [Decimal(i) for i in range(1, 12)], [0, 4, 9])
    else:
        type_ = pa.type_for_alias("bool" if kind == "bool_" else kind)
        hidden = hiding(type_, COLUMNS[kind], [0, 4, 9])
    assert not _says_all(hidden)
    column = hidden[part]
    clean = _blanked(pa, column)
    clean.validate(full=True)
    assert clean.equals(column)
    assert clean.to_pylist() == column.to_pylist()
    assert _says_all(clean)


def test_what_duckdb_has_in_memory_is_not_written(tmp_path):
    rows = duckdb.sql(
        "SELECT CASE WHEN i % 3 > 0 THEN DATE '1960-01-01' + CAST(i AS INT) END AS born, "
        "CASE WHEN i % 4 > 0 THEN i / 7 END AS pay, 'a' || i AS name, i % 2 = 0 AS even, "
        "i % 7 = 0 OR (CASE WHEN i % 5 > 0 THEN false END) AS odd FROM range(5003) t(i)"
    )
    write_arrow_batches(rows, tmp_path / "r.arrow")
    with pa.memory_map(str(tmp_path / "r.arrow")) as source:
        table = pa.ipc.open_file(source).read_all()
    assert table.column("born").null_count == 1668
    assert all(_says_all(chunk) for column in table.columns for chunk in column.chunks)
