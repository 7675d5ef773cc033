import datetime as dt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.report.release.facts._marginals import Marginal
from shoal.report.release.pages._value_bins import MOST, bin_values
from shoal.schema import Column
from shoal.schema._coding import make_coding


def marginal(counts, kind="numeric", after=None, order=()):
    """A column whose values have these counts; after as before unless given."""
    values = [value for value in counts if value is not None]
    column = Column("quasi-identifier", kind, order=order)
    coding = make_coding("x", column, values, has_missing=None in counts)
    by_text = {None if value is None else str(value): n for value, n in counts.items()}
    before = np.array([by_text[text] for text in coding.texts], np.int64)
    return Marginal(coding, before, before.astype(float) if after is None else after, 0)


def labels(found):
    return [part.label for part in found]


@given(st.dictionaries(st.integers(-500, 5000), st.integers(1, 40), min_size=1, max_size=60))
def test_no_bin_is_of_a_handful_and_none_is_lost(counts):
    found = bin_values(marginal(counts), 5)
    total = sum(counts.values())
    assert sum(part.before for part in found) == pytest.approx(1)
    assert sum(part.after for part in found) == pytest.approx(1)
    assert len(found) <= MOST + 2
    if total >= 5:
        assert all(round(part.before * total) >= 5 for part in found)


@given(st.dictionaries(st.text("abcdef", max_size=3), st.integers(1, 40), min_size=1, max_size=60))
def test_the_same_holds_for_values_that_are_no_numbers(counts):
    found = bin_values(marginal(counts, "categorical"), 5)
    total = sum(counts.values())
    assert sum(part.before for part in found) == pytest.approx(1)
    assert len(found) <= MOST + 1
    if total >= 5:
        assert all(round(part.before * total) >= 5 for part in found)


def test_the_ends_of_steps_are_round_and_nobodys():
    found = bin_values(marginal({17: 9, 23: 9, 38: 9, 91: 9}), 5)
    assert labels(found)[0] == "up to 19"
    assert labels(found)[-1] == "90 and more"
    assert not any("91" in label or "17" in label for label in labels(found))


def test_steps_of_few_people_are_joined_to_a_neighbour():
    assert labels(bin_values(marginal({0: 9, 10: 1, 20: 9, 99: 2}), 5)) == [
        "up to 19",
        "20 and more",
    ]


@given(st.integers(100, 10**9), st.integers(100, 10**9))
def test_how_far_out_the_last_person_is_changes_nothing(one, other):
    people = {1: 9, 10: 9, 20: 9, 99: 9}
    shown = [bin_values(marginal({**people, far: 1, -far: 1}), 5) for far in (one, other)]
    assert shown[0] == shown[1]


def test_fractions_have_an_open_end():
    found = bin_values(marginal({0.05: 9, 0.95: 9}), 5)
    assert labels(found) == ["below 0.9", "0.9 and more"]


def test_dates_are_shown_by_the_year():
    counts = {dt.date(1999, 5, 1): 9, dt.date(2001, 2, 3): 9}
    found = bin_values(marginal({str(day): n for day, n in counts.items()}, "date"), 5)
    assert labels(found) == ["up to 2000", "2001 and more"]


def test_dates_of_one_year_are_shown_by_the_month_and_few_people_tell_nothing_more():
    days = {f"2023-{month:02}-17": 9 for month in (2, 3, 5)}
    shown = [
        bin_values(marginal({**days, far: 1}, "date"), 5) for far in ("1931-01-01", "2022-12-31")
    ]
    assert shown[0] == shown[1]
    assert labels(shown[0]) == ["up to 2023-02", "2023-03 to 2023-04", "2023-05 and more"]


def test_missing_values_are_a_bin_of_their_own_or_join_the_last():
    assert labels(bin_values(marginal({1: 9, 2: 9, None: 9}), 5)) == [
        "up to 1",
        "2 and more",
        "missing",
    ]
    assert labels(bin_values(marginal({1: 9, 2: 9, None: 2}), 5)) == [
        "up to 1",
        "2 and more, missing",
    ]


def test_frequent_values_come_first_and_ordinal_ones_in_their_order():
    counts = {"low": 5, "mid": 30, "top": 20}
    assert labels(bin_values(marginal(counts, "categorical"), 5)) == ["mid", "top", "low"]
    ordinal = marginal(counts, "ordinal", order=("low", "mid", "top"))
    assert labels(bin_values(ordinal, 5)) == ["low", "mid", "top"]


def test_what_is_left_is_one_bin():
    counts = {letter: 40 - at for at, letter in enumerate("abcdefghijklm")}
    found = bin_values(marginal(counts, "categorical"), 5)
    assert labels(found)[-1] == "3 other values"
    rare = bin_values(marginal({"a": 9, "b": 2}, "categorical"), 5)
    assert labels(rare) == ["a, 1 other value"]


def test_only_the_bin_of_all_other_values_is_the_rest():
    many = bin_values(marginal({f"v{n}": 40 - n for n in range(30)}, "categorical"), 5)
    assert [part.is_rest for part in many] == [False] * MOST + [True]
    assert many[-1].label == f"{30 - MOST} other values"
    few = bin_values(marginal({"a": 9, "b": 2}, "categorical"), 5)  # joined: it names a value
    assert [part.is_rest for part in few] == [False]
    alone = bin_values(marginal({"a": 2, "b": 2}, "categorical"), 5)
    assert [part.is_rest for part in alone] == [False]
