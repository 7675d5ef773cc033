"""The judge of clusters: what a worker says of some groups, and the verdict on all of them."""

import json
from functools import partial

import numpy as np
import pytest

from shoal.anonymize.regions._region_solver import with_whole
from shoal.errors import GuaranteeError
from shoal.judge.cluster._judge_cluster import GroupJudge, _combine, judge_cluster
from shoal.privacy import DistinctDiversity, KAnonymity, TCloseness, check
from shoal.schema import Schema
from shoal.tables import open_table
from tests.extras import need

pa = need("pyarrow")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier"},
        "city": {"role": "quasi-identifier"},
        "illness": {"role": "sensitive"},
        "name": {"role": "identifier"},
    }
)
MODEL = KAnonymity(3) & DistinctDiversity(2, "illness") & TCloseness(0.9, "illness")


class Frame:
    """The few methods of a Spark DataFrame that the judge asks, over a list of rows."""

    def __init__(self, names, rows):
        self.columns, self.rows = list(names), rows

    def _grouped(self, names):
        counts = {}
        for row in self.rows:
            key = tuple(row[self.columns.index(name.strip("`"))] for name in names)
            counts[key] = counts.get(key, 0) + 1
        return counts

    def count(self):
        return len(self.rows)

    def groupBy(self, *names):  # noqa: N802  Spark's
        return Grouped(self, names)

    def selectExpr(self, *listed):  # noqa: N802
        if listed[0] == "*":
            bucket = int(listed[1].rpartition(", ")[2].partition(")")[0])
            places = [hash(row[:2]) % bucket for row in self.rows]
            rows = [(*row, place) for row, place in zip(self.rows, places, strict=True)]
            return Frame([*self.columns, "shoal_bucket"], rows)
        pairs = [one.replace("`", "").split(" AS ") for one in listed]
        index = [self.columns.index(name) for name, _ in pairs]
        return Frame([new for _, new in pairs], [tuple(row[i] for i in index) for row in self.rows])

    def withColumnRenamed(self, old, new):  # noqa: N802
        return Frame([new if name == old else name for name in self.columns], self.rows)

    def collect(self):
        return self.rows


class Grouped:
    def __init__(self, frame, names):
        self.frame, self.names = frame, names

    def count(self):
        counts = self.frame._grouped(self.names)
        return Frame([*self.names, "count"], [(*key, n) for key, n in counts.items()])

    def applyInArrow(self, work, _schema):  # noqa: N802
        said = []
        for (bucket,) in self.frame._grouped(self.names):
            at = self.frame.columns.index(self.names[0])
            rows = [row for row in self.frame.rows if row[at] == bucket]
            columns = zip(*rows, strict=True)
            table = dict(zip(self.frame.columns, map(list, columns), strict=True))
            said += [(text,) for text in work(pa.table(table))["said"].to_pylist()]
        return Frame(["said"], said)


def released(rng, n_groups=30):
    rows = []
    for group in range(n_groups):
        labels = (f"[{group}-{group + 5}]", None if group % 7 == 0 else f"city {group % 4}")
        size = int(rng.integers(3, 9))
        rows += [(*labels, "flu"), (*labels, "cold")]
        rows += [(*labels, str(v)) for v in rng.choice(["flu", "cold", "gout"], size - 2)]
    return rows


def verdict(rows, names=("age", "city", "illness"), n_rows=None, expected=None, model=MODEL):
    frame = Frame(names, rows)
    n_rows = len(rows) if n_rows is None else n_rows
    return judge_cluster(frame, SCHEMA, n_rows, partial(with_whole, model), expected)


def test_levels_and_sizes_are_those_of_the_definition():
    rows = released(np.random.default_rng(0))
    columns = dict(zip(("age", "city", "illness"), map(list, zip(*rows, strict=True)), strict=True))
    schema = Schema({name: SCHEMA[name] for name in columns})
    groups = open_table(columns).compress(schema).cells
    found = verdict(rows)
    for level, expected in zip(found.levels, check(MODEL, groups), strict=True):
        assert level.reached == pytest.approx(expected.reached)
    sizes, counts = np.unique(groups.sizes, return_counts=True)
    assert found.sizes == dict(zip(sizes.tolist(), counts.tolist(), strict=True))
    assert sum(size * n for size, n in found.sizes.items()) == len(rows)


def test_a_group_that_breaks_the_promise_is_found():
    rows = released(np.random.default_rng(1))
    for broken in (
        [*rows, ("[90-95]", "Ulm", "flu")],
        [*rows, *[("[90-95]", "Ulm", "flu")] * 3],
        [*rows, ("*", "*", "flu"), ("*", "*", "cold")],
    ):
        with pytest.raises(GuaranteeError, match="break the promise"):
            verdict(broken)


def test_rows_that_are_lost_or_exchanged_are_found():
    rows = released(np.random.default_rng(2))
    with pytest.raises(GuaranteeError, match="rows where"):
        verdict(rows, n_rows=len(rows) + 1)
    counted = {}
    for row in rows:
        counted[row[2]] = counted.get(row[2], 0) + 1
    verdict(rows, expected={"illness": counted})
    other = counted | {"flu": counted["flu"] + 1, "cold": counted["cold"] - 1}
    with pytest.raises(GuaranteeError, match="as often as in the source"):
        verdict(rows, expected={"illness": other})


def test_columns_that_may_not_leave_are_found():
    rows = released(np.random.default_rng(3))
    named = [(*row, "Ada") for row in rows]
    with pytest.raises(GuaranteeError, match="may not be released"):
        verdict(named, names=("age", "city", "illness", "name"))
    with pytest.raises(GuaranteeError, match="lacks quasi-identifiers"):
        verdict([row[1:] for row in rows], names=("city", "illness"))


def test_one_broken_part_among_many_is_enough():
    judge = GroupJudge(KAnonymity(2), ("age",), {}, {})
    fine = judge.judge(pa.table({"q0": ["a", "b"], "shoal_rows": [2, 5]}))
    bad = judge.judge(pa.table({"q0": ["c"], "shoal_rows": [1]}))
    assert _combine(judge.privacy, [json.loads(json.dumps(fine))]).sizes == {2: 1, 5: 1}
    with pytest.raises(GuaranteeError):
        _combine(judge.privacy, [fine, bad])
