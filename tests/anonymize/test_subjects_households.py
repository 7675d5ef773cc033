from collections import defaultdict

import numpy as np
import pytest

from shoal.anonymize import Mondrian, check_table
from shoal.anonymize._registry import METHODS, make_method
from shoal.errors import SchemaError
from shoal.privacy import AverageRisk, DistinctDiversity, KAnonymity
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 20]}},
        "home": {"role": "household"},
        "row": {"role": "insensitive", "kind": "numeric"},
        "ill": {"role": "sensitive"},
    }
)


def families(seed=0, n=60):
    """Families whose members are about the same age: groups of one family are easily made."""
    rng = np.random.default_rng(seed)
    home = np.sort(rng.integers(0, n // 4, n))
    age = 20 + 2 * home + rng.integers(0, 3, n)
    ill = rng.choice(["flu", "gout", "cold"], n)
    return pd.DataFrame({"age": age, "home": home, "row": np.arange(n), "ill": ill})


def groups_of(table, released):
    home_of = dict(zip(table["row"], table["home"], strict=True))
    groups = defaultdict(list)
    for age, row, ill in zip(released["age"], released["row"], released["ill"], strict=True):
        groups[age].append((home_of[row], ill))
    return groups.values()


@pytest.mark.parametrize("method", METHODS)
def test_every_group_has_k_households(method):
    table = families()
    release = make_method(method, SCHEMA, KAnonymity(3)).fit(table).release_
    groups = groups_of(table, release.table)
    assert all(len({home for home, _ in group}) >= 3 for group in groups)
    assert "home" not in release.table.columns
    assert release.to_dict()["counts"] == "households"
    assert release.reached[0].description == "every group has at least 3 households"
    assert "households were counted, beside rows" in " ".join(release.notes)


@pytest.mark.parametrize("method", METHODS)
def test_a_condition_holds_of_households_and_of_their_people(method):
    table = families(1)
    model = KAnonymity(2) & DistinctDiversity(2, "ill")
    release = make_method(method, SCHEMA, model).fit(table).release_
    for group in groups_of(table, release.table):
        assert len({home for home, _ in group}) >= 2
        assert len({ill for _, ill in group}) >= 2


def test_a_mean_over_households_counts_groups_per_household():
    table = families(2)
    release = Mondrian(SCHEMA, AverageRisk(0.2)).fit(table).release_
    groups = groups_of(table, release.table)
    homes = sum(len({home for home, _ in group}) for group in groups)
    assert len(groups) / homes <= 0.2
    assert release.risk.prosecutor.average == pytest.approx(len(groups) / homes)


def test_a_table_with_its_households_is_checked_by_them():
    table = pd.DataFrame(
        {"age": [30] * 4, "home": [1, 1, 1, 2], "row": range(4), "ill": list("abab")}
    )
    assert check_table(table, SCHEMA, 2).n_failing_groups == 0
    found = check_table(table, SCHEMA, 3)
    assert found.n_failing_groups == 1
    assert found.reached[0].description == "every group has at least 3 households"
    without = check_table(table.drop(columns="home"), SCHEMA, KAnonymity(3) & DistinctDiversity(2))
    assert without.holds  # what can be told: of rows, with a note that homes are not known
    assert without.notes


def test_a_household_is_the_only_unit():
    with pytest.raises(SchemaError, match="who belongs together"):
        SCHEMA.replace(person={"role": "subject"})
    with pytest.raises(SchemaError, match="who belongs together"):
        SCHEMA.replace(flat={"role": "household"})
    assert SCHEMA.subject == SCHEMA.household == "home"
    assert "home" not in SCHEMA.released
