"""Columns and cells of the same rows at three owners: the tree and the net of the whole table."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import OwnerLostError, ProtocolError
from shoal.secure import SecureBayesNet, SecureID3, TablePart, Terms, run_owners
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from tests.reference.id3 import id3, nested
from tests.reference.k2 import ASIA, k2, sample_asia
from tests.reference.kanonymous import grow
from tests.reference.owners import run_seats
from tests.reference.two_parties import table
from tests.secure.owners.test_helper import lose


def split(codes, arities, holder, names=None):
    """Parts of a table by who holds each cell."""
    names = names or [*(f"a{i}" for i in range(len(arities) - 1)), "class"]
    values = [[f"v{j}" for j in range(a)] for a in arities]
    return {
        f"owner{i}": TablePart(names, values, np.where(holder == i, codes, -1), "cells")
        for i in range(3)
    }


@settings(deadline=None, max_examples=5)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 40),
    arities=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    k=st.sampled_from([None, 1]),
)
def test_a_tree_of_cells_at_three_owners_is_that_of_the_table(seed, rows, arities, k):
    codes = table(seed, rows, arities)
    holder = np.random.default_rng(seed).integers(0, 3, codes.shape)
    parts = split(codes, arities, holder)
    model = SecureID3("class", max_depth=2, k=k)
    learnt = run_owners(Terms(list(parts), most_rows=64), model, parts)
    log = logarithm_for("chebyshev", rows, 3).clear
    target = len(arities) - 1
    if k is None:
        expected, _ = id3(codes, target, arities, max_depth=2, log=log)
    else:
        expected, _ = grow(codes, target, arities, k, max_depth=2, log=log)
    assert [nested(model.tree_) for model in learnt.values()] == [expected] * 5


def test_asia_split_by_columns_among_three_is_k2_on_the_whole_table():
    codes, arities = sample_asia(3000, seed=4), [2] * 8
    holder = np.broadcast_to(np.arange(8) % 3, codes.shape)
    parts = split(codes, arities, holder, list(ASIA))
    learnt = run_owners(Terms(list(parts), most_rows=3000), SecureBayesNet(), parts)
    expected, margin = k2(codes, arities, list(range(8)), 2)
    assert margin > 0.5
    assert [model.structure_.parents for model in learnt.values()] == [expected] * 5


@pytest.mark.parametrize("check", [True, False])
def test_cells_that_nobody_or_two_hold_are_refused(check):
    codes, arities = table(1, 20, [3, 2]), [3, 2]
    parts = split(codes, arities, np.zeros(codes.shape, int))
    terms = Terms(list(parts), most_rows=20, check_inputs=check)
    for row, codes_of in ((4, {"owner0": -1}), (5, {"owner1": 0}), (6, {"owner1": 1})):
        changed = {name: part.codes.copy() for name, part in parts.items()}
        for name, code in codes_of.items():
            changed[name][row, 1] = code
        wrong = {
            name: TablePart(part.names, part.values, changed[name], "cells")
            for name, part in parts.items()
        }
        if check:
            with pytest.raises(ProtocolError, match="no owner or by several"):
                run_owners(terms, SecureID3("class"), wrong)
        else:
            run_owners(terms, SecureID3("class"), wrong)


def test_an_owner_is_needed_until_it_has_shared_its_cells():
    codes, arities = table(1, 20, [3, 2]), [3, 2]
    parts = split(codes, arities, np.broadcast_to(np.arange(2), codes.shape))
    terms = Terms(list(parts), most_rows=20, loss="continue")
    results, _ = run_seats(terms, lambda: SecureID3("class"), parts, wrap=lose(9, "cut"))
    assert isinstance(results["first"], OwnerLostError)
    assert "lost on the way: owner2" in str(results["owner0"])


def test_other_numbers_of_rows_are_an_error():
    codes, arities = table(1, 20, [3, 2]), [3, 2]
    parts = split(codes, arities, np.broadcast_to(np.arange(2), codes.shape))
    short = TablePart(parts["owner1"].names, parts["owner1"].values, codes[:9], "cells")
    with pytest.raises(ProtocolError, match="different numbers of rows"):
        run_owners(Terms(list(parts), most_rows=20), SecureID3("class"), {**parts, "owner1": short})
