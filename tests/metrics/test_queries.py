import json
from math import prod

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.metrics import query_errors
from shoal.metrics._measure import released_raw
from shoal.metrics._queries import Among, Between, CountQuery, QueryCondition
from tests.metrics.tables import GRADES, INCOMES, random_release

QUERIES = [
    CountQuery(
        (QueryCondition("city", (Among(("a", "d")),)), QueryCondition("income", (Between(11, 20),)))
    ),
    CountQuery((QueryCondition("income", (Between(low=12, with_low=False),)),)),
    CountQuery((QueryCondition("grade", (Among(("2",)),), negated=True),)),
    CountQuery((QueryCondition("city", (Among((None,)),), negated=True),)),
    CountQuery((QueryCondition("city", (Among(("a",)),), negated=True),)),
    CountQuery(()),
]
MEANT = [
    lambda c, i, g: c in ("a", "d") and i in (12, 20),
    lambda c, i, g: i in (20, 45),
    lambda c, i, g: g != "2",
    lambda c, i, g: c is not None,
    lambda c, i, g: c not in ("a", None),
    lambda c, i, g: True,
]
PARTS = [  # the same, column by column
    [lambda c: c in ("a", "d"), lambda i: i in (12, 20), lambda g: True],
    [lambda c: True, lambda i: i in (20, 45), lambda g: True],
    [lambda c: True, lambda i: True, lambda g: g != "2"],
    [lambda c: c is not None, lambda i: True, lambda g: True],
    [lambda c: c not in ("a", None), lambda i: True, lambda g: True],
    [lambda c: True, lambda i: True, lambda g: True],
]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("least_share", [0.0, 0.5])
def test_agrees_with_asking_row_by_row(seed, least_share):
    recoded, rows, _ = random_release(np.random.default_rng(seed))
    found = query_errors(recoded, QUERIES, least_share=least_share)
    for at, (meant, parts) in enumerate(zip(MEANT, PARTS, strict=True)):
        true, estimate, picked, right = 0, 0.0, 0, 0
        for raw, sets in rows:
            true += meant(*raw)
            if sets is None:
                continue
            share = prod(
                sum(map(part, values)) / len(values)
                for part, values in zip(parts, sets, strict=True)
            )
            estimate += share
            picked += share > least_share
            right += share > least_share and meant(*raw)
        assert found.true[at] == true
        assert found.estimated[at] == pytest.approx(estimate)
        assert found.relative_error[at] == pytest.approx(abs(estimate - true) / max(true, 1))
        assert found.precision[at] == pytest.approx(right / picked if picked else 1)
        assert found.recall[at] == pytest.approx(right / true if true else 1)


def test_a_raw_table_answers_exactly():
    recoded, _, _ = random_release(np.random.default_rng(5))
    found = query_errors(released_raw(recoded.cells), QUERIES)
    summary = json.loads(json.dumps(found.to_dict()))
    assert summary["mean_relative_error"] == 0
    assert summary["precision"] == summary["recall"] == 1
    assert query_errors(recoded, []).to_dict()["queries"] == 0


def test_every_group_that_may_match_is_picked():
    recoded, _, _ = random_release(np.random.default_rng(7), share_suppressed=0)
    assert (query_errors(recoded, QUERIES).recall == 1).all()


def test_values_match_as_numbers_and_as_texts():
    assert Among((12.0, "45")).matches(INCOMES).tolist() == [False, True, False, True, False]
    assert Between("2", None).matches(GRADES).tolist() == [False, True, True]
    assert Between(12.5, 45).matches(INCOMES).tolist() == [False, False, True, True, False]


def test_queries_that_cannot_be_answered_are_refused():
    recoded, _, _ = random_release(np.random.default_rng(0))
    with pytest.raises(ParameterError, match="not a quasi-identifier"):
        query_errors(recoded, [CountQuery((QueryCondition("nobody", (Among((1,)),)),))])
    with pytest.raises(ParameterError, match="floor"):
        query_errors(recoded, QUERIES, floor=0)
