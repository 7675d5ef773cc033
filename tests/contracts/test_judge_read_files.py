"""Columns of a large source are read one by one, and judged as if they had been read together."""

import duckdb
import numpy as np
import pytest

from shoal.anonymize._registry import make_method
from shoal.errors import GuaranteeError, TableError
from shoal.judge import _read_binary, _read_files
from shoal.schema import Schema
from tests.extras import need

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive"},
        "pay": {"role": "insensitive", "kind": "numeric"},
    }
)


def write(path, shift=0, n_rows=60):
    duckdb.connect().sql(
        f"SELECT 'p' || i AS name, 20 + (i * 7 + {shift}) % 60 AS age, 'i' || i % 4 AS ill, "
        f"CASE WHEN i % 9 > 0 THEN i / 8 END AS pay FROM range({n_rows}) t(i)"
    ).write_parquet(str(path))
    return path


@pytest.fixture
def large(monkeypatch):
    need("pyarrow")
    monkeypatch.setattr(_read_binary, "ROWS_IN_MEMORY", 10)


@pytest.mark.usefixtures("large")
def test_columns_read_one_by_one_are_those_read_together(tmp_path, monkeypatch):
    path = write(tmp_path / "people.parquet")
    names = ["age", "ill", "pay", "nowhere"]
    one_by_one = _read_files.read_texts([path], names=names)
    assert isinstance(one_by_one.columns, _read_binary._ColumnsOfFile)
    monkeypatch.undo()
    together = _read_files.read_texts([path], names=names)
    assert one_by_one.names == together.names == ("age", "ill", "pay")
    assert len(one_by_one.columns) == 3
    assert "nowhere" not in one_by_one.columns
    with pytest.raises(KeyError):
        one_by_one.columns["nowhere"]
    for name, column in one_by_one.columns.items():
        assert column.texts == together.columns[name].texts
        assert np.array_equal(column.codes, together.columns[name].codes)


@pytest.mark.usefixtures("large")
def test_what_is_released_of_a_large_file_is_compared_with_it(tmp_path):
    path = write(tmp_path / "people.parquet")
    made = make_method("mondrian", SCHEMA, 5).fit(path).release_
    assert made.write(tmp_path / "fine.parquet")["table"].exists()
    write(path, shift=31)  # other ages than those that were seen
    with pytest.raises(GuaranteeError):
        made.write(tmp_path / "wrong.parquet")
    assert not (tmp_path / "wrong.parquet").exists()


@pytest.mark.usefixtures("large")
def test_a_file_that_becomes_another_meanwhile_is_told(tmp_path):
    path = write(tmp_path / "people.parquet")
    read = _read_files.read_texts([path], names=["age"])
    write(path, n_rows=61)
    with pytest.raises(TableError, match="was changed while it was compared"):
        read.columns["age"]
