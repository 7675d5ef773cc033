import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError, TableError
from shoal.risk import estimate_uniques, survey_risk
from shoal.schema import Schema

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "region": {"role": "quasi-identifier"},
        "w": {"role": "insensitive", "kind": "numeric"},
        "home": {"role": "identifier"},
    }
)


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south"], n)
    return {
        "age": rng.geometric(0.05, n).tolist(),
        "region": region.tolist(),
        "w": np.where(region == "north", 5, 50).tolist(),
        "home": [f"h{i // 3}" for i in range(n)],
    }


def test_strata_are_estimated_apart_and_add_up():
    table = rows()
    found = survey_risk(table, SCHEMA, weight="w", stratum="region", bootstrap=20)
    total, people = 0.0, 0
    for name, weight in (("north", 5), ("south", 50)):
        ages = [a for a, r in zip(table["age"], table["region"], strict=True) if r == name]
        sizes = np.unique(ages, return_counts=True)[1]
        total += estimate_uniques(sizes, 1 / weight).uniques
        people += weight * len(ages)
    assert found.n_strata == 2
    assert found.uniques.uniques == pytest.approx(total)
    assert found.uniques.share == pytest.approx(total / people)
    assert found.uniques.low <= found.uniques.share <= found.uniques.high


def test_one_stratum_is_the_plain_estimate():
    table = rows()
    found = survey_risk(table, SCHEMA, fraction=0.1, household="home")
    pairs = list(zip(table["age"], table["region"], strict=True))
    sizes = np.array([pairs.count(pair) for pair in set(pairs)])
    assert found.uniques.share == estimate_uniques(sizes, 0.1).share
    assert found.individual.n_households == 40
    assert found.special.n_uniques == (sizes == 1).sum()


def test_a_stratum_that_the_attacker_does_not_know_is_none():
    with pytest.raises(SchemaError, match="'w' is no quasi-identifier"):
        survey_risk(rows(), SCHEMA, fraction=0.1, stratum="w")
    with pytest.raises(ParameterError, match="one of them"):
        survey_risk(rows(), SCHEMA)


def test_released_labels_are_read_as_they_are_written():
    table = {"age": ["[20-29]", "[20-29]", "*"], "region": ["n", "n", "*"], "w": [2, 2, 2]}
    assert survey_risk(table, SCHEMA, weight="w").n_groups == 2


def test_a_table_without_rows_is_said_to_be_empty():
    with pytest.raises(TableError, match="no rows"):
        survey_risk({name: [] for name in SCHEMA}, SCHEMA, fraction=0.1)
