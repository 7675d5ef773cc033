import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import SchemaError
from shoal.federated import GradedRanges

ACTUAL = [15, 25, 30, 37, 40, 58, 70, 73, 90]
PUBLISHED = [1, 1.667, 2, 2.467, 2.667, 3.867, 4.667, 4.867, 5.999]


@st.composite
def agreed_ranges(draw):
    decimals = draw(st.integers(0, 3))
    start = draw(st.integers(-500, 500))
    widths = draw(st.lists(st.integers(1, 4000), min_size=1, max_size=6))
    breaks = (start + np.concatenate([[0], np.cumsum(widths)])) / 10**decimals
    if draw(st.booleans()) or len(breaks) == 2:
        return GradedRanges.from_breaks(
            breaks, decimals=decimals, first_name=draw(st.integers(0, 9))
        )
    lower, upper, at = [], [], start
    for width in widths:
        lower.append(at / 10**decimals)
        upper.append((at + width) / 10**decimals)
        at += width + 1
    names = np.cumsum(draw(st.lists(st.integers(1, 3), min_size=len(widths), max_size=len(widths))))
    return GradedRanges(tuple(lower), tuple(upper), tuple(names), decimals)


def grid(ranges):
    scale = 10**ranges.decimals
    return np.arange(round(ranges.lower[0] * scale), round(ranges.upper[-1] * scale) + 1) / scale


def test_worked_example_to_three_decimals():
    ranges = GradedRanges.uniform(15, 90, 5)
    published = ranges.encode(ACTUAL)
    np.testing.assert_array_equal(published.round(3), PUBLISHED)
    assert round(np.corrcoef(ACTUAL, published)[0, 1], 3) == 1
    np.testing.assert_array_equal(ranges.decode(published), ACTUAL)
    assert ranges.is_uniform


@settings(deadline=None)
@given(ranges=agreed_ranges())
def test_every_agreed_value_comes_back_exactly_and_in_order(ranges):
    values = grid(ranges)
    published = ranges.encode(values)
    assert (np.diff(published) > 0).all()
    assert (ranges.decode(published) == values).all()
    np.testing.assert_array_equal(
        np.floor(published), np.array(ranges.names)[owner(ranges, values)]
    )


def owner(ranges, values):
    return [max(i for i, low in enumerate(ranges.lower) if low <= v) for v in values]


@settings(deadline=None)
@given(ranges=agreed_ranges(), data=st.data())
def test_a_decoded_threshold_parts_all_agreed_values_alike(ranges, data):
    values = grid(ranges)
    published = ranges.encode(values)
    first = data.draw(st.integers(0, len(values) - 1))
    weight = data.draw(st.floats(0, 1, exclude_max=True))
    after = published[first + 1] if first + 1 < len(values) else published[first] + 1
    threshold = published[first] + weight * (after - published[first])
    if threshold >= after:  # rounding
        threshold = published[first]
    real = ranges.decode_threshold(threshold)
    np.testing.assert_array_equal(values <= real, published <= threshold)


def test_a_threshold_below_or_above_everything_stays_there():
    ranges = GradedRanges.uniform(15, 90, 5)
    assert ranges.decode_threshold(0.2) < 15
    assert ranges.decode_threshold(99.0) >= 90


def test_uniform_centroids_are_read_back_to_their_place():
    ranges = GradedRanges.uniform(0, 100, 4)
    np.testing.assert_allclose(ranges.decode_real([1.5, 2.0, 3.25]), [12.5, 25, 56.25])


def test_missing_stays_missing():
    ranges = GradedRanges.uniform(0, 10, 2)
    assert np.isnan(ranges.encode([np.nan, 3.0])).tolist() == [True, False]
    assert np.isnan(ranges.decode([np.nan, 1.5])).tolist() == [True, False]


@pytest.mark.parametrize("value", [14, 91, -1e9, np.inf])
def test_a_value_outside_the_ranges_is_an_error_that_does_not_show_it(value):
    with pytest.raises(SchemaError, match="'age': 1 of 2 values lie outside") as caught:
        GradedRanges.uniform(15, 90, 5).encode([40, value], "age")
    assert str(value) not in str(caught.value)


def test_a_value_finer_than_agreed_is_an_error():
    with pytest.raises(SchemaError, match=r"1 of 2 values have more than 0 decimals"):
        GradedRanges.uniform(15, 90, 5).encode([40, 40.25], "age")


def test_a_foreign_published_value_is_an_error():
    with pytest.raises(SchemaError, match="2 values were not published under this key"):
        GradedRanges.uniform(15, 90, 5).decode([0.5, 7.5, 2.0])


def test_repr_holds_no_range():
    assert repr(GradedRanges.uniform(1234, 5678, 5)) == "GradedRanges(5 ranges, decimals=0)"
