from itertools import product

import numpy as np
import pytest

from benchmarks._iterated import iterated_loss, levels_of
from benchmarks._standins import STAND_INS
from shoal.anonymize import LocalRecoding, Mondrian
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.metrics import measure
from shoal.privacy import KAnonymity
from shoal.tables import open_table
from tests.anonymize import group_cases


def slowly(cells, k, share):
    """The same rounds: every node that can release enough is listed, and the cheapest taken."""
    parts, costs = levels_of(cells)
    d = cells.keys.shape[1]
    left, total, dearer = np.arange(len(cells.keys)), 0.0, []
    while cells.sizes[left].sum() >= k:
        found = []
        for node in product(*(range(len(column)) for column in parts)):
            key = np.column_stack([parts[j][node[j]][left] for j in range(d)])
            number = np.unique(key, axis=0, return_inverse=True)[1].ravel()
            fine = np.bincount(number, weights=cells.sizes[left])[number] >= k
            cost = sum(costs[j][node[j]] for j in range(d))
            average = float((cost * cells.sizes).sum())
            if cells.sizes[left][fine].sum() >= max(k, share * cells.sizes[left].sum()):
                found.append((average, node, fine, cost, number))
        if not found:
            break
        _, _, fine, cost, number = min(found, key=lambda each: (round(each[0], 9), each[1]))
        total += float((cost * cells.sizes)[left][fine].sum())
        rows = np.bincount(number, weights=cells.sizes[left])[number]
        dearer += (rows * (d - cost[left]))[fine].tolist()
        left = left[~fine]
    if len(left):
        total += cells.sizes[left].sum() * d + min(dearer, default=0.0)
    return total / (cells.n_rows * d)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_rounds_are_those_of_the_slow_twin(share):
    for seed in range(3):
        cells = group_cases.cells(seed, 12)
        assert iterated_loss(cells, 4, share) == pytest.approx(slowly(cells, 4, share))


@pytest.mark.parametrize("name", STAND_INS)
@pytest.mark.parametrize("k", [4, 60])
def test_local_recoding_never_loses_more_on_tables_of_other_kinds(name, k):
    drawn = STAND_INS[name](n_rows=300)
    cells = open_table(drawn.table).compress(drawn.schema).cells

    def loss_of(method):
        recoding = method._solve(cells, method.privacy, lambda *done: None)
        return measure(recoding.recode(cells)).loss

    loss = loss_of(LocalRecoding(drawn.schema, KAnonymity(k)))
    for preferences in ({}, {"spread": 0.0, "priority": 0.0, "loss": 1.0}):
        assert loss <= loss_of(Mondrian(drawn.schema, KAnonymity(k), **preferences)) + 1e-12
    if name == "accidents":  # the others have more generalizations than a test can go through
        nodes = LocalRecoding(drawn.schema, KAnonymity(k), ranges="nodes")
        iterated = iterated_loss(grow_hierarchies(cells, None, k), k)
        assert loss_of(nodes) <= iterated + 1e-12


def test_no_two_donors_are_equal():
    table = STAND_INS["donors"](n_rows=2_000).table
    assert len(table.drop_duplicates()) == 2_000
