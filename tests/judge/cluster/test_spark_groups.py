"""Groups that Spark counts: the verdict is that of workers who count them row by row."""

from functools import partial

import numpy as np
import pytest

from shoal.anonymize.regions._region_solver import with_whole
from shoal.errors import GuaranteeError
from shoal.judge.cluster._check_cluster import check_cluster
from shoal.judge.cluster._group_judge import GroupJudge
from shoal.judge.cluster._judge_cluster import judge_cluster
from shoal.judge.cluster._spark_groups import group_asker, spark_counts
from shoal.privacy import KAnonymity
from tests.engines import spark_session
from tests.extras import need
from tests.judge.cluster.test_judge_cluster import MODEL, NAMES, SCHEMA, released

pa = need("pyarrow")
AWKWARD = {"gout": "it's", "cold": None}


def frame_of(rows):
    """Rows in Spark; some illnesses are hard to write in SQL."""
    named = [(age, city, AWKWARD.get(illness, illness)) for age, city, illness in rows]
    kinds = ", ".join(f"{name} string" for name in NAMES)
    return spark_session().createDataFrame(named, kinds).coalesce(1)


def both(monkeypatch, ask):
    """What is said of groups that Spark counts, and of groups that workers count."""
    counted = ask()
    monkeypatch.setattr("shoal.judge.cluster._spark_groups.LEAST_VALUES_FOR_WORKERS", 0)
    return counted, ask()


def test_spark_counts_what_workers_count(monkeypatch):
    rows = released(np.random.default_rng(6))
    asked = partial(with_whole, MODEL)
    frame = frame_of(rows)
    there, here = both(monkeypatch, lambda: judge_cluster(frame, SCHEMA, len(rows), asked))
    assert there.sizes == here.sizes
    assert there.tops["illness"] == pytest.approx(here.tops["illness"])
    for level, expected in zip(there.levels, here.levels, strict=True):
        assert level.reached == pytest.approx(expected.reached)


def test_failing_groups_are_found_by_both(monkeypatch):
    rng = np.random.default_rng(7)
    rows = released(rng)
    frame = frame_of([rows[i] for i in np.flatnonzero(rng.random(len(rows)) < 0.7)])
    asked = partial(with_whole, MODEL)
    there, here = both(monkeypatch, lambda: check_cluster(frame, SCHEMA, asked))
    assert there[1:] == here[1:]
    assert there.n_failing_groups > 0
    with pytest.raises(GuaranteeError, match="break the promise"):
        judge_cluster(frame, SCHEMA, there.n_rows, asked)


class Kinds:
    def __init__(self, *kinds):
        self.dtypes = [(f"q{i}", kind) for i, kind in enumerate(kinds)]


def test_spark_counts_only_texts_of_few_values():
    judge = GroupJudge(KAnonymity(2), ("age", "city"), {}, {})
    assert spark_counts(Kinds("string", "string"), judge)
    assert not spark_counts(Kinds("string", "double"), judge)  # -0.0 is 0.0 to Spark
    many = {"illness": [(str(i), i) for i in range(40)]}
    wide = GroupJudge(KAnonymity(2), ("age",), {"illness": {}}, {}, many)
    assert not spark_counts(Kinds("string", "string"), wide)


def test_groups_are_judged_some_at_a_time(monkeypatch):
    monkeypatch.setattr("shoal.judge.cluster._spark_groups.GROUPS_TOGETHER", 3)
    batches = [pa.record_batch({"n": [2, 5]}) for _ in range(5)]
    said = list(group_asker(GroupJudge(KAnonymity(2), ("age",), {}, {}))(iter(batches)))
    assert [len(batch) for batch in said] == [1, 1, 1]
    assert not list(group_asker(GroupJudge(KAnonymity(2), ("age",), {}, {}))(iter([])))
