"""The figure of an audit."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import audit
from shoal.errors import ParameterError
from shoal.report.figures._audit_plot import plot_audit
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")
need("matplotlib")


def test_figure(tmp_path):
    table = pd.DataFrame({"a": np.arange(12.0), "y": list("uuuvvvwwwuuu")})
    schema = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "y": {"role": "sensitive", "target": True},
        }
    )
    model = DecisionTreeClassifier(random_state=0).fit(table[["a"]], table["y"])
    found = audit(model, table, schema, k=3)
    first = plot_audit(found, tmp_path / "one.svg").read_text("utf-8")
    assert first.startswith("<?xml")
    assert plot_audit(found, tmp_path / "one.png").stat().st_size > 1000
    with pytest.raises(ParameterError, match="end it in"):
        plot_audit(found, tmp_path / "one.txt")


def test_as_many_spans_as_people_are_drawn_as_one_picture(tmp_path):
    n = 2500
    table = pd.DataFrame({"a": np.arange(float(n)), "y": np.arange(n) % 2})
    schema = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "y": {"role": "sensitive", "target": True},
        }
    )
    model = DecisionTreeClassifier(random_state=0).fit(table[["a"]], table["y"])
    found = audit(model, table, schema, k=3)
    assert found.spans.n_spans == n
    drawn = plot_audit(found, tmp_path / "many.svg").read_text("utf-8")
    assert "<image" in drawn
    assert len(drawn) < 200_000
