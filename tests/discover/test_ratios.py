import pytest
from hypothesis import given, settings

from shoal.discover import distinct_ratio, separation_ratio
from shoal.errors import ParameterError, TableError
from tests.discover.tables import EXAMPLE, code_arrays, coded
from tests.reference import discover as slow


def test_the_worked_example_to_the_digit():
    assert distinct_ratio(EXAMPLE, ["age"]) == 0.6
    assert separation_ratio(EXAMPLE, ["age"]) == 0.8
    assert distinct_ratio(EXAMPLE, ["sex", "state"]) == 0.8
    assert separation_ratio(EXAMPLE, ["sex", "state"]) == 0.9
    assert distinct_ratio(EXAMPLE, ["age", "state"]) == 1
    assert separation_ratio(EXAMPLE, ["age", "sex"]) == 1


def test_separation_of_a_half_distinct_set_ranges_as_stated():
    n = 100
    twos = {"a": [i // 2 for i in range(n)]}
    assert distinct_ratio(twos) == 0.5
    assert separation_ratio(twos) == pytest.approx(1 - 1 / (n - 1))
    lump = {"a": [min(i, 49) for i in range(n)]}
    assert distinct_ratio(lump) == 0.5
    assert separation_ratio(lump) == pytest.approx(0.75, abs=0.01)


@settings(deadline=None)
@given(codes=code_arrays())
def test_ratios_agree_with_counting_pairs(codes):
    everything = range(len(codes))
    assert distinct_ratio(coded(codes)) == slow.distinct_ratio(codes, everything)
    assert separation_ratio(coded(codes)) == pytest.approx(slow.separation_ratio(codes, everything))


def test_a_single_row_is_told_apart():
    assert distinct_ratio({"a": [1]}) == separation_ratio({"a": [1]}) == 1


def test_bins_make_numbers_coarser():
    assert distinct_ratio({"x": [0.1, 0.2, 0.9, 1.4]}, bins={"x": 1.0}) == 0.5


def test_bad_input_is_answered_clearly():
    with pytest.raises(TableError, match="no rows"):
        distinct_ratio({"a": []})
    with pytest.raises(ParameterError, match="no column 'b'"):
        distinct_ratio({"a": [1]}, ["b"])
    with pytest.raises(ParameterError, match="no columns"):
        distinct_ratio({"a": [1]}, [])
    with pytest.raises(ParameterError, match="twice"):
        distinct_ratio({"a": [1]}, ["a", "a"])
    with pytest.raises(TableError, match="differ in length"):
        distinct_ratio({"a": [1], "b": [1, 2]})
    with pytest.raises(ParameterError, match="'a' holds no numbers"):
        distinct_ratio({"a": ["x"]}, bins={"a": 1})
    with pytest.raises(ParameterError, match="positive, finite width"):
        distinct_ratio({"a": [1]}, bins={"a": 0})
    with pytest.raises(ParameterError, match="bins name column 'z'"):
        distinct_ratio({"a": [1]}, bins={"z": 1})
