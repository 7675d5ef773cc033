"""Values that formats keep in ways of their own are written, judged and checked in every format."""

import datetime as dt

import pytest

from shoal.anonymize import check_table
from shoal.anonymize._registry import make_method
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import open_table
from tests.extras import need

ROLES = {
    "vip": {"role": "quasi-identifier"},
    "note": {"role": "quasi-identifier"},
    "born": {"role": "quasi-identifier", "kind": "date"},
    "age": {"role": "quasi-identifier", "kind": "numeric"},
    "ill": {"role": "sensitive"},
    "paid": {"role": "insensitive"},
}
PEOPLE = {
    "vip": [True, False, None, True] * 15,  # truth values, some missing
    "note": ["a", "a", "b", "b"] * 15,
    "born": [None if i % 9 == 4 else dt.date(1960 + i % 30, 1 + i % 12, 3) for i in range(60)],
    "age": [None if i % 11 == 4 else 20 + i % 40 for i in range(60)],
    "ill": [(True, False, None)[i % 3] for i in range(60)],
    "paid": [("", None, "1", "true")[i % 4] for i in range(60)],
}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "sqlite", "duckdb", "arrow", "parquet"])
@pytest.mark.parametrize("method", ["mondrian", "microaggregation", "full-domain"])
@pytest.mark.parametrize("source", ["memory", "file"])
def test_truth_emptiness_and_gaps_can_be_written_and_checked(source, method, ending, tmp_path):
    pa = need("pyarrow")
    need("openpyxl")
    schema, table = Schema(ROLES), PEOPLE
    if source == "file":
        parquet = need("pyarrow.parquet")
        table = tmp_path / "people.parquet"
        parquet.write_table(pa.table(PEOPLE), table)
    path = tmp_path / f"out.{ending}"
    made = make_method(method, schema, KAnonymity(4)).fit(table).release_
    made.write(path)
    assert open_table(path, keep_empty_rows=True).n_rows == made.recoded.n_released_rows
    assert check_table(path, schema, KAnonymity(4)).holds
