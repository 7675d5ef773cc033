import csv
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from shoal.anonymize import check_sets, release_sets
from shoal.errors import GuaranteeError, ParameterError, SchemaError
from shoal.judge._read_files import read_texts
from shoal.judge.sets._judge_sets import SetCharge, judge_sets
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")

TREE = {"dairy": ["milk", "kefir", "curd"], "bread": ["rye", "bun"], "drink": ["tea", "rum"]}
SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "basket": {"role": "quasi-identifier", "separator": ";", "hierarchy": {"tree": TREE}},
        "ill": {"role": "sensitive"},
    }
)
ITEMS = [item for part in TREE.values() for item in part]


def people(n=80, seed=0):
    rng = np.random.default_rng(seed)
    shares = np.array([9, 2, 1, 8, 3, 6, 0.5])
    sets = [
        rng.choice(ITEMS, rng.integers(0, 4), replace=False, p=shares / shares.sum())
        for _ in range(n)
    ]
    return pd.DataFrame(
        {
            "name": [f"person{i}" for i in range(n)],
            "basket": [";".join(one) or None for one in sets],
            "ill": [f"ill{i}" for i in range(n)],
        }
    )


@pytest.mark.parametrize(("k", "m"), [(2, 2), (5, 1), (4, 3)])
def test_every_small_combination_is_in_k_rows_of_the_file(tmp_path, k, m):
    """By a reader that shares nothing with the package."""
    table = people()
    release = release_sets(table, SCHEMA, k, m)
    release.write(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["basket", "ill"]
    counts = Counter(
        c
        for row in rows
        for size in range(1, m + 1)
        for c in combinations(sorted(set(row["basket"].split(";")) - {""}), size)
    )
    assert min(counts.values()) >= k
    raw = dict(zip(table["ill"], table["basket"].fillna(""), strict=True))
    above = {item: {item, label, "*"} for label, part in TREE.items() for item in part}
    for row in rows:
        written = set(row["basket"].split(";")) - {""}
        own = set(raw[row["ill"]].split(";")) - {""}
        assert all(len(written & above[item]) == 1 for item in own)
        assert all(any(label in above[item] for item in own) for label in written)
    assert check_sets(tmp_path / "out.csv", SCHEMA, k, m).holds
    assert not check_sets(table, SCHEMA, 20, m).holds
    assert "person1" not in (tmp_path / "out.csv").read_text()
    assert "rum" not in (tmp_path / "out.manifest.json").read_text()


def test_a_manifest_does_not_tell_how_many_items_somebody_has_that_are_released_as_one():
    baskets = ["milk;rye", "milk;bun", "kefir;rye", "milk;rye", "curd;rye", "kefir;bun", "milk"]
    schema, told = Schema({"basket": SCHEMA["basket"]}), []
    for first in ("milk;rye", "milk;kefir;rye", "milk;kefir;curd;rye;bun"):
        made = release_sets({"basket": [first, *baskets]}, schema, 4)
        told.append((sorted(made.table["basket"]), made.to_dict()))
    assert told[0] == told[1] == told[2]


def test_more_is_lost_the_more_is_asked():
    losses = [release_sets(people(), SCHEMA, k, 2).loss for k in (1, 3, 30)]
    assert losses[0] == 0
    assert losses[0] < losses[1] <= losses[2]
    flat = SCHEMA.replace(basket={"role": "quasi-identifier", "separator": ";"})
    assert set(release_sets(people(), flat, 50, 1).table["basket"].dropna()) == {"*"}


def judged(spoil):
    release = release_sets(people(), SCHEMA, 3, 2)
    table = release.frame.native.copy()
    given = spoil(table)
    table = table if given is None else given
    charge = SetCharge(SCHEMA, "basket", ";", 3, 2, release.parents)
    judge_sets(charge, read_texts(table), read_texts(release.source.eager), release.order)


def first(table):
    return table.index[table["basket"].notna()][0]


def a_rare_item(table):
    table.loc[first(table), "basket"] = "rum"


def an_item_more(table):
    table.loc[first(table), "basket"] += ";*"


def an_item_less(table):
    table.loc[first(table), "basket"] = None


def another_order(table):
    row = table.index[table["basket"].fillna("").str.contains(";")][0]
    table.loc[row, "basket"] = ";".join(reversed(table.loc[row, "basket"].split(";")))


def an_item_twice(table):
    table.loc[first(table), "basket"] += ";" + table.loc[first(table), "basket"].split(";")[0]


def a_name(table):
    table["name"] = "person1"


def another_illness(table):
    table.loc[0, "ill"] = "ill1" if table.loc[0, "ill"] != "ill1" else "ill2"


def a_row_less(table):
    return table.drop(index=0)


def test_what_was_released_passes():
    judged(lambda table: None)


@pytest.mark.parametrize(
    "spoil",
    [
        a_rare_item,
        an_item_more,
        an_item_less,
        another_order,
        an_item_twice,
        a_name,
        another_illness,
        a_row_less,
    ],
    ids=lambda spoil: spoil.__name__,
)
def test_everything_else_is_withheld(spoil):
    with pytest.raises(GuaranteeError, match="withheld"):
        judged(spoil)


def test_the_judge_counts_for_itself():
    """The search is left out: raw baskets, claimed to be a release."""
    table = people()
    source = read_texts(table)
    charge = SetCharge(SCHEMA, "basket", ";", 3, 2, {})
    with pytest.raises(GuaranteeError, match="3 were promised"):
        judge_sets(charge, read_texts(table[["basket", "ill"]]), source, np.arange(len(table)))


def test_what_is_refused():
    table = people(10)
    with pytest.raises(SchemaError, match="hold sets"):
        release_sets(table, SCHEMA.replace(basket={"role": "quasi-identifier"}), 2)
    with pytest.raises(ParameterError, match="'ill' are quasi-identifiers besides"):
        release_sets(table, SCHEMA.replace(ill={"role": "quasi-identifier"}), 2)
    with pytest.raises(SchemaError, match="says that people have several"):
        release_sets(table, SCHEMA.replace(name={"role": "subject"}), 2)
    with pytest.raises(ParameterError, match="m must be"):
        release_sets(table, SCHEMA, 2, 0)
    tree = {"milk;cheese": ["milk", "kefir", "curd"], "b": ["rye", "bun", "tea", "rum"]}
    column = {"role": "quasi-identifier", "separator": ";", "hierarchy": {"tree": tree}}
    with pytest.raises(SchemaError, match="hold the separator"):
        release_sets(people(40), SCHEMA.replace(basket=column), 2)
    with pytest.raises(SchemaError, match="separator is the sign"):
        Schema({"basket": {"role": "sensitive", "separator": ";"}})
