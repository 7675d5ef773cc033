import numpy as np
import pytest

from shoal.anonymize import Mondrian
from shoal.errors import ParameterError
from shoal.metrics import compare_tables
from shoal.metrics.kept import _model_kept, _table_pair
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


def test_the_order_of_the_rows_changes_no_figure(monkeypatch):
    """Releases are written in a secret order; rows beyond a number are drawn."""
    monkeypatch.setattr(_table_pair, "MOST_ROWS", 150)
    monkeypatch.setattr(_model_kept, "MOST_TRAINING", 60)
    raw, released = random_tables(0, 200)
    order = np.random.default_rng(1).permutation(len(released["age"]))
    other = {name: [column[row] for row in order] for name, column in released.items()}
    assert compare_tables(raw, other) == compare_tables(raw, released)


def test_the_caution_says_whose_rows_were_tested():
    raw, released = random_tables(0, 60)
    assert "may have been made of the test rows" in compare_tables(raw, released).caution
    others, _ = random_tables(1, 60)
    assert "rows of others" in compare_tables(raw, released, test=others).caution


@pytest.mark.parametrize(("left_out", "told"), [(0, False), (1, True), (9, True), (10, False)])
def test_figures_that_tell_of_few_rows_are_said_to_stay_in_the_house(left_out, told):
    raw, _ = random_tables(0, 60)
    released = {name: values[left_out:] for name, values in raw.items()}
    assert ("keep them in the house" in compare_tables(raw, released).caution) == told
