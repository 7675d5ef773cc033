"""Recodings alike in all rows, on tables with more combinations than may be searched."""

import pytest

import shoal
from shoal._resources import memory_bytes
from shoal.anonymize._registry import make_method
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.tables import open_table
from tests.extras import need

METHODS = ("bottom-up", "top-down", "full-domain")


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_bytes(census(900).path().read_bytes())
    return path


def allow(monkeypatch, n_cells):
    """Have memory for so many combinations."""
    bytes_each = (memory_bytes() + 1) / (n_cells + 0.5)
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.BYTES_PER_CELL", bytes_each)


def released(release):
    return sorted(map(str, release.table.fetchall()))


@pytest.mark.parametrize("method", METHODS)
def test_where_all_combinations_fit_it_is_the_search_of_the_whole(people, method):
    whole = make_method(method, census_schema(), 5).fit(people).release_
    parts = make_method(method, census_schema(), 5).fit(people, regions=3).release_
    assert released(parts) == released(whole)
    assert parts.metrics.loss == pytest.approx(whole.metrics.loss)
    assert parts.coarsened.levels == {}
    assert parts.coarsened.n_cells == whole.metrics_before.n_groups
    assert parts.n_regions > 1


@pytest.mark.parametrize("method", METHODS)
def test_columns_are_coarsened_until_combinations_fit(people, method, monkeypatch):
    allow(monkeypatch, 150)
    model = KAnonymity(5) & DistinctDiversity(2)
    release = make_method(method, census_schema(), model).fit(people, regions=2).release_
    coarsened = release.coarsened
    assert coarsened.most_cells == 150
    assert 0 < coarsened.n_cells <= 1.1 * 150  # the estimate is off by a few per cent
    assert coarsened.levels
    # labels are true of the rows behind them and groups keep the promise: the judge has read them
    assert all(level.holds for level in release.reached)
    assert release.metrics.loss >= coarsened.loss > 0
    whole = open_table(people).compress(census_schema()).cells
    assert release.metrics_before.n_groups == whole.n_groups > 150
    told = release.to_dict()
    assert told["coarsened"] == coarsened.to_dict()
    assert any("coarsened before rows were counted" in note for note in told["notes"])


def test_a_table_that_does_not_fit_is_coarsened_without_being_asked(people, monkeypatch):
    monkeypatch.setattr("shoal.anonymize._anonymizer.ROWS_WORTH_A_LOOK", 100)
    allow(monkeypatch, 150)
    release = shoal.release(people, census_schema(), 5, method="top-down")
    assert release.coarsened.levels
    assert release.reached[0].holds


def test_columns_without_hierarchies_and_with_missing_values(monkeypatch):
    need("pyarrow")
    allow(monkeypatch, 20)
    table = {
        "age": [None if i % 17 == 0 else (i * 7) % 91 for i in range(400)],
        "shoe": [["small", "medium", "large"][(i * i) % 3] for i in range(400)],
        "town": [f"town {(i * i + i) % 23}" for i in range(400)],
        "illness": [["flu", "cold", "gout"][(i // 3) % 3] for i in range(400)],
    }
    schema = shoal.Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "shoe": {
                "role": "quasi-identifier",
                "kind": "ordinal",
                "order": ["small", "medium", "large"],
            },
            "town": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
        }
    )
    release = shoal.release(table, schema, 4, method="full-domain", regions=2)
    assert release.coarsened.levels
    assert release.table.aggregate("count(*)").fetchall() == [(400,)]
    assert release.metrics.smallest_group >= 4
