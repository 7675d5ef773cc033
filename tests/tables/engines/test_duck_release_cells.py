"""The cell of each row, where some rows are like no other and others are alike."""

import duckdb
import pytest

from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables.engines import _duck_release

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "city": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    }
)


@pytest.mark.parametrize("alike", [1, 2, 40], ids=["none alike", "few alike", "all alike"])
@pytest.mark.parametrize("kept", ["table", "parquet"])
def test_every_row_finds_the_cell_that_has_its_values(tmp_path, alike, kept):
    rows = duckdb.connect().sql(
        f"SELECT CASE WHEN i % 9 = 4 THEN NULL ELSE i // CASE WHEN i < 40 THEN {alike} ELSE 1 END "
        "END AS age, 'c' || (i % 3) AS city, 'i' || (i % 2) AS ill FROM range(200) t(i) "
        "ORDER BY i * 77 % 200"
    )
    if kept == "parquet":
        rows.write_parquet(str(tmp_path / "rows.parquet"))
        rows = tmp_path / "rows.parquet"
    compressed = open_table(rows).compress(SCHEMA)
    found = compressed.cell_of_rows()
    texts = [coding.texts for coding in compressed.cells.codings]
    values = [
        tuple(column[code] for column, code in zip(texts, key, strict=True))
        for key in compressed.cells.keys[found].tolist()
    ]
    frame = compressed.staged.relation.fetchall()
    assert values == [(None if age is None else str(age), city) for age, city, _ in frame]
    assert (compressed.cells.sizes == [(found == cell).sum() for cell in set(found)]).all()


def test_rows_that_are_like_no_other_are_not_looked_up(monkeypatch):
    rows = duckdb.connect().sql("SELECT i AS age, 'c' AS city, 'i' AS ill FROM range(50) t(i)")
    compressed = open_table(rows).compress(SCHEMA)
    monkeypatch.setattr(_duck_release, "match_words", None)
    assert sorted(compressed.cell_of_rows().tolist()) == list(range(50))
