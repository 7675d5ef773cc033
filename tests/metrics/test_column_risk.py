from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from shoal.metrics._column_risk import column_risks
from shoal.privacy import KAnonymity, LKCPrivacy, Requirement
from shoal.schema import Schema
from shoal.tables import open_table

SCHEMA = Schema({name: {"role": "quasi-identifier"} for name in "abc"})


@pytest.mark.parametrize("seed", range(5))
def test_chances_are_those_of_a_count(seed):
    rng = np.random.default_rng(seed)
    rows = [tuple(row) for row in rng.integers(0, 3, (40, 3)).astype(str).tolist()]
    table = dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True))
    cells = open_table(table).compress(SCHEMA).cells
    promise = KAnonymity(2) & Requirement(("c", "a"), 3) & LKCPrivacy(2, 5)
    named, any_two = column_risks(cells, promise)
    pairs = [Counter((row[i], row[j]) for row in rows) for i, j in combinations(range(3), 2)]
    assert (named.known, named.sets) == ("'c', 'a'", 1)
    assert named.fewest == min(pairs[1].values())
    assert named.average == pytest.approx(len(pairs[1]) / 40)
    assert (any_two.known, any_two.sets) == ("any 2 quasi-identifiers", 3)
    assert any_two.fewest == min(n for pair in pairs for n in pair.values())
    assert any_two.highest == pytest.approx(1 / any_two.fewest)
    assert any_two.average == pytest.approx(max(map(len, pairs)) / 40)


def test_without_such_a_promise_there_is_nothing_to_say():
    cells = open_table({"a": ["x"], "b": ["x"], "c": ["x"]}).compress(SCHEMA).cells
    assert column_risks(cells, KAnonymity(1)) == ()
