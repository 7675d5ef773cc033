import datetime as dt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.errors import TableError
from shoal.tables._row_codes import code_array, stack_codes


def _alike(codes, values):
    """Codes are equal exactly where values are."""
    return (np.equal.outer(codes, codes) == [[a == b for b in values] for a in values]).all()


@given(values=st.lists(st.integers(-(2**62), 2**62) | st.integers(-5, 5)))
def test_whole_numbers_far_apart_or_close(values):
    codes = code_array("n", np.array(values, np.int64))
    assert _alike(codes, values)
    assert codes.dtype == np.int32
    assert not len(values) or 0 <= codes.min() <= codes.max() < max(4 * len(values), 1024)


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.5, np.nan, -0.5, 1.5, np.nan]),
        np.array(["b", None, "a", "b", np.nan], object),
        np.ma.array([3, 3, 9, 3, 1], mask=[0, 1, 0, 0, 1]),
        np.ma.array(["b", "b", "a", "b", "q"], mask=[0, 1, 0, 0, 1], dtype=object),
        np.array(["2020-01-01", "NaT", "2021-01-01", "2020-01-01", "NaT"], "datetime64[D]"),
        np.array([True, None, False, True, None], object),
    ],
)
def test_a_missing_value_is_a_value_of_its_own(values):
    codes = code_array("x", values)
    assert codes[0] == codes[3] != codes[2]
    assert codes[1] == codes[4]
    assert codes[1] not in (codes[0], codes[2])
    assert codes.min() >= 0


def test_small_types_do_not_wrap_around():
    values = np.array([-128, 127, 0, -128], np.int8)
    assert _alike(code_array("x", values), values)
    unsigned = np.array([2**64 - 1, 0, 5, 2**64 - 1], np.uint64)
    assert _alike(code_array("x", unsigned), unsigned)


def test_booleans_dates_and_nothing():
    assert _alike(code_array("x", np.array([True, False, True])), [1, 0, 1])
    days = [dt.date(2020, 1, 1), dt.date(2021, 1, 1), dt.date(2020, 1, 1)]
    assert _alike(code_array("x", np.array(days, object)), days)
    assert len(code_array("x", np.array([], object))) == 0
    assert len(code_array("x", np.array([np.nan]))) == 1


def test_what_cannot_be_compared_is_an_error_that_names_the_column():
    with pytest.raises(TableError, match="column 'x' holds lists"):
        code_array("x", np.array([[1], {"a": 1}], object))


def test_columns_are_stacked_in_order():
    stacked = stack_codes([np.array([1, 2], np.int32), np.array([3, 4], np.int32)], 2)
    assert stacked.tolist() == [[1, 2], [3, 4]]
