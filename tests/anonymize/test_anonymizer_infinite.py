"""Infinite numbers have no width: they are refused in words, not in warnings of NumPy."""

import warnings

import numpy as np
import pytest

from shoal.anonymize import make_method
from shoal.errors import ShoalError
from shoal.schema import Schema
from tests.extras import need

PAY = {"pay": [1.0, 2.0, 3.0, np.inf, -np.inf, 4.0], "sex": ["f", "m"] * 3}


def schema_of(pay):
    return Schema({"pay": pay, "sex": {"role": "quasi-identifier", "hierarchy": "flat"}})


@pytest.mark.parametrize("method", ["local", "mondrian", "constrained", "microaggregation"])
def test_a_column_without_a_hierarchy_says_so(method):
    need("pandas")  # makes a table of columns
    schema = schema_of({"role": "quasi-identifier", "kind": "numeric"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ShoalError, match=r"column 'pay' holds infinite numbers.*missing"):
            make_method(method, schema, 2).fit(PAY)


def test_a_column_that_is_no_quasi_identifier_may_hold_them():
    need("pandas")  # makes a table of columns
    schema = schema_of({"role": "insensitive", "kind": "numeric"})
    release = make_method("mondrian", schema, 2).fit(PAY).release_
    assert np.isinf(np.asarray(release.table["pay"], float)).sum() == 2
