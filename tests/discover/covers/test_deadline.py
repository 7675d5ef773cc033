import itertools

import pytest

from shoal.discover.covers._deadline import Deadline, begin
from shoal.discover.covers._hitting import Budget
from shoal.errors import ParameterError


def test_a_deadline_passes_when_its_clock_says_so():
    clock = itertools.count().__next__
    deadline = Deadline(3, clock)  # begins at 0
    assert [deadline.passed for _ in range(4)] == [False, False, True, True]
    assert not Deadline(None, clock).passed


def test_a_share_ends_earlier_and_no_limit_stays_none():
    deadline = Deadline(8.0, lambda: 0.0)
    assert deadline.share(0.25).until == 2.0
    assert not Deadline(None).share(0.5).passed
    assert begin(deadline) is deadline


@pytest.mark.parametrize("wrong", [0, -1.0, "soon", True, float("nan")])
def test_wrong_limits_are_refused(wrong):
    with pytest.raises(ParameterError, match="time_limit must be"):
        begin(wrong)


def test_a_budget_that_is_used_up_stays_so():
    times = iter([0.0, 0.5, 2.0, 0.0])
    budget = Budget(10, Deadline(1.0, lambda: next(times)))
    assert budget.take()
    assert not budget.take()
    assert not budget.goes_on()
    assert budget.over
