"""Clusters of Shoal: the audit finds what the clustering says of itself."""

import pytest

from shoal.audit import audit
from shoal.errors import ParameterError
from shoal.models import KAnonymousClustering
from tests.audit.people import numeric, random_points
from tests.extras import need

need("pandas")

SCHEMA = numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive")


def example():
    table = random_points(3)
    return KAnonymousClustering(SCHEMA, 4, min_rows=4).fit(table), table, SCHEMA


def test_the_audit_agrees_with_the_clustering():
    model, table, schema = example()
    found = audit(model, table, schema, k=4)
    assert found.is_safe
    assert len(found.bins) == len(model.cluster_centers_) > 1
    assert found.safe_k == model.spans_.largest_k
    assert found.bins.population.tolist() == model.bins_.population.tolist()


def test_other_private_columns_are_refused():
    model, table, _ = example()
    schema = numeric(a="quasi-identifier", b="sensitive", c="sensitive")
    with pytest.raises(ParameterError, match="not those the clustering was fitted with"):
        audit(model, table, schema)
