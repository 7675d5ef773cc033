import json

import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.metrics import risk
from shoal.privacy.models._population import with_population
from tests.metrics.tables import random_release
from tests.reference import metrics as twin
from tests.reference.rows import table


@pytest.mark.parametrize("seed", range(30))
def test_agrees_with_the_plain_reference(seed):
    rng = np.random.default_rng(seed)
    recoded, rows, classes = random_release(rng, share_suppressed=0.1)
    groups = twin.groups_of(rows, classes)
    if not groups:
        assert risk(recoded.groups).n_rows == 0
        return
    more = rng.integers(0, 5, len(groups))
    candidates = [len(g) + extra for g, extra in zip(groups, more, strict=True)]
    found = risk(recoded.groups, population=_in_order(recoded, rows, candidates), threshold=0.3)
    expected = twin.reidentification(groups, [len(g) for g in groups], 0.3)
    prosecutor = found.prosecutor
    assert (prosecutor.highest, prosecutor.average, prosecutor.share_above) == pytest.approx(
        expected
    )
    expected = twin.reidentification(groups, candidates, 0.3)
    journalist = found.journalist
    assert (journalist.highest, journalist.average, journalist.share_above) == pytest.approx(
        expected
    )
    assert found.marketer == pytest.approx(expected[1])
    assert found.sample_uniques == sum(len(g) == 1 for g in groups)
    n = sum(map(len, groups))
    together = sum(len(g) * (len(g) - 1) for g in groups)
    assert found.distinct_ratio == pytest.approx(len(groups) / n if n else 0)
    assert found.separation_ratio == pytest.approx(1 - together / (n * (n - 1)) if n > 1 else 1)
    assert found.population_uniques == sum(n == 1 for n in candidates)
    column = found.inference["class"]
    certain, highest, average = twin.inference(groups)
    assert column.certain_rows == certain
    assert column.highest_confidence == pytest.approx(highest)
    assert column.average_confidence == pytest.approx(average)


def _in_order(recoded, rows, candidates):
    """Candidates in the order of the recoded table's groups."""
    first = {}
    for i, (_, labels) in enumerate(rows):
        if labels is not None:
            first.setdefault(tuple(map(frozenset, labels)), i)
    order = []
    keys = list(first)
    for codes in recoded.codes:
        sets = [
            frozenset(own.coding.texts[own.low[c] : own.high[c] + 1])
            for own, c in zip(recoded.labels, codes, strict=True)
        ]
        texts = [
            [frozenset(None if v is None else str(v) for v in part) for part in key] for key in keys
        ]
        order.append(texts.index(sets))
    return np.array(candidates)[order]


def test_without_a_population_the_table_is_taken_for_it():
    found = risk(table([[{"s": "x"}] * 2, [{"s": "x"}, {"s": "y"}] * 2]))
    assert found.journalist == found.prosecutor
    assert found.marketer == pytest.approx(2 / 6)
    assert found.population_uniques is None
    assert found.inference["s"].certain_rows == 2


def test_a_counted_population_is_used():
    cells = table([[{}], [{}] * 2])
    everybody = table([[{}] * 4, [{}] * 2])
    found = risk(with_population(cells, everybody))
    assert found.journalist.highest == 0.5
    assert found.prosecutor.highest == 1.0
    assert found.inference == {}


def test_suppressed_rows_are_in_no_group():
    recoded, _, _ = random_release(np.random.default_rng(0), share_suppressed=1.0)
    found = risk(recoded.groups)
    assert (found.n_rows, found.n_groups, found.prosecutor.highest) == (0, 0, 0.0)
    before = risk(recoded.cells)
    assert before.n_rows == recoded.cells.n_rows
    json.dumps(before.to_dict())


def test_wrong_parameters_are_refused():
    groups = table([[{"s": "x"}] * 2])
    with pytest.raises(ParameterError, match="threshold"):
        risk(groups, threshold=2)
    with pytest.raises(ParameterError, match="2 counts, the table 1 groups"):
        risk(groups, population=np.array([3, 4]))
    with pytest.raises(ParameterError, match="fewer people"):
        risk(groups, population=np.array([1]))
    with pytest.raises(SchemaError, match="'q' are not counted"):
        risk(groups, sensitive=["q"])
