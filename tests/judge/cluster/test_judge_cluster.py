"""The judge of clusters: what a worker says of some groups, and the verdict on all of them."""

import json
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from shoal.anonymize.regions._region_solver import with_whole
from shoal.errors import GuaranteeError
from shoal.judge.cluster._group_judge import GroupJudge
from shoal.judge.cluster._judge_cluster import _combine, judge_cluster
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
NAMES = ("age", "city", "illness")
MODEL = KAnonymity(3) & DistinctDiversity(2, "illness") & TCloseness(0.9, "illness")


@contextmanager
def by_workers():
    """Let workers count, as they do where values are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.judge.cluster._spark_groups.LEAST_VALUES_FOR_WORKERS", 0)
        yield


class Frame:
    """The few methods of a Spark DataFrame that the judge asks, over a list of rows."""

    by = ()

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

    @property
    def dtypes(self):
        return [(name, "string") for name in self.columns]

    @property
    def schema(self):
        return SimpleNamespace(
            fields=[SimpleNamespace(name=name, metadata={}) for name in self.columns]
        )

    def selectExpr(self, *listed):  # noqa: N802
        pairs = [one.replace("`", "").split(" AS ") for one in listed]
        index = [self.columns.index(pair[0]) for pair in pairs]
        return Frame([p[-1] for p in pairs], [tuple(row[i] for i in index) for row in self.rows])

    def repartition(self, _n_parts, *names):
        parted = Frame(self.columns, self.rows)
        parted.by = [self.columns.index(name) for name in names]
        return parted

    def mapInArrow(self, work, schema):  # noqa: N802
        """Batches of a few rows in three parts and an empty one: by labels, or by chance."""
        names = [field.split()[0] for field in schema.split(", ")]
        made = []
        for part in range(4):
            rows = [row for at, row in enumerate(self.rows) if self._part(at, row) == part]
            tables = [self._batch(rows[start : start + 5]) for start in range(0, len(rows), 5)]
            made += [row for batch in work(iter(tables)) for row in batch.to_pylist()]
        return Frame(names, [tuple(row[name] for name in names) for row in made])

    def _part(self, at, row):
        return (hash(tuple(row[i] for i in self.by)) if self.by else at) % 3

    def _batch(self, rows):
        kinds = {"h": pa.list_(pa.int32()), "m": pa.list_(pa.int32()), "shoal_rows": pa.int64()}
        fields = [(n, kinds.get(n, kinds.get(n[0], pa.string()))) for n in self.columns]
        named = [dict(zip(self.columns, row, strict=True)) for row in rows]
        return pa.RecordBatch.from_pylist(named, schema=pa.schema(fields))

    def collect(self):
        return self.rows


class Grouped:
    def __init__(self, frame, names):
        self.frame, self.names = frame, names

    def count(self):
        counts = self.frame._grouped(self.names)
        return Frame([*self.names, "count"], [(*key, n) for key, n in counts.items()])


def released(rng, n_groups=30):
    rows = []
    for group in range(n_groups):
        labels = (f"[{group}-{group + 5}]", None if group % 7 == 0 else f"city {group % 4}")
        size = int(rng.integers(3, 9))
        rows += [(*labels, "flu"), (*labels, "cold")]
        rows += [(*labels, str(v)) for v in rng.choice(["flu", "cold", "gout"], size - 2)]
    return rows


def verdict(rows, names=NAMES, n_rows=None, expected=None, model=MODEL, n_groups=None):
    frame = Frame(names, rows)
    n_rows = len(rows) if n_rows is None else n_rows
    with by_workers():
        return judge_cluster(frame, SCHEMA, n_rows, partial(with_whole, model), expected, n_groups)


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
    # however many groups are thought to be there
    assert verdict(rows, n_groups=1) == verdict(rows, n_groups=10**6) == found


def test_blocks_of_any_size_are_counted_alike(monkeypatch):
    rows = released(np.random.default_rng(4))
    found = verdict(rows)
    for together in (1, 7, 40):
        monkeypatch.setattr(
            "shoal.judge.cluster._judge_cluster._ROWS_TOGETHER", together, raising=True
        )
        assert verdict(rows) == found


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
    fine = judge.judge(judge.count(pa.table({"q0": ["a", "b"], "shoal_rows": [2, 5]})))
    bad = judge.judge(judge.count(pa.table({"q0": ["c"], "shoal_rows": [1]})))
    assert _combine(judge.privacy, [json.loads(json.dumps(fine))]).sizes == {2: 1, 5: 1}
    with pytest.raises(GuaranteeError):
        _combine(judge.privacy, [fine, bad])
