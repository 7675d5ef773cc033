import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pytest

from shoal.schema._text import number, text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (20, "20"),
        (20.0, "20"),
        (np.float32(0.5), "0.5"),
        (np.int8(7), "7"),
        (Decimal("2.50"), "2.5"),
        (True, "true"),
        (np.bool_(False), "false"),
        ("01234", "01234"),
        ("", ""),
        (None, None),
        (math.nan, None),
        (np.datetime64("NaT"), None),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (dt.date(2020, 1, 2), "2020-01-02"),
        (dt.datetime(2020, 1, 2), "2020-01-02"),
        (dt.datetime(2020, 1, 2, 3, 4), "2020-01-02 03:04:00"),
        (np.datetime64("2020-01-02"), "2020-01-02"),
        (b"\x01\xff", "01ff"),
    ],
)
def test_every_value_has_one_text(value, expected):
    assert text(value) == expected


def test_places_on_the_number_line():
    assert number(dt.date(1970, 1, 2)) == 1.0
    assert number(dt.datetime(1970, 1, 1, 12)) == 0.5
    assert number("3.5") == 3.5
    assert math.isnan(number(None))
