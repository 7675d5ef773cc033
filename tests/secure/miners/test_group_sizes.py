"""Groups of k people or none, decided on shares; what is small is told in one bit, by nobody."""

import numpy as np
import pytest

from shoal.errors import ProtocolError
from shoal.secure import FirstParty, SecureID3, TablePart, Terms
from shoal.secure.miners._group_sizes import all_large
from tests.reference.owners import run_seats
from tests.secure.owners.test_helper import lose

WIDTH = 7


def ask(party, share, k):
    return all_large(party, share, k, WIDTH)


@pytest.mark.parametrize("k", [1, 2, 5, 127, 128, 1000])
def test_every_group_is_compared_and_only_one_bit_is_opened(both, k, monkeypatch):
    rng, opened, run = np.random.default_rng(k), [], FirstParty.run

    def noted(party, program, bits):
        opened.append(program.n_open * len(bits))
        return run(party, program, bits)

    monkeypatch.setattr(FirstParty, "run", noted)
    limits = [k - 1, k, k + 1, 0, 127]
    cases = [[0, 0], [k, 0, 127], [k - 1], [*limits], [0] * 300, [k] * 300 + [k - 1], [1]]
    for case in cases:
        sizes = np.clip(case, 0, 127).astype(np.uint32)
        share = rng.integers(0, 2**32, sizes.shape, dtype=np.uint32)
        one, two = both(ask, (share, k), (sizes - share, k))
        assert one == two == all(size == 0 or size >= k for size in sizes.tolist())
    assert opened == [0, 1] * len(cases)


NAMES, VALUES = ["a", "b", "class"], [["x", "y"], ["x", "y"], ["no", "yes"]]


def rows(*groups):
    return TablePart(NAMES, VALUES, np.array([row for row, n in groups for _ in range(n)]))


FEW_WITHOUT = {  # without the last one, two people are left where a = y
    "owner0": rows(((0, 0, 0), 20), ((0, 1, 0), 20), ((1, 0, 1), 1)),
    "owner1": rows(((0, 0, 0), 20), ((1, 1, 0), 1)),
    "owner2": rows(((1, 0, 1), 12), ((1, 1, 1), 12)),
}


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("number", [17, 19, 21, 23])
def test_what_a_lost_owner_leaves_is_never_opened_below_k(depth, number):
    """Decided with the owner's rows, and told without them: a class or a count of two people."""
    terms = Terms(list(FEW_WITHOUT), most_rows=128, loss="continue")
    fit = lambda: SecureID3("class", max_depth=depth, k=5, reveal_counts=True)  # noqa: E731
    results, seats = run_seats(terms, fit, FEW_WITHOUT, wrap=lose(number, "cut"))
    del results["owner2"]
    if not seats["first"].lost:  # it was all over by then
        assert (results["first"].counts_.sum(axis=1) >= 5).all()
        return
    assert [type(result) for result in results.values()] == [ProtocolError] * 4
    assert all("fewer than k=5 people" in str(result) for result in results.values())
    assert "class counts" not in seats["owner0"].ledger.to_text()


def test_a_lost_owner_that_leaves_enough_people_stops_nobody():
    parts = {**FEW_WITHOUT, "owner1": rows(((0, 0, 0), 20), ((1, 1, 0), 9), ((1, 0, 1), 9))}
    terms = Terms(list(parts), most_rows=128, loss="continue")
    fit = lambda: SecureID3("class", max_depth=2, k=5, reveal_counts=True)  # noqa: E731
    results, seats = run_seats(terms, fit, parts, wrap=lose(17, "cut"))
    assert seats["owner0"].lost == ["owner2"]
    assert results["owner0"].tree_.attribute[0] == 0
    assert (results["owner0"].counts_.sum(axis=1) >= 5).all()
