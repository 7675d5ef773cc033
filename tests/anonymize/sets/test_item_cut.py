from itertools import product

import numpy as np
import pytest

from shoal.anonymize.sets._item_cut import find_cut, holds, item_loss
from shoal.anonymize.sets._transactions import generalize
from shoal.errors import InfeasibleError
from shoal.schema import Hierarchy
from tests.anonymize.sets.test_transactions import random_sets

PARENTS = {**dict.fromkeys("ab", "ab"), **dict.fromkeys("cd", "cd"), **dict.fromkeys("ef", "ef"),
           "ab": "left", "cd": "left", "left": "*", "ef": "*"}  # fmt: skip
TREE = Hierarchy.from_parents(PARENTS, column="basket")


def with_leaves(seed, n_rows=25):
    """Rows whose items are leaves of the tree, all of them present."""
    _, (names, sets) = random_sets(np.random.default_rng(seed), n_rows)
    place = {str(TREE.labels[leaf]): leaf for leaf in range(TREE.n_leaves)}
    return generalize(sets, np.array([place[name] for name in names]))


def cuts():
    """Every cut through the tree: a node for each leaf, subtrees whole."""
    ways = [
        [node for node in range(TREE.n_nodes) if TREE.start[node] <= leaf < TREE.stop[node]]
        for leaf in range(TREE.n_leaves)
    ]
    for chosen in product(*ways):
        nodes = np.array(chosen)
        if all((nodes[TREE.start[n] : TREE.stop[n]] == n).all() for n in nodes.tolist()):
            yield nodes


CUTS = list(cuts())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("k", "m"), [(2, 1), (3, 2), (4, 2), (3, 3)])
def test_the_cut_holds_and_no_node_of_it_can_be_lowered(seed, k, m):
    sets = with_leaves(seed)
    found = find_cut(sets, TREE, k, m)
    assert any((found == cut).all() for cut in CUTS)
    assert holds(generalize(sets, found), k, m)
    finer = [
        cut for cut in CUTS
        if (TREE.n_leaves_below[cut] <= TREE.n_leaves_below[found]).all() and (cut != found).any()
    ]  # fmt: skip
    single = [cut for cut in finer if len({*found.tolist()} - {*cut.tolist()}) == 1]
    lowered = [
        cut for cut in single
        if all(TREE.parent[node] in found for node in set(cut.tolist()) - set(found.tolist()))
    ]  # fmt: skip
    assert not any(holds(generalize(sets, cut), k, m) for cut in lowered)


@pytest.mark.parametrize("seed", range(12))
def test_little_more_is_lost_than_by_the_best_cut(seed):
    sets = with_leaves(seed, 40)
    occurrences = np.bincount(sets.items, minlength=TREE.n_leaves).astype(float)
    best = min(
        item_loss(cut, TREE, occurrences) for cut in CUTS if holds(generalize(sets, cut), 3, 2)
    )
    assert item_loss(find_cut(sets, TREE, 3, 2), TREE, occurrences) <= best + 0.25


@pytest.mark.parametrize("seed", range(6))
def test_generalizing_keeps_what_holds(seed):
    """The lemma, for every pair of a cut and a coarser one."""
    sets = with_leaves(seed)
    fine = [cut for cut in CUTS if holds(generalize(sets, cut), 3, 2)]
    for cut in fine:
        for other in CUTS:
            if (TREE.n_leaves_below[other] >= TREE.n_leaves_below[cut]).all():
                assert holds(generalize(sets, other), 3, 2)


def test_too_few_rows_with_items_are_refused():
    with pytest.raises(InfeasibleError, match="So few rows"):
        find_cut(with_leaves(0, 2), TREE, 5, 2)
