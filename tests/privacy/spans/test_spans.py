import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.errors import GuaranteeError, ParameterError, SchemaError
from shoal.privacy import KAnonymity
from shoal.privacy.spans._spans import Bins, Spans
from shoal.schema import Column
from shoal.schema._coding import make_coding
from tests.reference import spans as slow

RISK = make_coding("risk", Column("sensitive"), ["bad", "good"])

# Lisa, John, Ben, Laura, Robert, Anna
MORTGAGE = [
    {"married": False, "car": True, "risk": 1},
    {"married": True, "car": True, "risk": 1},
    {"married": True, "car": False, "risk": 0},
    {"married": True, "car": False, "risk": 0},
    {"married": False, "car": True, "risk": 0},
    {"married": False, "car": False, "risk": 0},
]


def mortgage_tree(row):
    """Bins 0, 1: no car; 2, 3: car, married; 4, 5: car, unmarried."""
    leaf = 0 if not row["car"] else 1 if row["married"] else 2
    return 2 * leaf + row["risk"]


def reach(model, rows, private, n_bins):
    table = np.zeros((len(rows), n_bins), bool)
    for place, row in enumerate(rows):
        table[place, list(slow.span_of(model, row, private))] = True
    return table


def spans_of(model, rows, private, n_bins):
    codes = np.array([row["risk"] for row in rows], np.int32)
    return Spans.from_reach(reach(model, rows, private, n_bins), {"risk": (RISK, codes)})


def test_two_spans_of_three_when_the_sports_car_is_private():
    private = {"car": [False, True], "risk": [0, 1]}
    spans, span_of_row = spans_of(mortgage_tree, MORTGAGE, private, 6)
    assert spans.population.tolist() == [3, 3]
    assert span_of_row.tolist() == [0, 1, 1, 1, 0, 0]
    assert [spans.bins_of(span).tolist() for span in (0, 1)] == [[0, 1, 4, 5], [0, 1, 2, 3]]
    assert spans.largest_k == 3
    assert not spans.breaches(KAnonymity(3)).any()
    assert spans.breaches(KAnonymity(4)).all()
    assert spans.confidence("risk") == pytest.approx([2 / 3, 2 / 3])
    assert spans.exposed_rows("risk") == 0


def test_john_is_alone_when_the_sports_car_is_public():
    spans, span_of_row = spans_of(mortgage_tree, MORTGAGE, {"risk": [0, 1]}, 6)
    assert sorted(spans.population.tolist()) == [1, 2, 3]
    assert spans.population[span_of_row[1]] == 1
    assert spans.largest_k == 1
    assert spans.breaches(KAnonymity(2)).sum() == 1
    assert spans.exposed_rows("risk") == 1 + 3  # John, and the three without a car


def test_spans_of_one_bin_are_safe_at_any_k():
    """Worked example 3: John and Cathy are in cluster 1 whatever they earn; Lisa is found."""
    table = np.zeros((6, 4), bool)  # John, Cathy, Ben, Laura, William, Lisa
    table[:2, 0] = table[2:5, 1] = table[2:5, 2] = table[5, 2] = table[5, 3] = True
    spans, _ = Spans.from_reach(table)
    assert spans.population.tolist() == [2, 3, 1]
    assert spans.is_single.tolist() == [True, False, False]
    assert spans.largest_k == 1
    assert spans.breaches(KAnonymity(2)).tolist() == [False, False, True]
    assert not Spans.from_reach(table[:5])[0].breaches(KAnonymity(3)).any()


def test_rules_about_cherries():
    """Worked example 4: seven classes; spans of 888, 30 and 82 customers."""
    table = np.zeros((1000, 7), bool)
    table[:888, 0] = True
    table[888:918, 1:5] = True  # cherries and candles: Viagra or not, Tylenol or not
    table[918:, 5:7] = True
    spans, _ = Spans.from_reach(table)
    assert spans.population.tolist() == [888, 30, 82]
    assert spans.largest_k == 30


@given(
    rows=st.lists(st.lists(st.booleans(), min_size=9, max_size=9), min_size=1, max_size=30),
    k=st.integers(1, 6),
)
def test_both_builders_agree_with_sets(rows, k):
    table = np.array(rows, bool)
    table[:, 8] |= ~table.any(axis=1)
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in table]
    spans, span_of_row = Spans.from_reach(table)
    row, bins = np.nonzero(table)
    start = np.searchsorted(row, np.arange(len(table) + 1))
    listed, listed_of_row = Spans.from_lists(start, bins)
    assert listed_of_row.tolist() == span_of_row.tolist()
    assert listed.to_dict() == spans.to_dict()
    for place, span in enumerate(span_of_row):
        assert frozenset(spans.bins_of(span).tolist()) == sets[place]
        assert spans.population[span] == sets.count(sets[place])
    breaches = {s for s in sets if len(s) > 1 and sets.count(s) < k}
    assert spans.breaches(KAnonymity(k)).sum() == len(breaches)
    assert not spans.breaches(KAnonymity(spans.largest_k)).any()


def test_a_breach_is_refused_without_naming_anybody():
    spans, _ = spans_of(mortgage_tree, MORTGAGE, {"risk": [0, 1]}, 6)
    spans.require(KAnonymity(1))
    with pytest.raises(GuaranteeError, match="1 of 3 spans with 1 rows break") as caught:
        spans.require(KAnonymity(2))
    assert "good" not in str(caught.value)


def test_confidence_is_about_private_columns():
    spans, _ = spans_of(mortgage_tree, MORTGAGE, {"risk": [0, 1]}, 6)
    with pytest.raises(SchemaError, match=r"'car' is not private\. Private are: 'risk'"):
        spans.confidence("car")


def test_bins_are_counted():
    bins = Bins.count(("left", "right", "none"), np.array([0, 0, 1]))
    assert bins.to_dict() == {"names": ["left", "right", "none"], "population": [2, 1, 0]}
    with pytest.raises(ParameterError, match="2 bins are named"):
        Bins.count(("left", "right"), np.array([0, 2]))
