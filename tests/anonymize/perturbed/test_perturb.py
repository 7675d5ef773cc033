import numpy as np
import pytest

from shoal.anonymize import perturb_table
from shoal.errors import ParameterError, SchemaError
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "pay": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
        "dose": {"role": "insensitive", "kind": "numeric", "round_to": 5},
    }
)
CHANGES = {"noise": {"pay": 0.3}, "swap": {"age": 0.1}, "pram": {"town": 0.6}}


def people(n=200):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "name": [f"person{i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "pay": rng.lognormal(8, 0.5, n).round(2),
            "town": rng.choice(["A", "B", "C"], n),
            "ill": [f"ill{i}" for i in range(n)],
            "dose": rng.integers(0, 50, n),
        }
    )


def test_values_are_changed_as_asked_and_rows_are_those_of_the_table():
    table = people()
    made = perturb_table(table, SCHEMA, **CHANGES, random_state=0)
    released = made.table
    assert list(released.columns) == ["age", "pay", "town", "ill", "dose"]
    assert sorted(released["age"]) == sorted(table["age"])
    assert set(released["town"]) <= set(table["town"])
    assert released["pay"].dtype.kind == "f"
    assert (released["pay"].round(2) == released["pay"]).all()
    both = released.merge(table, on="ill", suffixes=("", "_raw"))
    assert len(both) == len(table)
    assert (both["pay"] != both["pay_raw"]).mean() > 0.9
    assert (both["dose"] == (both["dose_raw"] / 5 + 0.5).apply(np.floor) * 5).all()
    assert released["ill"].tolist() != table["ill"].tolist()  # rows do not keep their places


def test_fewer_are_found_the_more_is_changed():
    table = people()
    found = [
        perturb_table(table, SCHEMA, noise={"pay": share, "age": share}, pram={"town": 0.9},
                      random_state=0).after.share
        for share in (0.01, 0.3, 3.0)
    ]  # fmt: skip
    assert found[0] > 0.5 > found[1] > found[2]
    made = perturb_table(table, SCHEMA, keep=["age", "pay", "town"])
    assert made.before == made.after
    assert made.before.share == 1.0


def test_secrets_differ_and_seeds_do_not():
    table = people(60)
    one, other = (perturb_table(table, SCHEMA, **CHANGES).table["pay"].tolist() for _ in range(2))
    assert sorted(one) != sorted(other)
    one, other = (
        perturb_table(table, SCHEMA, **CHANGES, random_state=3).table["pay"].tolist()
        for _ in range(2)
    )
    assert one == other


def test_missing_values_stay_missing():
    table = people(60)
    table.loc[[3, 4], "pay"] = np.nan
    table = table.astype({"age": "Int64"})
    table.loc[[5], "age"] = pd.NA
    released = perturb_table(table, SCHEMA, **CHANGES, random_state=0).table
    assert set(released["ill"][released["pay"].isna()]) == {"ill3", "ill4"}
    assert set(released["ill"][released["age"].isna()]) == {"ill5"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "written as they are: 'age', 'pay', 'town'"),
        ({"noise": {"town": 0.1}}, "'town' is categorical"),
        ({"noise": {"age": 0}}, "above 0"),
        ({"swap": {"age": 2}}, "at most 1"),
        ({"pram": {"town": -0.1}}, "at least 0"),
        ({"noise": {"age": 0.1}, "swap": {"age": 0.1}}, "changed or kept already"),
        ({"noise": {"name": 0.1}}, "no column that is released"),
    ],
)
def test_what_is_refused(changes, said):
    with pytest.raises(ParameterError, match=said):
        perturb_table(people(20), SCHEMA, **changes)


def test_people_with_several_rows_are_refused():
    schema = SCHEMA.replace(name={"role": "subject"})
    with pytest.raises(SchemaError, match="row by row"):
        perturb_table(people(20), schema, **CHANGES)
