"""Columns of means: made again from the source by the judge, and withheld otherwise."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from shoal.anonymize import Microaggregation
from shoal.anonymize._recheck import recheck
from shoal.errors import GuaranteeError
from shoal.judge._means import Members
from shoal.judge._text_table import TextColumn
from shoal.judge.numbers._group_means import judge_group_means
from shoal.schema import Schema
from shoal.tables import RowOptions
from tests import engines

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "day": {"role": "quasi-identifier", "kind": "date"},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    }
)


def people(n=40):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "day": [f"2020-{m:02}-{d:02}" for m, d in rng.integers(1, 13, (n, 2))],
            "town": rng.choice(["A", "B"], n),
            "ill": rng.choice(["flu", "gout"], n),
        }
    )


@pytest.fixture(scope="module")
def given():
    release = Microaggregation(SCHEMA, 4).fit(people()).release_
    return release, release.compressed.rows(release.recoded, release.output)


def judged(given, spoil):
    release, rows = given
    table = rows.table.copy()
    spoil(table)
    parts = (release.schema, release.privacy, release.output, release.recoded)
    return recheck(table, *parts, rows.witness)


def one_age(table):
    table.loc[0, "age"] += 1


def a_whole_group(table):
    same = (table[["age", "day", "town"]] == table.loc[0, ["age", "day", "town"]]).all(axis=1)
    table.loc[same, "age"] += 2


def off_the_grid(table):
    table["age"] = table["age"] + 0.25


def one_day(table):
    table.loc[0, "day"] += pd.Timedelta(days=1)


def a_town(table):
    table.loc[0, "town"] = "C"


def test_means_pass(given):
    assert judged(given, lambda table: None).sizes.min() >= 4


@pytest.mark.parametrize(
    "spoil", [one_age, a_whole_group, off_the_grid, one_day, a_town], ids=lambda s: s.__name__
)
def test_everything_else_is_withheld(given, spoil):
    with pytest.raises(GuaranteeError, match="withheld"):
        judged(given, spoil)


def test_means_of_other_rows_are_withheld(given):
    release, rows = given
    turned = replace(rows.witness, row_ids=np.roll(rows.witness.row_ids, 1))
    parts = (release.schema, release.privacy, release.output, release.recoded)
    with pytest.raises(GuaranteeError):
        recheck(rows.table, *parts, turned)


def column(values):
    texts = list(dict.fromkeys(values))
    return TextColumn(np.array([texts.index(value) for value in values], np.int32), tuple(texts))


def judge(means, values, groups, smallest, step=1, people=None):
    own = column(values)
    who = None if people is None else np.array(people)
    members = Members(np.array(groups), who, smallest)
    judge_group_means("age", column(means), own, own.codes, members, Fraction(step))


def test_a_mean_is_of_a_whole_group_and_of_enough_people():
    judge(["31", "31"], ["30", "31"], [0, 0], 2)  # 30.5 is near both of its neighbours
    judge(["30", "30"], ["30", "31"], [0, 0], 2)
    judge([None, None], ["30", None], [0, 0], 2)
    judge(["30", "30", "30"], ["30", "30", "31"], [0, 0, 0], 2, people=[0, 0, 1])
    for means, values, smallest in (
        (["32", "32"], ["30", "31"], 2),
        (["30", "30"], ["30", None], 1),
        (["30", "30"], ["30", "30"], 3),
        (["30", None], ["30", "30"], 2),
        (["30.5", "30.5"], ["30", "31"], 2),
        (["x", "x"], ["30", "31"], 2),
    ):
        with pytest.raises(GuaranteeError):
            judge(means, values, [0, 0], smallest)
    with pytest.raises(GuaranteeError):
        judge(["30", "30"], ["30", "30"], [0, 0], 2, people=[0, 0])


@pytest.mark.parametrize("engine", [name for name in engines.ENGINES if name != "spark"])
def test_every_engine_writes_the_same_means(engine, tmp_path):
    table = engines.make(engine, people().to_dict("list"), tmp_path)
    output = RowOptions(form="means", keep_order=True)
    released = Microaggregation(SCHEMA, 4).fit(table, output=output).release_.table
    here = Microaggregation(SCHEMA, 4).fit(people(), output=output).release_.table
    ages = [int(row[0]) for row in engines.rows(released)]
    assert ages == here["age"].tolist()
