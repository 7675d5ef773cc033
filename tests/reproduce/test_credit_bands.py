import numpy as np
from hypothesis import given, strategies as st

from reproduce._credit_bands import equal_bands

values = st.lists(st.integers(-50, 50), min_size=2, max_size=30)


@given(values=values, n=st.integers(1, 8))
def test_ranges_are_of_equal_width(values, n):
    low, high = min(values), max(values)
    for value, band in zip(values, equal_bands(np.array(values, float), n), strict=True):
        number = int(band.removeprefix("range "))
        assert 0 <= number < n
        width = (high - low) / n
        assert low + number * width <= value + 1e-9
        assert value <= low + (number + 1) * width + 1e-9 or low == high


def test_the_largest_value_is_in_the_last_range():
    assert equal_bands(np.array([0.0, 4.9, 5.0, 10.0]), 2) == [
        "range 0",
        "range 0",
        "range 1",
        "range 1",
    ]
