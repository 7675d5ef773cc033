import json

import pytest
from hypothesis import given, settings, strategies as st

from shoal.discover import uniqueness
from shoal.errors import ParameterError
from tests.discover.tables import EXAMPLE, code_arrays, coded
from tests.reference import discover as slow


@settings(deadline=None)
@given(codes=code_arrays(), max_size=st.integers(1, 4))
def test_every_small_set_is_counted(codes, max_size):
    profile = uniqueness(coded(codes), max_size)
    expected = [s for s in slow.subsets(len(codes)) if 0 < len(s) <= max_size]
    assert [tuple(int(n[1:]) for n in risk.attributes) for risk in profile.sets] == expected
    for columns, risk in zip(expected, profile.sets, strict=True):
        assert risk.unique == slow.unique(codes, columns)
        assert risk.unique_share == pytest.approx(risk.unique / codes.shape[1])
        assert risk.distinct_ratio == pytest.approx(slow.distinct_ratio(codes, columns))
        assert risk.separation_ratio == pytest.approx(slow.separation_ratio(codes, columns))


def test_the_worked_example_by_number_of_attributes():
    profile = uniqueness(EXAMPLE, 9)
    assert profile.max_size == 3
    rows = profile.by_size()
    assert [row["sets"] for row in rows] == [3, 3, 1]
    assert [row["worst"] for row in rows] == [0.4, 1.0, 1.0]
    assert rows[1]["worst_attributes"] == ["age", "sex"]
    assert profile.worst(1).attributes == ("state",)
    assert json.loads(json.dumps(profile.to_dict()))["sets"][0]["unique"] == 1


def test_too_many_sets_are_refused_with_what_would_fit():
    table = {f"c{j}": [0, 1] for j in range(30)}
    with pytest.raises(ParameterError, match=r"30 columns have 4525 sets .* Use max_size=2"):
        uniqueness(table, 3, max_sets=1_000)


def test_equal_rows_count_unless_dropped():
    twice = {"a": [1, 1, 2]}
    assert uniqueness(twice, 1).sets[0].unique == 1
    assert uniqueness(twice, 1, duplicates="drop").sets[0].unique == 2


def test_without_time_single_attributes_are_counted_and_the_rest_is_undecided():
    table = {f"c{j}": [0, 1, j] for j in range(6)}
    profile = uniqueness(table, 3, time_limit=1e-9)
    assert not profile.complete
    assert [row["sets"] for row in profile.by_size()] == [6]
    assert "undecided" in profile.guarantee
    assert uniqueness(table, 3, time_limit=None).complete
