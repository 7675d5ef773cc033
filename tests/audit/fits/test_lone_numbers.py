"""Means of a group tell a number where few of it have nearly all, or all the digits."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shoal.audit import audit
from shoal.audit.fits._lone_numbers import tells_of_few
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")
K = 5
AGE = np.repeat([20.0, 30.0, 60.0, 70.0], 10)
RNG = np.random.default_rng(0)
USUAL = RNG.integers(10, 40, 40) * 100.0
RICH = np.where(np.arange(40) == 33, 98765.43, USUAL)
EXACT = np.where(np.arange(40) == 33, 2345.67, USUAL)
CLAIM = np.where(np.arange(40) == 33, 812.37, 0.0)


def judge(model, paid, *, target=None, threshold=None):
    """Audit a model of ages, with what people are paid as a feature or as the target."""
    ill = np.where(RNG.random(40) < 0.5, "yes", "no")
    table = pd.DataFrame({"age": AGE, "paid": paid, "ill": ill})
    roles = {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "paid": {"role": "sensitive", "kind": "numeric"},
        "ill": {"role": "quasi-identifier", "target": True},
    }
    if target is not None:
        del roles["ill"]
        roles["paid"]["target"] = target
    features = table[["age"] if target else ["age", "paid"]]
    model.fit(features, table["paid" if target else "ill"])
    return audit(model, table[[*roles]], Schema(roles), k=K, threshold=threshold)


@pytest.mark.parametrize("few", [RICH, CLAIM])
@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeRegressor(min_samples_leaf=8, random_state=0),
        GradientBoostingRegressor(n_estimators=2, max_depth=1, min_samples_leaf=8),
        LinearRegression(),
    ],
)
def test_a_number_that_one_of_a_leaf_has_is_told_by_its_mean(model, few):
    threshold = 20.0 if isinstance(model, LinearRegression) else None
    told = judge(model, few, target=True, threshold=threshold)
    assert told.answer == "cannot tell"
    assert "means of 'paid'" in told.verdict
    if isinstance(model, DecisionTreeRegressor):  # as whoever reads the file computes it
        leaf = model.apply(pd.DataFrame({"age": AGE}))[33]
        others = few[(AGE[33] == AGE) & (np.arange(40) != 33)]
        sum_of_leaf = model.tree_.value[leaf, 0, 0] * model.tree_.n_node_samples[leaf]
        assert sum_of_leaf % 100 == pytest.approx((few[33] + others.sum()) % 100)
    assert "means of 'paid'" not in judge(model, USUAL, target=True, threshold=threshold).verdict


@pytest.mark.parametrize("scaler", [StandardScaler(), PowerTransformer()])
def test_an_encoder_tells_the_number_that_stands_out(scaler):
    tree = DecisionTreeClassifier(max_depth=1, min_samples_leaf=8, random_state=0)
    assert judge(make_pipeline(scaler, tree), RICH).answer == "cannot tell"
    assert judge(make_pipeline(scaler, tree), USUAL).answer == "safe"


def test_centroids_tell_the_number_that_stands_out():
    split = KMeans(2, random_state=0, n_init=1)
    assert any("means of 'paid'" in one for one in judge(split, EXACT).unread)
    assert not any("means of 'paid'" in one for one in judge(split, USUAL).unread)
    assert "means of 'paid'" in judge(NearestCentroid(), RICH).verdict
    assert "means of 'paid'" not in judge(NearestCentroid(), USUAL).verdict


def test_numbers_that_are_no_news_are_not_counted():
    children = np.where(np.arange(40) == 33, 1.0, 0.0)
    tree = DecisionTreeRegressor(max_depth=1, min_samples_leaf=8, random_state=0)
    assert "means of 'paid'" not in judge(tree, children, target=True).verdict


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], False),
        ([1000, 2000, 3000, 4000, 1250, 2250, 1750], False),  # one digit more
        ([1000, 2000, 3000, 4000, 1001, 1002, 1003, 1004], True),  # of four
        ([1000, 2000, 3000, 1001, 1002, 1003, 1004, 1005], False),  # of five
        ([0] * 5 + [10, 20, 30, 40], True),
        ([0] * 5 + [10, 20, 30, 40, 50], False),
        ([7, 7, 7], False),
        ([np.nan, 3], False),
        ([-1e9, 1, 2, 3, 4], True),
    ],
)
def test_few_are_fewer_than_k(values, told):
    assert tells_of_few(np.array(values, float), K) is told
