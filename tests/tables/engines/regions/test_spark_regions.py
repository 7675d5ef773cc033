"""Regions solved by Spark's workers: the same release as on one machine, and nothing collected."""

from copy import copy

import duckdb
import pytest

from shoal._resources import memory_bytes
from shoal.anonymize._registry import make_method
from shoal.errors import InfeasibleError, ParameterError, TableError
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.schema import Schema
from tests.engines import rows as rows_of, spark_session
from tests.extras import need

MODEL = KAnonymity(4) & DistinctDiversity(2)


SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "city": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"N": ["Kiel", "Bonn"], "S": ["Ulm", "Hof"]}},
        },
        "illness": {"role": "sensitive"},
        "name": {"role": "identifier"},
        "ward": {"role": "insensitive"},
    }
)


@pytest.fixture(scope="module", autouse=True)
def small():
    """Small tables are cut here, too: what is tested does not depend on what borders cost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.anonymize.regions._release_by_regions.LEAST_GROUPS", 1)
        yield 1


@pytest.fixture(scope="module")
def released(tmp_path_factory, small):
    """One table released by Spark's workers and by DuckDB, in the same regions."""
    need("pyarrow")
    assert small == 1
    folder = tmp_path_factory.mktemp("spark")
    path = folder / "people.parquet"
    duckdb.sql(
        "COPY (SELECT CASE WHEN i % 41 = 0 THEN NULL ELSE (i * 37) % 89 END AS age, "
        "['Kiel', 'Bonn', 'Ulm', 'Hof'][1 + (i * i) % 4] AS city, "
        "['flu', 'cold', 'gout'][1 + (i * 7 + i // 5) % 3] AS illness, "
        f"'P' || i AS name, i % 3 AS ward FROM range(400) AS t(i)) TO '{path}' (FORMAT parquet)"
    )
    spark = spark_session()
    there = (
        make_method("mondrian", SCHEMA, MODEL)
        .fit(spark.read.parquet(str(path)), regions=3)
        .release_
    )
    out = folder / "out.parquet"
    there.write(out)
    here = make_method("mondrian", SCHEMA, MODEL).fit(path, regions=3).release_
    return there, here, out, path


def test_workers_release_what_one_machine_does(released):
    there, here, out, _ = released
    assert there.n_regions == here.n_regions > 1
    # all rows are the sample; where some are drawn, engines draw others and cut elsewhere
    written = sorted(map(str, map(tuple, rows_of(spark_session().read.parquet(str(out))))))
    assert written == sorted(map(str, here.table.fetchall()))
    assert there.metrics == here.metrics
    assert there.metrics_before == here.metrics_before
    assert there.risk == here.risk
    assert [level.to_dict() for level in there.reached] == [
        level.to_dict() for level in here.reached
    ]


def test_the_order_tells_nothing_of_the_input(released):
    there, _, _, _ = released
    seeded = type(there.output)(shuffle=1)
    first, _ = there.rows.rows(seeded)
    again, _ = there.rows.rows(seeded)
    other, _ = there.rows.rows(type(there.output)(shuffle=2))
    assert rows_of(first) == rows_of(again)
    assert rows_of(first) != rows_of(other)
    with pytest.raises(ParameterError, match="order is not kept"):
        there.rows.rows(type(there.output)(keep_order=True))


def test_other_formats_are_refused(released, tmp_path):
    with pytest.raises(ParameterError, match=r"\.parquet"):
        released[0].write(tmp_path / "out.csv")


def test_what_a_worker_cannot_solve_is_said_by_the_driver(released):
    def refuse(keys, counted):
        raise InfeasibleError("a region", required=3, achieved=1, hint="Ask for less.")

    with pytest.raises(InfeasibleError, match="Ask for less"):
        copy(released[0].rows).solve([0] * 64, refuse, lambda *_: None)


def test_a_worker_that_fails_quotes_no_row(released):
    def fail(keys, counted):
        raise KeyError("Ada Lovelace")

    with pytest.raises(TableError) as caught:
        copy(released[0].rows).solve([0] * 64, fail, lambda *_: None)
    assert "Lovelace" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_columns_are_coarsened_on_the_cluster_as_on_one_machine(released, tmp_path, monkeypatch):
    _, _, _, path = released
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", 60)
    monkeypatch.setattr(
        "shoal.tables.engines.regions._open_regions.BYTES_PER_CELL", memory_bytes() / 60.5
    )
    method = make_method("full-domain", SCHEMA, MODEL)
    there = method.fit(spark_session().read.parquet(str(path)), regions=3).release_
    there.write(tmp_path / "out.parquet")
    here = make_method("full-domain", SCHEMA, MODEL).fit(path, regions=3).release_
    assert there.coarsened == here.coarsened
    assert there.coarsened.levels
    assert there.coarsened.n_cells <= 60
    written = rows_of(spark_session().read.parquet(str(tmp_path / "out.parquet")))
    assert sorted(map(str, map(tuple, written))) == sorted(map(str, here.table.fetchall()))


def test_moments_are_those_of_the_session_for_driver_workers_and_judge(tmp_path):
    """A clock that nobody's machine has: labels and judge go by it alike."""
    spark = spark_session()
    zone = "spark.sql.session.timeZone"
    before = spark.conf.get(zone)
    schema = Schema(
        {
            "born": {"role": "quasi-identifier", "kind": "date"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "seen": {"role": "sensitive"},
        }
    )
    frame = spark.range(120).selectExpr(
        "timestamp_seconds(1600000000 + 3600 * (id % 5)) AS born",
        "id % 60 AS age",
        "timestamp_seconds(1700000000 + 3600 * (id % 3)) AS seen",
    )
    spark.conf.set(zone, "Pacific/Kiritimati")
    try:
        method = make_method("mondrian", schema, KAnonymity(4) & DistinctDiversity(2))
        release = method.fit(frame, regions=2).release_
        release.write(tmp_path / "out.parquet")
        assert all(level.holds for level in release.reached)
        texts = [row[0] for row in frame.selectExpr("CAST(born AS STRING)").distinct().collect()]
        assert sorted(release.rows.columns["born"].coding.texts) == sorted(texts)
    finally:
        spark.conf.set(zone, before)
