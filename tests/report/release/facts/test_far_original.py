"""A report on a release whose raw table is in Spark and stays there."""

import pytest

from shoal import release
from shoal.errors import ParameterError, TableError
from shoal.report import release_report
from shoal.report.release.facts._original import open_original
from shoal.report.release.facts._release_file import read_release
from shoal.schema import Schema
from shoal.tables import open_table
from tests import engines

N_ROWS = 400
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 20]}},
        "city": {"role": "quasi-identifier", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
        "seen": {"role": "insensitive"},
    }
)
ROWS = {
    "age": [20 + i * 7 % 61 for i in range(N_ROWS)],
    "city": [None if i % 50 == 0 else f"c{i % 9}" for i in range(N_ROWS)],
    "ill": [f"ill{i % 7}" if i else "rare" for i in range(N_ROWS)],
    "seen": [i % 30 for i in range(N_ROWS)],
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A release on one machine, and the same rows in Spark."""
    far = engines.make("spark", ROWS, None)
    folder = tmp_path_factory.mktemp("report")
    release(ROWS, SCHEMA, k=5, method="mondrian").write(folder / "out.csv")
    return folder / "out.csv", far


@pytest.fixture
def both(written, monkeypatch):
    """The same, with a raw table that counts as one that stays in Spark."""
    monkeypatch.setattr("shoal.discover.sources._far_sets.CELLS_FROM_AFAR", 100)
    return written


def test_values_are_counted_and_people_drawn_there(both, monkeypatch):
    path, far = both
    near = open_original(ROWS, read_release(path), None).values()
    fetched = engines.count_fetches(monkeypatch)
    found = open_original(far, read_release(path), None)
    values = found.values()
    assert values.cells is None
    for own, expected in zip(values.quasi, near.quasi, strict=True):
        assert own.coding.texts == expected.coding.texts
        assert own.rows.tolist() == expected.rows.tolist()
    assert values.sensitive["ill"].rows.tolist() == near.sensitive["ill"].rows.tolist()
    rows, n_drawn = found.sample(["age", "city", "ill"], "ill", 30, 1)
    drawn = rows.fetchall()
    assert n_drawn == 30
    assert {ill for _, _, ill in drawn} == set(ROWS["ill"])
    assert set(drawn) <= set(zip(ROWS["age"], ROWS["city"], ROWS["ill"], strict=True))
    assert max(fetched) < N_ROWS / 2


def test_a_report_fetches_no_more_than_it_says(both, monkeypatch):
    path, far = both
    fetched = engines.count_fetches(monkeypatch)
    found = release_report(path, far, n_people=40)
    near = release_report(path, ROWS, n_people=40)
    most = 40 + sum(len(set(values)) for values in ROWS.values())
    assert max(fetched) <= most < N_ROWS
    assert found.promise == near.promise == "holds"
    (attack,) = found.attacks
    assert (attack.n_people, attack.none) == (40, 0)
    with pytest.raises(ParameterError, match="on a cluster"):
        release_report(path, far, n_shadows=6)


def test_columns_of_many_values_stay_there(both, monkeypatch):
    path, far = both
    monkeypatch.setattr("shoal.report.release.facts._attacks.MOST_PRIVATE", 3)
    found = release_report(path, far)
    assert "nobody was linked" in found.html
    monkeypatch.setattr("shoal.report.release.facts._far_original.MOST_VALUES", 3)
    with pytest.raises(TableError, match="'age' has more than 3 values"):
        release_report(path, far)


def test_another_table_is_refused(both):
    path, far = both
    with pytest.raises(TableError, match="the raw table has 399 rows"):
        release_report(path, open_table(far.limit(N_ROWS - 1)))
