from fractions import Fraction

import pytest

from shoal.tables.forms._label_ends import are_whole, closed, label_ends

JAN_2001 = 11323  # days from 1970 to 2001


@pytest.mark.parametrize(
    ("label", "low", "high", "open_high"),
    [
        ("31", 31, 31, False),
        ("-2.5", Fraction(-5, 2), Fraction(-5, 2), False),
        ("[20-29]", 20, 29, False),
        ("[-5--1]", -5, -1, False),
        ("[0.5-2.5)", Fraction(1, 2), Fraction(5, 2), True),
        ("<18", None, 18, True),
        (">=65", 65, None, False),
        ("*", None, None, False),
    ],
)
def test_numbers_are_read_from_labels(label, low, high, open_high):
    assert label_ends(label, "numeric") == (low, high, open_high)


@pytest.mark.parametrize(
    ("label", "first", "days"),
    [
        ("2001", JAN_2001, 365),
        ("2001-02", JAN_2001 + 31, 28),
        ("2001-Q2", JAN_2001 + 90, 91),
        ("2001-01-05", JAN_2001 + 4, 1),
        ("2001-01-05 13:30:00", JAN_2001 + 4, 1),
        ("[2001-01-01 to 2001-01-31]", JAN_2001, 31),
        ("[2001-01-01 to 2001-02-01)", JAN_2001, 31),
        ("2000s", JAN_2001 - 366, 3653),
    ],
)
def test_days_are_read_from_labels(label, first, days):
    assert label_ends(label, "date")[:2] == (first, first + days - 1)


@pytest.mark.parametrize(
    ("label", "kind"), [("adult", "numeric"), ("2001-13", "date"), ("x", "date")]
)
def test_names_have_no_ends(label, kind):
    assert label_ends(label, kind) is None


def test_a_half_open_band_makes_a_column_fractional_and_an_open_end_does_not():
    ends = [label_ends(label, "numeric") for label in ("[20-29]", "<18", ">=65")]
    assert are_whole(ends)
    assert closed(ends[1], whole=True) == (None, 17)
    assert not are_whole([*ends, label_ends("[0-5)", "numeric")])
    assert closed(ends[1], whole=False) == (None, 18)
