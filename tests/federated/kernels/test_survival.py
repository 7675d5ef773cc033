import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.metrics import roc_auc_score

from shoal.errors import InfeasibleError, ParameterError
from shoal.federated.kernels._survival import auc_at, status_at, survival_target

people = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=30
)


@settings(deadline=None)
@given(people=people, horizon=st.integers(0, 9))
def test_auc_is_that_of_the_people_whose_status_is_known(people, horizon):
    time, event, risk = map(np.array, zip(*people, strict=True))
    y = survival_target(time, event)
    known, lived = status_at(y, horizon)
    if len(set(lived)) < 2:
        with pytest.raises(InfeasibleError, match="Choose a horizon"):
            auc_at(y, risk, horizon)
    else:
        assert auc_at(y, risk, horizon) == pytest.approx(roc_auc_score(-lived, risk[known]))


def test_someone_censored_before_the_horizon_is_left_out():
    known, lived = status_at(survival_target([1, 1, 5], [0, 1, 0]), 2)
    assert known.tolist() == [False, True, True]
    assert lived.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("time", "event"), [([1], [0, 1]), ([-1], [0]), ([1], [2]), ([np.nan], [1])]
)
def test_targets_are_checked(time, event):
    with pytest.raises(ParameterError):
        survival_target(time, event)
