"""What supports tell together, held against programs and tables that try everything."""

import os
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from shoal.privacy.spans._rule_worlds import ItemTree, has_world


def subsets(items):
    return [frozenset(c) for size in range(len(items) + 1) for c in combinations(items, size)]


def derivable(supports, n_rows, items, private, k, allowed=lambda cell: True):
    """Conjunctions with a private item of which linear programs count 1 to k - 1 for certain."""
    cells = [cell for cell in subsets(sorted(items)) if allowed(cell)]
    known = {frozenset(): n_rows} | supports
    rows = np.array([[one <= cell for cell in cells] for one in known], float)
    right = np.array(list(known.values()), float)
    found = []
    for signs in product((None, True, False), repeat=len(items)):
        test = {i: s for i, s in zip(sorted(items), signs, strict=True) if s is not None}
        if not private & test.keys():
            continue
        event = np.array([all((i in c) == s for i, s in test.items()) for c in cells], float)
        most = -linprog(-event, A_eq=rows, b_eq=right, bounds=(0, None)).fun
        if np.floor(most + 1e-6) > k - 1:
            continue
        if np.ceil(linprog(event, A_eq=rows, b_eq=right, bounds=(0, None)).fun - 1e-6) >= 1:
            found.append(test)
    return found


def tables(n_rows, cells):
    """All ways to put rows into cells."""
    if len(cells) == 1:
        yield {cells[0]: n_rows}
        return
    for count in range(n_rows + 1):
        for rest in tables(n_rows - count, cells[1:]):
            yield {cells[0]: count} | rest


def random_supports(rng, items, n_rows):
    has = rng.random((n_rows, len(items))) < rng.uniform(0.2, 0.9, len(items))
    sets = [one for one in subsets(items) if one]
    chosen = rng.permutation(len(sets))[: rng.integers(1, len(sets) + 1)]
    columns = dict(zip(items, has.T, strict=True))
    return {
        sets[i]: int(np.logical_and.reduce([columns[item] for item in sorted(sets[i])]).sum())
        for i in chosen.tolist()
    }


@pytest.mark.parametrize("seed", range(60))
def test_every_table_with_the_same_supports(seed):
    """Where a world is claimed, no count of 1 to k - 1 is common to all tables there are."""
    rng = np.random.default_rng(seed)
    items, n_rows, k = ("a", "b"), int(rng.integers(4, 12)), int(rng.integers(2, 4))
    supports = random_supports(rng, items, n_rows)
    private = {"a", "b"}
    cells = subsets(items)
    same = [
        table
        for table in tables(n_rows, cells)
        if all(sum(table[c] for c in cells if s <= c) == v for s, v in supports.items())
    ]
    small = False
    for event in range(1, 1 << len(cells)):
        own = [cell for place, cell in enumerate(cells) if event >> place & 1]
        counts = {sum(table[cell] for cell in own) for table in same}
        small |= min(counts) >= 1 and max(counts) < k
    assert not (small and has_world(supports, n_rows, k, private))
    exists = any(all(c == 0 or c >= k for c in table.values()) for table in same)
    if frozenset("ab") in supports:  # else both items are looked at apart
        assert has_world(supports, n_rows, k, private) == exists


def test_linear_programs_derive_nothing_where_a_world_is_found():
    """Random sets of supports: 0 breaks where a world is found, by an independent check."""
    found = broken = 0
    n_seeds = int(os.environ.get("SHOAL_RULE_SEEDS", "150"))  # 1,000 take two minutes
    for seed in range(n_seeds):
        rng = np.random.default_rng(10_000 + seed)
        items = tuple("abc")
        n_rows, k = int(rng.integers(20, 200)), int(rng.choice([3, 5, 10]))
        supports = random_supports(rng, items, n_rows)
        if has_world(supports, n_rows, k, {"a"}):
            found += 1
            broken += bool(derivable(supports, n_rows, items, {"a"}, k))
    assert found > n_seeds // 10
    assert broken == 0


def test_a_parent_and_its_items():
    """Ten with a parent, eight of them with its only other item: two are left for the first."""
    tree = ItemTree.from_parents({"apill": "drug", "zsyrup": "drug"})
    supports = {frozenset(["drug"]): 40, frozenset(["zsyrup"]): 38}
    private = {"apill", "zsyrup", "drug"}
    assert not has_world(supports, 100, 10, private, tree)
    supports[frozenset(["zsyrup"])] = 30
    assert has_world(supports, 100, 10, private, tree)
    supports[frozenset(["apill"])] = 5
    assert not has_world(supports, 100, 10, private, tree)
    supports[frozenset(["apill"])] = 10
    assert has_world(supports, 100, 10, private, tree)


def test_a_parent_is_there_with_one_of_its_items():
    """All items of the parent are known: nobody has it without one."""
    tree = ItemTree.from_parents({"a": "p", "b": "p"})
    supports = {frozenset("p"): 30, frozenset("a"): 20, frozenset("b"): 5}
    assert not has_world(supports, 100, 5, {"a"}, tree)
    supports[frozenset("b")] = 10
    assert has_world(supports, 100, 5, {"a"}, tree)


def test_public_items_of_their_own_are_left_alone():
    supports = {frozenset("a"): 50, frozenset("b"): 3}
    assert has_world(supports, 100, 10, {"a"})
    assert not has_world(supports, 100, 10, {"b"})
    assert not has_world(supports | {frozenset("ab"): 3}, 100, 10, {"a"})
