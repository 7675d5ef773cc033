"""Sums that add up a few of many people are not called safe by the bits over everybody."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.tree import DecisionTreeRegressor

from shoal.audit import audit
from shoal.audit.fits._sums_of_few import BitsOfPeople, add_parts
from tests.audit.people import numeric, roles
from tests.extras import need

pd = need("pandas")
FEW = np.arange(3000) < 12


def who_adds_up(numbers, wanted, size):
    """All choices of as many people whose numbers add up to a sum."""
    every = combinations(range(len(numbers)), size)
    return [own for own in every if abs(numbers[list(own)].sum() - wanted) < 1e-3]


def owners(few=FEW, step=1):
    """Income of everybody, exactly; a few live in a region, and half of these have a car."""
    car = np.arange(3000) % 2
    income = np.random.default_rng(1).integers(1000, 5000, 3000) // step * step
    income = np.where(few, income + 20_000 + 8000 * car, income)
    return pd.DataFrame({"region": few.astype(float), "car": car, "income": income})


def test_who_is_in_a_leaf_of_a_dozen_is_not_computed_though_there_are_thousands():
    table = owners()
    schema = roles(region="pn", car="sn", income="pn")
    model = DecisionTreeRegressor(max_leaf_nodes=3).fit(table[["region", "car"]], table["income"])
    leaf = int(model.tree_.value[:, 0, 0].argmax())
    assert model.tree_.n_node_samples[leaf] == 6
    wanted = model.tree_.value[leaf, 0, 0] * 6
    solved = who_adds_up(table["income"].to_numpy()[:12], wanted, 6)
    assert solved == [tuple(np.flatnonzero(table["car"][:12]).tolist())]

    found = audit(model, table, schema, k=5)
    assert found.safe_k == 12
    assert found.answer == "cannot tell"
    assert "who adds up to them" in found.unread[0]
    rounded = owners(np.arange(3000) < 200, 100)
    model.fit(rounded[["region", "car"]], rounded["income"])
    assert audit(model, rounded, schema, k=5).is_safe


def test_who_is_in_a_cluster_of_a_dozen_is_not_computed_though_there_are_thousands():
    table = owners().rename(columns={"income": "place"})[["place", "car"]]
    table["place"] = table["place"] % 4000 + 100_000.0 * FEW
    table["car"] *= 50_000.0
    schema = numeric(place="quasi-identifier", car="sensitive")
    model = KMeans(4, n_init=10, random_state=0).fit(table)
    del model.labels_
    centres = model.cluster_centers_
    mean = centres[(centres[:, 0] > 50_000) & (centres[:, 1] > 25_000)][0, 0]
    solved = who_adds_up(table["place"].to_numpy()[:12], mean * 6, 6)
    assert solved == [tuple(np.flatnonzero(table["car"][:12]).tolist())]

    found = audit(model, table, schema, k=5)
    assert found.safe_k == 12
    assert "who adds up to them" in found.unread[0]
    table["place"] = np.where(FEW, 100_000.0, table["place"])
    model.fit(table)
    del model.labels_
    assert audit(model, table, schema, k=5).is_safe


def test_the_one_among_a_hundred_who_has_a_column_is_not_told_by_its_coefficient():
    """Its sum is that person's number, which everybody knows."""
    months = np.where(np.arange(3000) < 100, np.arange(3000) + 7.0, 0.0)
    ill = np.where(months > 0, np.arange(3000) == 17, np.arange(3000) % 2).astype(int)
    table = pd.DataFrame({"months": months, "ill": ill})
    schema = roles(months="pn", ill="s")
    model = RidgeClassifier(alpha=0.0, solver="cholesky").fit(table[["months"]], ill)
    said = table[["months"]].to_numpy() @ np.ravel(model.coef_) + model.intercept_
    assert round(float(months @ (said + 1) / 2), 6) == months[17]

    found = audit(model, table, schema, k=5)
    assert found.answer == "cannot tell"
    assert "may be computed" in found.unread[0]
    flag = table.assign(months=(months > 0).astype(float))
    assert audit(model.fit(flag[["months"]], ill), flag, schema, k=5).is_safe


@pytest.mark.parametrize("width", [1, 3])
def test_columns_of_the_same_few_people_are_counted_together(width):
    draw = np.random.default_rng(1)
    few = np.arange(3000) < 44
    names = [f"n{place}" for place in range(width)]
    table = pd.DataFrame({name: np.where(few, draw.integers(1, 999, 3000), 0) for name in names})
    table["ill"] = draw.integers(0, 2, 3000)
    schema = roles(**dict.fromkeys(names, "pn"), ill="s")
    found = audit(RidgeClassifier().fit(table[names], table["ill"]), table, schema, k=5)
    assert found.is_safe == (width == 1)


def test_an_amount_that_few_have_is_no_secret_of_many_bits():
    """Of a hundred people one has a claim, and coefficients are its multiples of two columns."""
    draw = np.random.default_rng(1)
    few = np.arange(3000) < 100
    names = ["a", "b"]
    table = pd.DataFrame({name: np.where(few, draw.integers(1, 60, 3000), 0) for name in names})
    table["claim"] = np.where(few, 0.0, draw.gamma(2, 2000, 3000).round(2))
    table.loc[17, "claim"] = 5312.77
    schema = roles(a="pn", b="pn", claim="sn")
    model = LinearRegression().fit(table[names], table["claim"])
    found = audit(model, table, schema, k=5, threshold=4000)
    assert any("may be computed" in reason for reason in found.unread)


def test_bits_are_dealt_out_so_that_no_group_is_missed():
    """Whatever people are picked: if all is told of them, so it is of one of them."""
    draw = np.random.default_rng(2)
    for _ in range(200):
        sums = [draw.permutation(12)[: draw.integers(1, 9)] for _ in range(draw.integers(1, 8))]
        told = draw.uniform(0, 9, len(sums))
        bits = BitsOfPeople(12)
        for people, own in zip(sums, told, strict=True):
            bits.add(people, own, 1.0)
        chosen = set(draw.permutation(12)[: draw.integers(1, 12)].tolist())
        inside = sum(own for one, own in zip(sums, told, strict=True) if {*one.tolist()} <= chosen)
        assert inside < len(chosen) or bits.is_all


def test_of_two_leaves_one_follows_from_the_other():
    label, own = np.zeros(40, np.int64), np.arange(40) % 2
    known = np.arange(40.0)[:, None] * 40
    two, three = BitsOfPeople(40), BitsOfPeople(40)
    add_parts(two, label, [np.array([0, 1])], own, known)
    add_parts(three, label, [np.array([0, 1, 2])], own, known)
    assert np.allclose(three.told, 2 * two.told)
    alone = BitsOfPeople(40)
    add_parts(alone, label, [np.array([0])], np.zeros(40, np.int64), known)
    assert not alone.told.any()
