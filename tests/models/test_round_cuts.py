"""Private columns are cut at round numbers that part the same people."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from shoal.models import KAnonymousNaiveBayes, KAnonymousTreeClassifier
from shoal.models._round_cuts import round_cut
from shoal.schema import Schema

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(NUMBERS, NUMBERS)
def test_a_cut_parts_every_two_numbers(one, two):
    low, high = sorted((one, two))
    if low < high:
        for kind in ("numeric", "date"):
            assert low <= round_cut(low, high, kind, at_low=True) < high
            assert low < round_cut(low, high, kind) < high or np.nextafter(low, high) == high


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9))
def test_no_number_that_parts_them_has_fewer_digits(low, width):
    high = low + width
    found = round_cut(float(low), float(high), at_low=True)
    assert found == int(found)
    if found:
        step = 10
        while found % step == 0:
            step *= 10
        assert -(-low // step) * step >= high  # the next multiple is too large
    else:
        assert low <= 0 < high


@pytest.mark.parametrize(
    ("low", "high", "start"),
    [
        ("1958-03-12", "1974-08-30", "1970-01-01"),
        ("1961-03-12", "1966-08-30", "1966-01-01"),
        ("2021-03-12", "2021-06-30", "2021-06-01"),
        ("2021-03-12", "2021-03-13", "2021-03-12"),
    ],
)
def test_dates_are_cut_where_a_period_begins(low, high, start):
    days = [(dt.date.fromisoformat(day) - dt.date(1970, 1, 1)).days for day in (low, high, start)]
    found = round_cut(days[0], days[1], "date", at_low=True)
    assert days[0] <= found < days[1]
    assert days[0] < round_cut(days[0], days[1], "date") < days[1]
    if start != low:
        assert found == days[2]


def _table(fines):
    """People whose class follows from who has a fine, and from age."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, len(fines))
    return pd.DataFrame({"age": age, "fine": fines}), np.where(
        fines > 0, "yes", np.where(age > 40, "no", "maybe")
    )


def _schema(kind="numeric"):
    return Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "fine": {"role": "sensitive", "kind": kind},
            "class": {"role": "sensitive", "target": True},
        }
    )


def test_a_tree_does_not_tell_the_number_that_one_person_has():
    fines = np.zeros(60)
    fines[7] = 12_345.67
    table, classes = _table(fines)
    tree = KAnonymousTreeClassifier(_schema(), 10).fit(table, classes)
    assert "fine > 0:" in tree.export_text()
    fines[7] = 98_765.43
    assert KAnonymousTreeClassifier(_schema(), 10).fit(table, classes).to_dict() == tree.to_dict()
    assert tree.score(table, classes) == 1


def test_a_cut_does_not_say_how_far_above_it_somebody_is():
    assert {round_cut(3_900, high) for high in (50_001, 61_000, 98_765.43, 100_000)} == {50_000}
    assert {round_cut(low, 98_765.43) for low in (1, 900, 3_900, 49_999)} == {50_000}
    assert {round_cut(-high, -3_900) for high in (50_001, 61_000, 98_765.43)} == {-50_000}
    assert {round_cut(low, 150) for low in (140, 141, 144.5)} == {145}
    incomes = np.r_[np.arange(59) % 30 + 10, 99] * 100.0
    told = []
    for most in (6_000, 7_321.5, 9_876.54):
        incomes[-1] = most
        table, _ = _table(incomes)
        classes = np.where(incomes > 4_000, "yes", np.where(incomes > 2_000, "no", "maybe"))
        told.append(KAnonymousTreeClassifier(_schema(), 10).fit(table, classes).to_dict())
    assert "5000" in str(told[0])
    assert told[0] == told[1] == told[2]


def test_a_tree_cuts_private_dates_where_a_period_begins():
    table, classes = _table(np.arange(60) % 2)
    day = np.where(np.arange(60) % 2, dt.date(1999, 5, 17), dt.date(1991, 2, 3))
    table["fine"] = day
    tree = KAnonymousTreeClassifier(_schema("date"), 10).fit(table, classes)
    assert "fine <= 1999-01-01 00:00" in tree.export_text()
    assert tree.score(table, classes) == 1


def test_public_columns_are_cut_half_way():
    table, classes = _table(np.zeros(60))
    tree = KAnonymousTreeClassifier(_schema(), 10).fit(table, classes)
    assert "age <= 40.5" in tree.export_text()


def test_naive_bayes_does_not_tell_the_sum_of_two_numbers():
    rng = np.random.default_rng(1)
    table, _ = _table(rng.normal(50_000, 9_000, 400).round(2))
    classes = np.where(table["fine"] > 55_000, "yes", "no")
    bayes = KAnonymousNaiveBayes(_schema(), 10, ranges=4).fit(table, classes)
    (cuts,) = [own.labels.cuts for own in bayes.columns_ if own.name == "fine"]
    values = np.sort(table["fine"].to_numpy())
    assert len(cuts) == 3
    for cut in cuts:
        above = np.searchsorted(values, cut, side="right")
        low, high = values[above - 1], values[above]
        assert cut != (low + high) / 2
        assert len(f"{cut:.15g}".rstrip("0")) <= 6
    (age,) = [own.labels.cuts for own in bayes.columns_ if own.name == "age"]
    assert all(cut % 1 == 0.5 for cut in age)


def test_no_cut_of_a_tree_is_a_value_that_few_people_have():
    """Incomes in whole thousands: nearly every round number is somebody's."""
    rng = np.random.default_rng(2)
    table, _ = _table(rng.permutation(300) + 20.0)
    noise = rng.integers(0, 60, 300)
    classes = np.digitize(table["fine"] + noise, [90, 140, 200, 260]).astype(str)
    tree = KAnonymousTreeClassifier(_schema(), 3).fit(table, classes).tree_
    names = [tree.attributes[view.attribute].name for view in tree.views]
    fine = [slot for slot, name in enumerate(names) if name == "fine"]
    cuts = tree.nodes.threshold[np.isin(tree.nodes.slot, fine)]
    assert len(cuts) > 2
    assert not np.isin(cuts, table["fine"]).any()
