import pytest

from shoal.discover import _attackers, uniqueness
from shoal.discover._attackers import find_attackers
from shoal.discover.covers._deadline import Deadline
from tests.discover.tables import coded, random_table


def _silent(done, total, what):
    """Report no progress."""


@pytest.mark.parametrize("looks", [1, 10**9])
def test_what_is_found_is_exact_and_below_the_bound(monkeypatch, looks):
    monkeypatch.setattr(_attackers, "LOOKS", looks)
    table = coded(random_table(3, 7, 100, 4))
    found = find_attackers(table, 3, Deadline(None), _silent)
    truth = uniqueness(table, 3)
    for size, (risk, most) in enumerate(zip(found.worst, found.bounds, strict=True), 1):
        assert risk in truth.of_size(size)
        assert risk.unique <= truth.worst(size).unique <= most
        if size <= found.exhaustive_size:
            assert risk.unique == truth.worst(size).unique == most
    assert found.exhaustive_size == (3 if looks == 10**9 else 1)


def test_without_time_there_is_a_set_of_each_size():
    table = coded(random_table(3, 7, 100, 4))
    found = find_attackers(table, 3, Deadline(0.0), _silent)
    assert [len(risk.attributes) for risk in found.worst] == [1, 2, 3]
    assert found.exhaustive_size == 1


def test_progress_says_how_bad_it_is_so_far(monkeypatch):
    monkeypatch.setattr(_attackers, "LOOKS", 1)
    told = []
    table = coded(random_table(3, 7, 100, 4))
    find_attackers(table, 2, Deadline(None), lambda done, total, what: told.append(what))
    assert "unique rows so far" in told[0]
