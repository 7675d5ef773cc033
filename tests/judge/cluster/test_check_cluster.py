"""Groups that are checked where they are: the same verdict as on groups at hand."""

from functools import partial

import numpy as np
import pytest

from shoal.anonymize import check_table
from shoal.anonymize.regions._region_solver import with_whole
from shoal.judge.cluster._check_cluster import SHOWN, check_cluster
from tests.judge.cluster.test_judge_cluster import MODEL, SCHEMA, Frame, by_workers, released

NAMES = ("age", "city", "illness")


def both(rows):
    """The verdict by workers, and on a table in memory."""
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    with by_workers():
        there = check_cluster(Frame(NAMES, rows), SCHEMA, partial(with_whole, MODEL))
    return there, check_table(columns, SCHEMA, MODEL, shown=SHOWN)


@pytest.mark.parametrize("seed", range(3))
def test_failing_groups_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    rows = released(rng)
    rows = [rows[i] for i in np.flatnonzero(rng.random(len(rows)) < 0.7)]  # groups break
    there, here = both(rows)
    assert there.n_failing_groups == here.n_failing_groups > 0
    assert (there.n_rows, there.n_failing_rows) == (here.n_rows, here.n_failing_rows)
    assert sum(there.verdict.sizes.values()) == here.n_groups
    for level, expected in zip(there.verdict.levels, here.reached, strict=True):
        assert level.reached == pytest.approx(expected.reached)
        assert level.failing_rows == expected.failing_rows
    kinds = ("KAnonymity", "DistinctDiversity of 'illness'", "TCloseness of 'illness'")
    told = sorted((size, tuple(kinds[part] for part in broken)) for size, broken in there.failing)
    assert told == sorted((group.rows, group.breaks) for group in here.failing)


def test_a_table_that_keeps_its_promise_has_no_failing_group():
    there, here = both(released(np.random.default_rng(5)))
    assert here.holds
    assert (there.n_failing_groups, there.n_failing_rows, there.failing) == (0, 0, ())
    assert all(level.holds for level in there.verdict.levels)
