from dataclasses import replace

import numpy as np
import pytest

from shoal.anonymize.clusters import _starts
from shoal.tables import open_table
from tests.anonymize.clusters.test_local_solver import problem_of, random_table


@pytest.mark.parametrize("k", [3, 20, 70])
def test_a_walk_through_all_nodes_leaves_nothing_for_one_that_begins_higher(monkeypatch, k):
    table, schema = random_table(5, 4, 300)
    problem = problem_of(open_table(table).compress(schema).cells, k)
    made = []
    make_walk = _starts.make_walk
    monkeypatch.setattr(
        _starts, "make_walk", lambda problem, *rest: made.append(0) or make_walk(problem, *rest)
    )
    group_of, in_time = _starts.by_walk(problem, np.inf)
    assert in_time
    assert len(made) == 1
    any_model = problem.compiled._replace(size_only=False)
    further, _ = _starts.by_walk(replace(problem, compiled=any_model), np.inf)
    assert (further == group_of).all()
    assert len(made) > 2 or (further >= 0).all()
