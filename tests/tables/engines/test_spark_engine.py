"""Tables in Spark are looked at where they are: how many rows come to the driver is counted."""

import datetime as dt
from dataclasses import replace

import pytest

from shoal.anonymize import check_table
from shoal.discover import find_key, mask, minimal_keys, survey, uniqueness
from shoal.errors import InfeasibleError, SchemaError, TableError
from shoal.metrics import compare_tables
from shoal.privacy import DistinctDiversity, KAnonymity, Requirement
from shoal.risk import survey_risk
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables.engines._spark_engine import reads_columns
from tests.engines import count_fetches, spark_session
from tests.extras import need

N_ROWS = 600
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier"},
        "place": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"5": [f"5{i}" for i in range(10)]}},
            "limit_level": 1,
        },
        "illness": {"role": "sensitive"},
        "seen": {"role": "insensitive"},
    }
)
MODEL = KAnonymity(2) & DistinctDiversity(2, "illness")


@pytest.fixture(scope="module")
def people():
    """Rows of which most are different."""
    need("pyarrow")
    return spark_session().sql(
        f"SELECT id * 7 % 599 AS age, CASE WHEN id < 9 THEN '*' ELSE concat('5', id % 10) END AS "
        f"place, concat('ill', id % 3) AS illness, timestamp_seconds(id * 86400) AS seen "
        f"FROM range({N_ROWS})"
    )


@pytest.fixture
def fetched(monkeypatch):
    """Rows that each fetch from Spark has brought to the driver."""
    return count_fetches(monkeypatch)


def test_many_groups_are_checked_where_they_are(people, fetched, monkeypatch):
    here = check_table(_here(people), SCHEMA, MODEL, drop_stars=True)
    assert here.beyond_limits == {"place": 9}
    fetched.clear()
    few = 50
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", few)
    there = check_table(people, SCHEMA, MODEL, drop_stars=True)
    assert max(fetched) <= few
    assert there.n_failing_groups == here.n_failing_groups > few
    plain = [found.to_dict() | {"failing": ()} for found in (there, here)]
    assert plain[0] == plain[1]
    assert [g.breaks for g in there.failing][:1] == [g.breaks for g in here.failing][:1]
    assert {group.first_row for group in there.failing} == {None}


def test_a_release_without_its_subjects_is_checked_there(people, fetched, monkeypatch):
    named = Schema({**dict(SCHEMA), "who": {"role": "subject"}})
    here = check_table(_here(people), named, MODEL)
    fetched.clear()
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", 50)
    there = check_table(people, named, MODEL)
    assert max(fetched) <= 50
    assert there.notes == here.notes != ()
    plain = [found.to_dict() | {"failing": ()} for found in (there, here)]
    assert plain[0] == plain[1]


def test_what_is_counted_in_one_place_is_refused_beyond_its_limit(people, fetched, monkeypatch):
    monkeypatch.setattr("shoal.tables.engines._spark_compress.MOST_FETCHED", 100)
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", 50)
    named = people.selectExpr("*", "age DIV 2 AS who")
    schema = Schema({**dict(SCHEMA), "who": {"role": "subject"}})
    of_some = Requirement(["age"], KAnonymity(2))
    for table, roles, asked in ((named, schema, MODEL), (people, SCHEMA, of_some)):
        with pytest.raises(TableError, match=r"about \d+ combinations .* at most 100"):
            check_table(table, roles, asked)
    assert max(fetched) <= 1


def test_quasi_identifiers_are_looked_for_in_a_sample(people, fetched, monkeypatch):
    here = survey(_here(people), 2, random_state=0)
    fetched.clear()
    monkeypatch.setattr("shoal.discover._survey._CELLS_FROM_AFAR", N_ROWS)
    monkeypatch.setattr("shoal.discover._survey._ROWS", 100)
    there = survey(people, 2, eps=0.2, delta=0.2, random_state=0)
    assert max(fetched) < N_ROWS / 2
    assert there.columns == here.columns  # counted on all rows, there
    assert "from a sample" in there.guarantee


def test_all_rows_are_examined_where_they_are(people, fetched, monkeypatch):
    raw = people.selectExpr("age", "place", "illness", "CAST(seen AS STRING) AS seen", "1 AS one")
    raw = raw.union(raw.limit(5))  # some rows are there twice
    here = survey(raw.toArrow(), 2, examine="all", time_limit=None)
    fetched.clear()
    monkeypatch.setattr("shoal.discover.sources._far_sets.CELLS_FROM_AFAR", 10)
    there = survey(raw, 2, examine="all", time_limit=None)
    assert max(fetched) < N_ROWS / 2
    assert replace(there, seconds=0, key=None, minimal_keys=None) == replace(
        here, seconds=0, key=None, minimal_keys=None
    )
    assert there.key.attributes == here.key.attributes
    assert there.key.ratios == here.key.ratios
    assert there.minimal_keys.keys == here.minimal_keys.keys
    late = survey(raw, 2, examine="all", time_limit=1e-9)
    assert (late.columns, late.exhaustive) == (here.columns, False)
    assert any("time was up" in note for note in late.notes)


def test_what_sets_of_columns_tell_apart_is_counted_there(people, fetched, monkeypatch):
    columns = ["age", "place", "seen"]
    here = uniqueness(_here(people), 2, columns=columns, time_limit=None)
    fetched.clear()
    monkeypatch.setattr("shoal.discover.sources._far_sets.CELLS_FROM_AFAR", 10)
    monkeypatch.setattr("shoal.discover.sources._far_sets._TOGETHER", 4)
    there = uniqueness(people, 2, columns=columns, time_limit=None)
    assert there.sets == here.sets
    assert (there.complete, there.guarantee, there.notes) == (
        here.complete, here.guarantee, here.notes
    )  # fmt: skip
    assert max(fetched) < N_ROWS / 2
    late = uniqueness(people, 2, columns=columns, time_limit=1e-9)
    assert not late.complete
    assert late.sets == here.sets[:3]


def test_keys_are_found_there(people, fetched, monkeypatch):
    names = ["age", "place", "illness"]  # none is a key, nor all of them
    raw = people.selectExpr("age", "place", "illness", "CAST(seen AS STRING) AS seen", "1 AS one")
    here = minimal_keys(raw.toArrow(), 2, time_limit=None)
    fetched.clear()
    monkeypatch.setattr("shoal.discover.sources._far_sets.CELLS_FROM_AFAR", 10)
    there = minimal_keys(raw, 2, time_limit=None)
    assert there.keys == here.keys
    assert ("seen",) in there.keys
    assert (there.guarantee, there.notes) == (here.guarantee, here.notes)
    assert any("one" in note for note in there.notes)
    assert max(fetched) < N_ROWS / 2
    with pytest.raises(InfeasibleError, match="equal to another one"):
        minimal_keys(raw.union(raw), 2, columns=names)


def test_exact_searches_count_there(people, fetched, monkeypatch):
    raw = people.selectExpr("age", "place", "illness", "CAST(seen AS STRING) AS seen", "1 AS one")
    here = raw.toArrow()
    fetched.clear()
    monkeypatch.setattr("shoal.discover.sources._far_sets.CELLS_FROM_AFAR", 10)
    for search in ("greedy", "minimum"):
        there = find_key(raw, search=search, time_limit=None)
        own = find_key(here, search=search, time_limit=None)
        assert (there.attributes, there.ratios, there.distinct_ratios) == (
            own.attributes, own.ratios, own.distinct_ratios
        )  # fmt: skip
        assert (there.guarantee, there.cost, there.notes) == (own.guarantee, own.cost, own.notes)
    with pytest.raises(InfeasibleError, match="equal to another one"):
        find_key(raw.union(raw), columns=["age", "place", "illness"])
    for kind in ("distinct", "separation"):
        there, own = mask(raw, 0.7, kind), mask(here, 0.7, kind)
        assert (there.published, there.ratios) == (own.published, own.ratios)
        assert (there.guarantee, there.notes) == (own.guarantee, own.notes)
    assert max(fetched) < N_ROWS / 2


def test_the_risk_of_a_sample_is_counted_there(people, fetched, monkeypatch):
    here = survey_risk(_here(people), SCHEMA, fraction=0.2, bootstrap=3)
    fetched.clear()
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", 10)
    there = survey_risk(people, SCHEMA, fraction=0.2, bootstrap=3)
    assert max(fetched) < N_ROWS / 2
    assert (there.n_rows, there.n_groups, there.fraction) == (here.n_rows, here.n_groups, 0.2)
    assert there.uniques == here.uniques
    own, expected = there.individual.to_dict(), here.individual.to_dict()
    assert own == pytest.approx(expected)
    assert there.special is None
    assert there.to_dict()["special"] is None


@pytest.fixture(scope="module")
def sample():
    """Rows with weights, strata and households, some of them without a name."""
    need("pyarrow")
    return spark_session().sql(
        f"SELECT id * 7 % 211 AS age, concat('5', id % 5) AS place, concat('ill', id) AS illness, "
        f"1 + (id * 13 % 50) / 4 AS weight, CASE WHEN id % 19 > 0 THEN id DIV 3 END AS home "
        f"FROM range({N_ROWS})"
    )


DRAWN = Schema(
    {
        "age": {"role": "quasi-identifier"},
        "place": {"role": "quasi-identifier"},
        "illness": {"role": "sensitive"},
        "weight": {"role": "insensitive", "kind": "numeric"},
        "home": {"role": "insensitive"},
    }
)


@pytest.mark.parametrize(
    "asked",
    [
        {"weight": "weight", "stratum": "place", "household": "home", "bootstrap": 3},
        {"weight": "weight"},
        {"fraction": 0.3, "stratum": "age", "household": "home"},
    ],
)
def test_weights_strata_and_households_are_summed_up_there(sample, fetched, monkeypatch, asked):
    here = survey_risk(_here(sample), DRAWN, **asked)
    fetched.clear()
    assert survey_risk(sample, DRAWN, **asked).to_dict() == here.to_dict()  # fetched: few enough
    assert max(fetched) == N_ROWS or "household" not in asked
    fetched.clear()
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", 10)
    there = survey_risk(sample, DRAWN, **asked)
    n_strata = 1 if "stratum" not in asked else here.n_strata
    assert max(fetched) <= n_strata * len(set(_sizes(sample)))
    for part in ("uniques", "individual"):
        _require_close(getattr(there, part).to_dict(), getattr(here, part).to_dict())
    assert (there.n_rows, there.n_groups, there.n_strata) == (
        here.n_rows, here.n_groups, here.n_strata
    )  # fmt: skip
    assert there.fraction == pytest.approx(here.fraction, rel=1e-9)
    assert there.special is None


@pytest.mark.parametrize(
    ("mend", "error"),
    [
        ("nullif(weight, 2)", SchemaError),
        ("weight - 0.5", SchemaError),
        ("concat(weight, '')", TableError),
    ],
)
def test_weights_that_are_none_are_refused_there(sample, monkeypatch, mend, error):
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", 10)
    wrong = sample.selectExpr("age", "place", "illness", f"{mend} AS weight", "home")
    with pytest.raises(error, match="'weight' holds weights"):
        survey_risk(wrong, DRAWN, weight="weight")


def test_too_many_strata_are_refused_there(sample, monkeypatch):
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.DRIVER_CELLS", 10)
    monkeypatch.setattr("shoal.tables.engines._spark_groups.MOST_SUMS", 10)
    with pytest.raises(TableError, match="more than 10 sizes"):
        survey_risk(sample, DRAWN, weight="weight", stratum="age")
    with pytest.raises(SchemaError, match="no quasi-identifier"):
        survey_risk(sample, DRAWN, weight="weight", stratum="home")


def _require_close(own, expected):
    assert own.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, dict):
            _require_close(own[name], value)
        elif isinstance(value, float):
            assert own[name] == pytest.approx(value, rel=1e-9), name
        else:
            assert own[name] == value, name


def _sizes(sample):
    return [row[0] for row in sample.groupBy("age", "place").count().select("count").collect()]


def test_tables_are_compared_by_rows_that_are_drawn_there(people, fetched, monkeypatch):
    monkeypatch.setattr("shoal.metrics.kept._table_pair.MOST_ROWS", 80)
    raw = people.where("place != '*'")  # a star is no place of anybody
    found = compare_tables(raw, people, SCHEMA)
    assert max(fetched) <= 80
    assert (found.n_raw, found.n_released) == (N_ROWS - 9, N_ROWS)


def test_values_come_as_spark_gives_them(people, fetched):
    columns = open_table(people.orderBy("seen").limit(3)).columns()
    rows = [tuple(row) for row in people.orderBy("seen").limit(3).collect()]
    assert list(zip(*(column.tolist() for column in columns.values()), strict=True)) == rows
    assert isinstance(rows[0][3], dt.datetime)


def _here(people):
    return people.toArrow()


def test_only_files_of_columns_are_read_again(people, tmp_path):
    """Whatever costs more, or may give other rows, is made once and kept."""
    spark, path = spark_session(), str(tmp_path / "people.parquet")
    people.write.parquet(path)
    people.drop("seen").write.csv(str(tmp_path / "people.csv"))
    files = spark.read.parquet(path)
    assert reads_columns(files)
    assert reads_columns(files.where("age > 3").select("age", "place"))
    for other in (
        people,
        files.limit(7),
        files.sample(0.5),
        files.where("rand() < 0.5"),
        files.selectExpr("age", "uuid() AS number"),
        files.union(files),
        files.join(files.select("age"), "age"),
        files.distinct(),
        spark.read.csv(str(tmp_path / "people.csv")),
    ):
        assert not reads_columns(other)
