"""Parts of regions, counted by Spark: the same as DuckDB counts, limits and missing values too."""

import duckdb

from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables._frequency import CodingOptions
from shoal.tables.engines.regions._cuts import Cut
from shoal.tables.engines.regions._open_regions import open_regions
from tests.engines import spark_session
from tests.extras import need

need("pyarrow")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "city": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"N": ["Kiel", "Bonn"], "S": ["Ulm", "Hof"]}},
            "limit_level": 1,
        },
        "zip": {
            "role": "quasi-identifier",
            "hierarchy": {"prefix": [1, 2]},
            "limit_level": 1,
        },
        "illness": {"role": "sensitive"},
        "drug": {"role": "sensitive"},
    }
)


def test_parts_are_those_of_one_machine(tmp_path):
    path = tmp_path / "people.parquet"
    duckdb.sql(
        "COPY (SELECT CASE WHEN i % 13 = 0 THEN NULL ELSE i * 37 % 29 END AS age, "
        "['Kiel', 'Bonn', 'Ulm', 'Hof'][1 + (i * i) % 4] AS city, "
        "printf('%03d', i * 7 % 300) AS zip, "  # too many to be listed in a query
        "['flu', 'cold', NULL][1 + (i * 7 + i // 5) % 3] AS illness, "
        f"i % 4 AS drug FROM range(500) AS t(i)) TO '{path}' (FORMAT parquet)"
    )
    cut = Cut(0, (10,), (Cut(2, (100, 200), (0, 1, 2)), Cut(1, (1,), (3, 4))))
    frames = spark_session().read.parquet(str(path)), path
    there, here = (
        open_regions(open_table(frame), SCHEMA, CodingOptions()).partition(cut) for frame in frames
    )
    assert here.n_groups > 20
    assert there.keys.tolist() == here.keys.tolist()
    assert there.sizes.tolist() == here.sizes.tolist()
    for name in ("illness", "drug"):
        own, other = there.histograms[name], here.histograms[name]
        assert own.coding.texts == other.coding.texts
        assert own.start.tolist() == other.start.tolist()
        assert own.codes.tolist() == other.codes.tolist()
        assert own.counts.tolist() == other.counts.tolist()
