"""Linear models: scikit-learn's own predict over the domain, and a threshold."""

from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from shoal.audit import audit
from shoal.errors import ParameterError
from tests.audit.people import numeric, random_points
from tests.extras import need

pd = need("pandas")


def example():
    table = random_points(0)
    model = LogisticRegression().fit(table, table["b"] > table["c"])
    return model, table, numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive")


@pytest.mark.parametrize("seed", range(6))
def test_logistic_regression_agrees_with_its_predict(seed):
    table = random_points(seed)
    rng = np.random.default_rng(seed)
    table["a"] = table["a"].round()
    y = rng.integers(0, 3 if seed % 2 else 2, len(table))
    model = LogisticRegression().fit(table, y)
    schema = numeric(a="sensitive", b="quasi-identifier", c="sensitive")
    values = sorted(table["a"].unique().tolist())
    found = audit(model, table, schema, k=3, domain={"a": values})
    steps = np.linspace(table["c"].min(), table["c"].max(), 1001)
    for row in range(0, len(table), 5):
        grid = np.array([(a, table["b"].iloc[row], c) for a, c in product(values, steps)])
        asked = pd.DataFrame(grid, columns=list("abc"))
        got = np.searchsorted(model.classes_, np.unique(model.predict(asked)))
        assert got.tolist() == found.spans.bins_of(found.span_of_row[row]).tolist()


def test_a_threshold_on_a_regression():
    table = pd.DataFrame({"a": np.arange(10.0), "b": np.arange(10.0) % 3})
    model = LinearRegression().fit(table, table["a"] + table["b"])  # the prediction is a + b
    schema = numeric(a="quasi-identifier", b="sensitive")
    with pytest.raises(ParameterError, match="Give threshold"):
        audit(model, table, schema)
    found = audit(model, table, schema, k=3, threshold=5.5)
    told = [found.spans.n_bins[span] for span in found.span_of_row]
    assert told == [1, 1, 1, 1, 2, 2, 1, 1, 1, 1]  # only with a = 4 or 5 does b decide
    assert found.safe_k == 2
