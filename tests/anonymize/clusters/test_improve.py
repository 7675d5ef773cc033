import numpy as np
import pytest

from shoal.anonymize.clusters import _improve
from shoal.anonymize.clusters._improve import effort_of
from tests.anonymize.clusters.boxes.test_exchange import problem_of


@pytest.fixture
def large(monkeypatch):
    """From how many rows on a group is large: here all are."""
    monkeypatch.setattr(_improve, "_LARGE", 1)


@pytest.mark.usefixtures("large")
def test_groups_are_few_where_they_are_large_and_there_is_room_for_few(monkeypatch):
    problem = problem_of(1, 0)
    assert effort_of(problem).few_groups
    monkeypatch.setattr(_improve, "_FEW_GROUPS", 1)
    assert not effort_of(problem).few_groups
    monkeypatch.setattr(_improve, "_FEW_GROUPS", 1_024)
    monkeypatch.setattr(_improve, "_LARGE", 50)
    assert not effort_of(problem).few_groups


@pytest.mark.usefixtures("large")
def test_one_group_is_not_exchanged():
    problem = problem_of(1, 0)
    assert effort_of(problem.take(np.arange(1))).looks == 0


@pytest.mark.usefixtures("large")
def test_cells_that_add_nobody_stay_out_of_it():
    problem = problem_of(1, 0)
    sizes = problem.compiled.sizes.copy()
    sizes[0] = 0
    problem.compiled.sizes[:] = sizes
    assert effort_of(problem).looks == 0
