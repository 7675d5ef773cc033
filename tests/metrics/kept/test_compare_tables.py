import pytest

from shoal.anonymize import Mondrian
from shoal.errors import ParameterError
from shoal.metrics import compare_tables
from shoal.schema import Schema
from tests.metrics.kept.people import random_tables

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "pay": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "target": True},
    }
)


def test_more_privacy_keeps_less():
    raw, _ = random_tables(0, 300)
    found = [
        compare_tables(raw, Mondrian(SCHEMA, k).fit(raw).release_.table, SCHEMA) for k in (2, 50)
    ]
    fine, coarse = found
    assert fine.tables.moved < coarse.tables.moved
    assert fine.counts.mean_error < coarse.counts.mean_error
    assert fine.propensity.pmse < coarse.propensity.pmse
    assert fine.regression.target == fine.model.target == "ill"


def test_a_notebook_shows_measures_columns_and_a_caution():
    raw, released = random_tables(0)
    found = compare_tables(raw, released)
    page = found._repr_html_()
    for words in ("two-way tables moved", "age", "good is", "protects nobody"):
        assert words in page


def test_every_measure_says_what_good_is():
    raw, released = random_tables(0)
    found = compare_tables(raw, released, target="pay")
    assert len(found.measures) == 9
    assert all(one.good and one.shown for one in found.measures)
    assert [one["name"] for one in found.to_dict()["measures"]] == [m.name for m in found.measures]


def test_an_unknown_target_is_named():
    raw, released = random_tables(0)
    with pytest.raises(ParameterError, match="'colour'"):
        compare_tables(raw, released, target="colour")
