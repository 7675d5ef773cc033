import numpy as np
import pytest

from shoal.anonymize import FullDomain, compare_methods
from shoal.anonymize._compare import split_cells
from shoal.privacy import KAnonymity
from shoal.tables import open_table
from tests.anonymize import group_cases

SCHEMA = group_cases.SCHEMA.replace(s={"role": "sensitive", "target": True})


def table(seed=0, n=300):
    columns = group_cases.rows(np.random.default_rng(seed), n)
    columns["s"] = ["x" if city in "abc" else "y" for city in columns["city"]]
    return group_cases.relation(columns)


def test_all_methods_are_measured_alike():
    results = compare_methods(table(), SCHEMA, KAnonymity(5), methods=["local", "full-domain"])
    raw, local, full = results
    assert [one.method for one in results] == ["raw", "local", "full-domain"]
    assert raw.loss == 0
    assert raw.accuracy > 0.95  # the class is the city's half
    assert local.loss < full.loss
    assert local.highest_risk <= 1 / 5
    release = FullDomain(SCHEMA, KAnonymity(5)).fit(table()).release_
    assert full.loss == pytest.approx(release.metrics.loss)
    assert full.discernibility == release.metrics.discernibility
    assert all(0.4 < one.accuracy <= 1 for one in results)


def test_test_rows_may_be_given():
    results = compare_methods(table(), SCHEMA, KAnonymity(5), methods=["local"], test=table(1, 100))
    assert all(one.accuracy is not None for one in results)


def test_a_method_that_fails_says_why():
    limited = SCHEMA.replace(city={**SCHEMA["city"].to_toml(), "limit_level": 0})
    _, one = compare_methods(table(), limited, KAnonymity(100), methods=["local"])
    assert one.loss is None
    assert "limit of 'city'" in one.note


def test_rows_are_split_without_loss():
    cells = open_table(table()).compress(SCHEMA).cells
    train, test = split_cells(cells, "s", 0)
    assert train.n_rows + test.n_rows == cells.n_rows
    assert 0.15 < test.n_rows / cells.n_rows < 0.45
    for part in (train, test):
        assert (part.sizes > 0).all()
        assert part.histograms["s"].dense().sum(axis=1).tolist() == part.sizes.tolist()
