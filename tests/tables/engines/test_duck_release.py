import csv

import duckdb
import numpy as np
import pytest

from shoal.anonymize import make_method
from shoal.schema import Schema
from shoal.tables import RowOptions
from shoal.tables.engines._duck_release import slim

N_ROWS = 200_000  # more than DuckDB sorts and writes at once


@pytest.fixture(scope="module")
def release():
    rows = duckdb.sql(
        f"SELECT 'c' || (i % 7) AS city, 'n' || (i * 7919 % {N_ROWS}) AS note "
        f"FROM range({N_ROWS}) t(i)"
    )
    schema = Schema({"city": {"role": "quasi-identifier"}, "note": {"role": "insensitive"}})
    ordered = RowOptions(keep_order=True)
    return make_method("mondrian", schema, 5).fit(rows, output=ordered).release_


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_many_rows_are_written_in_their_order(release, tmp_path, suffix):
    path = release.write(tmp_path / f"r{suffix}")["table"]
    if suffix == ".csv":
        with path.open(newline="") as file:
            notes = [row[1] for row in csv.reader(file)][1:]
    else:
        notes = [note for (note,) in duckdb.sql(f"SELECT note FROM '{path}'").fetchall()]
    assert notes == [f"n{i * 7919 % N_ROWS}" for i in range(N_ROWS)]


def test_numbers_take_as_few_bytes_as_they_need():
    for largest, kind in ((127, np.int8), (128, np.int16), (2**15, np.int32), (2**31, np.int64)):
        numbers = slim(np.array([-1, largest], np.int64))
        assert numbers.dtype == kind
        assert numbers.tolist() == [-1, largest]
