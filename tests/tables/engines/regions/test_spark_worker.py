"""What a worker hands back: groups whose rows tell nothing of the order in which they came."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest

from shoal.tables.engines.regions._region_rows import SolvedRows
from shoal.tables.engines.regions._spark_worker import (
    FIGURES,
    HIDDEN,
    REGION,
    ROWS,
    ArrowCodes,
    ranks,
    region_worker,
)
from tests.extras import need

pa = need("pyarrow")
AGES = ["20", "21", "22", "23"]


def solve(keys, counted):
    """Two groups, by age; whoever is 23 is hidden."""
    group_of = np.where(keys[:, 0] == 3, -1, keys[:, 0] // 2).astype(np.int64)
    labels = np.array([[0], [1]], np.int32)
    return SolvedRows(group_of, labels, (("young", "old"),), {"rows": len(keys)})


def worked(order):
    """What comes out for 40 rows in some order."""
    ages = [AGES[i % 4] for i in range(40)]
    ward = [None if i % 7 == 0 else f"ward {i % 5}" for i in range(40)]
    table = pa.table({"c0": ages, "c1": ward, "c2": [i % 3 for i in range(40)]}).take(order)
    table = table.append_column(REGION, pa.array(np.zeros(40, np.int32)))
    known = {"c0": ArrowCodes(pa.array(AGES), np.array([0, 1, 2, 3, -1], np.int32))}
    work = region_worker(solve, known, ["c0"], {}, ["c1", "c2"])
    return pa.Table.from_batches(list(work(iter(table.to_batches(max_chunksize=7)))))


def test_the_order_of_the_input_is_gone():
    rng = np.random.default_rng(0)
    first = worked(pa.array(np.arange(40)))
    for _ in range(5):
        assert worked(pa.array(rng.permutation(40))).equals(first)


def test_groups_stand_together_and_hidden_rows_alone():
    rows = worked(pa.array(np.arange(40))).to_pylist()
    assert rows.pop()[FIGURES] == '{"rows": 40}'
    assert [row["l0"] for row in rows] == ["young", "old"] + ["*"] * 10
    assert [row[HIDDEN] for row in rows] == [False, False] + [True] * 10
    assert [len(row[ROWS]) for row in rows] == [20, 10] + [1] * 10


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "ab"],
        [2.5, -1.0, 0.0],
        [True, False],
        [dt.date(2020, 2, 1), dt.date(1999, 1, 1)],
        [Decimal("1.50"), Decimal("-3.25")],
        [b"b", b"a"],
        [dt.timedelta(seconds=3), dt.timedelta(seconds=1)],
    ],
)
def test_values_are_ranked_whatever_they_are(values):
    column = pa.chunked_array([pa.array([*values, None]), pa.array(values[::-1])])
    expected = [sorted(values).index(value) for value in values]
    assert ranks(column).tolist() == [*expected, len(values), *expected[::-1]]


def test_values_of_a_column_of_nothing_rank_alike():
    assert len(set(ranks(pa.nulls(3)).tolist())) == 1
