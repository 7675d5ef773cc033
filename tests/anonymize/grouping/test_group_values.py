import sys

import numpy as np
import pytest

import shoal
from shoal.anonymize import check_table, group_values
from shoal.anonymize.grouping import _group_values
from shoal.anonymize.grouping._profiles import value_profiles
from shoal.errors import SchemaError
from shoal.privacy import KAnonymity
from shoal.schema import Hierarchy, Schema


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    n = 500
    share = 1 / np.arange(1, 26)
    town = rng.choice([f"t{i:02d}" for i in range(25)], n, p=share / share.sum())
    north = np.isin(town, ["t01", "t03", "t05", "t11", "t13", "t15", "t21"])
    return {
        "town": town.tolist(),
        "crop": np.where(rng.random(n) < 0.9, np.where(north, "rye", "wine"), "oats").tolist(),
        "age": rng.integers(20, 70, n).tolist(),
        "illness": rng.choice(["flu", "gout"], n).tolist(),
    }


@pytest.fixture(scope="module")
def schema():
    return Schema(
        {
            "town": {"role": "quasi-identifier", "hierarchy": "flat"},
            "crop": {"role": "quasi-identifier", "hierarchy": "flat"},
            "age": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [5, 10, 20]},
            },
            "illness": {"role": "sensitive"},
        }
    )


def test_groups_lose_less_than_hiding_and_the_promise_holds(people, schema):
    grouped = group_values(people, schema, 5, method="mondrian")
    assert isinstance(grouped["town"].hierarchy, Hierarchy)
    assert grouped["crop"] == schema["crop"]  # three values: nothing to group
    before = shoal.release(people, schema, k=5, method="mondrian")
    after = shoal.release(people, grouped, k=5, method="mondrian")
    assert after.metrics.gcp < before.metrics.gcp
    assert check_table(after.table, grouped, KAnonymity(5)).holds


def test_the_same_rows_give_the_same_groups(people, schema):
    once, again = (group_values(people, schema, 5, method="mondrian") for _ in range(2))
    assert once == again


def test_a_column_that_cannot_be_grouped_is_named(people, schema):
    with pytest.raises(SchemaError, match="'age' cannot be grouped"):
        group_values(people, schema, 5, columns=["age"])


def test_a_file_is_grouped_without_pandas_and_polars(people, schema, tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    rows = zip(*people.values(), strict=True)
    path.write_text("\n".join(",".join(map(str, row)) for row in [tuple(people), *rows]))
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
    grouped = group_values(path, schema, 5, method="mondrian")
    assert isinstance(grouped["town"].hierarchy, Hierarchy)


@pytest.mark.parametrize(("role", "looks"), [("sensitive", False), ("insensitive", True)])
def test_groups_are_made_without_a_look_at_a_sensitive_target(
    role, looks, people, schema, monkeypatch
):
    asked = []

    def profiles(cells, column, target=None):
        asked.append(target)
        return value_profiles(cells, column, target)

    monkeypatch.setattr(_group_values, "value_profiles", profiles)
    schema = schema.replace(illness={"role": role, "target": True})
    group_values(people, schema, 5, method="mondrian", columns=["town"])
    assert asked == [None, *(["illness"] if looks else [])]


def test_labels_name_values_of_k_people_not_of_one_person_with_many_rows():
    towns = ["often"] * 30 + ["solo"] * 12 + [f"t{i // 2}" for i in range(40)]
    people = [*range(30), *[99] * 12, *range(140, 180)]
    roles = {
        "town": {"role": "quasi-identifier", "hierarchy": "flat"},
        "who": {"role": "subject"},
    }
    grouped = group_values({"town": towns, "who": people}, Schema(roles), 3, method="mondrian")
    tree = grouped["town"].hierarchy
    assert isinstance(tree, Hierarchy)
    assert [label for label in tree.labels if "solo" in label] == ["solo"]
