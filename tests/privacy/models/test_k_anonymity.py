import duckdb
import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.privacy import KAnonymity
from shoal.privacy.models._k_anonymity import as_privacy_model
from shoal.schema import Column, Schema
from shoal.tables import open_table
from tests.reference import privacy as twin
from tests.reference.rows import table

CASES = [(KAnonymity(3), lambda g, w: twin.k_anonymity(g, w, 3))]


def test_every_group_needs_k_rows():
    groups = table([[{}] * 3, [{}] * 5, [{}] * 4])
    np.testing.assert_array_equal(KAnonymity(4).holds(groups), [False, True, True])
    assert KAnonymity(4).value(groups) == 3
    assert KAnonymity(4).minimum_size == 4


@pytest.mark.parametrize("k", [0, -3, 2.5, True, "5", None])
def test_k_is_checked_when_the_model_is_made(k):
    with pytest.raises(ParameterError, match="k must be an integer of at least 1"):
        KAnonymity(k)


def test_a_missing_value_matches_missing_values_only():
    rows = duckdb.sql("SELECT * FROM (VALUES ('a', 1), ('a', 1), (NULL, 1)) AS t(x, y)")
    schema = Schema({"x": Column("quasi-identifier"), "y": Column("quasi-identifier", "numeric")})
    alone = open_table(rows).compress(schema).cells
    # were NULL to match anything, all three rows would look alike
    assert not KAnonymity(2).holds(alone).all()
    assert KAnonymity(2).value(alone) == 1
    twice = open_table(rows.union(rows)).compress(schema).cells
    assert sorted(twice.sizes) == [2, 4]
    assert KAnonymity(2).holds(twice).all()


def test_a_k_in_quotes_is_told_what_it_is():
    with pytest.raises(ParameterError, match=r"k as a whole number, got str\."):
        as_privacy_model("5")


def test_a_class_that_was_not_called_is_told_to_be():
    with pytest.raises(
        ParameterError, match=r"the class KAnonymity\. Call it .* KAnonymity\(\.\.\."
    ):
        as_privacy_model(KAnonymity)
