import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from shoal.errors import ParameterError, SchemaError
from shoal.federated import GradedGrouping, GradedRanges


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(15, 91, 200), rng.integers(0, 5000, 200) / 100])


def test_inverse_is_exact(table):
    X = table
    grouping = GradedGrouping(n_groups=4).fit(X)
    np.testing.assert_array_equal(grouping.inverse_transform(grouping.transform(X)), X)
    assert [r.decimals for r in grouping.ranges_] == [0, 2]


def test_agreed_ranges_are_used_as_they_are(table):
    X = table
    ranges = (GradedRanges.uniform(0, 100), GradedRanges.uniform(0, 60, decimals=2))
    grouping = clone(GradedGrouping(ranges=ranges)).fit(X)
    assert grouping.ranges_ == ranges
    with pytest.raises(SchemaError, match="'x0': 1 of 1"):
        grouping.transform([[101, 1]])
    with pytest.raises(ParameterError, match="1 ranges were given for 2 columns"):
        GradedGrouping(ranges=ranges[:1]).fit(X)


def test_works_in_a_pipeline_and_leaves_the_input_alone(table):
    X = table
    before = X.copy()
    y = X[:, 0] > 50
    model = make_pipeline(GradedGrouping(), DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert model.score(X, y) == 1
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(("column", "match"), [([1, 1], "constant"), ([0.1, 2 / 3], "decimals")])
def test_columns_that_cannot_be_graded_are_refused(column, match):
    with pytest.raises(ParameterError, match=match):
        GradedGrouping().fit(np.array(column)[:, None])


def test_missing_stays_missing(table):
    X = table
    X[3, 0] = np.nan
    grouping = GradedGrouping().fit(X)
    np.testing.assert_array_equal(grouping.inverse_transform(grouping.transform(X)), X)
