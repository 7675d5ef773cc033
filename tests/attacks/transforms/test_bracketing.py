import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.attacks.transforms._bracketing import bracket, bracketing_attack, interpolate
from shoal.errors import ParameterError
from shoal.federated import GradedRanges

UNIFORM = GradedRanges.uniform(0, 99, 4)
UNEVEN = GradedRanges.from_breaks([0, 3, 40, 45, 99])


def example_bracketing():
    values = np.arange(99, dtype=float)
    return (values, UNEVEN.encode(values), 3), {"repeats": 20}


@settings(deadline=None)
@given(
    values=st.lists(st.integers(0, 99), min_size=2, max_size=40),
    n_known=st.integers(0, 5),
    uneven=st.booleans(),
)
def test_brackets_hold_the_truth_and_are_as_narrow_as_order_allows(values, n_known, uneven):
    x = np.array(values, float)
    y = (UNEVEN if uneven else UNIFORM).encode(x)
    known = np.arange(min(n_known, len(x)))
    low, high = bracket(y, known, x[known], (0, 99))
    assert (low <= x).all()
    assert (x <= high).all()
    for i in range(len(x)):
        assert low[i] == max([0, *(v for v in x[known] if v <= x[i])])
        assert high[i] == min([99, *(v for v in x[known] if v >= x[i])])


def test_two_known_people_give_uniform_ranges_away():
    x = np.arange(99, dtype=float)  # without the largest, published as .999
    y = UNIFORM.encode(x)
    np.testing.assert_allclose(interpolate(y, np.array([10, 60]), x[[10, 60]]), x, atol=1e-9)
    result = bracketing_attack(x, y, 2, repeats=20)
    assert result.risk == 1
    assert result.baseline == pytest.approx(1 / 99)
    harder = bracketing_attack(x, UNEVEN.encode(x), 2, repeats=20)
    assert harder.risk < 0.7


def test_more_known_people_narrow_the_brackets():
    x = np.random.default_rng(0).integers(0, 100, 500).astype(float)
    y = UNEVEN.encode(x)
    widths = [bracketing_attack(x, y, n, repeats=20).details["bracket_width"] for n in (0, 2, 20)]
    assert widths[0] == 1
    assert widths[0] > widths[1] > widths[2]
    shares = [bracketing_attack(x, y, n, repeats=20).risk for n in (0, 2, 20)]
    assert shares[0] < shares[1] < shares[2]


def test_everyone_known_is_refused():
    with pytest.raises(ParameterError, match="from 0 to 2, got 3"):
        bracketing_attack([1, 2, 3], [1, 2, 3], 3)
