"""Ends and means, good and bad: the checker sees what can be seen of them."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import pytest

from tests.judge.forms import step_of
from tests.judge.judge import Claim, judge
from tests.judge.labels import Fact

K2 = [{"model": "KAnonymity", "k": 2}]
COLUMNS = {
    "age": [31, 34, 52, 58],
    "day": [dt.date(2024, 1, day) for day in (1, 3, 5, 8)],
    "row": [1, 2, 3, 4],
}
FACTS = {
    "age": Fact("quasi-identifier", "numeric"),
    "day": Fact("quasi-identifier", "date"),
    "row": Fact("insensitive", "numeric"),
}


def verdict(tmp_path, rows, form, columns=COLUMNS, facts=FACTS):
    path = tmp_path / "release.csv"
    path.write_text("\n".join([*rows.split(), ""]), encoding="utf-8", newline="")
    return judge(path, Claim(columns, facts, K2, form=form), [path])


MEANS = "age,day,row 32,2024-01-02,1 32,2024-01-02,2 55,2024-01-06,3 55,2024-01-06,4"
ENDS = (
    "age_low,age_high,day_low,day_high,row 31,34,2024-01-01,2024-01-03,1 31,34,2024-01-01,"
    "2024-01-03,2 52,,2024-01-05,2024-01-08,3 52,,2024-01-05,2024-01-08,4"
)


def test_true_means_and_ends_break_nothing(tmp_path):
    assert verdict(tmp_path, MEANS, "means") == []
    assert verdict(tmp_path, ENDS, "intervals") == []
    assert verdict(tmp_path, MEANS, "midpoints") == []


@pytest.mark.parametrize(
    ("form", "old", "new", "says"),
    [
        ("means", "55", "54", "not the mean"),
        ("means", "55", "55.5", "no multiple"),
        ("means", "2024-01-06,4", "2024-01-07,4", "KAnonymity"),
        ("means", "2024-01-06", "2024-01-08", "not the mean"),
        ("midpoints", "55,2024-01-06,4", "56,2024-01-06,4", "KAnonymity"),
        ("draws", "age,", "name,", "columns are"),
        ("intervals", "31,34", "32,34", "not true"),
        ("intervals", "2024-01-08", "2024-01-07", "not true"),
        ("intervals", "52,,", "53,,", "not true"),
    ],
)
def test_other_means_and_ends_are_seen(tmp_path, form, old, new, says):
    rows = (ENDS if form == "intervals" else MEANS).replace(old, new)
    assert any(says in sentence for sentence in verdict(tmp_path, rows, form))


def test_a_mean_where_a_value_is_missing_is_seen(tmp_path):
    columns = COLUMNS | {"age": [31, None, 52, 58]}
    assert any("mean" in said for said in verdict(tmp_path, MEANS, "means", columns))
    rows = MEANS.replace("32,", ",")
    assert verdict(tmp_path, rows, "means", columns) == []


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([1, 99], 1),
        ([12_345, 7], 10),
        ([1000], 1),
        ([Decimal("1.25"), 9.5], Fraction(1, 100)),
        ([0.123456, 9.5], Fraction(1, 1000)),
        ([1e22], 10**19),
        ([0], 1),
        ([0.00012], Fraction(1, 100_000)),
    ],
)
def test_steps_follow_the_guide(values, step):
    claim = Claim({"age": values}, {"age": FACTS["age"]}, K2)
    assert step_of("age", claim) == step
